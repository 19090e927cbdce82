"""The study of sets: its data, its points, its judgements."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.run import Run
from sfumato.data.sets import Sets
from sfumato.kernels.rows import Rows
from sfumato.study.findings import Setting, conduct
from sfumato.study.papers import sets_curves as curves
from sfumato.study.papers import sets_data as data
from sfumato.study.papers import sets_shapes as shapes
from sfumato.study.papers.sets import STUDY

RUN = Run.seeded(1)
QUICK = Setting(RUN, None, True)
MADE_UP = {"Made-up segments, methods of the thesis", "Made-up segments, with what is new"}
NEEDS_NOTHING = MADE_UP | {"A long tail, in place of the targeting data"}


def sets_of(rows: list[set[int]], utility: list[float]) -> Sets:
    """Sets from plain ones."""
    start = np.cumsum([0, *map(len, rows)])
    items = np.array([item for row in rows for item in sorted(row)], np.uint16)
    names = pa.array([f"i{place}" for place in range(len(utility))])
    return Sets(start, items, names, np.array(utility))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sets(st.integers(0, 5), min_size=1), min_size=4, max_size=20), st.data())
def test_points_are_what_is_shown(rows, more):
    sets = sets_of(rows, [1.0, 2.0, 5.0, 1.0, 3.0, 2.0])
    name = more.draw(st.sampled_from(sorted(curves.CURVES)))
    sizes, shown = curves.CURVES[name](sets, 2, RUN)
    kept = [shown.items[shown.start[i] : shown.start[i + 1]] for i in range(len(sizes))]
    utility = sum(n * sets.utility[items].sum() for n, items in zip(sizes, kept, strict=True))
    pairs = sum(n * len(items) for n, items in zip(sizes, kept, strict=True))
    point = curves.measured(sets, 2, name, RUN)
    assert point.utility == pytest.approx(utility / sets.total)
    assert point.instances == pytest.approx(pairs / len(sets.items))
    assert point.seconds >= 0


def test_sets_that_too_few_records_contain_stop_the_study(monkeypatch):
    sets = sets_of([{0, 1}, {0}, {0}], [1.0, 1.0])
    for items, fine in (([0], True), ([0, 1], False)):
        shown = Rows(np.array([0, len(items)]), np.array(items, np.uint16))
        monkeypatch.setitem(curves.CURVES, "one", lambda *_, s=shown: (np.array([3]), s))
        if fine:
            assert curves.measured(sets, 2, "one", RUN).utility == pytest.approx(3 / 4)
        else:
            with pytest.raises(AssertionError):
                curves.measured(sets, 2, "one", RUN)


def test_groups_below_k_stop_the_study(monkeypatch):
    sets = sets_of([{0}] * 4, [1.0])
    two = curves.method("two-phase")
    assert two(sets, 4, RUN)[0].tolist() == [4]
    monkeypatch.setattr(curves, "build", lambda kind, values, where: kind(k=1))
    four = sets_of([{0}, {1}, {2}, {0, 1}], [1.0] * 3)
    with pytest.raises(AssertionError):
        two(four, 4, RUN)


def grid(**utility: list[float]) -> curves.Grid:
    """Points at k = 2, 10, 100; seconds are tenths of a hundred times the utility."""
    return {
        (name, k): curves.Point(value, value, 10 * value)
        for name, values in utility.items()
        for k, value in zip((2, 10, 100), values, strict=True)
    }


GRID = grid(a=[0.9, 0.6, 0.31], b=[0.8, 0.5, 0.3], c=[0.7, 0.6, 0.5])


@pytest.mark.parametrize(
    ("judge", "yes", "no"),
    [
        (shapes.printed_gain, [("a", "b"), 10, 0.25], [("a", "b"), 10, 0.1]),
        (shapes.above, ["a", ["b"]], ["a", ["b", "c"]]),
        (shapes.above, ["a", ["c"], (0, 5)], ["a", ["c"], (20, 200)]),
        (shapes.same, [("a", "b"), (100, 100), 0.05], [("a", "b"), (2, 100), 0.05]),
        (shapes.crosses, [("c", "a"), 10], [("b", "a"), 10]),
        (shapes.falls, [("a", "b"), 10], [("c", "b"), 10]),
        (shapes.time_ratio, [("a", "b"), [2], (1, 2)], [("a", "b"), [2], (2, 3)]),
    ],
)
def test_judgements_can_go_either_way(judge, yes, no):
    assert judge("p", GRID, *yes).agrees
    assert not judge("p", GRID, *no).agrees


def test_a_curve_without_common_points_is_not_above():
    lacking = {place: point for place, point in GRID.items() if place[1] > 10 or place[0] == "a"}
    assert not shapes.above("p", lacking, "a", ["b"], (0, 10)).agrees
    assert shapes.common_ks(lacking, ["a", "b"]) == [100]


def test_adult_has_the_items_of_the_table_in_the_docs(real_data):
    sets = data.adult(Setting(RUN, real_data))
    assert (sets.rows, sets.domain, len(sets.items)) == (48_842, 125, 481_955)


def test_a_sample_keeps_its_order_and_whole_records():
    whole = data.made_up(QUICK)
    some = data.sampled(QUICK, whole, 50, "test")
    assert some.rows == 50 and data.sampled(QUICK, whole, whole.rows, "test") is whole
    rows = [tuple(part) for part in np.split(whole.items, whole.indptr[1:-1])]
    found = [tuple(part) for part in np.split(some.items, some.indptr[1:-1])]
    places = iter(rows)
    assert all(one in places for one in found)  # a subsequence


def outcomes_on(setting: Setting) -> list:
    """The whole study on very little data."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "FEW_ROWS", 300)
        return list(conduct(STUDY, setting))


@pytest.fixture(scope="module")
def outcomes():
    """What can be done without real data."""
    return outcomes_on(QUICK)


def check_findings(found):
    names, titles = [one.name for one in found], [one.title for one in found]
    assert len(names) == len(set(names)) and len(titles) == len(set(titles))
    for one in found:
        if one.chart is not None:
            assert {one.chart.x, *one.chart.y} <= set(one.table.columns)
            assert 1 <= len(one.chart.y) <= 6


def test_parts_without_their_data_are_left_out(outcomes):
    for outcome in outcomes:
        assert bool(outcome.findings) == (outcome.title in NEEDS_NOTHING), outcome.title
        assert bool(outcome.left_out) == (outcome.title not in NEEDS_NOTHING)
    check_findings([found for outcome in outcomes for found in outcome.findings])


def test_every_part_makes_findings_of_real_data(real_data):
    found = outcomes_on(Setting(RUN, real_data, True))
    assert all(outcome.findings for outcome in found)
    check_findings([one for outcome in found for one in outcome.findings])
    assert sum(len(one.statements) for outcome in found for one in outcome.findings) > 20
