"""Run one peer in its own environment: `python peers_script.py TASK INPUT OUTPUT`; no sfumato here.

INPUT is a folder with rows.csv, columns.json and, for anjana, hierarchies.json. OUTPUT gets the
group of every row (-1: suppressed) as npy; times and numbers are printed as JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd


def timed(work: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """Result and times; peers print, which is not what is wanted here."""
    wall, cpu = time.perf_counter(), time.process_time()
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        result = work()
    return result, {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def anonypy(rows: pd.DataFrame, how: dict[str, Any], output: Path) -> dict[str, Any]:
    """Mondrian; the partitions are looked at while it works, since its table does not tell them."""
    from anonypy import Preserver, mondrian

    for name in how["categories"]:
        rows[name] = rows[name].astype("category")
    seen = []
    plain = mondrian.Mondrian.partition

    def listening(self: Any, *rest: Any) -> Any:
        seen.append(plain(self, *rest))
        return seen[-1]

    mondrian.Mondrian.partition = listening
    preserver = Preserver(rows, how["quasi"], how["sensitive"])
    _, times = timed(lambda: preserver.anonymize_k_anonymity(how["k"]))
    group = np.full(len(rows), -1)
    for number, members in enumerate(seen[-1]):
        group[np.asarray(members)] = number
    np.save(output, group)
    return times


def anjana(rows: pd.DataFrame, how: dict[str, Any], output: Path) -> dict[str, Any]:
    """Full-domain generalisation with suppression."""
    from anjana.anonymity import k_anonymity

    levels = json.loads((Path(sys.argv[2]) / "hierarchies.json").read_text())
    trees = {
        name: {level: list(part) for level, part in enumerate(zip(*tree))}
        for name, tree in levels.items()
    }
    rows = rows.astype(str)
    rows["row"] = np.arange(len(rows))
    made, times = timed(
        lambda: k_anonymity(rows, [], how["quasi"], how["k"], how["suppressed"], trees)
    )
    group = np.full(len(rows), -1)
    group[made["row"].to_numpy()] = made.groupby(how["quasi"], sort=False).ngroup().to_numpy()
    np.save(output, group)
    return times


def pycanon(rows: pd.DataFrame, how: dict[str, Any], _: Path) -> dict[str, Any]:
    """k, distinct l and t of a published table; nothing is written."""
    from pycanon import anonymity

    rows = rows.astype(str)
    quasi, sensitive = how["quasi"], [how["sensitive"]]
    k, k_times = timed(lambda: anonymity.k_anonymity(rows, quasi))
    several, l_times = timed(lambda: anonymity.l_diversity(rows, quasi, sensitive))
    t, t_times = timed(lambda: anonymity.t_closeness(rows, quasi, sensitive))
    numbers = {"k": int(k), "l": int(several), "t": float(t)}
    return {"numbers": numbers, "times": {"k": k_times, "l": l_times, "t": t_times}}


TASKS = {"anonypy": anonypy, "anjana": anjana, "pycanon": pycanon}


def main() -> None:
    """Read, run, print."""
    task, folder, output = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    how = json.loads((folder / "columns.json").read_text())
    rows = pd.read_csv(folder / "rows.csv")
    found = TASKS[task](rows, how, output)
    print(json.dumps(found | {"version": metadata.version(task)}))


if __name__ == "__main__":
    main()
