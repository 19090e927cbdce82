"""Bounds over possible worlds are those of all worlds, enumerated."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from tests.naive.nonreciprocal import worlds

from sfumato.core.errors import Refused
from sfumato.data.schema import Schema
from sfumato.data.sets import Sets
from sfumato.data.table import table_from_arrow
from sfumato.kernels.rows import Rows
from sfumato.query import answer, prepare
from sfumato.releases.release import Release
from sfumato.releases.uncertain import Uncertain

ITEMS = "abcde"
CONDITIONS = {
    "has('a')": lambda v, job: v[0],
    "NOT has('b')": lambda v, job: not v[1],
    "has('a') AND has('b') AND has('c')": lambda v, job: v[0] and v[1] and v[2],
    "NOT has('a') AND NOT has('e')": lambda v, job: not v[0] and not v[4],
    "has('a') OR (has('c') AND NOT has('d'))": lambda v, job: v[0] or (v[2] and not v[3]),
    "(has('a') AND NOT has('b')) OR (NOT has('a') AND has('b'))": lambda v, job: v[0] != v[1],
    "has('d') AND job = 'x'": lambda v, job: v[3] and job == "x",
    "job = 'x' OR has('e')": lambda v, job: job == "x" or v[4],
    "has('nothing')": lambda v, job: False,
    "job <> 'y'": lambda v, job: job != "y",
}


def lists(flags: np.ndarray) -> Rows:
    start = np.concatenate([[0], np.cumsum(flags.sum(axis=1))]).astype(np.int64)
    return Rows(start, np.nonzero(flags)[1].astype(np.uint16))


def made_up(seed: int, rows: int = 12) -> tuple[Release, list[tuple[str, str, int, str]]]:
    """A release, and the same as text."""
    rng = np.random.default_rng(seed)
    base, opened = rng.random((2, rows, 5)) < 0.5
    threshold = rng.integers(0, opened.sum(axis=1) + 1).astype(np.int32)
    job = rng.choice(["x", "y"], rows).tolist()
    sets = Sets(*lists(base), pa.array(list(ITEMS)), np.ones(5))
    table = table_from_arrow(pa.table({"job": job}))
    content = Uncertain(sets, lists(opened), threshold, table)
    schema = Schema.of(quasi=["items"], sensitive=["job"])
    text = ["".join(map(str, one.astype(int))) for one in base]
    marks = ["".join(map(str, one.astype(int))) for one in opened]
    release = Release("sets", "uncertain", schema, content, ())
    return release, list(zip(text, marks, threshold.tolist(), job, strict=True))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("condition", CONDITIONS)
def test_bounds_are_those_of_all_worlds(condition, seed):
    release, records = made_up(seed)
    holds = CONDITIONS[condition]
    asked = [place for place, item in enumerate(ITEMS) if f"'{item}'" in condition]
    least = most = 0
    expected = 0.0
    for base, opened, threshold, job in records:
        found = [
            bool(holds([bit == "1" for bit in one], job)) for one in worlds(base, opened, threshold)
        ]
        least, most = least + all(found), most + any(found)
        expected += chance(base, opened, threshold, lambda v, job=job: holds(v, job), asked)
    [(_, [told])] = answer(release, f"SELECT COUNT(*) FROM release WHERE {condition}")
    assert told.bounds == (least, most)
    assert least <= told.value <= most
    assert told.value == pytest.approx(expected)


def chance(base: str, opened: str, threshold: int, holds, asked: list[int]) -> float:
    """How likely a condition holds if open items among those asked for differ by themselves."""
    free = [place for place in asked if opened[place] == "1"]
    share = round(64 * 2 / 3 * threshold / max(1, opened.count("1"))) / 64
    total = true = 0.0
    for many in range(min(len(free), threshold) + 1):
        for some in combinations(free, many):
            odds = share**many * (1 - share) ** (len(free) - many)
            bits = [(bit == "1") != (place in some) for place, bit in enumerate(base)]
            total, true = total + odds, true + odds * bool(holds(bits))
    return true / total


def test_groups_of_a_column_and_a_prepared_release():
    release, records = made_up(3)
    engine = prepare(release)
    rows = engine.answer("SELECT COUNT(*) FROM release WHERE has('a') GROUP BY job")
    jobs = {job for *_, job in records}
    assert {key["job"] for key, _ in rows} <= jobs
    again = engine.answer("SELECT COUNT(*) FROM release WHERE has('a') GROUP BY job")
    assert again == rows


def test_what_is_not_a_count_is_refused():
    release, _ = made_up(1)
    with pytest.raises(Refused, match="MIN is not supported"):
        answer(release, "SELECT MIN(job) FROM release")
