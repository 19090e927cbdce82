"""The hierarchy of a sensitive column, as methods that generalize its values use it.

A scale is a tree of runs of values. Values stand at places 0, 1, ... in the order of the leaves;
where missing values occur, missing is place 0 and a leaf right under the root. Node 0 is the root,
and the children of a node have consecutive numbers. Nodes that join nothing are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.data.plain import spell
from sfumato.data.schema import Kind

MISSING = "missing"
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Scale:
    """A tree over the values of one column.

    Node v stands for the places low[v] .. high[v]. Usually a leaf stands for one place. With `gaps`
    the values are only the ends of intervals: a leaf stands for everything from one end to the
    other, and neighbours may share an end.
    """

    kind: Kind
    values: pa.Array
    has_missing: bool
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    first_child: NDArray[np.int32]
    children: NDArray[np.int32]
    labels: tuple[str, ...]
    gaps: bool = False

    def __len__(self) -> int:
        return len(self.low)

    @property
    def places(self) -> int:
        """Values in the domain, missing included where it occurs."""
        return len(self.values) + self.has_missing

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """The node above each node, -1 for the root."""
        above = np.full(len(self), -1, np.int32)
        inner = np.flatnonzero(self.children)
        for node in inner.tolist():
            first = self.first_child[node]
            above[first : first + self.children[node]] = node
        return above

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Nodes without children."""
        return np.asarray(self.children == 0)

    @cached_property
    def leaf_of(self) -> Ints:
        """The leaf of every place; with strata, the first that has it."""
        leaf = np.empty(self.places, np.int64)
        for node in np.flatnonzero(self.is_leaf)[::-1].tolist():
            leaf[self.low[node] : self.high[node] + 1] = node
        return leaf

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """Every place as a number (days or microseconds for dates); NaN for missing, categories."""
        if self.kind is Kind.CATEGORY:
            return np.full(self.places, np.nan)
        values = self.values
        if pa.types.is_temporal(values.type):
            narrow = pa.types.is_date32(values.type) or pa.types.is_time32(values.type)
            values = values.cast(pa.int32() if narrow else pa.int64())
        numbers = np.asarray(values.cast(pa.float64(), safe=False))
        return np.concatenate([[np.nan], numbers]) if self.has_missing else numbers

    @cached_property
    def ranges(self) -> NDArray[np.float64]:
        """What an entry at each node costs: largest value less smallest; for categories, and where
        only missing is left, values less one."""
        low, high = self.present_ends
        if self.kind is Kind.CATEGORY:
            return (self.high - self.low).astype(np.float64)
        return np.where(low <= high, self.numbers[high] - self.numbers[np.minimum(low, high)], 0.0)

    @cached_property
    def present_ends(self) -> tuple[Ints, Ints]:
        """First and last place of each node but for missing; first > last where there is none."""
        low = np.maximum(self.low, int(self.has_missing))
        return low.astype(np.int64), self.high.astype(np.int64)

    @cached_property
    def leaf_spans(self) -> tuple[Ints, Ints]:
        """First and last leaf under each node, leaves numbered from 0 in their order."""
        leaf = np.flatnonzero(self.is_leaf)
        first = np.zeros(len(self), np.int64)
        first[leaf[np.lexsort((self.high[leaf], self.low[leaf]))]] = np.arange(len(leaf))
        last = first.copy()
        for node in np.flatnonzero(self.children)[::-1].tolist():
            child = self.first_child[node]
            first[node], last[node] = first[child], last[child + self.children[node] - 1]
        return first, last

    @cached_property
    def holds_missing(self) -> NDArray[np.bool_]:
        """Nodes whose entry may stand for a missing value."""
        return np.asarray((self.low == 0) & self.has_missing)


def grow(kind: Kind, values: pa.Array, has_missing: bool, tree: Any) -> Scale:
    """A scale from a nested list: an int is the place of a leaf, a list its children in order.

    >>> scale = grow(Kind.NUMBER, pa.array([30, 40, 50, 60]), False, [[0, 1], [2, 3]])
    >>> scale.labels[:3], scale.ranges[:3].tolist()
    (('[30, 60]', '[30, 40]', '[50, 60]'), [30.0, 10.0, 10.0])
    """
    return grow_leaves(kind, values, has_missing, tree, None)


def grow_leaves(
    kind: Kind,
    values: pa.Array,
    has_missing: bool,
    tree: Any,
    leaves: list[tuple[int, int]] | None,
    names: dict[tuple[int, int], str] | None = None,
) -> Scale:
    """The same with leaves that are intervals; `names` are labels by first and last place."""
    children: list[tuple[int, int]] = []
    queue: list[Any] = [_joined(tree)]
    for node in queue:
        if isinstance(node, list):
            children.append((len(queue), len(node)))
            queue.extend(_joined(child) for child in node)
        else:
            children.append((0, 0))
    spans = [(0, 0)] * len(queue)
    for place in range(len(queue) - 1, -1, -1):
        first, many = children[place]
        if many:
            spans[place] = (spans[first][0], spans[first + many - 1][1])
        else:
            leaf = queue[place]
            spans[place] = (leaf, leaf) if leaves is None else leaves[leaf]
    low, high = np.array(spans, np.int32).reshape(-1, 2).T.copy()
    first_child, many_children = np.array(children, np.int32).reshape(-1, 2).T.copy()
    labels = _labels(kind, values, has_missing, low, high, names)
    gaps = leaves is not None
    return Scale(kind, values, has_missing, low, high, first_child, many_children, labels, gaps)


def _joined(node: Any) -> Any:
    """A node that joins nothing is its only child."""
    while isinstance(node, list) and len(node) == 1:
        node = node[0]
    return node


def _labels(
    kind: Kind,
    values: pa.Array,
    has_missing: bool,
    low: NDArray[np.int32],
    high: NDArray[np.int32],
    names: dict[tuple[int, int], str] | None,
) -> tuple[str, ...]:
    texts = spell(values.to_pylist())
    if has_missing:
        texts = [_unlike(MISSING, set(texts)), *texts]
    labels = []
    for first, last in zip(low.tolist(), high.tolist(), strict=True):
        named = (names or {}).get((first, last))
        labels.append(named or _label(kind, texts, first, last, has_missing))
    return tuple(labels)


def _label(kind: Kind, texts: list[str], first: int, last: int, has_missing: bool) -> str:
    if first == last:
        return texts[first]
    start = first + (has_missing and first == 0)
    inner = texts[start] if start == last else _run(kind, texts[start : last + 1])
    return inner if start == first else f"{inner} or {texts[0]}"


def _run(kind: Kind, texts: list[str]) -> str:
    if kind is not Kind.CATEGORY:
        return f"[{texts[0]}, {texts[-1]}]"
    return " or ".join(texts) if len(texts) <= 4 else f"{texts[0]} .. {texts[-1]}"


def _unlike(word: str, taken: set[str]) -> str:
    while word in taken:
        word = f"({word})"
    return word
