"""Claims of a release of worlds, as far as its files can decide them.

Whose worlds a record shows, only the owner knows; but too few records, or a label on too many of
them, would disprove a claim.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sfumato.audit.files import Files
from sfumato.core.answers import Status, Verdict
from sfumato.releases.claims import CANDIDATES, DIVERSE, Claim
from sfumato.releases.uncertain import Uncertain

LIKELY = "equally likely candidates"


def check_claims(files: Files) -> Iterator[Verdict]:
    """One verdict for every claim, and what no file can show."""
    content = files.content
    assert isinstance(content, Uncertain)
    if not files.claims:
        yield Verdict("claims", Status.VIOLATED, "no claims", note="the release promises nothing")
    for claim in files.claims:
        number = asked(claim)
        if number is None:
            yield Verdict(claim.model, Status.VIOLATED, "its parameters are not as this form's are")
        elif claim.model == CANDIDATES:
            yield _candidates(number, content)
        else:
            yield _diverse(number, claim.sensitive or "", files)
    yield _likely(files)


def asked(claim: Claim) -> int | None:
    """The only parameter of a claim, a whole number from 1 up; None if it is no claim of worlds."""
    name = {CANDIDATES: "k", DIVERSE: "l"}.get(claim.model)
    if name is None or set(claim.parameters) != {name}:
        return None
    if (claim.sensitive is None) != (claim.model == CANDIDATES):
        return None
    number = claim.parameters[name]
    plain = isinstance(number, int) and not isinstance(number, bool) and number >= 1
    return number if plain else None


def _candidates(k: int, content: Uncertain) -> Verdict:
    title = f"{CANDIDATES} k = {k}"
    found = (
        f"{content.rows:,} records of 2^{np.median(content.log_worlds):.1f} worlds each (median), "
        f"of one world {np.mean(content.log_worlds == 0):.1%}"
    )
    if content.rows < k:
        return Verdict(title, Status.VIOLATED, f"only {content.rows:,} records")
    note = "that a person is among the worlds of so many records, the owner can count"
    return Verdict(title, Status.NEEDS_OWNER, found, note=note)


def _diverse(number: int, column: str, files: Files) -> Verdict:
    title = f"{DIVERSE} l = {number} on {column}"
    counts = np.bincount(files.values(column)[0])
    most, rows = int(counts.max(initial=0)), int(counts.sum())
    if most * number > rows:
        found = f"one value is on {most:,} of {rows:,} records, more than 1 in {number}"
        return Verdict(title, Status.VIOLATED, found)
    note = "which values stand beside the worlds of one person, the owner can count"
    return Verdict(
        title, Status.NEEDS_OWNER, f"the most frequent is on {most / rows:.1%}", "", note
    )


def _likely(files: Files) -> Verdict:
    """Equal chances hold for the graph that is not published, not for the worlds (errata S8)."""
    steered = any(claim.steered for claim in files.claims)
    note = (
        "the true one was drawn among disjoint assignments: for somebody who knows these, each is "
        "as likely; worlds also admit others, and somebody who weighs all of them comes to other "
        "chances"
    )
    if steered:
        note += "; sensitive values decided who stands beside whom: see known limits"
    says = f"the release says: {'steered' if steered else 'not steered'}"
    return Verdict(LIKELY, Status.ARGUED, says, "", note)
