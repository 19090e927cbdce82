"""Conditions in the form that answering needs: regions of single columns, joined by AND and OR.

NOT is pushed down to the tests, where SQL's three-valued logic is settled: a test becomes the
region in which it is true, or the region in which it is false. What remains is two-valued and grows
with every region, so that bounds on regions give bounds on the whole. Regions of the same column
that stand side by side become one, which is exact where counting them apart would not be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_

from sfumato.query.plan import AllOf, AnyOf, Compare, Condition, IsNull, Not, OneOf
from sfumato.query.regions import NOBODY, Read, Region, region_of


@dataclass(frozen=True)
class Leaf:
    """Records whose value in one column lies in a region."""

    column: str
    region: Region


@dataclass(frozen=True)
class Every:
    """Records in all parts; without parts, everybody."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True)
class Some:
    """Records in at least one part."""

    parts: tuple[Tree, ...]


Tree = Leaf | Every | Some
EVERYBODY = Every(())
Known = Callable[[str], bool]  # whether a column is published record by record


def normal(condition: Condition | None, read: Read, known: Known) -> Tree:
    """A condition as a tree of regions; parts over `known` columns only are kept together."""
    return EVERYBODY if condition is None else _push(condition, True, read, known)


def _push(node: Condition, wanted: bool, read: Read, known: Known) -> Tree:
    if isinstance(node, Not):
        return _push(node.part, not wanted, read, known)
    if isinstance(node, Compare | OneOf | IsNull):
        return Leaf(node.column, region_of(node, wanted, read))
    parts = [_push(part, wanted, read, known) for part in node.parts]
    join = every if isinstance(node, AllOf) == wanted else some
    assert isinstance(node, AllOf | AnyOf)
    return join(parts, known)


def every(parts: Iterable[Tree], known: Known) -> Tree:
    """All parts at once, as few as possible; each is simplified by what the others settle."""
    merged = _merged(_flat(Every, parts), and_)
    settled = {part.column: part.region for part in merged if isinstance(part, Leaf)}
    given = [p if isinstance(p, Leaf) else _given(p, settled, known) for p in merged]
    return _grouped(Every, given, known) if given == merged else every(given, known)


def some(parts: Iterable[Tree], known: Known) -> Tree:
    """At least one part, as few as possible."""
    merged = _merged(_flat(Some, parts), or_)
    if EVERYBODY in merged:
        return EVERYBODY
    filled = [part for part in merged if not isinstance(part, Leaf) or part.region != NOBODY]
    return _grouped(Some, filled, known)


def _given(tree: Tree, settled: dict[str, Region], known: Known) -> Tree:
    """A condition among records whose values in some columns are already in a region."""
    if not isinstance(tree, Leaf):
        parts = [_given(part, settled, known) for part in tree.parts]
        return every(parts, known) if isinstance(tree, Every) else some(parts, known)
    if tree.column not in settled:
        return tree
    left = tree.region & settled[tree.column]
    return EVERYBODY if left == settled[tree.column] else Leaf(tree.column, left)


def _flat(kind: type[Every] | type[Some], parts: Iterable[Tree]) -> list[Tree]:
    """Parts of parts of the same kind."""
    nested = (_flat(kind, p.parts) if isinstance(p, kind) else [p] for p in parts)
    return [part for inner in nested for part in inner]


def _grouped(kind: type[Every] | type[Some], parts: list[Tree], known: Known) -> Tree:
    """The join of some parts, those over exact columns kept together."""
    sure = [part for part in parts if is_known(part, known)]
    rest = [part for part in parts if not is_known(part, known)]
    if len(sure) > 1 and rest:
        sure = [kind(tuple(sure))]
    return _single(kind, [*rest, *sure])


def _merged(parts: list[Tree], join: Callable[[Region, Region], Region]) -> list[Tree]:
    """Leaves of the same column as one leaf."""
    regions: dict[str, list[Region]] = {}
    for part in parts:
        if isinstance(part, Leaf):
            regions.setdefault(part.column, []).append(part.region)
    leaves: list[Tree] = [Leaf(name, reduce(join, found)) for name, found in regions.items()]
    return leaves + [part for part in parts if not isinstance(part, Leaf)]


def _single(kind: type[Every] | type[Some], parts: list[Tree]) -> Tree:
    return parts[0] if len(parts) == 1 else kind(tuple(parts))


def is_known(tree: Tree, known: Known) -> bool:
    """Whether only columns that are published record by record decide."""
    if isinstance(tree, Leaf):
        return known(tree.column)
    return bool(tree.parts) and all(is_known(part, known) for part in tree.parts)


def leaves(tree: Tree) -> int:
    """Leaves of a tree."""
    return 1 if isinstance(tree, Leaf) else sum(leaves(part) for part in tree.parts)
