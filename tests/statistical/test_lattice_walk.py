"""The walk on whole points: uniform where the law is known, while the paper's step is not.

Level of every test: 1e-4, seeds fixed.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy import stats
from tests.naive.walk import rows_of, whole_points

from sfumato.core.run import Run
from sfumato.kernels.direction_walk import walk_directions
from sfumato.kernels.lattice import Look, place_at, sweeps
from sfumato.kernels.lattice_rows import Rows, slack_of
from sfumato.methods.tables.patterns_equal import Reduced
from sfumato.methods.tables.patterns_walk import lattice_of

LEVEL = 1e-4


def packed(rows: list) -> Rows:
    """Rows of the naive kind as arrays."""
    start = np.cumsum([0, *(len(row) for row, _ in rows)]).astype(np.int64)
    variables = np.array([i for row, _ in rows for i in row], np.int32)
    values = np.array([float(c) for row, _ in rows for c in row.values()])
    return Rows(start, variables, values, np.array([float(b) for _, b in rows]))


def system(rows: Rows, x: list, width: float) -> Reduced:
    """A polytope between 0 and a width, begun at x."""
    n = len(x)
    none = np.zeros(n, np.int64)
    origin = np.zeros(rows.number, np.int64)
    ends = np.zeros(n), np.full(n, float(width))
    return Reduced(rows, np.array(x, float), *ends, none, origin)


def places(start: Reduced, draws: int, thin: int, seed: int) -> np.ndarray:
    """Places of one walk, every `thin` sweeps."""
    lattice = lattice_of(start, start.y.copy())
    place = place_at(start.y, slack_of(start.rows, start.y))
    n = len(start.y)
    look = Look(thin, np.arange(n), np.empty((draws, n)))
    done, asked = 0, 0
    while done < draws * thin:
        words = Run.seeded(seed).words(1 << 16, "test", asked)
        done, _ = sweeps(lattice, place, words, done, draws * thin, look)
        asked += 1
    assert np.array_equal(place.slack, slack_of(start.rows, place.x))
    return look.seen


SMALL = {
    "order": (rows_of([], 3), [0, 0, 0], 5),
    "simplex": ([({0: 1, 1: 1, 2: 1}, 6)], [0, 0, 0], 6),
    "localities": (rows_of([(1, 2, 3, ">="), (2, 3, 4, "<")], 4), [0, 1, 1, 5], 5),
    "steep": ([({0: 3, 1: -2}, 4), ({0: -5, 1: 3, 2: 1}, 2)], [0, 0, 0], 6),
}


@pytest.mark.parametrize("name", SMALL)
def test_every_whole_point_is_equally_likely(name):
    rows, x, width = SMALL[name]
    points = whole_points(rows, width, len(x))
    seen = places(system(packed(rows), x, width), 6_000, 12, 11)
    counts = Counter(map(tuple, seen.astype(int).tolist()))
    assert set(counts) <= set(points)
    observed = [counts[point] for point in points]
    assert stats.chisquare(observed).pvalue > LEVEL


FINE = 1 << 30


@pytest.mark.parametrize("place", [0, 4, 9])
def test_order_statistics(place):
    """Ten ordered values between ends: the i-th is a beta variable."""
    rows = packed(rows_of([], 10))
    seen = places(system(rows, (np.arange(10.0) * 1e7).tolist(), FINE), 3_000, 40, 7)[:, place]
    law = stats.beta(place + 1, 10 - place)
    assert stats.kstest(seen / FINE, law.cdf).pvalue > LEVEL


def test_box_and_simplex():
    box = places(system(packed([({0: 1, 1: -1}, FINE)]), [0, 0], FINE), 3_000, 5, 3)
    assert stats.kstest(box[:, 1] / FINE, "uniform").pvalue > LEVEL
    rows = packed([(dict.fromkeys(range(4), 1), FINE)])
    corner = places(system(rows, [0] * 4, FINE), 3_000, 30, 4)
    assert stats.kstest(corner[:, 2] / FINE, stats.beta(1, 4).cdf).pvalue > LEVEL


def stepped(steps: int, one_sided: bool, start: float) -> np.ndarray:
    """The paper's walk on an interval: the last of so many steps, many times."""
    none = Rows(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0), np.zeros(0))
    found = []
    for number in range(4_000):
        x = np.array([start])
        words = Run.seeded(9).words(3 * steps + 3, "interval", number, int(one_sided))
        walk_directions(none, x, np.zeros(1), np.ones(1), steps, words, one_sided)
        found.append(x[0])
    return np.array(found)


def test_the_papers_step_is_not_uniform_but_arcsine():
    seen = stepped(40, True, 0.3)
    assert stats.kstest(seen, "uniform").pvalue < 1e-12
    assert stats.kstest(seen, "arcsine").pvalue > LEVEL
    assert stats.kstest(stepped(3, False, 0.3), "uniform").pvalue > LEVEL
