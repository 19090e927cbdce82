"""The sections of a report that are particular to releases of possible worlds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.releases.claims import DIVERSE
from sfumato.releases.release import Evidence, Release
from sfumato.report import Bars, Histogram, Section
from sfumato.report.charts import Chart

BINS, TOP = 30, 14
HIDDEN = """A person's items are among the possible worlds of several records. Somebody who knows \
everybody's items cannot tell which of these records is the person's; the claim says how many they \
are at least.

That each of them is as likely holds for somebody who knows which assignments the record was drawn \
from. The worlds themselves admit more assignments, and somebody who weighs all of these comes to \
other chances. An item that is not open is certain, for everybody who may be behind the record.

Somebody who knows which record is one person's, perhaps from that person, learns something of the \
neighbours as well: the true records of all come from one assignment."""
LABELS = """

Which labels stand beside a person's worlds was settled by keeping equal labels apart: who knows \
how that is done learns a little more of labels than the release says."""
PUBLISH_ONCE = """

Publish once: two releases of the same people made in different ways can be intersected."""


def not_covered(release: Release) -> str:
    """What the claims of a release of worlds leave aside."""
    diverse = any(claim.model == DIVERSE for claim in release.claims)
    return HIDDEN + LABELS * diverse + PUBLISH_ONCE


def worlds_section(evidence: Evidence) -> Section:
    """How many items are open, and how many worlds that makes."""
    content = evidence.release.worlds
    charts: list[Chart] = [
        _histogram("Items in which a record may differ from its base", content.opened),
        _histogram("Items in which it differs at most", content.threshold.astype(np.int64)),
    ]
    if content.base.domain:
        charts.append(_items(evidence.release))
    text = (
        "Every record is published as a base, which is one of its worlds, and the ways in which "
        "the person behind it may differ from that."
    )
    return Section("Possible worlds", text, charts=charts)


def _histogram(title: str, values: NDArray[np.int64]) -> Histogram:
    high = int(values.max(initial=0))
    width = -(-(high + 1) // BINS)
    edges = np.arange(0, high + width + 1, width)
    return Histogram(title, edges.tolist(), np.histogram(values, edges)[0].tolist(), unit="records")


def _items(release: Release) -> Bars:
    """The items that most bases have."""
    base = release.worlds.base
    top = np.argsort(-base.counts, kind="stable")[:TOP]
    names = [base.names[int(item)].as_py() for item in top]
    return Bars("Items of most bases", names, base.counts[top].tolist(), unit="records")
