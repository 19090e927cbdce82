"""The sections of a report that are particular to redrawn tables."""

from __future__ import annotations

from typing import Any

from sfumato.core.answers import ResultTable, result_table
from sfumato.metrics.redrawn import inference, kept_links
from sfumato.releases.release import Evidence
from sfumato.report import Section

NOT_COVERED = """The claim counts outcomes of the redraw; it says nothing of whether a record can \
be matched to a person. Somebody who knows everybody's quasi-identifiers, or has them from a \
register, may find the person behind a record far more often than one in that many: most columns \
of a record are as they were. The owner's report says how often.

Sensitive and kept columns are exact, and so are the distributions of all columns: who knows that \
somebody is the only one with a value learns that the value occurs.

Estimates undo the redraw on average. What more columns than are kept together have to do with one \
another is lost for good, and answers say so.

Publish once: redraws made anew for the same people can be compared, and what they agree in is \
likely true."""


def redraw_section(evidence: Evidence) -> Section:
    """The law in words and numbers."""
    content = evidence.release.redrawn
    law = content.law
    rows: list[dict[str, Any]] = [
        {
            "column": name,
            "redrawn": float(drawn),
            "values": len(counts),
            "bins of": content.bins.get(name),
        }
        for name, drawn, counts in zip(law.names, law.inclusion, law.counts, strict=True)
    ]
    if not content.bins:
        for row in rows:
            del row["bins of"]
    text = (
        f"Of every record {law.redraw} of {len(law.names)} columns were drawn anew, each from its "
        "own distribution in the original table. Which ones is not published."
    )
    kept = kept_links.compute(Evidence(evidence.release))
    assert isinstance(kept, ResultTable)
    return Section("The law of the redraw", text, tables=[result_table("law", rows), kept])


def inferred_section(evidence: Evidence) -> Section:
    """For the owner: what somebody who knows all quasi-identifiers can say of whose a record is."""
    if evidence.original is None or evidence.ledger is None:
        return Section("What can be inferred", "")
    found = inference.compute(evidence)
    tables = [found] if isinstance(found, ResultTable) else []
    text = (
        "Somebody who knows everybody's quasi-identifiers, and the law, weighs for every record "
        "who it may be of."
    )
    return Section("What can be inferred", text, tables=tables, owner_only=True)
