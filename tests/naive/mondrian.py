"""Mondrian, slowly: recursion on lists of rows. The oracle of the fast partition.

Losses are added up in the same order as in the kernels, so that equal costs are equal bit for bit.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

from sfumato.kernels.grid import RANGE, SET, TREE, Grid

Holds = Callable[[Sequence[int]], bool]
Parts = tuple[list[int], list[int]]


def cell_loss(grid: Grid, column: int, codes: set[int]) -> float:
    """Unweighted loss of a cell with these codes."""
    if grid.kind[column] == SET:
        return float((len(codes) - 1) * grid.step[column])
    low, high = min(codes), max(codes)
    if low == high:
        return 0.0
    if grid.kind[column] == RANGE:
        base = grid.start[column]
        return float(min(1.0, grid.position[base + high] - grid.position[base + low]))
    return float(grid.node_loss[meeting_node(grid, column, codes)[0]])


def meeting_node(grid: Grid, column: int, codes: set[int]) -> tuple[int, list[int]]:
    """TREE: the lowest node above all codes, and the child above each code, ascending."""
    children: list[int] = []
    for level in range(grid.levels[column]):
        base = grid.ladder[column] + level * grid.size[column]
        nodes = [int(grid.node[base + code]) for code in sorted(codes)]
        if len(set(nodes)) == 1:
            return nodes[0], children
        children = nodes
    raise AssertionError("a hierarchy has one root")


def codes_of(grid: Grid, rows: Sequence[int], column: int) -> list[int]:
    return [int(grid.codes[row, column]) for row in rows]


def loss(grid: Grid, rows: Sequence[int]) -> float:
    """Weighted loss of one group, columns in order."""
    total = 0.0
    for column in range(grid.codes.shape[1]):
        codes = set(codes_of(grid, rows, column))
        total += grid.weight[column] * cell_loss(grid, column, codes)
    return total


def units(grid: Grid, rows: Sequence[int], column: int, by_code: bool) -> list[set[int]]:
    """Sets of codes that stay together, in cut order."""
    tally = Counter(codes_of(grid, rows, column))
    codes = sorted(tally)
    groups = [{code} for code in codes]
    if grid.kind[column] == TREE and not by_code and len(codes) > 1:
        children = meeting_node(grid, column, set(codes))[1]
        names = list(dict.fromkeys(children))
        groups = [{c for c, child in zip(codes, children) if child == name} for name in names]
    if grid.kind[column] == RANGE or by_code:
        return groups
    return sorted(groups, key=lambda group: (-sum(tally[code] for code in group), min(group)))


def part(rows: Sequence[int], codes: Sequence[int], left: set[int]) -> Parts:
    """Rows whose code is on the left, and the others."""
    pairs = list(zip(rows, codes))
    return [r for r, code in pairs if code in left], [r for r, code in pairs if code not in left]


def strict_cuts(grid: Grid, rows: Sequence[int], column: int) -> list[Parts]:
    """All cuts between two units of a column."""
    groups, codes = units(grid, rows, column, by_code=False), codes_of(grid, rows, column)
    return [part(rows, codes, set().union(*groups[:end])) for end in range(1, len(groups))]


def median_cut(grid: Grid, rows: Sequence[int], column: int, relaxed: bool) -> Parts:
    """The most balanced cut (smaller left side on a tie), or exactly half of the ordered rows."""
    if not relaxed:
        cuts = strict_cuts(grid, rows, column)
        return min(cuts, key=lambda cut: abs(len(cut[0]) - len(cut[1])))
    groups = units(grid, rows, column, by_code=grid.kind[column] != SET)
    place = {code: at for at, group in enumerate(groups) for code in group}
    ordered = sorted(rows, key=lambda row: (place[int(grid.codes[row, column])], row))
    half = len(rows) // 2
    return sorted(ordered[:half]), sorted(ordered[half:])


def remaining_entropy(parts: Parts, target: Sequence[int]) -> float:
    """Mean entropy of the target inside the two parts, in steps of 1e-9."""
    mass, total = 0.0, 0
    for rows in parts:
        total += len(rows)
        for count in Counter(target[row] for row in rows).values():
            mass -= count * math.log(count / len(rows))
    return round(mass / total / 1e-9)


def mondrian(
    grid: Grid, k: int, cut: str, choose: str, holds: Holds, target: Sequence[int] = ()
) -> list[list[int]]:
    """Groups in depth-first order. cut: strict, relaxed, best; choose: width, gain, weight."""

    def allowed(parts: Parts) -> bool:
        return min(map(len, parts)) >= k and holds(parts[0]) and holds(parts[1])

    def cost(parts: Parts) -> float:
        return len(parts[0]) * loss(grid, parts[0]) + len(parts[1]) * loss(grid, parts[1])

    def key(rows: Sequence[int], column: int) -> float:
        if choose == "gain":
            return remaining_entropy(median_cut(grid, rows, column, cut == "relaxed"), target)
        weight = float(grid.weight[column])
        if choose == "weight":
            return -weight
        return -weight * cell_loss(grid, column, set(codes_of(grid, rows, column)))

    def split(rows: list[int]) -> list[list[int]]:
        active = [c for c in range(grid.codes.shape[1]) if len(set(codes_of(grid, rows, c))) > 1]
        if cut == "best":
            cuts = [parts for column in active for parts in strict_cuts(grid, rows, column)]
            cuts.sort(key=cost)
        else:
            active.sort(key=lambda column: key(rows, column))
            cuts = [median_cut(grid, rows, column, cut == "relaxed") for column in active]
        for left, right in filter(allowed, cuts):
            return split(left) + split(right)
        return [rows]

    return split(list(range(len(grid.codes))))
