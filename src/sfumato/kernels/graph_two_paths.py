"""Cycles of four nodes, by walking two-paths from one end; all of them, or those of a sample."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from math import fsum

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.graph_triangles import BLOCKS, spread

Ints = NDArray[np.int64]
Nodes = NDArray[np.int32]
Floats = NDArray[np.float64]


@compiled
def two_paths_from(start: Ints, other: Nodes) -> Ints:
    """For every node, the steps of length two that start there: its neighbours' degrees, added."""
    degree = np.diff(start)
    found = np.zeros(len(degree), np.int64)
    for node in range(len(degree)):
        for at in range(start[node], start[node + 1]):
            found[node] += degree[other[at]]
    return found


def four_cycles(start: Ints, other: Nodes, chance: Floats, drawn: Floats, workers: int) -> Floats:
    """(estimate, its variance): cycles of four nodes, not necessarily without chords.

    A cycle is counted once at each of its two pairs of opposite nodes. Node i is looked at if
    drawn[i] < chance[i]; with chances of 1 the estimate is the number. Threads take stretches that
    do not depend on how many threads there are, so neither does the sum.
    """
    stretches = spread(start, BLOCKS)
    with ThreadPoolExecutor(workers) as pool:
        jobs = [
            pool.submit(_pairs_of_two_paths, start, other, chance, drawn, *each)
            for each in stretches
        ]
    parts = [job.result() for job in jobs]
    return np.array([fsum(total for total, _ in parts) / 2, fsum(v for _, v in parts) / 4])


@compiled
def _pairs_of_two_paths(
    start: Ints, other: Nodes, chance: Floats, drawn: Floats, begin: int, end: int
) -> tuple[float, float]:
    """(sum over chance, variance) of pairs of two-paths with the same ends i > j, i of a stretch.

    Rows ascend, so that a row is left at the first neighbour that is not below i.
    """
    reached = np.zeros(end, np.int32)
    total, variance = 0.0, 0.0
    for node in range(begin, end):
        if drawn[node] >= chance[node]:
            continue
        pairs, steps = np.int64(0), np.int64(0)
        for at in range(start[node], start[node + 1]):
            middle = other[at]
            for beyond in range(start[middle], start[middle + 1]):
                far = other[beyond]
                if far >= node:
                    break
                pairs += reached[far]
                reached[far] += 1
                steps += 1
        if 4 * steps > node:
            reached[:node] = 0
        else:
            _walk_back(start, other, node, reached)
        total += pairs / chance[node]
        variance += (1.0 - chance[node]) * (pairs / chance[node]) ** 2
    return total, variance


@compiled
def _walk_back(start: Ints, other: Nodes, node: int, reached: Nodes) -> None:
    """Clear what the walk from a node has counted."""
    for at in range(start[node], start[node + 1]):
        middle = other[at]
        for beyond in range(start[middle], start[middle + 1]):
            if other[beyond] >= node:
                break
            reached[other[beyond]] = 0
