"""A condition on sets of items as a table of truth."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from sfumato.core.errors import Refused
from sfumato.query.normal import Every, Known, Leaf, Tree, is_known
from sfumato.query.set_logic import Flags, Ints

MOST_ITEMS, MOST_EXACT = 10, 3


class SetCondition:
    """A condition over its items and its conditions on exact columns."""

    def __init__(self, tree: Tree, known: Known) -> None:
        self.tree, self.known = tree, known
        self.items: list[str] = []
        self.exact: list[Tree] = []
        self._gather(tree)
        if len(self.items) > MOST_ITEMS or len(self.exact) > MOST_EXACT:
            raise Refused(
                f"a condition on {len(self.items)} items and {len(self.exact)} parts of exact "
                "columns",
                f"at most {MOST_ITEMS} items and {MOST_EXACT} such parts are supported",
            )

    def _gather(self, tree: Tree) -> None:
        """The items asked for, and the largest parts that exact columns decide."""
        if is_known(tree, self.known):
            if tree not in self.exact:
                self.exact.append(tree)
        elif isinstance(tree, Leaf):
            if tree.column not in self.items:
                self.items.append(tree.column)
        else:
            for part in tree.parts:
                self._gather(part)

    @cached_property
    def truth(self) -> Flags:
        """Whether somebody satisfies the condition, (sets of items, fits)."""
        sets = np.arange(1 << len(self.items))[:, None]
        fits = np.arange(1 << len(self.exact))[None, :]
        return np.broadcast_to(self._true(self.tree, sets, fits), (sets.size, fits.size))

    def _true(self, tree: Tree, sets: Ints, fits: Ints) -> Flags:
        if is_known(tree, self.known):
            return np.asarray((fits >> self.exact.index(tree) & 1 == 1) | (sets < 0))
        if isinstance(tree, Leaf):
            held = sets >> self.items.index(tree.column) & 1 == 1
            inside = np.where(held, tree.region.first, tree.region.missing)
            return np.asarray(inside | (fits < 0))
        parts = [self._true(part, sets, fits) for part in tree.parts]
        join = np.logical_and if isinstance(tree, Every) else np.logical_or
        return np.asarray(
            join.reduce([np.full((sets.size, fits.size), join is np.logical_and), *parts])
        )
