"""The redraw follows its law: chi-square at level 0.001 each, fixed seeds."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import chi2
from tests.naive import ra as naive

from sfumato.core.run import Run
from sfumato.kernels.redraw import alias_of, pick_columns
from sfumato.methods.tables import ra_draw
from sfumato.methods.tables.ra_draw import redrawn
from sfumato.releases.redraw_law import RedrawLaw

LEVEL = 0.001
COUNTS = (np.array([5, 3, 2]), np.array([1, 9]), np.array([4, 4, 1, 1]))
GIVEN = (0.5, 0.2, 0.3)


def unlikely(found: np.ndarray, expected: np.ndarray) -> bool:
    """Whether counts are farther from what is expected than chance explains."""
    some = expected > 0
    assert not found[~some].any()
    distance = float(((found - expected)[some] ** 2 / expected[some]).sum())
    return distance > chi2.ppf(1 - LEVEL, int(some.sum()) - 1)


@pytest.mark.parametrize("listed", [True, False], ids=["listed", "walked"])
@pytest.mark.parametrize(
    ("weights", "redraw"),
    [((1 / 3,) * 3, 1), ((1 / 3,) * 3, 2), ((1 / 3,) * 3, 3), (GIVEN, 1), (GIVEN, 2)],
)
def test_records_follow_the_law(weights, redraw, listed, monkeypatch):
    monkeypatch.setattr(ra_draw, "MOST_LISTED", 4096 if listed else 0)
    rows, law = 60_000, RedrawLaw(tuple("abc"), weights, redraw, COUNTS)
    start = (0, 1, 2)
    columns = [np.full(rows, code, np.uint8) for code in start]
    found = redrawn(columns, law, Run.seeded(17 + redraw, 2))
    seen = Counter(zip(*(column.tolist() for column in found), strict=True))
    shares = [dict(enumerate(Fraction(int(n), 10) for n in count)) for count in COUNTS]
    exact = [Fraction(weight).limit_denominator(10) for weight in weights]
    wanted = naive.law_of(start, shares, exact, redraw)
    every = list(product(*(range(len(count)) for count in COUNTS)))
    counts = np.array([seen.get(one, 0) for one in every])
    expected = rows * np.array([float(wanted.get(one, 0)) for one in every])
    assert not unlikely(counts, expected)


def test_any_number_of_threads_draws_the_same():
    rng = np.random.default_rng(5)
    columns = [rng.integers(0, len(count), 50_000).astype(np.uint8) for count in COUNTS]
    law = RedrawLaw(tuple("abc"), GIVEN, 1, COUNTS)
    one, two = (redrawn(columns, law, Run.seeded(3, workers)) for workers in (1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
    other = redrawn(columns, law, Run.seeded(4))
    assert any(not np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_many_columns_are_picked_evenly():
    """Forty columns, seven redrawn: every column as often, every pair as often."""
    law = RedrawLaw(tuple(map(str, range(40))), (1 / 40,) * 40, 7, (np.array([1]),) * 40)
    words = Run.seeded(8).words(40_000 * 8, "pick").reshape(-1, 8)
    picked = pick_columns(words, law.scaled, law.sums)
    bits = (picked[:, None] >> np.arange(40, dtype=np.uint64)) & np.uint64(1)
    assert (bits.sum(axis=1) == 7).all()
    each = bits.sum(axis=0).astype(float)
    spread = np.sqrt(40_000 * 7 / 40 * 33 / 40)
    assert np.abs(each - 40_000 * 7 / 40).max() < 4.5 * spread  # level 0.001 over 40
    pairs = float((bits[:, 0] & bits[:, 1]).sum())
    chance = comb(38, 5) / comb(40, 7)
    assert abs(pairs - 40_000 * chance) < 3.3 * np.sqrt(40_000 * chance)


def test_a_table_to_draw_from_has_the_counts():
    """Every value's share of the table is its count, in whole numbers."""
    rng = np.random.default_rng(2)
    for size in (1, 2, 7, 50):
        counts = rng.integers(0, 20, size) + (np.arange(size) == 0)
        alias = alias_of(counts.astype(np.int64))
        held = np.minimum(alias.keep, alias.total)
        share = held.copy()
        np.add.at(share, alias.other, alias.total - held)
        assert (share == counts * size).all()
