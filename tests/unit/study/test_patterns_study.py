"""The study of patterns: its quick form runs, and its judgements can say no."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.core.run import Run
from sfumato.study.findings import Setting, conduct
from sfumato.study.papers import patterns_data as data
from sfumato.study.papers import patterns_parts as parts
from sfumato.study.papers.patterns import STUDY
from sfumato.study.papers.patterns_clusters import clusters, moved

QUICK = Setting(Run.seeded(1), None, True)


def test_extraction_is_timed_and_judged():
    [finding] = parts.extraction(QUICK)
    assert finding.table.column("size") == [100, 300]
    assert len(finding.statements) == 1


def test_clear_clusters_are_found():
    rng = np.random.default_rng(2)
    truth = np.repeat(np.arange(3), 40)
    values = rng.normal(0, 0.05, (120, 2)) + np.array([[0, 0], [1, 0], [0, 1]])[truth]
    assert moved(truth, clusters(values, 3, rng), 3) == 0
    assert moved(truth, (truth + 1) % 3, 3) == 0
    assert moved(truth, np.zeros(120, np.int64), 3) == pytest.approx(2 / 3)


@pytest.mark.parametrize("normal", [False, True])
def test_noise_has_the_distortion_that_is_wanted(normal):
    rng = np.random.default_rng(3)
    truth = rng.uniform(1, 2, (400, 3))
    shown = data.noisy(truth, 0.07, rng, normal)
    assert data.distortion(truth, shown) == pytest.approx(0.07, rel=1e-6)


def test_preserved_localities_by_hand():
    truth = np.array([0.0, 1.0, 3.0])
    assert parts.preserved(truth, np.array([0.0, 1.0, 5.0])) == 1
    assert parts.preserved(truth, np.array([0.0, 4.0, 5.0])) == 0


@pytest.mark.slow
def test_the_quick_study_runs(real_data):
    outcomes = list(conduct(STUDY, Setting(Run.seeded(1), real_data, True)))
    assert [outcome.left_out for outcome in outcomes] == [""] * len(STUDY.parts)
    assert all(outcome.findings for outcome in outcomes)
