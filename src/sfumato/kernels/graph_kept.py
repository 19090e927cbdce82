"""Which of the published edges to take for true ones, when every node is known to have one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled
from sfumato.kernels.regroup_random import draw_word

Nodes = NDArray[np.int32]
UNIT = 1.0 / 9007199254740992.0  # 2^-53


@compiled
def keep_covering(
    nodes: int,
    u: Nodes,
    v: Nodes,
    odds: NDArray[np.float64],
    total: float,
    sweeps: int,
    word: np.uint64,
) -> NDArray[np.bool_]:
    """Edges drawn with independent odds, given that no node with an edge is left without.

    Sweeps of Gibbs sampling from all edges on: an edge that is an end's last one stays, any other
    is drawn anew. Between sweeps all odds are scaled towards a total number of kept edges.
    """
    state = np.array([word], np.uint64)
    kept, degree = np.ones(len(u), np.bool_), np.zeros(nodes, np.int64)
    for edge in range(len(u)):
        degree[u[edge]] += 1
        degree[v[edge]] += 1
    factor, count = 1.0, len(u)
    for _ in range(sweeps):
        for edge in range(len(u)):
            one, two = u[edge], v[edge]
            if kept[edge]:
                degree[one] -= 1
                degree[two] -= 1
                count -= 1
            chance = factor * odds[edge] / (1.0 + factor * odds[edge])
            drawn = np.float64(draw_word(state) >> np.uint64(11)) * UNIT < chance
            kept[edge] = drawn or degree[one] == 0 or degree[two] == 0
            if kept[edge]:
                degree[one] += 1
                degree[two] += 1
                count += 1
        factor *= total / max(count, 1)
    return kept
