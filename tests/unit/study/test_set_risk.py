"""A first look at sets, against counting by definition."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.run import Run
from sfumato.data.sets import Sets
from sfumato.kernels.set_singles import holders_of
from sfumato.study.risk import SMALL
from sfumato.study.set_risk import (
    SetEffort,
    frequencies,
    risk_of_sets,
    set_facts,
    singled_by_items,
)


def sets_of(rows: list[set[int]], domain: int = 6) -> Sets:
    start = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    items = np.array([item for row in rows for item in sorted(row)], np.uint16)
    names = pa.array([f"secret {i}" for i in range(domain)])
    return Sets(start, items, names, np.ones(domain))


some_rows = st.lists(st.sets(st.integers(0, 5)), min_size=1, max_size=12)


@settings(max_examples=80, deadline=None)
@given(some_rows, st.integers(1, 4), st.data())
def test_holders_by_definition(rows: list[set[int]], enough: int, data: st.DataObject) -> None:
    sets = sets_of(rows)
    known = data.draw(st.integers(1, 3))
    asked = np.array(data.draw(st.lists(st.permutations(range(6)), min_size=1, max_size=4)))
    asked = asked[:, :known]
    first, holding = sets.postings
    found = holders_of(sets.held, first, holding, asked.astype(np.int64), enough)
    true = [min(enough, sum(set(one) <= row for row in rows)) for one in asked.tolist()]
    assert found.tolist() == true


@settings(max_examples=60, deadline=None)
@given(some_rows)
def test_everybody_who_is_singled_out(rows: list[set[int]]) -> None:
    """Of everybody's rarest items, and of all combinations as the mean of random ones."""
    sets, counts = sets_of(rows), np.bincount([i for row in rows for i in row], minlength=6)
    table = singled_by_items(sets)
    assert len(table.rows) == min(3, max(map(len, rows)))
    for known, line in enumerate(table.rows, 1):
        told = dict(zip(table.columns, line, strict=True))
        people = [row for row in rows if len(row) >= known]
        assert told["people"] == len(people)
        rarest = [set(sorted(row, key=lambda i: (counts[i], i))[:known]) for row in people]
        alone = [sum(one <= row for row in rows) == 1 for one in rarest]
        assert told["singled out by their rarest"] == pytest.approx(np.mean(alone))
        ways = [
            [sum(set(c) <= row for row in rows) for c in combinations(p, known)] for p in people
        ]
        least = np.mean([all(n == 1 for n in way) for way in ways])
        most = np.mean([any(n == 1 for n in way) for way in ways])
        assert least - 1e-9 <= told["singled out"] <= most + 1e-9
        few = np.mean([all(n < SMALL for n in way) for way in ways])
        assert few - 1e-9 <= told[f"among fewer than {SMALL}"] <= 1


def test_samples_say_so() -> None:
    """Few people of many records are close to all, and the same every time."""
    rng = np.random.default_rng(4)
    rows = [set(np.flatnonzero(rng.random(40) < 0.2).tolist()) for _ in range(3000)]
    sets = sets_of(rows, 40)
    whole, part = singled_by_items(sets), singled_by_items(sets, effort=SetEffort(people=600))
    at = whole.columns.index("singled out by their rarest")
    for one, other in zip(whole.rows, part.rows, strict=True):
        assert abs(one[at] - other[at]) < 4 * (0.25 / 600) ** 0.5  # four standard deviations
    fewer = singled_by_items(sets, effort=SetEffort(rows=500))
    assert "a random sample of 500 of 3,000 records" in fewer.notes[0]
    assert fewer.rows[2][at] > whole.rows[2][at]
    assert singled_by_items(sets, Run.seeded(0)).rows == whole.rows


def test_facts_show_no_name() -> None:
    sets = sets_of([{0, 1}, {0}, set(), {0, 5}])
    facts = dict(set_facts(sets).rows)
    assert facts["records"] == 4 and facts["items of a record, most"] == 2
    assert facts["records without items"] == 1
    assert frequencies(sets).rows[0] == ("number 1", 3, 0.75)
    assert frequencies(sets).notes == ("items that fewer than 5 records have: 6",)
    assert risk_of_sets(sets).column("share unique")[0] == 1.0
    empty = sets_of([set(), set()])
    assert singled_by_items(empty).rows == () and risk_of_sets(empty).column("mean")[0] == 0.5
    for table in (set_facts(sets), frequencies(sets), singled_by_items(sets)):
        assert "secret" not in str(table)
