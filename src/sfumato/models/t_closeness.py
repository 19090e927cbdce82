"""t-closeness (Li, Li, Venkatasubramanian, ICDE 2007) with three ground distances."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from sfumato.core.errors import BadJob
from sfumato.data.hierarchy import Hierarchy
from sfumato.kernels.rules import TCLOSE_EQUAL, TCLOSE_ORDERED, TCLOSE_TREE, Entry
from sfumato.models.base import Model, Whole


class TCloseness(Model):
    """The sensitive values of every group are distributed nearly as in the whole table.

    The distance is the earth mover's: equal (any two values are 1 apart, which makes it the total
    variation), ordered (values lie evenly on a line; missing comes first) or hierarchical (values
    are as far apart as their lowest common node is high). Heights count levels; a level that joins
    nothing would make all distances below it smaller for nothing, so it is refused.
    """

    name = "t-closeness"
    summary = "the sensitive values of every group are distributed nearly as in the whole table"
    source = "Li, Li, Venkatasubramanian, t-closeness, ICDE 2007"
    higher_is_safer = False

    column: str = Field(description="the sensitive column")
    t: float = Field(ge=0, le=1, description="largest distance to the whole table")
    distance: Literal["equal", "ordered", "hierarchical"] = Field(
        "equal", description="how far apart two values are"
    )

    def statement(self) -> str:
        return f"{self.column} differs from the whole table by at most {self.t:g} in every group"

    def limit(self) -> str:
        return f"at most {self.t:g}"

    def number(self, counts: Sequence[int], whole: Whole) -> float:
        return float(self._exact(counts, whole))

    def holds(self, counts: Sequence[int], whole: Whole) -> bool:
        return self._exact(counts, whole) <= Fraction(str(self.t))

    def _exact(self, counts: Sequence[int], whole: Whole) -> Fraction:
        total, rows = sum(counts), whole.rows
        extra = [
            Fraction(count, total) - Fraction(all_, rows)
            for count, all_ in zip(counts, whole.counts, strict=True)
        ]
        if self.distance == "equal":
            return sum(map(abs, extra), Fraction(0)) / 2
        if self.distance == "ordered":
            return sum(map(abs, accumulate(extra)), Fraction(0)) / max(1, len(extra) - 1)
        return _tree_distance(extra, self._tree(whole), whole.leaf)

    def check_possible(self, whole: Whole | None, rows: int) -> None:
        if self.distance == "ordered" and whole is not None and not whole.ordered:
            raise BadJob(
                f"t-closeness with ordered distance needs numbers or dates, and '{whole.name}' is "
                "a category",
                'use distance = "equal", or "hierarchical" with a hierarchy',
            )
        if self.distance == "hierarchical" and whole is not None:
            _refuse_idle_levels(self._tree(whole), whole.name)
        super().check_possible(whole, rows)

    def _tree(self, whole: Whole) -> Hierarchy:
        if whole.hierarchy is None:
            raise BadJob(
                f"t-closeness with hierarchical distance needs a hierarchy of '{whole.name}'",
                "give one in schema.hierarchies",
            )
        return whole.hierarchy

    def entry(self, place: int, whole: Whole) -> Entry | None:
        if self.distance == "equal":
            return (TCLOSE_EQUAL, place, self.t, 0.0, whole.shares)
        if self.distance == "ordered":
            return (TCLOSE_ORDERED, place, self.t, 0.0, whole.shares)
        tree = self._tree(whole)
        _refuse_idle_levels(tree, whole.name)
        return (TCLOSE_TREE, place, self.t, 0.0, _tree_extra(tree, whole))


def _refuse_idle_levels(tree: Hierarchy, name: str) -> None:
    """Every level must have fewer nodes than the one below it, the leaf for missing aside."""
    rest = tree.ladder[:, tree.ladder[1] != tree.root] if tree.levels > 2 else tree.ladder[:, :0]
    nodes = [len(np.unique(row)) for row in rest] if rest.shape[1] > 1 else []
    for level, (below, above) in enumerate(pairwise(nodes), 1):
        if above == below:
            raise BadJob(
                f"t-closeness: level {level} of the hierarchy of '{name}' joins nothing",
                "leave it out: an idle level makes distances smaller than they are",
            )


def _tree_distance(extra: list[Fraction], tree: Hierarchy, leaf: Sequence[int]) -> Fraction:
    """Sum over inner nodes of relative height x min(surplus, deficit) of their children."""
    surplus = [[Fraction(0), Fraction(0)] for _ in tree.labels]
    total = Fraction(0)
    pending = dict(zip(leaf, extra, strict=True))
    for level in range(tree.levels - 1):
        above: dict[int, Fraction] = {}
        for node, value in pending.items():
            parent = int(tree.ladder[level + 1, tree.spans[node, 0]])
            above[parent] = above.get(parent, Fraction(0)) + value
            surplus[parent][value < 0] += abs(value)
        for node in above:
            total += Fraction(level + 1, tree.levels - 1) * min(surplus[node])
        pending = above
    return total


def _tree_extra(tree: Hierarchy, whole: Whole) -> NDArray[np.float64]:
    """Reference, parents and relative heights, with the table's values as the first nodes."""
    values, inner = len(whole.texts), len(tree.labels) - tree.leaves
    parents = np.zeros(values + inner)
    heights = np.zeros(values + inner)
    parents[:values] = tree.parent[list(whole.leaf)] - tree.leaves + values
    parents[values:] = np.maximum(tree.parent[tree.leaves :] - tree.leaves + values, 0)
    heights[values:] = tree.height[tree.leaves :] / max(1, tree.levels - 1)
    return np.concatenate([whole.shares, parents, heights])
