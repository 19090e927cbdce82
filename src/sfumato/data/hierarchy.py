"""Generalization hierarchies: from fine values to coarse ones, checked before anything runs.

Three ways to state one: a CSV in the usual level form (value, level 1, ..., top), breakpoints for
numbers, or an ordered list of categories that is paired up level by level.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.core.errors import BadInput
from sfumato.core.words import several
from sfumato.data.plain import from_numbers
from sfumato.data.plain import spell as spell
from sfumato.data.schema import Kind
from sfumato.data.table import Column

TOP = "*"
EXACT = 2.0**53  # up to here floats hold every whole number
DAYS = 2.0**21  # dates up to the year 7711


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A tree over values; nodes 0 .. leaves-1 are the values, in depth-first order.

    `ladder[level, leaf]` is the node above a leaf, from the leaf itself (level 0) to the root (last
    level); because leaves are in depth-first order every node covers a run of leaves.
    """

    labels: tuple[str, ...]
    ladder: NDArray[np.int32]
    breaks: tuple[tuple[float, float], ...] | None = None  # per node, for trees made of intervals

    @property
    def leaves(self) -> int:
        """Values in the domain."""
        return int(self.ladder.shape[1])

    @property
    def levels(self) -> int:
        """Levels from the values to the root, both counted."""
        return int(self.ladder.shape[0])

    @property
    def root(self) -> int:
        """The node above everything."""
        return int(self.ladder[-1, 0])

    @cached_property
    def spans(self) -> NDArray[np.int64]:
        """First and last leaf under each node, shape (nodes, 2)."""
        spans = np.empty((len(self.labels), 2), np.int64)
        leaf = np.arange(self.leaves)
        for row in self.ladder:
            spans[row[::-1], 0] = leaf[::-1]
            spans[row, 1] = leaf
        return spans

    @cached_property
    def finest(self) -> NDArray[np.int32]:
        """The lowest node above each value that may be published: the value itself, but in a tree
        of intervals its finest interval, so that exact values stay unpublished."""
        values = np.arange(self.leaves, dtype=np.int32)
        if self.breaks is None:
            return values
        missing = np.isnan([low for low, _ in self.breaks[: self.leaves]])
        return np.where(missing, values, self.ladder[1]).astype(np.int32)

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """The node above each node, -1 for the root."""
        above = np.full(len(self.labels), -1, np.int32)
        for low, high in pairwise(self.ladder):
            differs = low != high
            above[low[differs]] = high[differs]
        return above

    @cached_property
    def height(self) -> NDArray[np.int64]:
        """Level at which each node stands, 0 for values."""
        height = np.zeros(len(self.labels), np.int64)
        for level, row in enumerate(self.ladder):
            height[row] = level
        return height

    @cached_property
    def loss(self) -> NDArray[np.float64]:
        """(values under the node - 1) / (values - 1), per node."""
        under = self.spans[:, 1] - self.spans[:, 0]
        return under / max(1, self.leaves - 1)

    @cached_property
    def node_of(self) -> dict[tuple[int, str], int]:
        """Every node by its level and label, which together are unique."""
        return {
            (int(level), label): node
            for node, (level, label) in enumerate(zip(self.height, self.labels, strict=True))
        }

    @cached_property
    def leaf_of(self) -> dict[str, int]:
        """Where each value stands among the leaves."""
        return {label: leaf for leaf, label in enumerate(self.labels[: self.leaves])}

    def lowest(self, low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.int32]:
        """The lowest node above leaves low and high, element by element."""
        node = np.full(len(low), self.root, np.int32)
        open_ = np.ones(len(low), bool)
        for row in self.ladder:
            met = open_ & (row[low] == row[high])
            node[met] = row[low[met]]
            open_ &= ~met
        return node

    def rows(self) -> list[tuple[str, ...]]:
        """The tree in level form: one row (value, level 1, ..., top) for every value."""
        return [tuple(self.labels[node] for node in path) for path in self.ladder.T]

    def with_missing(self) -> Hierarchy:
        """The same tree with one more value, first and right under the root, for missing cells."""
        label = "missing"
        while label in self.leaf_of:
            label = f"({label})"
        shifted = self.ladder + np.int32(1)
        first = np.full((self.levels, 1), shifted[-1, 0], np.int32)
        first[0] = 0
        breaks = None if self.breaks is None else ((np.nan, np.nan), *self.breaks)
        return Hierarchy((label, *self.labels), np.hstack([first, shifted]), breaks)


