"""What joining groups for the sake of a sensitive column gives away.

The adversary assumed here is strong: besides the release they know the groups as quasi-identifiers
alone had formed them, so they know which of these were joined, and hence that at least one of them
broke a rule. We measure what that adds: how much likelier a broken group is once it is seen joined,
and how much the belief in a record's true value rises above its share in the published group.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.rules import groups_hold
from sfumato.methods.tables.recode import Demand

MOST_GROUPS = 200
DRAWS = 200


def merge_leak(
    base: NDArray[np.int32],
    joined: NDArray[np.int32],
    broken: NDArray[np.bool_],
    wanted: Demand,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Numbers for the owner: shares of broken groups, and belief gained by the strong adversary."""
    parts, into = _parts(base, joined)
    changed = np.bincount(into, minlength=into.max() + 1) > 1
    seen = changed[into]
    some = rng.permutation(np.flatnonzero(changed))[:MOST_GROUPS]
    simulated = [_gain(group, base, joined, wanted, rng) for group in some]
    gains = [gain for gain in simulated if gain is not None]
    return {
        "groups_before": len(parts),
        "broken_before": float(broken.mean()),
        "broken_if_seen_joined": float(broken[seen].mean()) if seen.any() else 0.0,
        "broken_if_seen_kept": float(broken[~seen].mean()) if (~seen).any() else 0.0,
        "records_in_joined_groups": float(changed[joined].mean()),
        "mean_belief_gain": float(np.mean([g[0] for g in gains])) if gains else 0.0,
        "largest_belief_gain": float(np.max([g[1] for g in gains])) if gains else 0.0,
        "groups_simulated": len(gains),
    }


def _parts(
    base: NDArray[np.int32], joined: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Every group as it was, and the group it went into."""
    parts, first = np.unique(base, return_index=True)
    return parts, joined[first]


def _gain(
    group: int,
    base: NDArray[np.int32],
    joined: NDArray[np.int32],
    wanted: Demand,
    rng: np.random.Generator,
) -> tuple[float, float] | None:
    """Mean and largest rise of belief in true values, by simulation over the unknown order.

    Every order of the published values over the members is equally likely before; orders in which
    no part breaks a rule are ruled out by the joining.
    """
    rows = np.flatnonzero(joined == group)
    part = np.unique(base[rows], return_inverse=True)[1]
    codes, offset = wanted.codes[rows], wanted.rules.offset
    sizes = np.bincount(part)
    belief = np.zeros((len(sizes), offset[-1]))
    kept = 0
    for _ in range(DRAWS):
        counts = _counts(part, codes[rng.permutation(len(rows))], offset, len(sizes))
        if not groups_hold(wanted.rules, sizes, counts).all():
            belief += counts / sizes[:, None]
            kept += 1
    if kept == 0:
        return None
    share = _counts(np.zeros_like(part), codes, offset, 1)[0] / len(rows)
    rise = belief / kept - share
    true = rise[part[:, None], offset[:-1] + codes]
    return float(true.mean()), float(true.max())


def _counts(
    part: NDArray[Any], codes: NDArray[np.int32], offset: NDArray[np.int64], parts: int
) -> NDArray[np.int64]:
    counts = np.zeros((parts, offset[-1]), np.int64)
    for column in range(codes.shape[1]):
        np.add.at(counts, (part, offset[column] + codes[:, column]), 1)
    return counts
