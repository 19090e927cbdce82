"""Generalization hierarchies: from fine values to coarse ones, checked before anything runs.

Three ways to state one: a CSV in the usual level form (value, level 1, ..., top), breakpoints for
numbers, or an ordered list of categories that is paired up level by level.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.core.errors import BadInput
from sfumato.data.table import Column

TOP = "*"


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
        label = "missing" if "missing" not in self.leaf_of else "(missing)"
        shifted = self.ladder + np.int32(1)
        first = np.full((self.levels, 1), shifted[-1, 0], np.int32)
        first[0] = 0
        breaks = None if self.breaks is None else ((np.nan, np.nan), *self.breaks)
        return Hierarchy((label, *self.labels), np.hstack([first, shifted]), breaks)


def from_levels(column: str, rows: Sequence[Sequence[str]]) -> Hierarchy:
    """A hierarchy from rows of (value, level 1, ..., top).

    >>> tree = from_levels("zip", [("10", "1*", "*"), ("11", "1*", "*"), ("20", "2*", "*")])
    >>> tree.leaves, tree.levels, [tree.labels[n] for n in tree.ladder[1]]
    (3, 3, ['1*', '1*', '2*'])
    """
    _check_rows(column, rows)
    paths = [tuple(row) if _single_top(rows) else (*row, TOP) for row in rows]
    _check_parents(column, paths)
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
    return len({row[-1] for row in rows}) == 1 and (len(rows[0]) > 1 or len(rows) == 1)


def _check_rows(column: str, rows: Sequence[Sequence[str]]) -> None:
    if not rows:
        raise BadInput(f"hierarchy of '{column}' is empty", "give a line for every value")
    width = len(rows[0])
    for line, row in enumerate(rows, 1):
        if len(row) != width:
            raise BadInput(
                f"hierarchy of '{column}': line {line} has {len(row)} levels, line 1 has {width}",
                "give every value the same number of levels",
            )
    values = [row[0] for row in rows]
    if len(set(values)) < len(values):
        line = next(i for i, v in enumerate(values, 1) if v in values[: i - 1])
        raise BadInput(f"hierarchy of '{column}': the value on line {line} stands there twice")


def _check_parents(column: str, paths: Sequence[tuple[str, ...]]) -> None:
    for level in range(1, len(paths[0]) - 1):
        above: dict[str, str] = {}
        for line, path in enumerate(paths, 1):
            if above.setdefault(path[level], path[level + 1]) != path[level + 1]:
                raise BadInput(
                    f"hierarchy of '{column}': line {line}, level {level} has another parent at "
                    f"level {level + 1} than the same label before",
                    "a label may stand under one parent only",
                )


def read_levels(column: str, path: Path) -> Hierarchy:
    """Read a level-form CSV; comma, semicolon or tab; a line naming the column may come first."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise BadInput(
            f"hierarchy of '{column}': no file {path.name}", "paths are relative to the job file"
        ) from None
    except UnicodeDecodeError as error:
        raise BadInput(
            f"hierarchy of '{column}': byte {error.start} of {path.name} is not UTF-8",
            "save the file as UTF-8",
        ) from None
    first = text.split("\n", 1)[0]
    delimiter = max(";,\t", key=first.count)
    rows = [row for row in csv.reader(text.splitlines(), delimiter=delimiter) if row]
    if rows and rows[0][0] == column:
        rows = rows[1:]
    return from_levels(column, rows)


def from_breaks(column: Column, breaks: Sequence[Sequence[float]]) -> Hierarchy:
    """A hierarchy of intervals over a number column, from the finest breakpoints to the coarsest.

    Each level's breakpoints must be among those of the level below. Breakpoints that span all
    values keep the smallest and largest value unpublished; otherwise these end the outer intervals.
    """
    numbers = column.numbers
    if len(numbers) == 0:
        raise BadInput(f"hierarchy of '{column.name}': the column has no present value")
    levels = [sorted(set(map(float, level))) for level in breaks]
    for number, (fine, coarse) in enumerate(pairwise(levels), 1):
        if not set(coarse) <= set(fine):
            raise BadInput(
                f"hierarchy of '{column.name}': level {number + 1} has breakpoints that level "
                f"{number} lacks",
                "every coarser interval must be a union of finer ones",
            )
    places = [np.searchsorted(level, numbers, side="right") for level in levels]
    paths = np.vstack([*places, np.zeros(len(numbers), np.int64)])
    return _intervals(column, levels, paths)


def _intervals(column: Column, levels: list[list[float]], places: NDArray[np.int64]) -> Hierarchy:
    labels = spell(column.values.to_pylist())
    spans = [(float(v), float(v)) for v in column.numbers]
    ladder = np.empty((len(places) + 1, len(labels)), np.int32)
    ladder[0] = np.arange(len(labels))
    whole = pa.types.is_integer(column.values.type)
    inner = [*levels, []]
    bottom = min(levels[0][0], column.numbers[0])
    beyond = max(levels[0][-1], column.numbers[-1] + whole)
    for level, row in enumerate(places):
        ends = [bottom, *inner[level], beyond]
        known = np.unique(row)
        ladder[level + 1] = len(labels) + np.searchsorted(known, row)
        for place in known:
            low, high = ends[place], ends[place + 1]
            spans.append((low, high - 1 if whole else high))
            labels.append(TOP if level == len(levels) else f"[{low:g}, {high:g})")
    return Hierarchy(tuple(labels), ladder, tuple(spans))


def from_ordered(column: str, values: Sequence[str], fanout: int = 2) -> Hierarchy:
    """A hierarchy that joins `fanout` neighbours of an ordered list at every level.

    >>> tree = from_ordered("size", ["S", "M", "L", "XL"])
    >>> [tree.labels[n] for n in tree.ladder[1]]
    ['S .. M', 'S .. M', 'L .. XL', 'L .. XL']
    """
    if fanout < 2:
        raise BadInput(f"hierarchy of '{column}': fanout is {fanout}", "use 2 or more")
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
            "add them at level 0 (the first field of a line)",
        )
    leaves = [hierarchy.leaf_of[text] for text in texts]
    if column.has_missing:
        hierarchy = hierarchy.with_missing()
        leaves = [0, *(leaf + 1 for leaf in leaves)]
    return hierarchy, np.asarray(leaves, np.int64)


def spell(values: Iterable[Any]) -> list[str]:
    """Values as a hierarchy file or a job spells them; None is missing.

    >>> spell([None, 3.0, 2.5, True, "x"])
    ['missing', '3', '2.5', 'true', 'x']
    """
    return [_word(value) for value in values]


def _word(value: Any) -> str:
    if value is None:
        return "missing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value == int(value):
        return f"{value:.0f}"
    return str(value)
