"""Every method on its sample data, one report each, and a page that leads to them; in gallery/."""

from __future__ import annotations

import html
import shutil
import sys
from pathlib import Path
from typing import Any

from sfumato.core import catalogue
from sfumato.core.run import Run
from sfumato.core.words import several
from sfumato.pipeline.job import make_job
from sfumato.pipeline.publish import Outcome, run_job
from sfumato.pipeline.report import report_release
from sfumato.pipeline.sample import (
    write_friends,
    write_hierarchies,
    write_sample,
    write_segments,
)

ROOT = Path(__file__).parents[1]
DIFFERENT = {"model": "distinct-l-diversity", "column": "diagnosis", "l": 2}
LDIVERSE = {"model": "entropy-l-diversity", "column": "diagnosis", "l": 2}
CLOSE = {"model": "t-closeness", "column": "cost", "t": 0.3, "distance": "ordered"}
TREES = {"zip": "trees/zip.csv", "country": "trees/country.csv"}
ZIPS = {"name": "distribution", "groups": "LEFT(zip, 2)"}
STRETCHED = {"subgroups": "similar", "order": "age", "tolerance": 0.1}
DISEASES = {"name": "distribution", "groups": "sex", "target": "uniform", "fakes": "10%"}

SEGMENTS = {"path": "segments.parquet", "items": "items", "utility": "utilities.csv"}
TRAITS = {"path": "people.csv", "format": "columns", "label": "diagnosis", "buckets": {"age": 10}}

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
    ("patterns", {"name": "patterns", "disclose": "full", "thresholds": {"age": [18, 65]}}, [], {}),
    ("distribution-fakes", DISEASES, [LDIVERSE], {}),
    ("permutation", {"name": "permutation", "l": 4}, [], {}),
    ("ra", {"name": "ra"}, [], {}),
    ("ra-most", {"name": "ra", "redraw": 4, "bins": {"age": 10}}, [], {}),
]

# (name of the picture, source, method and parameters, models)
SET_PICTURES = [
    ("sets-mondrian", SEGMENTS, {"name": "mondrian", "k": 10}, []),
    ("sets-mondrian-once", SEGMENTS, {"name": "mondrian", "k": 10, "effort": 0}, []),
    ("sets-mondrian-diverse", TRAITS, {"name": "mondrian", "k": 10}, [LDIVERSE]),
    ("sets-cluster", SEGMENTS, {"name": "cluster", "k": 10}, []),
    ("sets-iterative-cluster", SEGMENTS, {"name": "iterative-cluster", "k": 10}, []),
    ("sets-two-phase", SEGMENTS, {"name": "two-phase", "k": 10}, []),
    ("sets-k1", SEGMENTS, {"name": "k1", "k": 10}, []),
    ("sets-k1-undrawn", SEGMENTS, {"name": "k1", "k": 10, "candidates": 1}, []),
    ("sets-nonreciprocal", SEGMENTS, {"name": "nonreciprocal", "k": 10}, []),
    ("sets-nonreciprocal-diverse", TRAITS, {"name": "nonreciprocal", "k": 2}, [DIFFERENT]),
    ("sets-cahd", TRAITS, {"name": "cahd", "k": 2}, [DIFFERENT]),
]

# (name of the picture, method and parameters)
GRAPH_PICTURES = [
    ("graph-edge-perturbation", {"name": "edge-perturbation", "mu": 0.0005}),
    (
        "graph-edge-perturbation-dense",
        {
            "name": "edge-perturbation",
            "delete": 0.2,
            "add": "keep-density",
            "publish_facts": ["no-isolated-nodes"],
        },
    ),
]


