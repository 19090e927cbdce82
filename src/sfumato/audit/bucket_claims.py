"""Every claim of a release in buckets derived again from the files, with its worst bucket."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.audit.bucket_leak import LEAK
from sfumato.audit.bucket_lifted import lifted
from sfumato.audit.buckets import Buckets, Ints, buckets_of
from sfumato.audit.claims import claimed_model, parameters, status
from sfumato.audit.files import Files
from sfumato.audit.implied import all_hold, numbers_of, touching, whole_of
from sfumato.audit.private import P_PRIVACY, check_private
from sfumato.core.answers import Status, Verdict
from sfumato.core.errors import BadRelease, SfumatoError
from sfumato.models.base import Model, Whole
from sfumato.releases.claims import Claim

COMPARED = ("t-closeness", "belief-change")  # with the whole table, which is not published


def check_claims(files: Files) -> Iterator[Verdict]:
    """One verdict for every claim that the files can decide, and what P-privacy leaves aside."""
    buckets = buckets_of(files)
    if not files.claims:
        yield Verdict("claims", Status.VIOLATED, "no claims", note="the release promises nothing")
    for claim in files.claims:
        if claim.model not in (*COMPARED, LEAK):
            yield _judged(claim, buckets, None)
    yield lifted(buckets)
    yield _choice(files)


def check_compared(buckets: Buckets, counts: Ints | None = None) -> Iterator[Verdict]:
    """One verdict for every claim that compares with the original, whose `counts` the owner has."""
    for claim in buckets.files.claims:
        if claim.model in COMPARED:
            yield _judged(claim, buckets, counts)


def _judged(claim: Claim, buckets: Buckets, counts: Ints | None) -> Verdict:
    try:
        if claim.model == P_PRIVACY:
            return check_private(claim, buckets)
        return _check_model(claimed_model(claim), buckets, counts)
    except BadRelease:
        raise
    except SfumatoError as error:
        return Verdict(claim.model, Status.VIOLATED, error.what)


def _check_model(model: Model, buckets: Buckets, counts: Ints | None) -> Verdict:
    """Whether what every bucket implies satisfies a model."""
    name = f"{model.name} {parameters(model)}"
    if model.about is None or model.smallest_group > 1:
        what = "quasi-identifiers are exact, so it can't be promised of buckets"
        return Verdict(name, Status.VIOLATED, what)
    name += f" on {model.about}"
    if model.name not in COMPARED:
        return _verdict(name, model, buckets, whole_of(buckets))
    if counts is None:
        note = "it compares with the whole table, which is not published"
        return Verdict(name, Status.NEEDS_OWNER, note=note)
    whole = whole_of(buckets, counts)
    model.check_possible(whole, buckets.content.rows)
    return _verdict(name, model, buckets, whole)


def _verdict(name: str, model: Model, buckets: Buckets, whole: Whole) -> Verdict:
    numbers, wanted = numbers_of(model, buckets, whole)
    worst = int(numbers.argmin() if model.higher_is_safer else numbers.argmax())
    found = status(all_hold(model, buckets, numbers, wanted, whole))
    note = model.statement()
    if found is Status.VERIFIED and touching(buckets):
        found, note = Status.ARGUED, f"{note}; neighbouring leaves share a value"
    return Verdict(
        name,
        found,
        f"worst bucket {numbers[worst]:.4g}, asked {model.limit()}",
        buckets.shape(int(wanted[worst])),
        note,
    )


def _choice(files: Files) -> Verdict:
    steered = any(claim.steered for claim in files.claims)
    text = (
        "sensitive values decided what was published besides the entries: see known limits"
        if steered
        else "buckets and targets would follow from elsewhere; the files can't show it"
    )
    says = f"the release says: {'steered' if steered else 'not steered'}"
    return Verdict("choice of buckets", Status.ARGUED, says, "", text)
