"""Ways to state a scale: balanced, from breakpoints, from a hierarchy, by hand, or by strata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.core.errors import BadInput, BadJob
from sfumato.data.hierarchy import Hierarchy, fit
from sfumato.data.plain import spell
from sfumato.data.scale import Scale, grow, grow_leaves
from sfumato.data.schema import Kind
from sfumato.data.table import Column

Ints = NDArray[np.int64]
MOST_PLACES = 1 << 20


@dataclass(frozen=True, eq=False)
class Domain:
    """The values a sensitive column may have, and where those of its codes stand among them."""

    name: str
    kind: Kind
    values: pa.Array
    has_missing: bool
    place: Ints  # of every code of the column

    @property
    def places(self) -> int:
        """Values in the domain, missing included where it occurs."""
        return len(self.values) + self.has_missing

    @cached_property
    def texts(self) -> list[str]:
        """Every place as text."""
        return ["missing"] * self.has_missing + spell(self.values.to_pylist())

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The present values as numbers."""
        return grow(self.kind, self.values, False, list(range(len(self.values)))).numbers


def observed(column: Column) -> Domain:
    """The values that occur."""
    return Domain(
        column.name, column.kind, column.values, column.has_missing, np.arange(column.size)
    )


def stated(column: Column, ends: Sequence[float]) -> Domain:
    """All numbers from a smallest to a largest, in steps of 1 or of the third number."""
    low, high, step = [*ends, 1.0][:3]
    if column.kind is not Kind.NUMBER or not (step > 0 and high > low):
        raise BadJob(
            "method.domain needs a column of numbers, and low, high and perhaps a step",
            "for instance domain = [1024, 3072]",
        )
    number = int(np.floor((high - low) / step + 1e-9)) + 1
    if number > MOST_PLACES:
        raise BadJob(f"method.domain has {number} values", f"at most {MOST_PLACES}: use a step")
    every = pa.array(low + step * np.arange(number)).cast(column.values.type, safe=False)
    return around(column, every)


def around(column: Column, values: pa.Array) -> Domain:
    """A domain that must hold every value of the column."""
    index = pc.index_in(column.values, value_set=values)
    if index.null_count:
        raise BadInput(
            f"the domain lacks {index.null_count} of the {len(column.values)} values of "
            f"'{column.name}'",
            "widen it, or leave it out: the values that occur are the domain",
        )
    place = np.asarray(index.cast(pa.int64())) + column.has_missing
    place = np.concatenate([np.zeros(int(column.has_missing), np.int64), place])
    return Domain(column.name, column.kind, values, column.has_missing, place)


def balanced(domain: Domain, arity: int) -> Scale:
    """Every node's values are split evenly among `arity` children, down to single values."""
    first = int(domain.has_missing)
    tree = _split(first, domain.places, arity) if len(domain.values) else []
    return _grown(domain, tree)


