"""The sections of a report that are particular to releases of sets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import ResultTable
from sfumato.data.sets import Sets
from sfumato.releases.claims import K1
from sfumato.releases.release import Evidence, Release
from sfumato.report import Bars, Histogram, PairedBars, Section
from sfumato.report.charts import Chart
from sfumato.study.set_risk import risk_of_groups, risk_of_sets

IN_GROUPS = """Everybody has the items that are shown of them: an adversary who finds a person's \
group learns these. What hides the person is that others publish the same.

An item that is not shown is unknown, not absent. In a tight group some member lacks it, which is \
all that follows.

The adversary is taken to know everybody's items. Labels and other columns of people are published \
as they are: look at what members of a group share.

Publish once: two releases of the same people made in different ways can be intersected."""
IN_OTHERS = """What is shown of a person, k people have; but they publish other things, so \
somebody who knows everybody's items and how sets are found may tell whose a set is: nearly always \
if nothing was drawn, else as often as the claim about owners says, and only of one set that is \
seen. \
Whoever matches the whole file against all originals learns more.

An item that is not shown is unknown, not absent.

Draw once: every further draw for the same people tells more of whose a set is."""
BINS, TOP = 30, 14


def not_covered(release: Release) -> str:
    """What the claims of a release of sets leave aside."""
    return IN_OTHERS if any(claim.model == K1 for claim in release.claims) else IN_GROUPS


def shown_section(evidence: Evidence) -> Section:
    """How many items are shown of people, and which."""
    content, owner = evidence.release.sets, evidence.ledger is not None
    original = evidence.published_original() if owner else None
    before = original.sets if original is not None else None
    charts: list[Chart] = [_lengths(content.sets, content.sizes, before)]
    if content.sets.domain:
        charts.append(_items(content.sets, content.sizes, before))
    text = "An item is shown of a person only if the person has it."
    return Section("What is shown", text, charts=charts, owner_only=before is not None)


def _lengths(sets: Sets, sizes: NDArray[np.int64], before: Sets | None) -> Histogram:
    lengths = sets.lengths
    longest = int(lengths.max(initial=0))
    if before is not None:
        longest = max(longest, int(np.quantile(before.lengths, 0.99)))
    width = -(-(longest + 1) // BINS)
    edges = np.arange(0, longest + width + 1, width)
    after = np.histogram(lengths, edges, weights=sizes)[0]
    then = None
    if before is not None:
        then = np.histogram(np.minimum(before.lengths, longest), edges)[0].tolist()
    return Histogram(
        "Items of a record", edges.tolist(), after.tolist(), unit="records", before=then
    )


def _items(sets: Sets, sizes: NDArray[np.int64], before: Sets | None) -> Bars | PairedBars:
    """The items shown most, or in the owner's report those that most people have."""
    shown = np.bincount(sets.items, np.repeat(sizes, sets.lengths), minlength=sets.domain)
    if before is None:
        top = np.argsort(-shown, kind="stable")[:TOP]
        names = [sets.names[int(i)].as_py() for i in top]
        return Bars("Items shown most", names, shown[top].tolist(), unit="records")
    top = np.argsort(-before.counts, kind="stable")[:TOP]
    names = [before.names[int(i)].as_py() for i in top]
    after = [float(shown[sets.number[name]]) if name in sets.number else 0.0 for name in names]
    held = before.counts[top].astype(float).tolist()
    return PairedBars("Items that most people have", names, held, after, unit="records")


def risk_section(evidence: Evidence) -> Section:
    """The chance of being found by one's items."""
    content = evidence.release.sets
    after = risk_of_groups(content.group, content.groups)
    tables = [ResultTable("in the release", after.columns, after.rows, after.notes)]
    original = evidence.published_original() if evidence.ledger is not None else None
    charts: list[Chart] = []
    if original is not None:
        before = risk_of_sets(original.sets)
        tables.insert(0, ResultTable("in the original", before.columns, before.rows, before.notes))
        charts.append(risk_chart(before, after))
    text = (
        "The chance that somebody who knows all items of a person finds that person's record among "
        "those that publish the same. It says nothing of what they share."
    )
    return Section("Risk of being found", text, tables=tables, charts=charts)


def risk_chart(before: ResultTable, after: ResultTable) -> PairedBars:
    """Mean risks of all attackers."""
    names = [f"{attacker}, mean" for attacker in before.column("attacker")]
    return PairedBars(
        "Risk before and after",
        names,
        [100 * value for value in before.column("mean")],
        [100 * value for value in after.column("mean")],
        unit="%",
        additive=False,
    )
