"""Every claim of a redrawn table derived again from the law that is published with it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.claims import status
from sfumato.audit.files import Files
from sfumato.audit.redrawn_structure import content_of
from sfumato.core.answers import Status, Verdict
from sfumato.releases.claims import INFERENCE, KNOWS_LAW, KNOWS_QUASI, REPLACEMENT, Claim
from sfumato.releases.redraw_law import RedrawLaw

Floats = NDArray[np.float64]
DECIMAL = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]{1,30})?")
CLOSE = 1e-6
LEVEL = 1e-9  # how rarely records that follow their law are said not to


def check_claims(files: Files) -> Iterator[Verdict]:
    """One verdict for every claim that the files can decide, and whether records fit the law."""
    if not files.claims:
        yield Verdict("claims", Status.VIOLATED, "no claims", note="the release promises nothing")
    for claim in files.claims:
        if claim.model == REPLACEMENT:
            yield _replacement(claim, content_of(files).law)
        elif claim.model != INFERENCE or not well_formed(claim):
            yield Verdict(claim.model, Status.VIOLATED, "no claim that a redrawn table can make")
    yield _fit(files)
    if any(claim.steered for claim in files.claims):
        text = "several redraws were compared before one was published: see known limits"
        yield Verdict("choice of the redraw", Status.ARGUED, "the release says: steered", "", text)


def well_formed(claim: Claim) -> bool:
    """Whether a limit of inference is stated as this version states it."""
    most = claim.parameters.get("most")
    plain = isinstance(most, str) and DECIMAL.fullmatch(most) and 0 < float(most) <= 1
    apart = claim.sensitive is None and claim.adversary == KNOWS_QUASI
    return bool(plain and apart and set(claim.parameters) == {"most"})


def _replacement(claim: Claim, law: RedrawLaw) -> Verdict:
    """How many columns are redrawn, and among how many outcomes."""
    name = f"{claim.model} {claim.parameters}"
    stated, found = claim.parameters.get("perplexity"), perplexity(law)
    plain = isinstance(stated, str) and DECIMAL.fullmatch(stated)
    apart = claim.sensitive is None and claim.adversary == KNOWS_LAW
    if not plain or not apart or set(claim.parameters) != {"redraw", "perplexity"}:
        return Verdict(name, Status.VIOLATED, "not stated as this version states it")
    holds = claim.parameters["redraw"] == law.redraw
    holds &= abs(float(str(stated)) - found) <= CLOSE * max(1.0, found)
    text = f"{law.redraw} columns, perplexity {found:.4g} by the law"
    note = "among how many outcomes a redraw is one; no bound on who is found again"
    return Verdict(name, status(holds), text, note=note)


def perplexity(law: RedrawLaw) -> float:
    """Of which columns are redrawn and what they become, from the law alone."""
    weights = np.array(law.weights)
    whole = _ways(weights, law.redraw)
    entropy = float(np.log(whole))
    for place, (weight, counts) in enumerate(zip(weights, law.counts, strict=True)):
        if weight > 0:
            drawn = weight * _ways(np.delete(weights, place), law.redraw - 1) / whole
            shares = counts / counts.sum()
            entropy -= drawn * float(np.log(weight) + shares @ np.log(shares))
    return float(np.exp(entropy))


def _ways(weights: Floats, redraw: int) -> float:
    """The sum over sets of so many columns of the product of their weights."""
    product = np.ones(1)
    for weight in weights:
        product = np.convolve(product, [1.0, weight])
    return float(product[redraw]) if redraw < len(product) else 0.0


def _fit(files: Files) -> Verdict:
    """Whether the records could have come from the law: every column keeps its distribution.

    What is published of a value is its count, less those redrawn, plus those drawn: a mean of the
    count, and a variance of at most twice the expected number redrawn of it.
    """
    content, name = content_of(files), "records follow the law"
    if files.manifest["dropped"]:
        return Verdict(name, Status.ARGUED, "records were left out, of which nothing is published")
    worst = 0.0
    for place, column in enumerate(content.law.names):
        counts = content.law.counts[place]
        found = np.bincount(content.records[column].codes, minlength=len(counts))
        worst = max(worst, _surprise(counts, found, _drawn(content.law, place)))
    values = sum(len(counts) for counts in content.law.counts)
    fits = worst <= np.log(2 * values / LEVEL)
    text = "every column has the distribution that the law gives it, up to chance"
    bad = "a column has another distribution than the law gives it"
    return Verdict(name, status(fits), text if fits else bad)


def _drawn(law: RedrawLaw, place: int) -> float:
    """How likely a column is redrawn."""
    weights = np.array(law.weights)
    without = _ways(np.delete(weights, place), law.redraw)
    return 1.0 - without / _ways(weights, law.redraw)


def _surprise(counts: NDArray[np.int64], found: NDArray[np.int64], drawn: float) -> float:
    """The largest exponent of Bernstein's inequality over the values of a column."""
    share = counts / counts.sum()
    variance = 2 * drawn * counts * (1 - share)
    off = np.abs(found - counts).astype(np.float64)
    return float((off**2 / 2 / np.maximum(variance + off / 3, 1e-300)).max(initial=0.0))
