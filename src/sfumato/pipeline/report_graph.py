"""The sections of a report that are particular to published graphs."""

from __future__ import annotations

import numpy as np

from sfumato.core.answers import result_table
from sfumato.core.run import Run
from sfumato.data.graph import Graph, Network
from sfumato.query.graph_answers import every_statistic
from sfumato.releases.release import Evidence
from sfumato.report import PairedBars, Section

NOT_COVERED = """Every pair of people was drawn by a published law, so no single edge is certain, \
and counts can be undone on average. That does not hide who is who: somebody who knows the edges \
around a person, or who planted accounts beforehand, may find nodes by structure, the better the \
fewer edges were flipped. Attacks measure how far: sfumato attack. No number of failed attacks \
shows that another one fails.

Where fewer edges were added than lost, a published edge is likely true: see true-edges.

Publish once: flips drawn anew for the same graph can be averaged by whoever links the nodes."""
BANDS = (0, 1, 2, 3, 5, 9, 17, 33, 65, 129, 257, 513, 1025)


def law_section(evidence: Evidence) -> Section:
    """The law in words and numbers."""
    law = evidence.release.network.law
    rows = [
        {"of every": "edge", "what happened": "was lost", "probability": law.delete},
        {"of every": "pair without an edge", "what happened": "got one", "probability": law.add},
    ]
    stated = evidence.release.facts.get("stated", [])
    notes = [f"the owner states: {fact}" for fact in stated]
    return Section(
        "The law of the edges",
        "Nodes have random numbers. Every pair of nodes was drawn by itself.",
        tables=[result_table("law", rows, notes)],
    )


def statistics_section(evidence: Evidence) -> Section:
    """What can be said of the original, with errors; for the owner beside the truth."""
    owner = evidence.ledger is not None
    shown = evidence if owner else Evidence(evidence.release)
    return Section(
        "What can be said of the original",
        "Estimated from the published graph and its law alone. Lower and upper are the ends of "
        "95 % intervals.",
        tables=every_statistic(shown, Run.seeded(1)),
        owner_only=owner and evidence.original is not None,
    )


def degrees_section(evidence: Evidence) -> Section:
    """Degrees as published, and for the owner as they were."""
    after = _bands(evidence.release.network.graph)
    names = [_named(place) for place in range(len(BANDS))]
    truth = evidence.original if evidence.ledger is not None else None
    if not isinstance(truth, Network):
        return Section("Degrees", "")
    chart = PairedBars("Degrees of nodes", names, _bands(truth.graph), after, unit="nodes")
    text = "Before and after. Degrees of the published graph are noisy: see degree-distribution."
    return Section("Degrees", text, charts=[chart], owner_only=True)


def _bands(graph: Graph) -> list[float]:
    place = np.searchsorted(BANDS, graph.degrees, side="right") - 1
    counts: list[float] = np.bincount(place, minlength=len(BANDS)).astype(float).tolist()
    return counts


def _named(place: int) -> str:
    low = BANDS[place]
    if place + 1 == len(BANDS):
        return f"{low} and more"
    high = BANDS[place + 1] - 1
    return str(low) if low == high else f"{low} to {high}"
