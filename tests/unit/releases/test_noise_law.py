"""Additive noise: its draws follow the law, estimates are right on average, shapes come back."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sfumato.core.run import Run
from sfumato.releases.noise_law import NoiseLaw

LAWS = [NoiseLaw("uniform", 3.0), NoiseLaw("normal", 2.0)]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.shape)
def test_draws_follow_the_law(law):
    """Level 1e-4."""
    drawn = law.draw(Run.seeded(1).words(20_000, "noise"))
    truth = stats.uniform(-3, 6) if law.shape == "uniform" else stats.norm(0, 2)
    assert stats.kstest(drawn, truth.cdf).pvalue > 1e-4
    some = np.linspace(-4, 4, 9)
    assert law.below(some) == pytest.approx(truth.cdf(some))
    assert law.variance == pytest.approx(truth.var())


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.shape)
def test_intervals_hold_the_truth_as_often_as_they_say(law):
    """400 draws at 95 %: between 360 and 397 hold the sum (beyond with probability 1e-4)."""
    values = np.random.default_rng(1).integers(0, 50, 60).astype(float)
    held = 0
    for number in range(400):
        noisy = values + law.draw(Run.seeded(2).words(120, "noise", number))
        low, high = law.total(noisy).interval
        held += low <= values.sum() <= high
        mean = law.mean(noisy)
        assert (mean.interval[0] <= values.mean() <= mean.interval[1]) == (
            low <= values.sum() <= high
        )
    assert 360 <= held <= 397


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.shape)
def test_variance_and_shape_are_found_behind_the_noise(law):
    rng = np.random.default_rng(3)
    values = np.where(
        rng.random(20_000) < 0.5, rng.normal(0, 0.5, 20_000), rng.normal(8, 0.5, 20_000)
    )
    noisy = values + law.draw(Run.seeded(4).words(40_000, "noise"))
    assert law.spread(noisy) == pytest.approx(values.var(), rel=0.05)
    edges = np.linspace(-2, 10, 25)
    truth = np.histogram(values, edges)[0] / len(values)
    plain = np.histogram(noisy, edges)[0] / len(values)
    found = law.reconstructed(noisy, edges)
    assert found.sum() == pytest.approx(1.0)
    assert np.abs(found - truth).sum() < 0.5 * np.abs(plain - truth).sum()
