"""What a published graph claims: how far the odds of a single edge can change."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, inf

from sfumato.audit.files import Files
from sfumato.core.answers import Status, Verdict
from sfumato.releases.claims import EDGE_ODDS, KNOWS_OTHERS, Claim
from sfumato.releases.edge_law import EdgeLaw
from sfumato.releases.perturbed_graph import PerturbedGraph

NOTE = (
    "it follows from the law, if pairs were drawn by it; it says nothing of who can be found by "
    "structure: attacks measure that"
)

FACT = (
    "the published fact that every node had an edge is beside this: of a person who is known to "
    "have no other edge, it tells the last one for certain"
)


MOST_TOLD = 10.0


def check_claims(files: Files) -> Iterator[Verdict]:
    """The claim is about the law that lies beside the data."""
    if not files.claims:
        yield Verdict("claims", Status.VIOLATED, "no claims", note="the release promises nothing")
    content = files.content
    assert isinstance(content, PerturbedGraph)
    stated = files.manifest["facts"].get("stated", [])
    for claim in files.claims:
        yield _odds(claim, content.law, f"{FACT}; {NOTE}" if stated else NOTE)
    if len(set(stated)) < len(stated):
        yield Verdict("facts", Status.VIOLATED, "a fact is stated twice")


def _odds(claim: Claim, law: EdgeLaw, note: str) -> Verdict:
    if claim.model != EDGE_ODDS or claim.adversary != KNOWS_OTHERS or claim.sensitive is not None:
        return Verdict(claim.model, Status.VIOLATED, "not a claim that a published graph can make")
    told = claim.parameters.get("edges_told", 0.0)
    stated = {"delete": law.delete, "add": law.add} | ({"edges_told": told} if told else {})
    if claim.parameters != stated or not isinstance(told, float) or not 0 <= told <= MOST_TOLD:
        return Verdict(EDGE_ODDS, Status.VIOLATED, "its parameters are not those of law.json")
    factor = largest_factor(law) * exp(told)
    found = (
        "an edge that is published may be certain"
        if factor == inf
        else f"odds of an edge change by a factor of {factor:,.4g} at most"
    )
    return Verdict(
        f"{EDGE_ODDS} delete = {law.delete:g}, add = {law.add:g}", Status.ARGUED, found, note=note
    )


def largest_factor(law: EdgeLaw) -> float:
    """How many times likelier what is published of a pair is with an edge than without, or the
    other way round; infinite where something published leaves no doubt.

    >>> round(largest_factor(EdgeLaw(0.25, 0.25)), 6)
    3.0
    """
    shown = _ratio(1 - law.delete, law.add)
    not_shown = _ratio(1 - law.add, law.delete)
    return max(shown, not_shown)


def _ratio(one: float, other: float) -> float:
    if one == other:
        return 1.0
    low, high = sorted((one, other))
    return high / low if low else inf
