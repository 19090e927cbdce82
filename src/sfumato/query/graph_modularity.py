"""Modularity of given groups: how much more edges stay inside than chance would leave there.

Q = S / h - R / (4 h^2), with h edges, S of them inside a group, and R the sum over groups of the
squared sum of degrees. The thesis corrects the counts of edges within and between groups (its
equations 4.12 and 4.13, with their misprints mended); squares and ratios of corrected counts are
still off by the variance in them, which is subtracted here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import Answer
from sfumato.core.errors import BadInput
from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.query.graph_pairs import Floats, Pairs, published_pairs
from sfumato.query.statistic import Published, Statistic, estimated
from sfumato.releases.edge_law import EdgeLaw

CLEAR = 8.0  # standard errors that the number of edges must lie above zero
Groups = NDArray[np.int64]


def modularity(graph: Graph, groups: Groups) -> float:
    """The modularity of groups on a graph as it is; not a number without edges.

    >>> path = Graph.of(4, [0, 1, 2], [1, 2, 3])
    >>> round(modularity(path, np.array([0, 0, 1, 1])), 6)
    0.166667
    """
    if graph.edges == 0:
        return float("nan")
    u, v = graph.upper
    inside = np.count_nonzero(groups[u] == groups[v])
    weight = np.bincount(numbered(groups), graph.degrees)
    return float(inside / graph.edges - (weight**2).sum() / (4 * graph.edges**2))


def numbered(groups: NDArray[np.generic]) -> Groups:
    """Groups by number, from 0, none empty."""
    return np.asarray(np.unique(groups, return_inverse=True)[1].ravel(), np.int64)


def block_edges(graph: Graph, groups: Groups) -> NDArray[np.int64]:
    """Edges within and between groups, as a symmetric table that has each edge once a side."""
    count = int(groups.max(initial=-1)) + 1
    u, v = graph.upper
    low, high = np.minimum(groups[u], groups[v]), np.maximum(groups[u], groups[v])
    upper = np.bincount(low * count + high, minlength=count * count).reshape(count, count)
    return np.asarray(upper + np.triu(upper, 1).T)


def corrected_blocks(blocks: NDArray[np.generic], sizes: Groups, law: EdgeLaw) -> Floats:
    """Published counts of edges within and between groups of some sizes, without bias."""
    size = np.asarray(sizes, np.float64)
    pairs = np.outer(size, size)
    np.fill_diagonal(pairs, size * (size - 1) / 2)
    return np.asarray((np.asarray(blocks) - law.add * pairs) / law.gap)


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums over the pairs inside each group, and over the pairs at each end in it."""

    inside: Floats
    ends: Floats


@dataclass(frozen=True, eq=False)
class Judged:
    """An estimated modularity with its standard error; `reason` says why there is none."""

    value: float = float("nan")
    error: float = float("nan")
    reason: str = ""

    def answer(self, name: str, basis: str) -> Answer:
        """As an answer."""
        if self.reason:
            return Answer(name, None, basis=self.reason, refused=True)
        return estimated(name, self.value, self.error, basis=basis)


def judged(pairs: Pairs, groups: Groups) -> Judged:
    """The modularity of groups that do not depend on what is random in the pairs.

    The error is that of the first order of a Taylor series, with exact variances of all pairs, and
    the second order of the squares. The bias of the second order is subtracted.
    """
    edges, noise = pairs.total, max(pairs.total_noise, 0.0)
    if edges <= CLEAR * np.sqrt(noise):
        return Judged(reason=_unclear(edges, noise))
    group = numbered(groups)
    sizes = np.bincount(group).astype(np.float64)
    sums = _totals(pairs, group, sizes, pairs.value, pairs.rest)
    noises = _totals(pairs, group, sizes, pairs.noise, pairs.rest_noise)
    of_ends = noises.ends + 2 * noises.inside  # the variance of `sums.ends`
    squares = float((sums.ends**2 - of_ends).sum())
    inside, slope = float(sums.inside.sum()), 1 / edges
    first = inside * slope * (1 - noise * slope**2) + float(noises.inside.sum()) * slope**2
    second = squares * slope**2 * (1 - 3 * noise * slope**2)
    second += 4 * float((sums.ends * noises.ends).sum()) * slope**3
    spread = _linear_noise(pairs, group, sizes, sums.ends, edges)
    spread += float((of_ends**2).sum()) * slope**4 / 8
    return Judged(first - second / 4, float(np.sqrt(max(spread, 0.0))))


def _unclear(edges: float, noise: float) -> str:
    return (
        f"the number of edges is estimated as {edges:,.0f} with a standard error of"
        f" {np.sqrt(noise):,.0f}: too unclear to divide by; it must be {CLEAR:g} errors above zero"
    )


def _totals(pairs: Pairs, group: Groups, sizes: Floats, listed: Floats, rest: float) -> Totals:
    one, two = group[pairs.u], group[pairs.v]
    same = one == two
    inside = np.bincount(one[same], listed[same], len(sizes)) + rest * sizes * (sizes - 1) / 2
    ends = np.bincount(one, listed, len(sizes)) + np.bincount(two, listed, len(sizes))
    return Totals(inside, ends + rest * sizes * (pairs.nodes - 1))


def _linear_noise(pairs: Pairs, group: Groups, sizes: Floats, ends: Floats, edges: float) -> float:
    """The sum over all pairs of the variance times the squared slope of Q in that pair.

    Between groups c and d the slope is k - (D_c + D_d) / (2 h^2) with k = R / (2 h^3) - S / h^2;
    inside one it is 1 / h more. Sums over pairs that are not listed go by groups, not by pairs.
    """
    slope, per_edge = 1 / (2 * edges**2), 1 / edges
    one, two = group[pairs.u], group[pairs.v]
    same = one == two
    listed = float(pairs.value[same].sum()) + pairs.rest * float((sizes * (sizes - 1)).sum()) / 2
    level = slope * per_edge * float((ends**2).sum()) - listed * per_edge**2
    slopes = level - slope * (ends[one] + ends[two]) + same * per_edge
    own = float((pairs.noise * slopes**2).sum())
    heavy, square = float(sizes @ ends), float(sizes @ ends**2)
    count = pairs.nodes
    everywhere = (level * count) ** 2 - 4 * level * slope * count * heavy
    everywhere += slope**2 * (2 * count * square + 2 * heavy**2)
    within = level - 2 * slope * ends
    across = (everywhere - float((sizes**2 * within**2).sum())) / 2
    inner = float((sizes * (sizes - 1) / 2 * (within + per_edge) ** 2).sum())
    return own + pairs.rest_noise * (across + inner)


def given_groups(published: Published) -> Groups:
    """The groups that came with the question."""
    if published.groups is None or len(published.groups) != published.graph.nodes:
        raise BadInput("modularity is of groups, and none are given", "name a published column")
    return published.groups


def _estimate(published: Published, run: Run) -> Sequence[Answer]:  # noqa: ARG001
    pairs = published_pairs(published.graph, published.law)
    found = judged(pairs, given_groups(published))
    return [found.answer("modularity", "corrected blocks, delta rule")]


def _exact(published: Published, run: Run) -> Sequence[float]:  # noqa: ARG001
    return [modularity(published.graph, given_groups(published))]


MODULARITY = Statistic(
    "modularity",
    "how much more edges stay inside the groups of a published column than by chance",
    "nearly: counts are, their ratios to the second order",
    _estimate,
    _exact,
    "Newman, Girvan 2004; Xue 2012, 4.4.3 with equations 4.11 to 4.13 mended",
    needs_groups=True,
)
