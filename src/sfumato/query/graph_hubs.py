"""What joins people to the hubs of a graph: edges among the hubs, and how many hubs people know."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.core.answers import Answer
from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.query.graph_classification import (
    Floats,
    Numbers,
    class_sizes,
    every_pattern,
    hub_patterns,
    top_hubs,
)
from sfumato.query.statistic import Published, Statistic, estimated
from sfumato.releases.edge_law import EdgeLaw

HUBS = 10
NAMES = (
    "edges-among-hubs",
    "density-among-hubs",
    "hubs-per-person",
    *(f"people-with-{count}-hubs" for count in range(HUBS + 1)),
)
BASIS = f"the {HUBS} highest degrees of the published graph"


def hub_figures(graph: Graph, law: EdgeLaw, hubs: Numbers) -> tuple[Floats, Floats]:
    """(values, standard errors) in the order of `NAMES`, for hubs that are given."""
    others = np.setdiff1d(np.arange(graph.nodes), hubs)
    bits = hub_patterns(graph, hubs, others)
    among = int(hub_patterns(graph, hubs, hubs).sum()) // 2
    inner, outer = len(hubs) * (len(hubs) - 1) // 2, bits.size
    edges, edges_error = _edges(law, among, inner)
    links, links_error = _edges(law, int(bits.sum()), outer)
    sizes, errors = class_sizes(bits, every_pattern(len(hubs)).sum(axis=1), law)
    people = max(len(others), 1)
    values = [edges, edges / inner, links / people, *sizes]
    return np.array(values), np.array(
        [edges_error, edges_error / inner, links_error / people, *errors]
    )


def _edges(law: EdgeLaw, published: int, pairs: int) -> tuple[float, float]:
    """Unbiased number of edges among some pairs, and its standard error."""
    edges = law.corrected(published, pairs)
    noise = law.edge_noise * edges + law.gap_noise * (pairs - edges)
    return edges, float(np.sqrt(max(noise, 0.0)))


def _estimate(published: Published, run: Run) -> Sequence[Answer]:  # noqa: ARG001
    graph = published.graph
    if graph.nodes <= HUBS:
        reason = f"{graph.nodes} nodes; patterns need more than the {HUBS} hubs"
        return [Answer(name, None, basis=reason, refused=True) for name in NAMES]
    hubs = top_hubs(graph, HUBS)
    found = hub_figures(graph, published.law, hubs)
    noisy = bool(published.law.delete or published.law.add)
    shown = NAMES[: len(NAMES) - HUBS + _most_known(graph, hubs)]  # beyond, nobody is seen
    return [_answer(*one, noisy=noisy) for one in zip(shown, *(map(float, x) for x in found))]


def _most_known(graph: Graph, hubs: Numbers) -> int:
    """The largest number of hubs that anybody else is published to know."""
    others = np.setdiff1d(np.arange(graph.nodes), hubs)
    return int(hub_patterns(graph, hubs, others).sum(axis=1).max(initial=0))


def _answer(name: str, value: float, error: float, *, noisy: bool) -> Answer:
    """Where nobody was seen to know so many, the error can't be told from what was seen."""
    if noisy and error == 0.0 and value != round(value):
        return Answer(name, value, basis=f"{BASIS}; no error where nobody is seen")
    return estimated(name, value, error, basis=BASIS)


def _exact(published: Published, run: Run) -> Sequence[float]:  # noqa: ARG001
    graph = published.graph
    if graph.nodes <= HUBS:
        return [float("nan")] * len(NAMES)
    values = hub_figures(graph, EdgeLaw(0.0, 0.0), top_hubs(graph, HUBS))[0]
    return [float(value) for value in values]


HUBS_STATISTIC = Statistic(
    "hubs",
    f"edges among the {HUBS} nodes of highest degree, and how many people know how many of them",
    "nearly: yes for hubs that are given; hubs chosen by their published degree are a little lucky",
    _estimate,
    _exact,
    "Xue 2012, 4.6.3; the corrected counts of patterns are ours",
    truth="for the highest degrees of the original, which may be other nodes",
)
