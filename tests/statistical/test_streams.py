"""Streams of a run: named streams are uniform and unrelated; level 0.001 each, fixed seeds."""

from __future__ import annotations

import numpy as np

from sfumato.core.run import Run

CHI_SQUARE_255 = 330.5  # 0.999 quantile at 255 degrees of freedom


def chi_square(counts: np.ndarray) -> float:
    """Distance of counts to equal ones."""
    expected = counts.sum() / len(counts)
    return float(((counts - expected) ** 2 / expected).sum())


def test_the_first_byte_of_many_streams_is_uniform():
    run = Run.seeded(11)
    first = [int(run.word("part", place)) & 255 for place in range(25_600)]
    assert chi_square(np.bincount(first, minlength=256)) < CHI_SQUARE_255


def test_neighbouring_streams_are_unrelated():
    run = Run.seeded(12)
    one, two = (run.rng("part", place).random(40_000) for place in (0, 1))
    correlation = np.corrcoef(one, two)[0, 1]
    assert abs(correlation) < 3.3 / np.sqrt(40_000)  # 0.999 two-sided


def test_secure_runs_differ_and_seeds_repeat():
    assert Run.secure().word("x") != Run.secure().word("x")
    assert Run.seeded(1).word("x") == Run.seeded(1).word("x") != Run.seeded(2).word("x")
    assert Run.seeded(1).word("x") != Run.seeded(1).word("y")
