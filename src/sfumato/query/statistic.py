"""What a statistic of a graph is: estimated from a published graph and its law, exact on a graph.

One statistic a name, listed in the catalogue. It gives one answer or several, always the same
ones in the same order, so that estimates and exact values can be set side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import Answer
from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.releases.edge_law import EdgeLaw
from sfumato.releases.perturbed_graph import NO_ISOLATED_NODES as NO_ISOLATED_NODES

LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Published:
    """All that everybody knows: the published graph, the law it was drawn by, and stated facts.

    `groups` numbers the groups of nodes by a published column, for statistics that are given one.
    """

    graph: Graph
    law: EdgeLaw
    facts: frozenset[str] = frozenset()
    groups: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Statistic:
    """A named question about a graph.

    `estimate` may draw from the run, which queries seed so that an answer repeats. `exact` gives
    the values on a graph itself, in the order of the answers, perhaps more of them; `truth` says
    how they differ from what is estimated, where they do. `unbiased` says in words whether
    estimates are right on average, beginning with "yes", "nearly" or "no".
    """

    name: str
    meaning: str
    unbiased: str
    estimate: Callable[[Published, Run], Sequence[Answer]]
    exact: Callable[[Published, Run], Sequence[float]]
    source: str = ""
    needs_groups: bool = field(default=False)
    truth: str = ""


def estimated(
    name: str, value: float, error: float, *, basis: str = "", level: float = LEVEL
) -> Answer:
    """An answer with a standard error and the normal interval that rests on it."""
    wide = NormalDist().inv_cdf(0.5 + level / 2) * error
    return Answer(
        name, value, interval=(value - wide, value + wide), level=level, basis=basis, error=error
    )
