"""Estimates and intervals of releases in buckets, where what they assume is true.

Assumed is that entries are dealt to records at random, fakes among them, and that values follow the
target inside an entry, each by itself or all of a node alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.table import table_from_arrow
from sfumato.methods.tables.distribution import Distribution
from sfumato.query import prepare
from sfumato.releases.bucketed import Bucketed
from sfumato.releases.release import Release

SCHEMA = Schema.of(quasi=["age", "sex"], sensitive=["pay"])
WORLDS = 400
VARIANTS: list[dict[str, Any]] = [
    {"groups": "sex", "target": "uniform", "fakes": 10},
    {"groups": "sex", "target": "table", "rounding": 8},
    {"target": {"normal": {"mean": 40.0, "sd": 20.0}}, "hierarchy": "ternary"},
    {"target": "uniform", "hierarchy": [[20, 50], [50]], "groups": "age >= 30"},
]
ASKED = [
    ("COUNT(*)", "age < 34 AND pay >= 50", lambda r: (r["age"] < 34) & (r["pay"] >= 50)),
    ("SUM(pay)", "age BETWEEN 25 AND 40", lambda r: (r["age"] >= 25) & (r["age"] <= 40)),
    ("AVG(pay)", "sex = 'f' AND age < 36", lambda r: (r["sex"] == "f") & (r["age"] < 36)),
    ("AVG(pay)", "pay > 20 AND age > 30", lambda r: (r["age"] > 30) & (r["pay"] > 20)),
    ("SUM(age)", "pay <= 30", lambda r: r["pay"] <= 30),
]


def release_of(place: int) -> Release:
    """300 people whose pay leans to the low values, published."""
    rng = np.random.default_rng(place)
    rows = {
        "age": rng.integers(20, 50, 300),
        "sex": rng.choice(["f", "m"], 300),
        "pay": rng.choice(np.arange(0, 90, 10), 300, p=np.arange(9, 0, -1) / 45),
    }
    method = Distribution(**VARIANTS[place])
    data = People(table_from_arrow(pa.table(rows)), SCHEMA, {})
    return method.publish(data, [], Run.seeded(1)).sealed().release


def inside(content: Bucketed, target: int) -> np.ndarray:
    """P(leaf | node) under a target, (nodes, places)."""
    scale, weight = content.scale, content.targets.dense(target, len(content.scale))
    found = np.zeros((len(scale), scale.places))
    for node in range(len(scale) - 1, -1, -1):
        first, many = int(scale.first_child[node]), int(scale.children[node])
        if not many:
            found[node, scale.low[node]] = 1.0
        elif weight[first : first + many].any():
            own = weight[first : first + many]
            found[node] = own @ found[first : first + many] / own.sum()
    return found


def world(content: Bucketed, rng: np.random.Generator, alike: bool) -> np.ndarray:
    """One table that the release may stand for: the pay of every record."""
    pay = np.empty(content.rows)
    values = content.scale.numbers
    for bucket in range(content.groups):
        share = inside(content, int(content.target[bucket]))
        lines = slice(content.start[bucket], content.start[bucket + 1])
        drawn = [
            np.full(many, rng.choice(values, p=share[node]))
            if alike
            else rng.choice(values, many, p=share[node])
            for node, many in zip(content.node[lines], content.count[lines], strict=True)
        ]
        members = np.flatnonzero(content.bucket == bucket)
        pay[members] = rng.permutation(np.concatenate(drawn))[: len(members)]
    return pay


def truth(function: str, rows: dict[str, np.ndarray], chosen: np.ndarray) -> float:
    """The answer in one world."""
    if function == "COUNT(*)":
        return float(chosen.sum())
    values = rows[function[4:-1]][chosen]
    return float(values.sum() if function.startswith("SUM") else values.mean())


@pytest.mark.parametrize("alike", [False, True])
@pytest.mark.parametrize("place", range(len(VARIANTS)))
def test_estimates_are_unbiased_and_intervals_cover(place: int, alike: bool) -> None:
    """In 400 worlds the mean of the truth is the estimate, within 4 standard errors (level 1e-4);
    an interval of 95 % holds the truth at least 91 % of the time, 4 standard errors below. Where
    values of a node are all alike the truth is no normal number, and 85 % is asked."""
    release = release_of(place)
    content = release.bucketed
    known = {n: np.array(c.to_arrow().to_pylist()) for n, c in content.records.columns.items()}
    rng = np.random.default_rng([place, alike])
    worlds = [known | {"pay": world(content, rng, alike)} for _ in range(WORLDS)]
    for function, where, picks in ASKED:
        [(_, [one])] = prepare(release).answer(f"SELECT {function} FROM release WHERE {where}")
        found = np.array([truth(function, rows, picks(rows)) for rows in worlds])
        low, high = one.bounds
        assert (found >= low - 1e-9).all() and (found <= high + 1e-9).all()
        error = found.std() / np.sqrt(WORLDS)
        ratio = function.startswith("AVG") and "pay" in where  # of two sums, only nearly unbiased
        reach = 4 * error + (0.02 * abs(one.value) if ratio else 1e-9)
        assert abs(found.mean() - one.value) <= reach, (function, where)
        if one.interval is not None:
            covered = np.mean((found >= one.interval[0] - 1e-9) & (found <= one.interval[1] + 1e-9))
            assert covered >= (0.85 if alike else 0.91), (function, where, covered)
