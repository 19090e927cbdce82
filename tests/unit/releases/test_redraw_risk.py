"""What can be inferred from redrawn records, against enumeration of every outcome."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive import ra as naive

from sfumato.core.errors import Refused
from sfumato.releases import redraw_risk
from sfumato.releases.redraw_law import RedrawLaw
from sfumato.releases.redraw_risk import Adversary

WEIGHTS = {"even": (0.25,) * 4, "given": (0.5, 0.2, 0.2, 0.1)}


@st.composite
def cases(draw):
    """A table, its law, a publication that the law allows, and a sensitive column."""
    rows = draw(st.integers(2, 9))
    columns = [draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows)) for _ in range(4)]
    codes = [np.unique(column, return_inverse=True)[1] for column in columns]
    redraw = draw(st.integers(1, 4))
    weights = WEIGHTS[draw(st.sampled_from(sorted(WEIGHTS)))]
    law = RedrawLaw(tuple("abcd"), weights, redraw, tuple(map(np.bincount, codes)))
    after = [column.copy() for column in codes]
    for row in range(rows):
        for place in draw(st.permutations(range(4)))[:redraw]:
            after[place][row] = codes[place][draw(st.integers(0, rows - 1))]
    sensitive = draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows))
    return law, codes, after, np.array(sensitive)


def fractions(law: RedrawLaw) -> list[Fraction]:
    """The weights, exactly."""
    return [Fraction(weight).limit_denominator(100) for weight in law.weights]


@settings(max_examples=40, deadline=None)
@given(cases())
def test_beliefs_are_those_of_bayes(case):
    law, before, after, sensitive = case
    rows = list(zip(*(column.tolist() for column in before), strict=True))
    adversary = Adversary(law, before, after, workers=2)
    found = adversary.inference
    held = np.zeros((len(rows), 3))
    for record, new in enumerate(zip(*(column.tolist() for column in after), strict=True)):
        post = naive.posterior(rows, new, fractions(law), law.redraw)
        by_values: dict[tuple[int, ...], Fraction] = {}
        for row, belief in zip(rows, post, strict=True):
            by_values[row] = by_values.get(row, Fraction(0)) + belief
        assert found.best[record] == pytest.approx(float(max(by_values.values())))
        assert found.person[record] == pytest.approx(float(max(post)))
        assert adversary.own[record] == pytest.approx(float(post[record]))
        held[:, sensitive[record]] += np.array(post, float)
    assert found.bound is not None and (found.bound >= found.best - 1e-12).all()
    belief = adversary.belief(sensitive, 3)
    each = np.arange(len(rows))
    whole = held.sum(axis=1)
    true = np.divide(held[each, sensitive], whole, out=np.zeros(len(rows)), where=whole > 0)
    assert belief.true == pytest.approx(true)
    held[each, sensitive] -= adversary.own
    whole, rest = held.sum(axis=1), held[each, sensitive]
    some = whole > 1e-9
    assert belief.true_without[some] == pytest.approx(rest[some] / whole[some], abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(cases())
def test_transitions_are_those_of_every_outcome(case):
    law, before, _, _ = case
    rows = list(zip(*(column.tolist() for column in before), strict=True))
    total = 0.0
    for new, chance in naive.law_of(
        rows[0], naive.shares_of(rows), fractions(law), law.redraw
    ).items():
        shares = [float(share[code]) for share, code in zip(law.shares, new, strict=True)]
        agree = [old == code for old, code in zip(rows[0], new, strict=True)]
        assert law.transition(shares, agree) == pytest.approx(float(chance))
        total += law.transition(shares, agree)
    assert total == pytest.approx(1.0)


def test_everything_redrawn_leaves_frequencies():
    codes = [np.array([0, 0, 1, 1]), np.array([0, 1, 0, 0])]
    law = RedrawLaw(("a", "b"), (0.5, 0.5), 2, tuple(map(np.bincount, codes)))
    adversary = Adversary(law, codes, codes)
    assert adversary.inference.best == pytest.approx(0.5)  # two of four are alike
    assert adversary.own == pytest.approx(0.25)
    assert adversary.amplification(0) == pytest.approx(2.0)  # 1 person alike, and 2
    assert law.kept([0]) == 0.0 and law.inclusion == pytest.approx(1.0)


def test_too_many_sets_of_columns_are_refused(monkeypatch):
    codes = [np.zeros(10, int)] * 4
    law = RedrawLaw(tuple("abcd"), (0.25,) * 4, 2, tuple(map(np.bincount, codes)))
    monkeypatch.setattr(redraw_risk, "MOST_LOOKS", 100)
    with pytest.raises(Refused, match="11 sets of columns of 20"):
        Adversary(law, codes, codes)
    monkeypatch.setattr(redraw_risk, "MOST_LOOKS", 1_000)
    monkeypatch.setattr(redraw_risk, "MOST_CELLS", 20)
    adversary = Adversary(law, codes, codes)
    assert adversary.inference.bound is None
    with pytest.raises(Refused, match="3 sensitive values"):
        adversary.belief(codes[0], 3)