def from_levels(
    column: str, rows: Sequence[Sequence[str]], lines: Sequence[int] | None = None
) -> Hierarchy:
    """A hierarchy from rows of (value, level 1, ..., top); `lines` are their numbers in a file.

    >>> tree = from_levels("zip", [("10", "1*", "*"), ("11", "1*", "*"), ("20", "2*", "*")])
    >>> tree.leaves, tree.levels, [tree.labels[n] for n in tree.ladder[1]]
    (3, 3, ['1*', '1*', '2*'])
    """
    lines = lines or range(1, len(rows) + 1)
    _check_rows(column, rows, lines)
    top = () if _single_top(rows) else (TOP,)
    paths = [(*row, *top) for row in rows]
    _check_parents(column, paths, lines)
    depth = len(paths[0])
    seen: list[dict[str, int]] = [{} for _ in range(depth)]
    for path in paths:
        for level, label in enumerate(path):
            seen[level].setdefault(label, len(seen[level]))
    order = sorted(paths, key=lambda path: tuple(seen[i][path[i]] for i in range(depth))[::-1])
    return _number(order)


def _number(paths: Sequence[tuple[str, ...]]) -> Hierarchy:
    """Number the nodes of sorted paths: leaves first, then level by level."""
    labels = [path[0] for path in paths]
    ladder = np.empty((len(paths[0]), len(paths)), np.int32)
    ladder[0] = np.arange(len(paths))
    for level in range(1, len(paths[0])):
        known: dict[str, int] = {}
        for leaf, path in enumerate(paths):
            if path[level] not in known:
                known[path[level]] = len(labels)
                labels.append(path[level])
            ladder[level, leaf] = known[path[level]]
    return Hierarchy(tuple(labels), ladder)


def _single_top(rows: Sequence[Sequence[str]]) -> bool:
    return len(rows[0]) > 1 and len({row[-1] for row in rows}) == 1


def _check_rows(column: str, rows: Sequence[Sequence[str]], lines: Sequence[int]) -> None:
    if not rows:
        raise BadInput(f"hierarchy of '{column}' is empty", "give a line for every value")
    width, seen = len(rows[0]), set()
    for line, row in zip(lines, rows, strict=True):
        if len(row) != width:
            raise BadInput(
                f"hierarchy of '{column}': line {line} has {several(len(row), 'level')}, "
                f"line {lines[0]} has {width}",
                "give every value the same number of levels",
            )
        if row[0] in seen:
            raise BadInput(
                f"hierarchy of '{column}': the value on line {line} stands there twice",
                "keep one of the lines",
            )
        seen.add(row[0])


def _check_parents(column: str, paths: Sequence[tuple[str, ...]], lines: Sequence[int]) -> None:
    for level in range(1, len(paths[0]) - 1):
        above: dict[str, str] = {}
        for line, path in zip(lines, paths, strict=True):
            if above.setdefault(path[level], path[level + 1]) != path[level + 1]:
                raise BadInput(
                    f"hierarchy of '{column}': line {line}, level {level} has another parent at "
                    f"level {level + 1} than the same label before",
                    "a label may stand under one parent only",
                )


def from_breaks(column: Column, breaks: Sequence[Sequence[float]]) -> Hierarchy:
    """A hierarchy of intervals over numbers or dates, from the finest breakpoints to the coarsest.

    Each level's breakpoints must be among those of the level below; dates count in days, instants
    in microseconds since 1970. Breakpoints that span all values keep the smallest and largest value
    unpublished; otherwise these end the outer intervals.
    """
    _check_breaks(column, breaks)
    whole = not pa.types.is_floating(column.values.type)
    levels = [sorted({float(np.ceil(b) if whole else b) for b in level}) for level in breaks]
    for number, (fine, coarse) in enumerate(pairwise(levels), 1):
        if not set(coarse) <= set(fine):
            raise BadInput(
                f"hierarchy of '{column.name}': level {number + 1} has breakpoints that level "
                f"{number} lacks",
                "every coarser interval must be a union of finer ones",
            )
    return _intervals(column, levels, whole)


