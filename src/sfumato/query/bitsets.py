"""Which records satisfy a condition over exact columns, as bits."""

from __future__ import annotations

from functools import reduce

import numpy as np

from sfumato.kernels.bitmaps import Words, pack, prefix_bitmaps
from sfumato.query.normal import Leaf, Some, Tree
from sfumato.query.records import Records
from sfumato.query.regions import Region

BUDGET = 1 << 28  # bytes of prefix bitmaps kept, over all columns


class Bitsets:
    """Sets of the records of a table, in the order of their groups.

    Per column there is a bitmap for every code, of the records below it, so that a range of codes
    is what two of them differ in. Columns of more codes than fit are looked up record by record.
    """

    def __init__(self, records: Records) -> None:
        self._records = records
        self._prefix: dict[str, Words | None] = {}
        self._left = BUDGET
        self.everybody: Words = pack(np.zeros(len(records.group), np.uint8), np.ones(1, np.bool_))

    def of(self, tree: Tree) -> Words:
        """The records that satisfy a condition."""
        if isinstance(tree, Leaf):
            return self._leaf(tree.column, tree.region)
        join = np.bitwise_or if isinstance(tree, Some) else np.bitwise_and
        if not tree.parts:
            return np.zeros_like(self.everybody) if isinstance(tree, Some) else self.everybody
        return reduce(join, [self.of(part) for part in tree.parts])

    def _leaf(self, name: str, region: Region) -> Words:
        inside = self._records[name].values.codes(region)
        prefix = self._prefixes(name)
        if prefix is None:
            return pack(self._records[name].codes, inside)
        edges = (np.flatnonzero(inside[1:] != inside[:-1]) + 1).tolist()
        edges = [0] * bool(inside[:1].any()) + edges + [len(inside)] * bool(inside[-1:].any())
        return _differ(prefix, edges)

    def _prefixes(self, name: str) -> Words | None:
        if name not in self._prefix:
            column = self._records[name]
            size = (column.column.size + 1) * self.everybody.nbytes
            fits = size <= self._left
            self._left -= size if fits else 0
            self._prefix[name] = prefix_bitmaps(column.codes, column.column.size) if fits else None
        return self._prefix[name]


def _differ(prefix: Words, edges: list[int]) -> Words:
    """What an odd number of some rows has."""
    if not edges:
        return np.zeros_like(prefix[0])
    if edges[0] == 0:  # nobody is below code 0
        edges = edges[1:]
    return reduce(np.bitwise_xor, [prefix[edge] for edge in edges])
