"""The claims of a release with replaced values, as far as its files can decide them."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.audit.files import Files
from sfumato.audit.pattern_exact import broken
from sfumato.audit.pattern_structure import patterned_of
from sfumato.core.answers import Status, Verdict
from sfumato.core.words import several
from sfumato.releases.claims import FREEDOM, KEPT, Claim
from sfumato.releases.patterned import DISCLOSED

SAID = {
    "full": "all disclosed properties hold of the published values, exactly",
    "kind": "which properties were kept is not published",
    "none": "nothing is said of what was kept",
}


def check_claims(files: Files) -> Iterator[Verdict]:
    """One verdict a claim."""
    if [claim.model for claim in files.claims][:1] != [KEPT]:
        yield Verdict("claims", Status.VIOLATED, "it does not say what is kept")
    for claim in files.claims:
        yield _judged(claim, files)


def _judged(claim: Claim, files: Files) -> Verdict:
    if claim.model == KEPT:
        return _kept(claim, files)
    if claim.model == FREEDOM and set(claim.parameters) == {"least"}:
        what = f"every value keeps {claim.parameters['least']} of its range open"
        note = "measured by linear programs when it was made; see the owner's report"
        return Verdict(FREEDOM, Status.ARGUED, what, note=note)
    return Verdict(claim.model, Status.VIOLATED, "values without groups can't promise it")


def _kept(claim: Claim, files: Files) -> Verdict:
    content = patterned_of(files)
    if claim.parameters != {"disclosed": content.disclosed} or content.disclosed not in DISCLOSED:
        return Verdict(KEPT, Status.VIOLATED, "it discloses something else than it claims")
    said = SAID[content.disclosed]
    if content.properties is None:
        return Verdict(KEPT, Status.ARGUED, said, note="the owner can check it: give --ledger")
    bad = broken(content.properties, content.records.columns)
    if len(bad):
        worst = content.properties.text(int(bad[0]))
        return Verdict(KEPT, Status.VIOLATED, f"{several(len(bad), 'property')} broken", worst)
    return Verdict(KEPT, Status.VERIFIED, f"{several(len(content.properties), 'property')}: {said}")
