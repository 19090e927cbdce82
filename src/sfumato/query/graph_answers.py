"""Statistics of a published graph by name: estimates with their errors, beside the truth."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core import catalogue
from sfumato.core.answers import Answer, ResultTable, result_table
from sfumato.core.errors import Refused
from sfumato.core.run import Run
from sfumato.data.graph import Network
from sfumato.data.table import Table
from sfumato.query.statistic import Published, Statistic
from sfumato.releases.edge_law import EdgeLaw
from sfumato.releases.release import Evidence, Release

ASKED = re.compile(r"\s*([a-z0-9-]+)\s*(?:\(\s*(.+?)\s*\))?\s*")
EXACT = EdgeLaw(0.0, 0.0)


def answers(release: Release, asked: str, run: Run) -> list[Answer]:
    """The answers of one statistic, such as "transitivity" or "modularity(community)"."""
    statistic, column = parsed(asked, release.network.table)
    return list(statistic.estimate(_published(release, column), run))


def parsed(asked: str, nodes: Table) -> tuple[Statistic, str | None]:
    """A statistic, and the column of nodes that it is asked about."""
    found = ASKED.fullmatch(asked)
    if found is None:
        raise Refused(
            "a graph is asked by the name of a statistic, not in SQL",
            f"statistics: {', '.join(catalogue.STATISTICS)}",
        )
    statistic: Statistic = catalogue.statistic(found[1])
    column = found[2]
    if statistic.needs_groups and column not in nodes.columns:
        raise Refused(
            f"{statistic.name} needs a published column of the nodes, as in {statistic.name}(NAME)",
            f"columns: {', '.join(nodes.names) or 'none were published'}",
        )
    if column is not None and not statistic.needs_groups:
        raise Refused(f"{statistic.name} is asked without a column", f"ask: {statistic.name}")
    return statistic, column


def statistic_table(release: Release, asked: str, truth: Network | None = None) -> ResultTable:
    """One statistic as a table; with the original, the truth and the error beside."""
    statistic, column = parsed(asked, release.network.table)
    found = statistic.estimate(_published(release, column), _run())
    exact = None
    if truth is not None:
        exact = list(statistic.exact(_of(truth, column), _run()))
    rows = [
        _row(one, exact[place] if exact else None, exact is not None)
        for place, one in enumerate(found)
    ]
    notes = [f"{statistic.meaning}; unbiased: {statistic.unbiased}", *_reasons(found)]
    if exact is not None and statistic.truth:
        notes.append(f"truth: {statistic.truth}")
    return result_table(asked.strip(), rows, notes)


def every_statistic(evidence: Evidence, run: Run) -> list[ResultTable]:
    """All statistics that need no column: those of one answer together, others each apart."""
    truth = evidence.original if isinstance(evidence.original, Network) else None
    alone, several, notes = [], [], []
    for number, name in enumerate(catalogue.STATISTICS):
        run.step(number, len(catalogue.STATISTICS))
        statistic: Statistic = catalogue.statistic(name)
        if statistic.needs_groups:
            continue
        table = statistic_table(evidence.release, name, truth)
        if len(table) > 1:
            several.append(table)
        else:
            alone += list(table)
            notes += [f"{name}: {note}" for note in table.notes[1:]]
    return [result_table("statistics", alone, notes), *several]


def _run() -> Run:
    """What statistics draw from: the same for every question, so that an answer repeats."""
    return Run.seeded(1)


def _published(release: Release, column: str | None) -> Published:
    content = release.network
    stated = frozenset(release.facts.get("stated", ()))
    return Published(content.graph, content.law, stated, _groups(content.table, column))


def _of(network: Network, column: str | None) -> Published:
    """The original as if it had been published as it is."""
    return Published(network.graph, EXACT, frozenset(), _groups(network.table, column))


def _groups(table: Table, column: str | None) -> NDArray[np.int64] | None:
    return None if column is None else table[column].codes.astype(np.int64)


def _row(one: Answer, truth: float | None, with_truth: bool) -> dict[str, Any]:
    low, high = one.interval or (None, None)
    row = {
        "answer": one.name,
        "estimate": one.value,
        "standard error": one.error,
        "lower": low,
        "upper": high,
    }
    return row | _beside(one.value, truth) if with_truth else row


def _beside(estimate: float | None, truth: float | None) -> dict[str, float | None]:
    """The truth, and how far off the estimate is."""
    if estimate is None or not truth:
        return {"truth": truth, "relative error": None}
    return {"truth": truth, "relative error": abs(estimate - truth) / abs(truth)}


def _reasons(found: Sequence[Answer]) -> list[str]:
    """What answers say of themselves, each thing once."""
    told = [f"{'refused: ' * one.refused}{one.basis}" for one in found if one.basis]
    return list(dict.fromkeys(told))
