"""The sections of a report on values that were drawn anew."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.core.answers import result_table
from sfumato.releases.patterned import FULL, KIND, NONE, Patterned
from sfumato.releases.release import Evidence
from sfumato.report import Section

NOT_COVERED = """No single value is to be believed, and no record hides among others: what hides \
a person is only that values were drawn anew among all that keep some properties. The more \
properties are kept, the less room there is, and with nearly all localities there is next to none.

Somebody who knows true values of some records learns more of the others through the properties \
that tie them together. Columns that were not drawn anew are exact.

Publish once: the mean of several draws from the same properties is near the middle of what they \
allow, and two sets of properties together leave less room than each."""

GIVES = {
    FULL: "every property, so an adversary can compute the least and most that each value can be, "
    "and guess the middle; analysts get exact answers where properties imply them",
    KIND: "that some properties of these sorts hold, but not which: to compute with them an "
    "adversary has to guess; an order inside parts can't be used without knowing the parts",
    NONE: "that something may have been kept, and nothing of what",
}


def kept_section(evidence: Evidence) -> Section:
    """What is disclosed of each column."""
    content = evidence.release.patterned
    lines = [_column(content, name) for name in content.replaced]
    text = "Columns drawn anew, and the properties of the original that their values share with it."
    return Section("What was kept", text, tables=[result_table("columns drawn anew", lines)])


def _column(content: Patterned, name: str) -> dict[str, Any]:
    told = content.replaced[name]
    sorts = [f"{kind} ({share:.3g})" if share < 1 else kind for kind, share in told.kept]
    line: dict[str, Any] = {"column": name, "digits": told.digits, "kept": ", ".join(sorts) or "-"}
    if content.properties is not None:
        line["properties"] = _number(content, name)
    return line


def _number(content: Patterned, name: str) -> int:
    found = content.properties
    assert found is not None
    here = found.column == found.columns.index(name)
    return len(np.unique(found.of_term[here]))


def disclosure_section(evidence: Evidence) -> Section:
    """What each choice of disclosure gives an adversary."""
    said = evidence.release.patterned.disclosed
    lines = [
        {
            "disclosed": choice,
            "chosen": "yes" if choice == said else "",
            "an adversary learns": text,
        }
        for choice, text in GIVES.items()
    ]
    text = (
        "Whoever knows how values are drawn can only use properties that are known. The owner "
        "chooses how many are."
    )
    return Section("What disclosure gives away", text, tables=[result_table("disclosure", lines)])


def walk_section(evidence: Evidence) -> Section:
    """For the owner: how well the draw mixed, and how far it moved."""
    ledger = evidence.ledger
    notes = ledger.notes.get("patterned") if ledger is not None else None
    if not notes:
        return Section("The draw", "")
    moved = notes["moved on average, share of the range"]
    lines = [{"what": what, "value": _shown(value)} for what, value in notes.items() if value != []]
    lines = [line for line in lines if not isinstance(notes[line["what"]], dict)]
    columns = [
        {"column": name, "moved on average, %": 100 * share} for name, share in moved.items()
    ]
    held = notes["held by"]
    advice = [f"held in place by: {text}" for text in held]
    text = (
        "A draw is one place of a long walk; effective draws say how many independent places the "
        "walk was worth. How far values moved is in shares of the range of their column."
    )
    tables = [result_table("walk", lines, advice), result_table("how far values moved", columns)]
    return Section("The draw", text, tables=tables, owner_only=True)


def _shown(value: Any) -> Any:
    return ", ".join(map(str, value)) if isinstance(value, list) else value