def _split(first: int, end: int, arity: int) -> Any:
    if end - first == 1:
        return first
    cuts = [first + (end - first) * part // arity for part in range(arity + 1)]
    return [_split(a, b, arity) for a, b in pairwise(cuts) if b > a]


def nested(domain: Domain, tree: Any) -> Scale:
    """A tree of places stated by hand."""
    return _grown(domain, tree)


def _grown(domain: Domain, tree: Any, names: dict[tuple[int, int], str] | None = None) -> Scale:
    """A scale, with missing right under the root where it occurs."""
    if domain.has_missing:
        tree = [0, tree] if len(domain.values) else 0
    return grow_leaves(domain.kind, domain.values, domain.has_missing, tree, None, names)


def by_breaks(domain: Domain, breaks: Sequence[Sequence[float]]) -> Scale:
    """Intervals between breakpoints, finest level first; below the finest, single values."""
    if domain.kind is Kind.CATEGORY or not all(len(level) for level in breaks):
        raise BadJob(
            "method.hierarchy: breakpoints are for numbers and dates, one or more a level",
            'for categories use "binary", or give a file',
        )
    levels = [sorted(set(map(float, level))) for level in breaks]
    for number, (fine, coarse) in enumerate(pairwise(levels), 2):
        if not set(coarse) <= set(fine):
            raise BadJob(
                f"method.hierarchy: level {number} has breakpoints that level {number - 1} lacks",
                "every coarser interval must be a union of finer ones",
            )
    numbers = domain.numbers
    tree: list[Any] = list(range(int(domain.has_missing), domain.places))
    which = np.arange(len(tree))
    for level in levels:
        fresh = np.searchsorted(level, numbers, side="right")
        tree = _gathered(tree, fresh, which)
        which = fresh
    return _grown(domain, [node for node, _ in _firsts(tree, which)])


def _firsts(tree: list[Any], which: Ints) -> list[tuple[Any, int]]:
    """Every different node once; `tree` holds the node of every place."""
    starts = np.flatnonzero(np.diff(which, prepend=-1))
    return [(tree[at], int(which[at])) for at in starts.tolist()]


def _gathered(tree: list[Any], fresh: Ints, which: Ints) -> list[Any]:
    """The node of every place once nodes that now share an interval are joined."""
    joined: dict[int, list[Any]] = {}
    seen: set[tuple[int, int]] = set()
    for node, new, old in zip(tree, fresh.tolist(), which.tolist(), strict=True):
        if (new, old) not in seen:
            seen.add((new, old))
            joined.setdefault(new, []).append(node)
    return [joined[new] for new in fresh.tolist()]


def of_hierarchy(column: Column, hierarchy: Hierarchy) -> tuple[Domain, Scale]:
    """The tree of a level-form file; its values are the domain, in the order of its leaves.

    For numbers and dates the leaves must stand in the order of their values.
    """
    fit(hierarchy, column)
    texts = hierarchy.labels[: hierarchy.leaves]
    values = typed(column, texts)
    leaf = hierarchy.leaf_of
    at = np.array([leaf[text] for text in spell(column.values.to_pylist())], np.int64)
    missing = np.zeros(int(column.has_missing), np.int64)
    place = np.concatenate([missing, at + column.has_missing])
    domain = Domain(column.name, column.kind, values, column.has_missing, place)
    spans = hierarchy.spans + column.has_missing
    names = {
        (int(first), int(last)): label
        for (first, last), label in zip(spans, hierarchy.labels, strict=True)
        if first != last
    }
    return domain, _grown(domain, _nested(hierarchy, column.has_missing), names)


def typed(column: Column, texts: Sequence[str]) -> pa.Array:
    """The values that leaves spell, of the column's type and in order."""
    if column.kind is Kind.CATEGORY and pa.types.is_string(column.values.type):
        return pa.array(texts, pa.string())
    try:
        values = pa.array(texts, pa.string()).cast(column.values.type)
    except pa.ArrowInvalid:
        raise BadInput(
            f"the hierarchy of '{column.name}' has values that are no {column.kind}",
            "write them as the column does",
        ) from None
    if column.kind is not Kind.CATEGORY and not _ascending(values):
        raise BadInput(
            f"the hierarchy of '{column.name}' does not keep its values in order",
            "neighbours in the tree must be neighbours in value",
        )
    return values


def _ascending(values: pa.Array) -> bool:
    order = np.asarray(pc.sort_indices(values))
    return bool((np.diff(order) > 0).all())


def _nested(hierarchy: Hierarchy, shift: int) -> Any:
    """A level-form tree as nested lists of places."""
    below: list[Any] = [leaf + shift for leaf in range(hierarchy.leaves)]
    starts = np.arange(hierarchy.leaves)
    for row in hierarchy.ladder[1:]:
        nodes = row[starts]
        heads = np.flatnonzero(np.diff(nodes, prepend=-1))
        ends = [*heads[1:].tolist(), len(below)]
        below = [below[a:b] for a, b in zip(heads.tolist(), ends, strict=True)]
        starts = starts[heads]
    return below


def strata(column: Column, levels: int) -> tuple[Scale, Ints, Ints]:
    """2**levels intervals of exactly equal mass, halved level by level.

    A frequent value may lie in several neighbouring strata. Returns the scale, and for every code
    of the column the first and last stratum that it lies in.
    """
    counts = column.counts()
    number = 1 << levels
    if column.kind is Kind.CATEGORY or column.has_missing:
        raise BadJob(
            'method.hierarchy = "strata" needs numbers or dates without missing values',
            'use "binary" with a tolerance instead',
        )
    after = np.cumsum(counts) * number
    first = (after - counts * number) // column_total(counts)
    last = (after - 1) // column_total(counts)
    low = np.searchsorted(last, np.arange(number), side="left")
    high = np.searchsorted(first, np.arange(number), side="right") - 1
    used, places = np.unique(np.concatenate([low, high]), return_inverse=True)
    leaves = list(zip(places[:number].tolist(), places[number:].tolist(), strict=True))
    values = column.values.take(pa.array(used))
    tree = _split(0, number, 2)
    return grow_leaves(column.kind, values, False, tree, leaves), first, last


def column_total(counts: Ints) -> int:
    """Rows of a column."""
    return int(counts.sum())
