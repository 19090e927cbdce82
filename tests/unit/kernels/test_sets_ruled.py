"""Joining groups of sets until rules hold: against the obvious way, and what it promises."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.naive import sets_ruled as naive
from tests.naive.merge import partition

from sfumato.audit.audit import audit, failed
from sfumato.core.run import Run
from sfumato.data.hierarchy import from_levels
from sfumato.data.schema import Schema
from sfumato.data.sets import Holders, Sets
from sfumato.data.table import table_from_arrow
from sfumato.io.store import write_release
from sfumato.kernels import sets_ruled
from sfumato.kernels.rows import Rows
from sfumato.kernels.rules import DISTINCT, empty_rules, stack
from sfumato.kernels.sets_ruled import WINDOW, join_sets_until_ruled, ordered_groups
from sfumato.methods.sets.mondrian import SetsMondrian
from sfumato.models.base import parse_model

ITEMS = 7
Scene = tuple[list[frozenset[int]], NDArray[np.float64], NDArray[np.int32], NDArray[np.int32]]


def rules(least: int):
    return stack([(DISTINCT, 0, float(least), 0.0, np.empty(0))], np.array([0, 4]))


def scene(seed: int, groups: int) -> Scene:
    """Rows with worth in whole numbers, random groups, and one sensitive column."""
    rng = np.random.default_rng(seed)
    count = groups + int(rng.integers(0, 2 * groups))
    has = rng.random((count, ITEMS)) < 0.75
    rows = [frozenset(np.flatnonzero(row).tolist()) for row in has]
    group = np.concatenate([np.arange(groups), rng.integers(0, groups, count - groups)])
    codes = rng.integers(0, 4, (count, 1)) * (rng.random((count, 1)) < 0.5)
    worth = rng.integers(1, 9, ITEMS).astype(float)
    return rows, worth, rng.permutation(group).astype(np.int32), codes.astype(np.int32)


def held(rows: list[frozenset[int]]) -> Rows:
    start = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    items = np.array([item for row in rows for item in sorted(row)], np.uint16)
    return Rows(start, items)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 70), st.integers(1, 3))
def test_joins_as_the_obvious_way_does(seed: int, groups: int, least: int) -> None:
    """Beyond WINDOW groups as well; every group that is left obeys, or there is but one."""
    rows, worth, group, codes = scene(seed, groups)

    def holds(members: list[int]) -> bool:
        return len(set(codes[members, 0].tolist())) >= least

    order = naive.ordered(rows, worth, [sorted(one) for one in partition(group)])
    before, shown = ordered_groups(held(rows), worth, group)
    assert [naive.shown(rows, np.flatnonzero(before == g)) for g in range(groups)] == [
        naive.shown(rows, one) for one in order
    ]
    label, broken, joins = join_sets_until_ruled(shown, worth, before, rules(least), codes)
    first = [sorted(one) for one in partition(before)]
    assert broken.tolist() == [not holds(one) for one in first]
    assert partition(label) == naive.join_until(rows, worth, first, holds, WINDOW)
    assert len(joins) == groups - (label.max() + 1)
    assert all(broken[taker] for taker, _ in joins)
    assert label.max() == 0 or all(holds(list(one)) for one in partition(label))


def test_groups_that_hold_are_left_alone() -> None:
    rows, worth, group, codes = scene(3, 20)
    before, shown = ordered_groups(held(rows), worth, group)
    nothing = empty_rules(np.array([0, 4]))
    label, broken, joins = join_sets_until_ruled(shown, worth, before, nothing, codes)
    assert not broken.any() and len(joins) == 0 and np.array_equal(label, before)
    assert sets_ruled.WINDOW >= 1


TREE = [("flu", "lung"), ("asthma", "lung"), ("ulcer", "gut"), ("none", "none")]
ILLS = [name for name, _ in TREE]
REQUIRED = [
    ("distinct-l-diversity", {"l": 3}),
    ("entropy-l-diversity", {"l": 2.0}),
    ("recursive-cl-diversity", {"c": 4.0, "l": 2}),
    ("alpha-k-anonymity", {"alpha": 0.75, "k": 5}),
    ("p-sensitive-k-anonymity", {"p": 2, "k": 5}),
    ("t-closeness", {"t": 0.2}),
    ("t-closeness", {"t": 0.15, "distance": "hierarchical"}),
    ("belief-change", {"most": 0.3}),
]


@pytest.mark.parametrize(("model", "values"), REQUIRED)
def test_models_on_labels_hold_under_audit(tmp_path, model: str, values: dict) -> None:
    """Whatever is required of a label is claimed, kept, and its joins are told to the owner."""
    rng = np.random.default_rng(7)
    rows = 400
    has = rng.random((rows, 12)) < np.linspace(0.9, 0.1, 12)
    ills = [ILLS[i] for i in np.where(has[:, 5], 0, rng.integers(0, 4, rows))]
    tree = from_levels("ill", [(*row, "*") for row in TREE])
    sets = Sets(
        held([frozenset(np.flatnonzero(row).tolist()) for row in has]).start,
        np.nonzero(has)[1].astype(np.uint16),
        pa.array([f"i{n:02}" for n in range(12)]),
        np.arange(1, 13, dtype=float),
    )
    schema = Schema.of(quasi=["items"], sensitive=["ill"])
    data = Holders(sets, schema, table_from_arrow(pa.table({"ill": ills})), {"ill": tree})
    required = parse_model(model, values | {"column": "ill"}, "require")
    made = SetsMondrian(k=5, effort=0).publish(data, [required], Run.seeded(1)).sealed()
    claimed = [claim for claim in made.release.claims if claim.sensitive == "ill"]
    assert [claim.model for claim in claimed] == [model] and claimed[0].steered
    leak = made.ledger.notes["merge_leak"]
    assert 0 < leak["broken_before"] <= 1
    write_release(made.release, tmp_path / "r", "parquet")
    verdicts = audit(tmp_path / "r", made.ledger, data)
    assert not failed(verdicts)
    assert any("join" in verdict.claim for verdict in verdicts)
    assert made.release.sets.groups > 1
