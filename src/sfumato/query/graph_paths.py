"""How far apart people are: path lengths, indicative only, refused where noise has drowned them.

One false edge in a hundred is a short cut for everybody, so that no estimate is unbiased. Graphs
that the original may have been are drawn from the published one; each is perturbed by the same law
and treated likewise, and the factor by which that changes its lengths is divided out. It is taken
for granted that everybody had an edge: who had none is seldom to be told from who had one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import Answer
from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.kernels.graph_distances import distances
from sfumato.query.graph_flips import flipped
from sfumato.query.graph_likely import likely_graph
from sfumato.query.graph_posterior import Truth, truth
from sfumato.query.statistic import NO_ISOLATED_NODES, Published, Statistic
from sfumato.releases.edge_law import EdgeLaw

SOURCES = 1024  # nodes from which distances are taken
DRAWS = 3
PART = 0.9  # of the connected pairs lie within the effective diameter
# Added edges as a share of the true ones, and the probability of losing one: beyond, errors of
# more than a tenth were measured.
MOST_ADDED, MOST_LOST = 0.45, 0.25
MANY = 0.05  # people without an edge, beyond which an answer says so
NAMES = ("path-length", "effective-diameter", "reachable")
Floats = NDArray[np.float64]


def path_figures(graph: Graph, run: Run) -> Floats:
    """(average length over connected pairs, effective diameter, share of pairs connected).

    Distances are taken from some nodes, of large graphs: from 1,024, a length is then off by about
    half a percent. Without connected pairs there is no length.
    """
    nodes = np.arange(graph.nodes, dtype=np.int32)
    if graph.nodes > SOURCES:
        nodes = run.rng("sources").choice(nodes, SOURCES, replace=False)
    counts = distances(graph.indptr, graph.targets, nodes)[1:].astype(float)
    connected = counts.sum()
    if connected == 0:
        return np.array([np.nan, np.nan, 0.0])
    length = float(counts @ np.arange(1, len(counts) + 1)) / connected
    share = connected / (len(nodes) * (graph.nodes - 1))
    return np.array([length, _effective(counts / connected), share])


def _effective(shares: Floats) -> float:
    """The distance within which a part of the pairs lies, in a straight line between steps."""
    within = np.concatenate([[0.0], np.cumsum(shares)])
    step = int(np.searchsorted(within, PART))
    return float(step - 1 + (PART - within[step - 1]) / (within[step] - within[step - 1]))


def noise_of(graph: Graph, law: EdgeLaw) -> float:
    """Added edges as a share of the true ones, as far as the published graph tells."""
    edges = law.corrected(graph.edges, graph.pairs)
    added = law.add * (graph.pairs - edges)
    return float(added / edges) if edges > 0 else float("inf" if added > 0 else 0)


def estimated_paths(published: Published, run: Run) -> Floats:
    """The three figures for the original; not to be trusted where `refusal` has a reason."""
    if published.law == EdgeLaw(0.0, 0.0):
        return path_figures(published.graph, run)
    believed = truth(published.graph, published.law, run)
    drawn = [_drawn(published, believed, run, draw) for draw in range(DRAWS)]
    once, twice = np.mean(drawn, axis=0)
    return np.asarray(np.clip(once * once / twice, [1.0, 0.0, 0.0], [np.inf, np.inf, 1.0]))


def _drawn(published: Published, believed: Truth, run: Run, draw: int) -> tuple[Floats, Floats]:
    """Figures of a graph that may have been, and of one drawn from it perturbed."""
    likely = likely_graph(published.graph, believed, run, draw)
    law, again = published.law, _part(run, draw)
    view = flipped(likely, law, again)
    likely_again = likely_graph(view, truth(view, law, again), again, draw)
    return path_figures(likely, run), path_figures(likely_again, run)


def _part(run: Run, draw: int) -> Run:
    """A run whose streams are unrelated to those of the first draw."""
    return Run(run.words(4, "again", draw).tobytes(), run.workers)


def refusal(published: Published) -> str:
    """Why lengths can't be told, or nothing."""
    added, lost = noise_of(published.graph, published.law), published.law.delete
    if not np.isfinite(added) or published.graph.edges == 0:
        return "no edges are left beside the added ones"
    if added > MOST_ADDED:
        return f"{added:.0%} as many edges were added as there were: short cuts drown the lengths"
    if lost > MOST_LOST:
        return f"{lost:.0%} of the edges were deleted: too much of every path is missing"
    return ""


def _answers(place: int) -> Callable[[Published, Run], Sequence[Answer]]:
    def estimate(published: Published, run: Run) -> Sequence[Answer]:
        if reason := refusal(published):
            return [Answer(NAMES[place], None, basis=reason, refused=True)]
        value = float(estimated_paths(published, run)[place])
        if not np.isfinite(value):
            return [Answer(NAMES[place], None, basis="no pairs are connected", refused=True)]
        return [Answer(NAMES[place], value, basis=_basis(published))]

    return estimate


def _basis(published: Published) -> str:
    added = max(noise_of(published.graph, published.law), 0.0)
    text = f"indicative, no interval: {added:.1%} added edges divided out"
    isolated = isolated_share(published)
    if isolated > MANY:
        return f"{text}; about {isolated:.0%} seem to have had no edge: lengths may be too long"
    return f"{text}, nobody taken for isolated"


def isolated_share(published: Published) -> float:
    """About how many people had no edge, as far as those without a published one tell.

    Some of these lost what they had: a share `delete` at most, which is taken off.
    """
    graph, law = published.graph, published.law
    if NO_ISOLATED_NODES in published.facts or graph.nodes == 0:
        return 0.0
    alone = np.count_nonzero(graph.degrees == 0) / graph.nodes
    return float(max(alone / (1 - law.add) ** (graph.nodes - 1) - law.delete, 0.0))


def _exact(place: int) -> Callable[[Published, Run], Sequence[float]]:
    return lambda published, run: [float(path_figures(published.graph, run)[place])]


def _statistic(place: int, meaning: str) -> Statistic:
    unbiased = "no: indicative, without an interval"
    source = "effective diameter: Leskovec et al. 2005"
    return Statistic(NAMES[place], meaning, unbiased, _answers(place), _exact(place), source)


PATH_LENGTH = _statistic(0, "average number of steps between two connected people")
EFFECTIVE_DIAMETER = _statistic(1, "steps within which 90 % of the connected pairs lie")
REACHABLE = _statistic(2, "share of all pairs of people that are connected by some path")
