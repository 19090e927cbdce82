"""What joining groups for the sake of a sensitive column gives away.

The adversary assumed here is as strong as can be: besides the release they know the groups as
quasi-identifiers alone had formed them, and in which order these were joined. From every join they
learn that the group that took another broke a rule just before, and from every group that was taken
after its own turn that it obeyed. We measure what that adds: how much the belief in a record's true
value rises above the value's share in the published group.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.rules import groups_hold
from sfumato.methods.demand import Demand

MOST_GROUPS = 60
MOST_ROWS = 500
DRAWS = 2_000
FEWEST_KEPT = 100
LARGE_GAIN = 0.1


@dataclass(frozen=True, eq=False)
class Joining:
    """How groups were joined: labels of every row before and after, and the joins in order."""

    before: NDArray[np.int32]
    after: NDArray[np.int32]
    broken: NDArray[np.bool_]
    joins: NDArray[np.int64]


class Union(NamedTuple):
    """One joined group: the part and sensitive codes of its rows, and its joins by part."""

    part: NDArray[np.int64]
    sizes: NDArray[np.int64]
    codes: NDArray[np.int32]
    joins: list[tuple[int, int]]


def merge_leak(
    joining: Joining, wanted: Demand, rng: np.random.Generator
) -> dict[str, float | int]:
    """Numbers for the owner: shares of broken groups, and belief gained by the strong adversary."""
    first = np.unique(joining.before, return_index=True)[1]
    into = joining.after[first]
    changed = np.bincount(into) > 1
    seen, broken = changed[into], joining.broken
    unions = rng.permutation(np.flatnonzero(changed))[:MOST_GROUPS]
    gains = [_gains(_union(joining, wanted, int(label)), wanted, rng) for label in unions]
    simulated = [gain for gain in gains if gain is not None]
    each = np.concatenate([np.zeros(0), *simulated])
    return {
        "groups_before": len(first),
        "broken_before": float(broken.mean()),
        "broken_if_seen_joined": float(broken[seen].mean()) if seen.any() else 0.0,
        "broken_if_seen_kept": float(broken[~seen].mean()) if (~seen).any() else 0.0,
        "records_in_joined_groups": float(changed[joining.after].mean()),
        "joined_groups": int(changed.sum()),
        "joined_groups_simulated": len(simulated),
        "mean_belief_gain": float(each.mean()) if len(each) else 0.0,
        "largest_belief_gain": float(each.max()) if len(each) else 0.0,
        "share_with_large_gain": float((each > LARGE_GAIN).mean()) if len(each) else 0.0,
    }


def _union(joining: Joining, wanted: Demand, label: int) -> Union:
    rows = np.flatnonzero(joining.after == label)
    parts, part = np.unique(joining.before[rows], return_inverse=True)
    own = joining.joins[np.isin(joining.joins[:, 0], parts)]
    joins = [(int(one), int(other)) for one, other in np.searchsorted(parts, own)]
    return Union(part.astype(np.int64), np.bincount(part), wanted.codes[rows], joins)


def _gains(union: Union, wanted: Demand, rng: np.random.Generator) -> NDArray[np.float64] | None:
    """Rise of belief in every record's true value, by simulation over the unknown order.

    Every order of the published values over the members is equally likely before; orders under
    which the joining would have gone otherwise are ruled out. None if too few orders remain.
    """
    if len(union.part) > MOST_ROWS:
        return None
    counts = _random_counts(union, wanted.rules.offset, rng)
    kept = counts[_would_join(union, counts, wanted)]
    if len(kept) < FEWEST_KEPT:
        return None
    belief = kept.mean(axis=0) / union.sizes[:, None]
    share = counts[0].sum(axis=0) / len(union.part)
    rise = belief - share
    places = wanted.rules.offset[:-1] + union.codes
    return np.asarray(rise[union.part[:, None], places].max(axis=1))


def _would_join(union: Union, counts: NDArray[np.int64], wanted: Demand) -> NDArray[np.bool_]:
    """Which orders lead to the same joins: every taker broke, every part past its turn obeyed."""
    state, sizes = counts.copy(), union.sizes.copy()
    fits = np.ones(len(counts), bool)
    for taker, taken in union.joins:
        fits &= ~_hold(state[:, taker], sizes[taker], wanted)
        if taken < taker:
            fits &= _hold(state[:, taken], sizes[taken], wanted)
        state[:, taker] += state[:, taken]
        sizes[taker] += sizes[taken]
    return fits


def _hold(counts: NDArray[np.int64], size: int, wanted: Demand) -> NDArray[np.bool_]:
    sizes = np.full(len(counts), size, np.int64)
    return np.asarray(groups_hold(wanted.rules, sizes, np.ascontiguousarray(counts)))


def _random_counts(
    union: Union, offset: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Counts of values per part, (orders, parts, values), under random orders of the values."""
    rows = len(union.part)
    orders = rng.permuted(np.tile(np.arange(rows), (DRAWS, 1)), axis=1)
    counts = np.zeros((DRAWS, len(union.sizes), int(offset[-1])), np.int64)
    draw = np.arange(DRAWS)[:, None]
    for column in range(union.codes.shape[1]):
        np.add.at(counts, (draw, union.part, offset[column] + union.codes[orders, column]), 1)
    return counts