def _check_breaks(column: Column, breaks: Sequence[Sequence[float]]) -> None:
    where = f"hierarchy of '{column.name}'"
    if column.kind is Kind.CATEGORY:
        raise BadInput(
            f"{where}: breaks are for numbers and dates, and this is a category",
            "give a file or ordered",
        )
    if len(column.values) == 0:
        raise BadInput(f"{where}: the column has no present value", "drop the column")
    empty = [number for number, level in enumerate(breaks, 1) if not level]
    if empty or not breaks:
        raise BadInput(f"{where}: level {(empty or [1])[0]} has no breakpoints", "give one or more")
    if not all(abs(b) <= _largest(column) for level in breaks for b in level):
        raise BadInput(f"{where}: a breakpoint is beyond what the column holds", "leave it out")
    mixed = [number for number, level in enumerate(breaks, 1) if list(level) != sorted(level)]
    if mixed:
        raise BadInput(
            f"{where}: the breakpoints of level {mixed[0]} are out of order",
            "list them from small to large",
        )
    if np.abs(column.numbers).max() > EXACT and not pa.types.is_floating(column.values.type):
        raise BadInput(
            f"{where}: the column has numbers beyond 2**53, which breaks can't tell apart",
            "use a coarser unit",
        )


def _largest(column: Column) -> float:
    """The largest breakpoint that is certainly a value of the column's type."""
    if pa.types.is_floating(column.values.type):
        return sys.float_info.max
    return DAYS if pa.types.is_date32(column.values.type) else EXACT


def _intervals(column: Column, levels: list[list[float]], whole: bool) -> Hierarchy:
    """Leaves for the values, nodes for the intervals that hold any, level by level to the top."""
    numbers = column.numbers
    labels, spans = spell(column.values.to_pylist()), [(float(v), float(v)) for v in numbers]
    ladder = np.empty((len(levels) + 2, len(numbers)), np.int32)
    ladder[0] = np.arange(len(numbers))
    bottom, beyond = min(levels[0][0], numbers[0]), max(levels[0][-1], numbers[-1] + whole)
    for level, inner in enumerate([*levels, []], 1):
        place = np.searchsorted(inner, numbers, side="right")
        ends = np.array([bottom, *inner, beyond])
        used, which = np.unique(place, return_inverse=True)
        ladder[level] = len(labels) + which
        texts = spell(from_numbers(ends, np.zeros(len(ends), bool), column.values.type).to_pylist())
        spans += [(float(ends[at]), float(ends[at + 1] - whole)) for at in used]
        labels += [f"[{texts[at]}, {texts[at + 1]})" if inner else TOP for at in used]
    return Hierarchy(tuple(labels), ladder, tuple(spans))


def from_ordered(column: str, values: Sequence[str], fanout: int = 2) -> Hierarchy:
    """A hierarchy that joins `fanout` neighbours of an ordered list at every level.

    >>> tree = from_ordered("size", ["S", "M", "L", "XL"])
    >>> [tree.labels[n] for n in tree.ladder[1]]
    ['S .. M', 'S .. M', 'L .. XL', 'L .. XL']
    """
    if fanout < 2:
        raise BadInput(f"hierarchy of '{column}': fanout is {fanout}", "use 2 or more")
    if len(set(values)) < len(values):
        place = next(i for i, value in enumerate(values, 1) if value in values[: i - 1])
        raise BadInput(
            f"hierarchy of '{column}': entry {place} of the ordered list stands there twice",
            "keep one of them",
        )
    levels: list[list[str]] = [list(values)]
    step = fanout
    while step < len(values):
        blocks = [values[i : i + step] for i in range(0, len(values), step)]
        levels.append([f"{block[0]} .. {block[-1]}" for block in blocks for _ in block])
        step *= fanout
    rows = list(zip(*levels, [TOP] * len(values), strict=True))
    return from_levels(column, rows)


def fit(hierarchy: Hierarchy, column: Column) -> tuple[Hierarchy, NDArray[np.int64]]:
    """Match a hierarchy to a column: the tree (with a place for missing) and each code's leaf."""
    texts = spell(column.values.to_pylist())
    lacking = sum(text not in hierarchy.leaf_of for text in texts)
    if lacking:
        raise BadInput(
            f"hierarchy of '{column.name}' lacks {lacking} of the column's {len(texts)} values",
            "add a line for each to its file, or an entry to its ordered list",
        )
    leaves = [hierarchy.leaf_of[text] for text in texts]
    if column.has_missing:
        hierarchy = hierarchy.with_missing()
        leaves = [0, *(leaf + 1 for leaf in leaves)]
    return hierarchy, np.asarray(leaves, np.int64)
