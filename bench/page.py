"""Write docs/benchmarks.md from the results that are there: `python -m bench.page`.

Subjects without results keep the section that the page has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from bench.measure import ROOT
from bench.run import RESULTS, SUBJECTS
from bench.tables import Table, cell, notes

PAGE = ROOT / "docs" / "benchmarks.md"
HEAD = """# Benchmarks

What `make bench` printed on {machine}. Written by `python -m bench.page`; nothing
here was typed by hand. [How to read a table, and what each subject is](../bench/README.md). Other
tools run in the same hour on the same machine, with a ratio; figures marked "quoted, not rerun" are
of another hour, without one. A target was set before the work began; a missed one is shown as
missed.
"""


def page(old: str = "") -> str:
    """The page, subject by subject; `old` is the page as it was."""
    files = {name: RESULTS / f"{name}.json" for name in SUBJECTS}
    found = {n: json.loads(p.read_text(encoding="utf-8")) for n, p in files.items() if p.exists()}
    full = {name: facts for name, facts in found.items() if not facts["quick"]}
    fresh = {name: _section(name, facts) for name, facts in full.items()}
    sections = _sections(old) | fresh
    machines = [_machine(facts["machine"]) for facts in full.values()]
    if sections.keys() - fresh.keys():
        machines += _machines(old)
    head = HEAD.format(machine="; ".join(dict.fromkeys(machines)))
    return "\n".join([head, *(sections[name] for name in SUBJECTS if name in sections)])


def _section(name: str, facts: dict[str, Any]) -> str:
    parts = (text for table in facts["tables"] for text in _told(table))
    return "\n".join([f"## {name}\n", *parts])


def _sections(page: str) -> dict[str, str]:
    """The sections of a page by the subjects that they are about."""
    _, *parts = re.split("^## ", page, flags=re.MULTILINE)
    return {part.split("\n")[0]: f"## {part.rstrip()}\n" for part in parts}


def _machines(page: str) -> list[str]:
    """The machines that a page names."""
    named = re.search(r"printed on (.*?)\. Written by", page, re.DOTALL)
    return named[1].split("; ") if named else []


def _machine(facts: dict[str, Any]) -> str:
    rest = [
        f"{name} {value}" for name, value in facts.items() if name not in ("processor", "cores")
    ]
    return f"{facts['cores']} cores of an {facts['processor']} with {', '.join(rest)}"


def _told(facts: dict[str, Any]) -> Iterator[str]:
    table = Table(**facts)
    columns = table.columns
    yield f"**{table.title}**\n"
    yield f"| {' | '.join(columns)} |"
    yield f"|{' --- |' * len(columns)}"
    for row in table.rows:
        yield f"| {' | '.join(cell(name, row.get(name)) for name in columns)} |"
    said = "".join(f"{note} " if note[-1] in ",;" else f"{note}; " for note in notes(table))
    yield f"\n{said[:1].upper()}{said.rstrip('; ')[1:]}.\n" if said else ""


if __name__ == "__main__":
    before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    PAGE.write_text(page(before), encoding="utf-8")
