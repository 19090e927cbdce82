"""Other tools from PyPI on the same rows in the same run: time ratios and loss."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
from numpy.typing import NDArray

import sfumato
from bench import data
from bench.groups import schema
from bench.labels import QUASI as TREE_QUASI
from bench.loss import smallest, tight_loss
from bench.measure import ROOT, timed
from bench.tables import Table
from sfumato.audit.claims import check_claims
from sfumato.audit.files import Files
from sfumato.core.answers import Verdict
from sfumato.data.hierarchy import from_levels
from sfumato.methods.base import Method
from sfumato.releases.release import Publication

PLACE = ROOT / ".venv-peers"
PACKAGES = ("anonypy==0.2.1", "anjana==1.2.3", "pycanon==1.3.5")
K, SUPPRESSED = 5, 5  # percent of records that anjana may leave out
ROWS = (1_000, 5_000, data.ADULT_ROWS)


def run(quick: bool) -> list[Table]:
    """Publishing against anonypy and anjana, checking against pycanon."""
    data.adult()
    python = environment(PLACE, PACKAGES, quick)
    sizes = (500,) if quick else ROWS
    publishing = Table(f"peers: publishing, k = {K}; ours is publish() in memory, all cores")
    for rows in sizes:
        _against_anonypy(publishing, python, rows)
    for rows in sizes:
        _against_anjana(publishing, python, rows)
    publishing.notes = [
        "times cpu, times wall: theirs over ours; loss: tight NCP, a suppressed record loses 1",
        f"anjana may suppress {SUPPRESSED} % of records; ours suppresses none and is given the",
        "same hierarchies; peers run once, ours is the best of three",
    ]
    checking = Table("peers: checking a published table of Adult's columns and income")
    for rows in sizes:
        _against_pycanon(checking, python, rows)
    checking.notes = [
        "theirs: the three numbers of a frame in memory; ours: the audit's check of all claims,",
        "reading its files included; groups with equal labels are one class to pycanon",
    ]
    return [publishing, checking]


def environment(place: Path, packages: Sequence[str], quick: bool) -> Path:
    """The Python of a virtual environment for peers: they need other packages than ours."""
    python = place / "bin" / "python"
    ready = place / "ready"
    if ready.exists() and ready.read_text().split() == list(packages):
        return python
    if quick:
        raise data.Absent(f"no {place.name} yet: a full run makes it")
    shutil.rmtree(place, ignore_errors=True)
    print(f"setting up {place.name}, once", flush=True)
    try:
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        (place / ".gitignore").write_text("*\n")  # linters look at it too
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*command, *packages], check=True, stderr=subprocess.DEVNULL)
    except subprocess.CalledProcessError:
        raise data.Absent("pip could not install the peers: is there a package index?") from None
    ready.write_text("\n".join(packages) + "\n")
    return python


def _peer(
    python: Path, task: str, rows: pa.Table, how: dict[str, Any], trees: Any = None
) -> tuple[dict[str, Any], NDArray[Any] | None]:
    """What a peer found, and its groups if it made any."""
    with TemporaryDirectory() as name:
        folder, output = Path(name), Path(name) / "group.npy"
        plain = {n: _flat(rows.column(n)) for n in rows.column_names}
        pacsv.write_csv(pa.table(plain), folder / "rows.csv")
        (folder / "columns.json").write_text(json.dumps(how | {"sensitive": data.SENSITIVE}))
        (folder / "hierarchies.json").write_text(json.dumps(trees))
        script = Path(__file__).with_name("peers_script.py")
        command = [str(python), str(script), task, str(folder), str(output)]
        work = partial(subprocess.run, command, stdout=subprocess.PIPE, text=True, check=True)
        done, timing = timed(work)
        group = np.load(output) if output.exists() else None
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found | {"others": timing.others}, group


def _flat(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    return column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column


def _against_anonypy(table: Table, python: Path, number: int) -> None:
    rows = data.published(number)
    how = {"quasi": list(data.QUASI), "k": K}
    how["categories"] = [name for name in data.QUASI if name not in data.NUMBERS]
    theirs, group = _peer(python, "anonypy", rows, how)
    assert group is not None
    peer = _line(f"anonypy {theirs['version']}, mondrian", rows, theirs, group)
    table.rows.append(peer)
    methods = {
        "mondrian, best cut": sfumato.method("mondrian", k=K),
        "regroup": sfumato.method("regroup", k=K),
    }
    for name, method in methods.items():
        make = partial(sfumato.publish, rows, schema(), method, seed=1)
        table.rows.append(_ours(name, make, rows, peer))


def _against_anjana(table: Table, python: Path, number: int) -> None:
    whole = data.adult().slice(0, number)
    rows = whole.select([*TREE_QUASI, data.SENSITIVE])
    levels = {name: data.hierarchy(name) for name in TREE_QUASI}
    how = {"quasi": list(TREE_QUASI), "k": K, "suppressed": SUPPRESSED}
    theirs, group = _peer(python, "anjana", rows, how, levels)
    assert group is not None
    peer = _line(f"anjana {theirs['version']}, hierarchies", whole, theirs, group)
    table.rows.append(peer)
    trees = {name: from_levels(name, tree) for name, tree in levels.items()}
    methods: dict[str, Method] = {
        "mondrian, best cut": sfumato.method("mondrian", k=K),
        "regroup": sfumato.method("regroup", k=K),
    }
    for name, method in methods.items():
        make = partial(sfumato.publish, rows, schema(TREE_QUASI), method, hierarchies=trees, seed=1)
        table.rows.append(_ours(f"{name}, hierarchies", make, whole, peer))


def _line(tool: str, rows: pa.Table, times: dict[str, Any], group: NDArray[Any]) -> dict[str, Any]:
    return {
        "rows": rows.num_rows,
        "tool": tool,
        "wall s": times["wall"],
        "cpu s": times["cpu"],
        "others": times["others"],
        "loss": tight_loss(data.plain(rows), group),
        "smallest": smallest(group),
        "suppressed": int((group < 0).sum()),
    }


def _ours(
    name: str, make: Callable[[], Publication], rows: pa.Table, peer: dict[str, Any]
) -> dict[str, Any]:
    make()
    made, timing = timed(make, 3)
    group = np.empty(rows.num_rows, np.int64)
    group[made.ledger.rows] = made.release.content.group
    line = _line(f"sfumato, {name}", rows, asdict(timing), group)
    ratios = {"times cpu": peer["cpu s"] / timing.cpu, "times wall": peer["wall s"] / timing.wall}
    return line | ratios


def _against_pycanon(table: Table, python: Path, number: int) -> None:
    require = [
        sfumato.model("distinct-l-diversity", l=2, column=data.SENSITIVE),
        sfumato.model("t-closeness", t=0.7, column=data.SENSITIVE, distance="equal"),
    ]
    with TemporaryDirectory() as name:
        release = Path(name) / "release"
        made = sfumato.publish(
            data.published(number), schema(), sfumato.method("mondrian", k=K), require, seed=1
        )
        sfumato.save(made, release, Path(name) / "ledger")
        verdicts, timing = timed(lambda: list(check_claims(Files(release))), 3)
        flat = Files(release).flat
    theirs, _ = _peer(python, "pycanon", flat, {"quasi": list(data.QUASI), "k": K})
    each = theirs["times"]
    for what, times in each.items():
        table.add(
            rows=number,
            tool=f"pycanon {theirs['version']}",
            task=what,
            wall_s=times["wall"],
            cpu_s=times["cpu"],
            others=theirs["others"],
            found=f"{theirs['numbers'][what]:.4g}",
        )
    table.add(
        rows=number,
        tool="sfumato",
        task="k, l, t",
        **timing.cells(),
        found=", ".join(_numbers(verdicts)),
        times_cpu=sum(part["cpu"] for part in each.values()) / timing.cpu,
        times_wall=sum(part["wall"] for part in each.values()) / timing.wall,
    )


def _numbers(verdicts: list[Verdict]) -> list[str]:
    """The number that each claim's worst group reaches."""
    found = [re.search(r"group ([\d.]+)", verdict.found) for verdict in verdicts]
    return [match[1] for match in found if match]
