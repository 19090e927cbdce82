"""Nodes by which hubs they are joined to: patterns, distances to target patterns, and classes.

The connectivity pattern of a node is the set of hubs that it is joined to. A node belongs to the
target pattern (another set of hubs) from which its own differs in the fewest hubs; of equally near
targets to the first. From a published graph, the estimated distances and the estimated number of
nodes of each class are unbiased; the class of a single node is a guess.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.core.errors import BadInput
from sfumato.data.graph import Graph
from sfumato.releases.edge_law import EdgeLaw

MOST_HUBS = 16  # every set of them is counted
Floats = NDArray[np.float64]
Bits = NDArray[np.bool_]
Numbers = NDArray[np.int64]


def top_hubs(graph: Graph, count: int = 10) -> Numbers:
    """The nodes of highest degree, highest first; of equal ones the lowest number."""
    return np.lexsort((np.arange(graph.nodes), -graph.degrees))[:count]


def hub_patterns(graph: Graph, hubs: ArrayLike, nodes: ArrayLike) -> Bits:
    """Which hubs each of some nodes is joined to.

    >>> star = Graph.of(4, [0, 0, 0], [1, 2, 3])
    >>> hub_patterns(star, [0, 1], [2, 3]).tolist()
    [[True, False], [True, False]]
    """
    joined = np.zeros((graph.nodes, len(np.asarray(hubs))), np.bool_)
    for place, hub in enumerate(np.asarray(hubs)):
        joined[graph.row(int(hub)), place] = True
    return np.asarray(joined[np.asarray(nodes)])


@dataclass(frozen=True, eq=False)
class Classification:
    """The class of each node; its distances to all targets; the estimated sizes of the classes.

    On a graph as it is, `distances` are counts, `sizes` are counts too and have no error.
    """

    classes: Numbers
    distances: Floats
    sizes: Floats
    errors: Floats


def classified(
    graph: Graph,
    hubs: ArrayLike,
    nodes: ArrayLike,
    targets: ArrayLike,
    law: EdgeLaw | None = None,
) -> Classification:
    """Nodes by their nearest target: of a published graph with its law, exact without one.

    Neither hub may be among the nodes. `targets` has a row of 0 and 1 a pattern.
    """
    law = law or EdgeLaw(0.0, 0.0)
    wanted, bits = _checked(hubs, nodes, targets), hub_patterns(graph, hubs, nodes)
    distances = _distances(law, bits, wanted)
    labels = np.argmin(_distances(EdgeLaw(0, 0), every_pattern(wanted.shape[1]), wanted), axis=1)
    sizes, errors = class_sizes(bits, labels, law)
    return Classification(_nearest(distances), distances, sizes, errors)


def _nearest(distances: Floats) -> Numbers:
    return np.asarray(np.argmin(np.round(distances, 9), axis=1))


def _checked(hubs: ArrayLike, nodes: ArrayLike, targets: ArrayLike) -> Bits:
    wanted = np.asarray(targets, np.bool_)
    count = len(np.asarray(hubs))
    if wanted.ndim != 2 or not len(wanted) or wanted.shape[1] != count:
        raise BadInput(f"targets have the shape {wanted.shape}", f"one row each, {count} hubs wide")
    if not 1 <= count <= MOST_HUBS:
        raise BadInput(f"{count} hubs", f"use 1 to {MOST_HUBS}")
    if np.isin(np.asarray(nodes), np.asarray(hubs)).any():
        raise BadInput("a hub is among the nodes", "leave hubs out of the nodes to be classified")
    return wanted


def _distances(law: EdgeLaw, bits: Bits, targets: Bits) -> Floats:
    """Unbiased numbers of hubs in which patterns and targets differ."""
    value = (bits - law.add) / law.gap
    wanted = targets.astype(float)
    return np.asarray(value @ (1 - 2 * wanted).T + wanted.sum(axis=1))


def every_pattern(hubs: int) -> Bits:
    """All sets of hubs; the first hub is the highest bit of their number.

    >>> every_pattern(2).astype(int).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    return (np.arange(1 << hubs)[:, None] >> np.arange(hubs)[::-1] & 1).astype(np.bool_)


def class_sizes(bits: Bits, labels: Numbers, law: EdgeLaw) -> tuple[Floats, Floats]:
    """How many nodes have a pattern of each class, without bias, with standard errors.

    `labels` has the class of every pattern. A published pattern stands for a weighted set of true
    ones: the inverse of what one hub's link goes through, for every hub. Nodes are independent.
    """
    hubs = bits.shape[1]
    number = bits @ (1 << np.arange(hubs)[::-1])
    seen = np.bincount(number, minlength=1 << hubs)
    member = (labels[None] == np.arange(labels.max() + 1)[:, None]).astype(float)
    weight = _undone(member, hubs, law)
    sizes = weight @ seen
    return sizes, np.sqrt(np.maximum(weight**2 @ seen - sizes, 0.0))


def _undone(member: Floats, hubs: int, law: EdgeLaw) -> Floats:
    """Weights of published patterns whose expectations are those of the true ones."""
    through = np.array([[1 - law.add, law.add], [law.delete, 1 - law.delete]])
    inverse = np.linalg.inv(through)  # true link by row, published link by column
    table = member.reshape(-1, *(2,) * hubs)
    for axis in range(1, hubs + 1):
        table = np.moveaxis(np.tensordot(inverse, table, (1, axis)), 0, axis)
    return np.asarray(table.reshape(len(member), -1))
