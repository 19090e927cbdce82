"""Every method on its sample data, one report each, and a page that leads to them; in gallery/."""

from __future__ import annotations

import html
import shutil
import sys
from pathlib import Path

from sfumato.core import catalogue
from sfumato.core.run import Run
from sfumato.pipeline.job import make_job
from sfumato.pipeline.publish import Outcome, run_job
from sfumato.pipeline.report import report_release
from sfumato.pipeline.sample import write_hierarchies, write_sample

ROOT = Path(__file__).parents[1]
LDIVERSE = {"model": "entropy-l-diversity", "column": "diagnosis", "l": 2}
CLOSE = {"model": "t-closeness", "column": "cost", "t": 0.3, "distance": "ordered"}
TREES = {"zip": "trees/zip.csv", "country": "trees/country.csv"}
ZIPS = {"name": "distribution", "groups": "LEFT(zip, 2)"}
STRETCHED = {"subgroups": "similar", "order": "age", "tolerance": 0.1}
DISEASES = {"name": "distribution", "groups": "sex", "target": "uniform", "fakes": "10%"}

# (name of the picture, method and parameters, models, hierarchies)
PICTURES = [
    ("mondrian", {"name": "mondrian", "k": 10}, [], {}),
    ("mondrian-median", {"name": "mondrian", "k": 10, "cut": "median"}, [], {}),
    ("mondrian-diverse", {"name": "mondrian", "k": 10}, [LDIVERSE], TREES),
    ("regroup", {"name": "regroup", "k": 10}, [], {}),
    ("regroup-thorough", {"name": "regroup", "k": 10, "effort": 16}, [], {}),
    ("regroup-diverse", {"name": "regroup", "k": 10}, [LDIVERSE, CLOSE], TREES),
    ("distribution", ZIPS | {"tolerance": 0.05}, [], {}),
    ("distribution-similar", {"name": "distribution"} | STRETCHED, [], {}),
    ("distribution-strata", {"name": "distribution", "hierarchy": "strata"}, [], {}),
    ("distribution-fakes", DISEASES, [LDIVERSE], {}),
]


def main() -> int:
    """Publish and report every picture; fails if a method of the catalogue has none."""
    shown = {str(method["name"]) for _, method, _, _ in PICTURES}
    lacking = {name for _, name in catalogue.METHODS} - shown
    if lacking:
        print(f"no picture of {', '.join(sorted(lacking))}: add one to tools/gallery.py")
        return 1
    folder = ROOT / "gallery"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    write_sample("people", 5_000, 1, folder / "people.csv")
    write_hierarchies("people", folder / "trees")
    outcomes = {name: paint(folder, name, *rest) for name, *rest in PICTURES}
    (folder / "index.html").write_text(index(outcomes), encoding="utf-8")
    print("look at gallery/index.html")
    return 0


def paint(folder: Path, name: str, method: dict, models: list, trees: dict) -> Outcome:
    """Run one job and write its owner's report; `distribution` publishes one sensitive column."""
    sensitive = ["diagnosis", "cost"]
    if method["name"] == "distribution":
        sensitive = ["diagnosis"] if models else ["cost"]
    job = {
        "source": {"kind": "table", "path": "people.csv"},
        "schema": {
            "identifier": ["person_id"],
            "quasi": ["age", "zip", "sex", "education", "country"],
            "sensitive": sensitive,
            "drop": ["occupation", "hours", "income", *({"diagnosis", "cost"} - set(sensitive))],
            "types": {"zip": "category"},
            "hierarchies": trees,
        },
        "method": method,
        "require": models,
        "output": {"path": f"{name}", "ledger": f"{name}-ledger"},
    }
    outcome = run_job(make_job(job, folder), Run.seeded(1))
    report_release(outcome.release, outcome.ledger, output=folder / f"{name}.html")
    content = outcome.publication.release.content
    print(f"{name:22} {content.groups:5} groups, smallest {content.sizes.min()}")
    return outcome


def index(outcomes: dict[str, Outcome]) -> str:
    """A plain page of links."""
    lines = [
        f'<li><a href="{name}.html">{html.escape(name)}</a>: '
        f"{outcome.publication.release.content.groups:,} groups</li>"
        for name, outcome in outcomes.items()
    ]
    style = "<style>body{font:1rem/1.6 sans-serif;margin:3rem;color-scheme:light dark}</style>"
    head = f'<!doctype html><meta charset="utf-8"><title>sfumato gallery</title>{style}'
    return f"{head}<h1>Every method on its sample data</h1><ul>{''.join(lines)}</ul>"


if __name__ == "__main__":
    sys.exit(main())
