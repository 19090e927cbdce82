"""What every group achieves under every model: dense counts, plain numpy, no shared code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.hierarchy import Hierarchy
from sfumato.models.base import Model, Whole

Counts = NDArray[np.int64]
Numbers = NDArray[np.float64]

CELLS_AT_ONCE = 4_000_000


def group_numbers(
    model: Model, group: NDArray[np.int64], codes: NDArray[np.int64], groups: int, whole: Whole
) -> Numbers:
    """The model's number for every group, from the group and value of every record.

    Records must be ordered by group; counts are made for a slice of the groups at a time.
    """
    number = NUMBERS[model.name]
    parts = [number(model, counts, whole) for counts in _slices(group, codes, groups, whole)]
    return np.concatenate([np.empty(0), *parts])


def different_counts(
    group: NDArray[np.int64], codes: NDArray[np.int64], wanted: NDArray[np.bool_], whole: Whole
) -> set[tuple[int, ...]]:
    """The counts of some groups, each once; records must be ordered by group."""
    mine = wanted[group]
    number = np.cumsum(wanted) - 1
    groups = int(wanted.sum())
    different: set[tuple[int, ...]] = set()
    for counts in _slices(number[group[mine]], codes[mine], groups, whole):
        different.update(map(tuple, np.unique(counts, axis=0).tolist()))
    return different


def _slices(
    group: NDArray[np.int64], codes: NDArray[np.int64], groups: int, whole: Whole
) -> Iterator[Counts]:
    values = len(whole.texts)
    step = max(1, CELLS_AT_ONCE // max(1, values))
    for begin in range(0, groups, step):
        end = min(groups, begin + step)
        first, last = np.searchsorted(group, [begin, end])
        place = (group[first:last] - begin) * values + codes[first:last]
        yield np.bincount(place, minlength=(end - begin) * values).reshape(end - begin, values)


def _distinct(_model: Any, counts: Counts, _whole: Whole) -> Numbers:
    return np.asarray((counts > 0).sum(axis=1), np.float64)


def _entropy(_model: Any, counts: Counts, _whole: Whole) -> Numbers:
    share = counts / counts.sum(axis=1, keepdims=True)
    logs = np.log(share, where=share > 0, out=np.zeros_like(share))
    return np.asarray(np.exp(-(share * logs).sum(axis=1)))


def _recursive(model: Any, counts: Counts, _whole: Whole) -> Numbers:
    ordered = -np.sort(-counts, axis=1)
    tail = ordered[:, model.l - 1 :].sum(axis=1)
    return np.where(tail > 0, ordered[:, 0] / np.maximum(tail, 1), np.inf)


def _surplus(counts: Counts, whole: Whole) -> Numbers:
    return np.asarray(counts / counts.sum(axis=1, keepdims=True) - whole.shares)


def _closeness(model: Any, counts: Counts, whole: Whole) -> Numbers:
    surplus = _surplus(counts, whole)
    if model.distance == "equal":
        return np.asarray(np.abs(surplus).sum(axis=1) / 2)
    if model.distance == "ordered":
        return np.asarray(np.abs(surplus.cumsum(axis=1)).sum(axis=1) / max(1, counts.shape[1] - 1))
    assert whole.hierarchy is not None
    return _over_tree(surplus, whole.hierarchy, np.array(whole.leaf))


def _over_tree(surplus: Numbers, tree: Hierarchy, leaf: NDArray[np.int64]) -> Numbers:
    """Going up level by level: what children can't settle among themselves moves higher."""
    distance = np.zeros(len(surplus))
    nodes = leaf
    for level in range(1, tree.levels):
        above = np.array([tree.ladder[level, tree.spans[node, 0]] for node in nodes])
        parents, place = np.unique(above, return_inverse=True)
        member = np.eye(len(parents))[place]
        plus, minus = np.maximum(surplus, 0) @ member, np.maximum(-surplus, 0) @ member
        distance += np.minimum(plus, minus).sum(axis=1) * level / (tree.levels - 1)
        surplus, nodes = plus - minus, parents
    return distance


def _categories(model: Any, counts: Counts, whole: Whole) -> Numbers:
    number = {
        value: place for place, part in enumerate(model.categories.values()) for value in part
    }
    category = np.array([number[text] for text in whole.texts])
    member = np.eye(len(model.categories), dtype=np.int64)[category]
    return np.asarray(((counts @ member) > 0).sum(axis=1), np.float64)


def _largest_share(model: Any, counts: Counts, whole: Whole) -> Numbers:
    listed = np.array([model.values is None or text in model.values for text in whole.texts])
    return np.asarray(counts[:, listed].max(axis=1, initial=0) / counts.sum(axis=1))


def _belief(_model: Any, counts: Counts, whole: Whole) -> Numbers:
    return np.asarray(np.abs(_surplus(counts, whole)).max(axis=1))


NUMBERS: dict[str, Callable[[Any, Counts, Whole], Numbers]] = {
    "distinct-l-diversity": _distinct,
    "entropy-l-diversity": _entropy,
    "recursive-cl-diversity": _recursive,
    "t-closeness": _closeness,
    "p-sensitive-k-anonymity": _distinct,
    "p-alpha-anonymity": _categories,
    "alpha-k-anonymity": _largest_share,
    "belief-change": _belief,
}
