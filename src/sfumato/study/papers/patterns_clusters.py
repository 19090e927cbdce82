"""k-means on original and published values, and how many records change their cluster."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
STARTS, ROUNDS = 4, 60


def clusters(values: Floats, k: int, rng: np.random.Generator) -> Ints:
    """Labels of the best of some runs of Lloyd's algorithm, columns scaled to their ranges."""
    wide = np.ptp(values, axis=0)
    scaled = values / np.where(wide > 0, wide, 1.0)
    found = [_run(scaled, k, rng) for _ in range(STARTS)]
    return min(found, key=lambda one: one[1])[0]


def _run(values: Floats, k: int, rng: np.random.Generator) -> tuple[Ints, float]:
    centres = _spread(values, k, rng)
    label = np.zeros(len(values), np.int64)
    for _ in range(ROUNDS):
        far = ((values[:, None, :] - centres[None]) ** 2).sum(axis=2)
        fresh = far.argmin(axis=1)
        centres = np.array([_mean(values, fresh == i, centres[i]) for i in range(k)])
        if np.array_equal(fresh, label):
            break
        label = fresh
    return label, float(far.min(axis=1).sum())


def _mean(values: Floats, mine: NDArray[np.bool_], before: Floats) -> Floats:
    return values[mine].mean(axis=0) if mine.any() else before


def _spread(values: Floats, k: int, rng: np.random.Generator) -> Floats:
    """Centres far from one another: each by its squared distance to those before (k-means++)."""
    centres = [values[rng.integers(len(values))]]
    while len(centres) < k:
        far = np.min([((values - c) ** 2).sum(axis=1) for c in centres], axis=0)
        total = float(far.sum())
        chosen = rng.choice(len(values), p=far / total) if total else rng.integers(len(values))
        centres.append(values[chosen])
    return np.array(centres)


def moved(before: Ints, after: Ints, k: int) -> float:
    """The share of records in another cluster, under the matching of labels that makes it least.

    Half of the symmetric differences of matched clusters, over all records.
    """
    counts = np.zeros((k, k), np.int64)
    np.add.at(counts, (before, after), 1)
    best = max(sum(counts[i, order[i]] for i in range(k)) for order in permutations(range(k)))
    return 1.0 - float(best) / max(len(before), 1)
