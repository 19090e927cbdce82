"""Kill `store.write` at the lines of its steps, in child processes; run as a script by test_store.

Prints one line of JSON per point: what stood in place after the kill, and after the next run.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.unit.io.publications import everything

from sfumato.core.errors import BadRelease
from sfumato.io import store, swap
from sfumato.io.opening import open_ledger, open_release
from sfumato.releases.release import Publication

KILLED = 9
MODULES = (store.__file__, swap.__file__)
STEPS = ("write", "write_ledger", "write_release", "_sweep", "_settle", "_put", "exchange")


def in_child(work: Callable[[], None]) -> int:
    """Do some work in a child process; returns its exit code."""
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kill_at(point: int) -> None:
    """End this process, as a power cut would, when the point-th line of the store is reached."""
    left = [point]

    def on_line(frame: Any, event: str, _arg: Any) -> Any:
        if event == "line":
            left[0] -= 1
            if left[0] < 0:
                os._exit(KILLED)
        return on_line

    def on_call(frame: Any, _event: str, _arg: Any) -> Any:
        code = frame.f_code
        return on_line if code.co_filename in MODULES and code.co_name in STEPS else None

    sys.settrace(on_call)


def release_in(folder: Path) -> str | None:
    """The id of the whole release that stands in a folder, None if there is no folder."""
    if not folder.exists():
        return None
    try:
        return open_release(folder).release_id
    except BadRelease as error:
        return f"broken: {error}"


def state(folder: Path) -> dict[str, Any]:
    """What stands in the two places, and how much lies beside them."""
    ledger = folder / "ledger"
    return {
        "release": release_in(folder / "release"),
        "ledger": open_ledger(ledger).release_id if ledger.exists() else None,
        "left": len(list(folder.glob(".sfumato*"))),
    }


def save(publication: Publication, folder: Path, replace: bool) -> None:
    """Write both halves."""
    output = store.Output(folder / "release", folder / "ledger", replace)
    store.write(publication, output, lambda staged, kept: None)


def trial(publication: Publication, folder: Path, point: int, replace: bool) -> dict[str, Any]:
    """Save, kill at one point, look, and run again."""
    folder.mkdir()
    facts: dict[str, Any] = {"point": point}

    def killed() -> None:
        kill_at(point)
        save(publication, folder, replace)

    def note(name: str) -> None:
        (folder.parent / f"{folder.name}-{name}").write_text(json.dumps(state(folder)))

    def before() -> None:
        save(publication, folder, False)
        note("old")

    def after() -> None:
        note("killed")
        save(publication, folder, True)
        note("next")

    if replace:
        in_child(before)
    facts["code"] = in_child(killed)
    in_child(after)
    for path in folder.parent.glob(f"{folder.name}-*"):
        facts[path.name.split("-")[1]] = json.loads(path.read_text())
    return facts


def main(folder: Path, replace: bool, one_step: bool, stride: int) -> None:
    """Try points until one lies beyond the end of the run."""
    if not one_step:
        swap._in_one_step = lambda *_: False  # type: ignore[assignment]
    publication = everything(rows=12)[0]
    point, code = 0, KILLED
    while code == KILLED:
        facts = trial(publication, folder / str(point), point, replace)
        print(json.dumps(facts), flush=True)
        point, code = point + stride, facts["code"]


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] == "replace", sys.argv[3] == "one step", int(sys.argv[4]))
