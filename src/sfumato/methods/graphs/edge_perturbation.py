"""Random edge perturbation: every pair of nodes is drawn anew, and the law is published."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log, log10
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationInfo, field_validator

from sfumato.core.errors import BadJob, CannotBeMet
from sfumato.core.run import Run
from sfumato.data.graph import Graph, Network
from sfumato.data.schema import Field as Column
from sfumato.data.schema import Kind, Role, Schema
from sfumato.methods.base import Cost, Method, Shape
from sfumato.methods.graphs.flips import perturbed, renumbered
from sfumato.models.base import Model
from sfumato.releases.claims import EDGE_ODDS, KNOWS_OTHERS, Claim
from sfumato.releases.edge_law import EdgeLaw
from sfumato.releases.perturbed_graph import EDGES, NO_ISOLATED_NODES, PerturbedGraph
from sfumato.releases.release import Ledger, Publication, Release

KEEP_DENSITY = "keep-density"
DIGITS = 2  # of an added probability that follows the number of edges
EDGES_TOLD = 0.1  # by how much, in logarithms of odds, that probability may tell of one edge
BYTES = 40  # that an edge takes at most while it is drawn, joined and written; measured
MOST_EDGES = (1 << 31) - 1


class EdgePerturbation(Method):
    """Lose every edge with one probability, connect every other pair with another.

    With `mu` both are mu. With `delete` and `add` they differ; `add = "keep-density"` adds about as
    many edges as are lost, which keeps the graph small and resists attacks on its structure far
    better for the same error; but an edge that is published was then there with a probability of
    about 1 - delete. Nodes get random numbers first. Nothing is claimed about attacks on structure:
    `sfumato attack` measures them.

    >>> import sfumato
    >>> ends = {"source": ["ann", "ann", "ben"], "target": ["ben", "cy", "cy"]}
    >>> people = sfumato.read_graph(ends)
    >>> method = sfumato.method("edge-perturbation", kind="graph", mu=0.01)
    >>> sfumato.publish(people, method=method, seed=1).release.content.law
    EdgeLaw(delete=0.01, add=0.01)
    """

    kind = "graph"
    name = "edge-perturbation"
    form = "perturbed"
    summary = "flip edges at random by a published law, so that counts can be undone without bias"
    source = (
        "chapter 4 of a thesis on privacy preserving data publication (CIKM 2012); separate "
        "probabilities and all estimators are our own"
    )

    mu: float | None = Field(None, ge=0, lt=0.5, description="the probability of flipping any pair")
    delete: float | None = Field(
        None, ge=0, lt=1, description="the probability of losing an edge; instead of mu"
    )
    add: float | Literal["keep-density"] | None = Field(
        None,
        validate_default=True,
        description='the probability of a new edge, or "keep-density"; with delete',
    )
    publish_facts: list[Literal["no-isolated-nodes"]] = Field(
        [], description="what is published besides: that every node had an edge, if that is so"
    )

    @field_validator("add")
    @classmethod
    def _one_law(cls, add: float | str | None, others: ValidationInfo) -> float | str | None:
        mu, delete = others.data.get("mu"), others.data.get("delete")
        if (mu is None) == (delete is None) or (delete is None) != (add is None):
            raise ValueError("give mu, or delete and add")
        if isinstance(add, float | int) and not 0 <= add < 1 - (delete or 0.0):
            raise ValueError("it should be at least 0, and delete + add below 1")
        return add

    def publish(self, data: Network, require: Sequence[Model], run: Run) -> Publication:
        if require:
            raise BadJob(
                f"require.model is '{require[0].name}', which groups of records can meet",
                "a graph is published without groups: leave require out",
            )
        law = self.law(data.graph, run)
        _check_fits(data.graph, law)
        self._check_facts(data.graph)
        with run.phase("number"):
            graph, number = renumbered(data.graph, run)
        with run.phase("flip"):
            made = perturbed(graph, law, run)
        order = np.empty(data.rows, np.int64)
        order[number] = np.arange(data.rows)
        content = PerturbedGraph(made.graph, law, data.table.take(order))
        notes = {"edges": data.graph.edges, "deleted": made.deleted, "added": made.added}
        return Publication(
            self._release(data, content), Ledger(order, run.key.hex(), notes=notes | _advice(law))
        )

    def law(self, graph: Graph, run: Run | None = None) -> EdgeLaw:
        """The probabilities for a graph; without a run, about those that it would get."""
        if self.mu is not None:
            return EdgeLaw(self.mu, self.mu)
        assert self.delete is not None
        if self.add == KEEP_DENSITY:
            off = two_sided(run.words(2, "edges told"), EDGES_TOLD) if run is not None else 0
            return keeping_density(self.delete, graph, off)
        return EdgeLaw(self.delete, float(self.add or 0.0))

    def _release(self, data: Network, content: PerturbedGraph) -> Release:
        parameters = {"delete": content.law.delete, "add": content.law.add}
        if self.add == KEEP_DENSITY:
            parameters["edges_told"] = EDGES_TOLD
        claim = Claim(EDGE_ODDS, parameters, (EDGES,), adversary=KNOWS_OTHERS)
        facts: dict[str, Any] = {"stated": list(self.publish_facts)}
        return Release(
            kind="graph",
            form="perturbed",
            schema=_schema(data.schema),
            content=content,
            claims=(claim,),
            facts=facts if self.publish_facts else {},
        )

    def _check_facts(self, graph: Graph) -> None:
        isolated = int((graph.degrees == 0).sum())
        if NO_ISOLATED_NODES in self.publish_facts and isolated:
            raise BadJob(
                f"method.publish_facts says '{NO_ISOLATED_NODES}', but {isolated:,} of "
                f"{graph.nodes:,} nodes have no edge",
                "leave the fact out, or remove those nodes",
            )

    def cost(self, shape: Shape) -> Cost:
        """Measured; of mu, edges to come are those of all pairs."""
        pairs = shape.rows * (shape.rows - 1) / 2
        added = (self.mu or 0.0) * pairs if self.mu is not None else 0.0
        if isinstance(self.add, float):
            added = self.add * pairs
        edges = shape.items + added
        return Cost(0.2 + edges * 4e-7 + shape.rows * 1e-7, 250 + edges * BYTES * 1e-6)


def _schema(nodes: Schema) -> Schema:
    """What is published: the edges, and the columns of the nodes that the owner publishes."""
    edges = Column(EDGES, Role.QUASI, Kind.CATEGORY)
    return Schema((edges, *(field for field in nodes.fields if field.name in nodes.published)))


def two_sided(words: NDArray[np.uint64], strength: float) -> int:
    """A whole number around 0: one more or less is less likely by the factor exp(-strength).

    >>> two_sided(np.array([2**63, 2**63], np.uint64), 0.1)
    0
    """
    one, two = (floor(log((int(word) + 0.5) * 2.0**-64) / -strength) for word in words)
    return one - two


def keeping_density(delete: float, graph: Graph, off: int = 0) -> EdgeLaw:
    """Additions that make up for the losses, as if there were `off` edges more, to two digits.

    The exact number of edges would show whether the one edge is there that somebody lacks who knows
    all others.
    """
    edges = min(max(graph.edges + off, 1), graph.pairs)
    free = max(graph.pairs - edges, 1)
    add = min(delete * edges / free, (1 - delete) / 2)  # of dense graphs not all can be made up for
    return EdgeLaw(delete, round(add, DIGITS - 1 - floor(log10(add))) if add else 0.0)


def _check_fits(graph: Graph, law: EdgeLaw) -> None:
    """Refuse what memory can't hold, with what it would take."""
    edges = law.expected(graph.edges, graph.pairs)
    there = _memory()
    if edges > MOST_EDGES or edges * BYTES > there:
        raise CannotBeMet(
            f"{edges:,.0f} edges would be published and take {edges * BYTES / 1e9:,.0f} GB; "
            f"{there / 1e9:,.0f} GB are free",
            'use a smaller mu, or delete with add = "keep-density"',
        )


def _memory() -> float:
    """Bytes of memory that can be had, where the system says so."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        there = dict(line.split(":", 1) for line in lines)
        return 1024.0 * int(there["MemAvailable"].split()[0])
    except (OSError, KeyError, ValueError):
        return float("inf")


def _advice(law: EdgeLaw) -> dict[str, str]:
    if law.delete or law.add:
        return {"advice": "how well this resists being found by structure: sfumato attack --help"}
    return {"advice": "nothing was flipped: whoever knows some edges finds people by them"}