def main() -> int:
    """Publish and report every picture; fails if a method of the catalogue has none."""
    shown = {("table", str(method["name"])) for _, method, _, _ in PICTURES}
    shown |= {("sets", str(method["name"])) for _, _, method, _ in SET_PICTURES}
    shown |= {("graph", str(method["name"])) for _, method in GRAPH_PICTURES}
    lacking = [
        f"{name} for {kind}" for kind, name in catalogue.METHODS if (kind, name) not in shown
    ]
    if lacking:
        print(f"no picture of {', '.join(sorted(lacking))}: add one to tools/gallery.py")
        return 1
    folder = ROOT / "gallery"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    write_sample("people", 5_000, 1, folder / "people.csv")
    write_hierarchies("people", folder / "trees")
    write_segments(5_000, 1, folder / "segments.parquet", utility=folder / "utilities.csv")
    jobs = {name: of_table(*rest) for name, *rest in PICTURES}
    jobs |= {name: of_sets(*rest) for name, *rest in SET_PICTURES}
    write_friends(5_000, 1, folder / "friends.parquet", nodes=folder / "friends.csv")
    jobs |= {name: of_graph(method) for name, method in GRAPH_PICTURES}
    outcomes = {name: paint(folder, name, job) for name, job in jobs.items()}
    (folder / "index.html").write_text(index(outcomes), encoding="utf-8")
    print("look at gallery/index.html")
    return 0


def of_table(method: dict, models: list, trees: dict) -> dict[str, Any]:
    """A job on the table of people; methods in buckets publish one sensitive column."""
    sensitive = ["diagnosis", "cost"]
    if method["name"] in ("distribution", "permutation"):
        sensitive = ["diagnosis"] if models else ["cost"]
    quasi = ["age", "zip", "sex", "education", "country"]
    kept = quasi[1:] if method["name"] == "patterns" else []
    schema = {
        "identifier": ["person_id"],
        "quasi": [name for name in quasi if name not in kept],
        "keep": kept,
        "sensitive": sensitive,
        "drop": ["occupation", "hours", "income", *({"diagnosis", "cost"} - set(sensitive))],
        "types": {"zip": "category"},
        "hierarchies": trees,
    }
    source = {"kind": "table", "path": "people.csv"}
    return {"source": source, "schema": schema, "method": method, "require": models}


def of_sets(source: dict, method: dict, models: list) -> dict[str, Any]:
    """A job on sets: segments that people belong to, or traits of the people of the table."""
    drop = ["zip", "hours", "income", "cost"] if "label" in source else []
    identifier = ["person_id" if "label" in source else "person"]
    schema = {"identifier": identifier, "drop": drop}
    return {
        "source": {"kind": "sets"} | source,
        "schema": schema,
        "method": method,
        "require": models,
    }


def of_graph(method: dict) -> dict[str, Any]:
    """A job on friends, with the communities that they belong to."""
    source = {
        "kind": "graph",
        "path": "friends.parquet",
        "source": "person",
        "target": "friend",
        "nodes": "friends.csv",
        "node": "person",
    }
    schema = {"identifier": ["person"], "keep": ["community"]}
    return {"source": source, "schema": schema, "method": method}


def paint(folder: Path, name: str, job: dict[str, Any]) -> Outcome:
    """Run one job and write its owner's report."""
    job = job | {"output": {"path": f"{name}", "ledger": f"{name}-ledger"}}
    outcome = run_job(make_job(job, folder), Run.seeded(1))
    report_release(outcome.release, outcome.ledger, output=folder / f"{name}.html")
    print(f"{name:29} {counted(outcome)}")
    return outcome


def counted(outcome: Outcome) -> str:
    """How much was published, in words."""
    sizes = outcome.publication.release.sizes
    return ", ".join(several(number, thing) for thing, number in sizes.items())


def index(outcomes: dict[str, Outcome]) -> str:
    """A plain page of links."""
    lines = [
        f'<li><a href="{name}.html">{html.escape(name)}</a>: {counted(outcome)}</li>'
        for name, outcome in outcomes.items()
    ]
    style = "<style>body{font:1rem/1.6 sans-serif;margin:3rem;color-scheme:light dark}</style>"
    head = f'<!doctype html><meta charset="utf-8"><title>sfumato gallery</title>{style}'
    return f"{head}<h1>Every method on its sample data</h1><ul>{''.join(lines)}</ul>"


if __name__ == "__main__":
    sys.exit(main())
