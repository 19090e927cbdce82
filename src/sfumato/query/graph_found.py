"""Groups found on the published graph, and how good they are on the original.

Groups that were fitted to a graph look better on it than they are: they were fitted to its noise
too. Therefore the published graph is perturbed a little more, by a known law; groups are found on
that view alone, and judged by what the published graph still says once the view is known. Given
the view, the numbers of pairs are unbiased and independent again, so that the groups are judged as
if they had been given from outside: without optimism, and with an interval that covers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import Answer
from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.kernels.graph_louvain import louvain
from sfumato.query.graph_flips import both, flipped, keys_of, within
from sfumato.query.graph_modularity import Judged, judged, modularity
from sfumato.query.graph_pairs import Floats, Pairs
from sfumato.query.graph_posterior import truth
from sfumato.query.statistic import Published, Statistic
from sfumato.releases.edge_law import EdgeLaw

# A view is perturbed by a share of the release's own law: the least, or what makes the standard
# error the wanted one, at most the most. More costs quality of the groups (measured in the docs).
LEAST, MOST, WANTED = 0.1, 1.0, 0.007
POWER = 1.5  # of the probability that an edge is true: its weight when groups are looked for
Groups = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Found:
    """The group of every node, and the modularity of these groups on the original graph."""

    groups: Groups
    judged: Judged


def found_groups(published: Published, run: Run) -> Found:
    """Groups of high modularity, found on the published graph and judged without optimism."""
    found = _found(published, LEAST, run)
    share = _share_for(found.judged.error)
    return found if share <= LEAST else _found(published, share, run)


def _found(published: Published, share: float, run: Run) -> Found:
    law = published.law
    again = EdgeLaw(share * law.delete, share * law.add)
    view = flipped(published.graph, again, run)
    groups = groups_of(view, both(law, again), run)
    return Found(groups, judged(pairs_given(published.graph, view, law, again), groups))


def _share_for(error: float) -> float:
    """The share of the wanted error: the variance goes with 1 + 1 / share. No error, the most."""
    if error <= WANTED:
        return LEAST
    room = (1 + 1 / LEAST) * (WANTED / error) ** 2 - 1
    return min(1 / room, MOST) if room > 0 else MOST


def groups_of(graph: Graph, law: EdgeLaw, run: Run) -> Groups:
    """Groups of high modularity on a graph, each edge weighted by how likely it is true."""
    noisy = law.add > 0 and graph.edges > 0
    likely = truth(graph, law, run).edges if noisy else np.ones(graph.edges)
    weights = _in_rows(graph, likely**POWER)
    return louvain(graph.indptr, graph.targets, weights, run.word("groups"))


def _in_rows(graph: Graph, number: Floats) -> Floats:
    """Numbers of the edges (u < v, ascending) in both rows of each."""
    node = np.repeat(np.arange(graph.nodes, dtype=np.int32), graph.degrees)
    above = graph.targets > node
    rows = np.empty(len(node))
    rows[above] = number
    # Below, edges come by (v, u): the order of the upper ones sorted by v, which is stable in u.
    rows[~above] = number[np.argsort(graph.upper[1], kind="stable")]
    return rows


def pairs_given(graph: Graph, view: Graph, law: EdgeLaw, again: EdgeLaw) -> Pairs:
    """What a graph says of every pair once a view of it is known, drawn from it by a second law."""
    keys, seen = keys_of(graph), keys_of(view)
    listed = np.union1d(keys, seen)
    inside, shown = within(listed, keys), within(listed, seen)
    numbers = np.array([[_number(law, again, p, s) for s in (0, 1)] for p in (0, 1)])
    rest, rest_noise = (float(number) for number in numbers[0, 0])
    value, noise = (numbers[inside.astype(int), shown.astype(int)] - numbers[0, 0]).T
    u, v = (ends.astype(np.int32) for ends in np.divmod(listed, max(graph.nodes, 1)))
    return Pairs(graph.nodes, u, v, value, noise, rest, rest_noise)


def _number(law: EdgeLaw, again: EdgeLaw, published: int, shown: int) -> tuple[float, float]:
    """(unbiased number, estimate of its variance) of a pair published and shown so."""
    if_linked = 1 - again.delete if shown else again.delete
    if_apart = again.add if shown else 1 - again.add
    edge = _share((1 - law.delete) * if_linked, law.delete * if_apart, 1.0)
    gap = _share(law.add * if_linked, (1 - law.add) * if_apart, 0.0)
    value = (published - gap) / (edge - gap)
    noises = edge * (1 - edge) * value + gap * (1 - gap) * (1 - value)
    return value, noises / (edge - gap) ** 2


def _share(one: float, other: float, otherwise: float) -> float:
    return one / (one + other) if one + other > 0 else otherwise


def _estimate(published: Published, run: Run) -> Sequence[Answer]:
    found = found_groups(published, run)
    basis = f"{int(found.groups.max(initial=-1)) + 1:,} groups, found on a view perturbed once more"
    return [found.judged.answer("found-modularity", basis)]


def _exact(published: Published, run: Run) -> Sequence[float]:
    graph = published.graph
    return [modularity(graph, groups_of(graph, EdgeLaw(0.0, 0.0), run))]


FOUND_MODULARITY = Statistic(
    "found-modularity",
    "modularity, on the original, of groups found on the published graph",
    "nearly: for these groups, to the second order",
    _estimate,
    _exact,
    "Blondel et al. 2008 for the groups; the second perturbation is ours",
    truth="of groups found on the original, which are other groups",
)
