"""Counts and averages of redrawn tables: right on average, errors and intervals as stated.

Sixty releases of one table with fixed seeds; every test states its level.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.table import table_from_arrow
from sfumato.methods.tables.ra import RA
from sfumato.query import exact, prepare

RELEASES = 60  # no question is so noisy that its answer is shrunk
SQL = [
    "SELECT COUNT(*) FROM release WHERE a < 4 AND b = 1",
    "SELECT COUNT(*) FROM release WHERE (a = 2 OR b = 3) AND s > 40",
    "SELECT COUNT(*) FROM release WHERE NOT (c = 0 OR a > 5)",
    "SELECT SUM(s) FROM release WHERE a BETWEEN 2 AND 6 AND c = 1",
    "SELECT AVG(s) FROM release WHERE b = 2",
    "SELECT AVG(a) FROM release WHERE b IN (0, 1) AND s < 60",
]
LAWS = [{}, {"redraw": 2}, {"choose": {"a": 0.3, "b": 0.3, "c": 0.2, "d": 0.1, "e": 0.1}}]


def people(rows: int = 3_000) -> People:
    """Four linked columns and a sensitive one that follows them."""
    rng = np.random.default_rng(5)
    a = rng.integers(0, 10, rows)
    b = (a + rng.integers(0, 3, rows)) % 4
    c, d = (a > 4).astype(int) ^ (rng.random(rows) < 0.2), rng.integers(0, 6, rows)
    e = (d + rng.integers(0, 2, rows)) % 6
    s = np.round(a * 8 + b * 4 + rng.normal(0, 9, rows)).astype(int)
    table = table_from_arrow(pa.table({"a": a, "b": b, "c": c, "d": d, "e": e, "s": s}))
    return People(table, Schema.of(quasi=list("abcde"), sensitive=["s"]))


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_estimates_are_right_on_average_and_intervals_cover(law):
    data = people()
    truth = np.array([exact(data.table, sql)[0][1][0].value for sql in SQL])
    found, errors, inside = [], [], []
    for seed in range(RELEASES):
        engine = prepare(RA(**law).publish(data, [], Run.seeded(seed)).sealed().release)
        answers = [engine.answer(sql)[0][1][0] for sql in SQL]
        found.append([one.value for one in answers])
        errors.append([one.error for one in answers])
        low, high = np.array([one.interval for one in answers]).T
        inside.append((low <= truth) & (truth <= high))
    off = (np.array(found) - truth).mean(axis=0)
    spread = np.array(found).std(axis=0, ddof=1)
    # means of sixty: 3.6 standard errors are level 0.001 over the questions, with some room
    assert (np.abs(off) < 3.9 * spread / np.sqrt(RELEASES)).all()
    # standard deviations of sixty lie within 31 % of the truth at level 0.001
    ratio = spread / np.array(errors).mean(axis=0)
    assert (ratio > 0.69).all() and (ratio < 1.35).all()
    # 360 intervals, six by six on the same release: 0.95 less 4.5 standard errors
    assert 0.9 < np.mean(inside) <= 1.0
