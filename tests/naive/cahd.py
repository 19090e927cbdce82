"""CAHD, slow and obvious: lists of who is left, everything counted anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tests.naive.nonreciprocal import distance


def groups(
    rows: Sequence[str],
    order: Sequence[int],
    label: Sequence[int],
    size: int,
    share: int,
    reach: int,
) -> list[list[int]]:
    """In the order, whoever has no group gathers the nearest of those around with fitting labels.

    `reach` records of other labels are looked at before and behind; a group is made only if the
    rest can still be grouped; the last group is whoever is left.
    """
    left, found, skipped = list(order), [], set()
    while True:
        seed = next((record for record in left if record not in skipped), None)
        if seed is None:
            return [*found, left] if left else found
        group = _gathered(rows, left, seed, label, size, share, reach)
        rest = [record for record in left if record not in group]
        if len(group) == size and _can_be_grouped([label[r] for r in rest], size, share):
            found.append(group)
            left = rest
        skipped.add(seed)


def _gathered(
    rows: Sequence[str],
    left: Sequence[int],
    seed: int,
    label: Sequence[int],
    size: int,
    share: int,
    reach: int,
) -> list[int]:
    place, alone = left.index(seed), len(set(label)) == 1
    others = [r for r in left if alone or label[r] != label[seed]]
    behind = [r for r in others if left.index(r) > place][:reach]
    before = [r for r in reversed(others) if left.index(r) < place][:reach]
    near = sorted([*behind, *before], key=lambda r: distance(rows[r], rows[seed]))
    group = [seed]
    for record in near:
        same = sum(label[member] == label[record] for member in group)
        if len(group) < size and same < size // share:
            group.append(record)
    return group


def _can_be_grouped(label: Sequence[int], size: int, share: int) -> bool:
    most = max(Counter(label).values(), default=0)
    return not 0 < len(label) < size and most * share <= len(label)
