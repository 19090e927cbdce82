"""The study of distribution-based publication: its tables, its errors, its judgements."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.answers import result_table
from sfumato.core.run import Run
from sfumato.study.findings import Setting, conduct
from sfumato.study.papers import distribution_beliefs as beliefs
from sfumato.study.papers import distribution_errors as errors
from sfumato.study.papers import distribution_other as other
from sfumato.study.papers import distribution_ranges as ranges
from sfumato.study.papers import distribution_shapes as shapes
from sfumato.study.papers import distribution_tables as tables
from sfumato.study.papers.distribution import STUDY
from sfumato.study.papers.distribution_parts import QI, ROUNDED

RUN = Run.seeded(1)
QUICK = Setting(RUN, None, True)


def draw(seed: int = 3) -> tables.Draw:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("make", [tables.unrelated, tables.related, tables.uniform])
def test_made_up_losses_lie_on_the_grid(make):
    age, loss = tables.columns(make(4_000, draw()))
    assert age.min() == 17 and age.max() == 79
    assert loss.min() >= 1024 and loss.max() <= 3040 and not ((loss - 1024) % 32).any()
    linked = abs(np.corrcoef(age, loss)[0, 1])
    assert linked > 0.8 if make is tables.related else linked < 0.1


def test_zipf_losses_have_their_law_whether_or_not_they_are_linked():
    mass = np.arange(1, 65) ** -0.1
    for linked in (False, True):
        age, loss = tables.columns(tables.zipf(50_000, draw(), linked))
        found = np.bincount((loss - 1024) // 32, minlength=64) / 50_000
        # 64 binomial counts within five deviations: level below 1e-4, the seed is fixed
        assert (np.abs(found - mass / mass.sum()) < 5 * np.sqrt(0.03 / 50_000)).all()
        assert (np.corrcoef(age, loss)[0, 1] > 0.9) == linked


def test_adult_is_the_table_of_the_paper(real_data):
    of = tables.adult(Setting(RUN, real_data))
    age, loss = tables.columns(of)
    assert (len(age), len(np.unique(loss)), loss.min(), loss.max()) == (1_427, 89, 155, 4_356)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(17, 30), st.integers(1, 50)), min_size=1, max_size=30),
    st.integers(15, 30),
    st.integers(0, 10),
)
def test_the_error_of_one_permuted_group_is_that_of_its_smallest_and_largest(rows, low, width):
    age, loss = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    of = tables.people(age, loss)
    found = errors.by({}, RUN)(errors.Case(of))
    chosen = (age >= low) & (age <= low + width)
    seen = errors.errors(of, found, [(low, low + width)])
    number, ordered = int(chosen.sum()), np.sort(loss)
    if number == 0:
        assert len(seen) == 0
    else:
        wide = ordered[len(ordered) - number :].sum() - ordered[:number].sum()
        assert seen == pytest.approx([wide / loss[chosen].sum()])


def test_bounds_that_miss_the_truth_stop_the_study():
    right = tables.people(np.array([20, 20, 30]), np.array([1, 2, 3]))
    wrong = tables.people(np.array([20, 20, 30]), np.array([100, 200, 300]))
    with pytest.raises(AssertionError):
        errors.errors(wrong, [errors.published(right, RUN)], [(17, 30)])


def test_ranges_have_their_width_and_lie_within_the_ages():
    of = tables.unrelated(500, draw())
    for width in errors.WIDTHS:
        found = errors.drawn(of, width, 50, draw())
        assert all(low >= 17 and high <= 79 and high - low == width for low, high in found)


@pytest.mark.parametrize("groups", [1, 2, 10])
def test_parts_hold_every_record_once_and_no_age_twice(groups):
    case = errors.Case(tables.related(800, draw()))
    releases = other._by_parts(QUICK, groups, ROUNDED, case)
    ages = [set(r.bucketed.records["age"].to_arrow().to_pylist()) for r in releases]
    assert len(releases) == groups
    assert sum(release.bucketed.rows for release in releases) == 800
    assert sum(map(len, ages)) == len(set().union(*ages))


def test_nine_tenths_ask_for_the_tree_and_the_target_of_the_whole():
    case = errors.Case(tables.unrelated(600, draw()))
    some = ranges._nine_tenths(QUICK, case, 0)
    whole = errors.published(case.people, RUN, **ROUNDED).bucketed
    [release] = errors.by({}, RUN)(some)
    assert some.people.table.rows == 540
    assert release.bucketed.rows == 540
    one, two = (c.targets.dense(0, len(c.scale)) for c in (whole, release.bucketed))
    assert (one == two).all()


def test_beliefs_add_up_and_are_as_far_from_the_table_as_allowed():
    case = errors.Case(tables.unrelated(800, draw()))
    for asked, most in (({}, 1e-12), (QI, 1e-12), (QI | {"tolerance": 0.05}, 0.05)):
        [release] = errors.by(asked, RUN)(case)
        content = release.bucketed
        leaf = content.scale.is_leaf
        assert beliefs.believed(content, 0)[leaf].sum() == pytest.approx(1)
        assert beliefs.farthest(content, case) <= most
    [rounded] = errors.by(QI | {"rounding": 2}, RUN)(case)
    assert beliefs.farthest(rounded.bucketed, case) > 0.05


FALLING = result_table("t", [{"x": x, "a": 1 / x, "b": 0.3, "c": 2 / x} for x in (1, 2, 4)])


@pytest.mark.parametrize(
    ("judge", "yes", "no"),
    [
        (shapes.falls, ["a"], ["b"]),
        (shapes.is_flat, ["b"], ["a"]),
        (shapes.rises, ["x"], ["a"]),
        (shapes.below, ["a", "c"], ["a", "b"]),
        (shapes.crosses, ["a", "b"], ["b", "a"]),
        (shapes.ordered, [["c", "a", "b"]], [["a", "c"]]),
    ],
)
def test_judgements_can_go_either_way(judge, yes, no):
    assert judge("p", FALLING, *yes).agrees
    assert not judge("p", FALLING, *no).agrees


@pytest.mark.parametrize(
    ("what", "means", "agree"),
    [
        ("Adult", (4, 3, 2, 3), [True, True]),
        ("Adult", (4, 3, 2, 1), [True, False]),
        ("Adult", (1, 2, 3, 4), [False, True]),
        ("unrelated", (4, 3, 3.5, 3.7), [True]),
        ("unrelated", (4, 3, 2, 1), [False]),
        ("related", (4, 3, 2, 1), [True]),
        ("related", (4, 3, 2, 3), [False]),
    ],
)
def test_judgements_on_fakes(what, means, agree):
    table = result_table("t", [{"range": 1} | dict(zip(ranges.FAKES, means, strict=True))])
    assert [one.agrees for one in ranges._fake_shapes("n", what, table)] == agree


@pytest.fixture(scope="module")
def outcomes():
    """The whole study on very small tables."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(ranges.GENERALIZING, "similar, within 0.1")  # takes seconds on any table
        patch.setattr(tables, "FEW_ROWS", 300)
        patch.setattr(errors, "FEW_QUERIES", 3)
        patch.setattr(errors, "WIDTHS", (2, 40))
        patch.setattr(other, "FEW_SIZES", (100, 200))
        patch.setattr(other, "VALUES", (64, 81))
        return list(conduct(STUDY, QUICK))


def test_every_part_without_real_data_makes_findings(outcomes):
    for outcome in outcomes:
        assert bool(outcome.findings) == ("Adult" not in outcome.title), outcome.title
        assert bool(outcome.left_out) == ("Adult" in outcome.title)
    names = [found.name for outcome in outcomes for found in outcome.findings]
    titles = [found.title for outcome in outcomes for found in outcome.findings]
    assert len(names) == len(set(names)) and len(titles) == len(set(titles))


def test_charts_name_columns_of_their_tables(outcomes):
    for found in (found for outcome in outcomes for found in outcome.findings):
        if found.chart is not None:
            assert {found.chart.x, *found.chart.y} <= set(found.table.columns)
            assert 1 <= len(found.chart.y) <= 6
            assert all(value is not None for row in found.table.rows for value in row)
