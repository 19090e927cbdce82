"""The tour: generate people, publish, audit, ask three questions, write a report; all in demo/."""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path

from sfumato.cli.main import main as sfumato

ROOT = Path(__file__).parents[1]
COMMANDS = [
    ["sample", "people", "-o", "people.csv", "--hierarchies", "trees"],
    ["publish", "job.toml"],
    ["audit", "release"],
    ["query", "release", "SELECT AVG(age) FROM release WHERE sex = 'female'"],
    [
        "query",
        "release",
        "SELECT COUNT(*) FROM release WHERE age BETWEEN 30 AND 49 AND diagnosis = 'diabetes'",
        "--against",
        "people.csv",
    ],
    ["query", "release", "SELECT AVG(cost) FROM release GROUP BY diagnosis"],
    ["report", "release", "--ledger", "release-ledger", "-o", "report.html"],
]


def main() -> int:
    """Run the commands one after the other, as a person would type them."""
    folder = ROOT / "demo"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(ROOT / "examples" / "people" / "job.toml", folder)
    os.chdir(folder)
    start = time.perf_counter()
    for command in COMMANDS:
        shown = [f'"{word}"' if " " in word else word for word in command]
        print(f"\n$ sfumato {' '.join(shown)}", flush=True)
        code = sfumato(command)
        if code:
            return code
    print(f"\nthe tour took {time.perf_counter() - start:.1f} s; look at demo/report.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
