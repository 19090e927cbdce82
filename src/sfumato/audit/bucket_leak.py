"""How far the members' own values are from the target that is believed of each of them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from sfumato.audit.buckets import Buckets, Flags, Floats, Ints, summed
from sfumato.audit.claims import status
from sfumato.audit.matching import lowest, overlapping, unserved
from sfumato.audit.moved import exact_masses
from sfumato.audit.private import CLOSE, decimal
from sfumato.core.answers import Status, Verdict
from sfumato.core.errors import SfumatoError
from sfumato.releases.claims import Claim

LEAK = "minimality-leak"
NOTE = "total variation between the target and the members' own values"


def check_leak(buckets: Buckets, bucket: Ints, position: Ints, many: Ints) -> Iterator[Verdict]:
    """The leak as it is, and every claim about it; `many` members stand at each position."""
    values = (bucket, position, many)
    apart = _apart_touching if overlapping(buckets.scale) else _apart
    leak = apart(buckets, *values)
    worst = int(leak.argmax())
    found = (
        f"{buckets.mean(leak):.3f} on average over records, {leak[worst]:.3f} in the worst bucket"
    )
    yield Verdict("minimality leak, as it is", Status.ARGUED, found, buckets.shape(worst), NOTE)
    for claim in buckets.files.claims:
        if claim.model == LEAK:
            yield _judged(claim, buckets, values, leak)


def unjudged(buckets: Buckets) -> Iterator[Verdict]:
    """The verdicts on claims about the leak without the members' values."""
    for claim in buckets.files.claims:
        if claim.model == LEAK:
            yield _unjudged(claim)


def _unjudged(claim: Claim) -> Verdict:
    try:
        most = float(decimal(claim, "most", claim.parameters))
    except SfumatoError as error:
        return Verdict(LEAK, Status.VIOLATED, error.what)
    name = f"{LEAK} most = {most:g} on {claim.sensitive}"
    return Verdict(name, Status.NEEDS_OWNER, note="it is about the members' own values")


def _judged(
    claim: Claim, buckets: Buckets, values: tuple[Ints, Ints, Ints], leak: Floats
) -> Verdict:
    try:
        most = decimal(claim, "most", claim.parameters)
    except SfumatoError as error:
        return Verdict(LEAK, Status.VIOLATED, error.what)
    holds = _within(buckets, values, leak, most)
    worst = int(np.where(holds, leak, leak + 2).argmax())
    return Verdict(
        f"{LEAK} most = {float(most):g} on {claim.sensitive}",
        status(bool(holds.all())),
        f"worst bucket {leak[worst]:.4g}, allowed {float(most):g}",
        buckets.shape(worst),
        NOTE,
    )


def _within(
    buckets: Buckets, values: tuple[Ints, Ints, Ints], leak: Floats, most: Fraction
) -> Flags:
    """Whether leaks are at most what is promised; in fractions where floats can't tell."""
    holds = leak <= float(most)
    for bucket in np.flatnonzero(np.abs(leak - float(most)) <= CLOSE).tolist():
        holds[bucket] = _exactly(buckets, values, bucket) <= most
    return holds


def _exactly(buckets: Buckets, values: tuple[Ints, Ints, Ints], number: int) -> Fraction:
    bucket, position, many = values
    run = slice(*np.searchsorted(bucket, [number, number + 1]))
    scale, size = buckets.scale, int(buckets.content.sizes[number])
    leaf = np.flatnonzero(scale.is_leaf)
    leaf = leaf[np.argsort(scale.leaf_spans[0][leaf])]
    spans = 2 * np.column_stack([scale.low, scale.high])[leaf].astype(np.int64)
    room = [part * size for part in exact_masses(buckets, int(buckets.target[number]))]
    lacking = unserved(position[run].tolist(), many[run].tolist(), spans, room)
    return Fraction(lacking) / size


def _apart(buckets: Buckets, bucket: Ints, position: Ints, many: Ints) -> Floats:
    scale, weights = buckets.scale, buckets.weights
    leaf = lowest(scale)[position]
    key, count = summed(bucket * len(scale) + leaf, many)
    bucket, leaf = key // len(scale), key % len(scale)
    line = weights.find(buckets.target[bucket], leaf)
    asked = np.where(line >= 0, weights.share[line], 0.0) if len(weights.key) else 1.0
    own = count / buckets.content.sizes[bucket]
    asked = np.where(scale.is_leaf[leaf], asked, 0.0)
    more = np.maximum(own - asked, 0.0)
    return np.bincount(bucket, more, minlength=buckets.content.groups).astype(np.float64)


def _apart_touching(buckets: Buckets, bucket: Ints, position: Ints, many: Ints) -> Floats:
    """A value that several leaves share counts for whichever has room."""
    scale, weights = buckets.scale, buckets.weights
    node, share = weights.key % len(scale), weights.share
    of, sizes = weights.key // len(scale), buckets.content.sizes
    ends = np.searchsorted(bucket, np.arange(len(sizes) + 1))
    lacking = np.zeros(len(sizes))
    for number, target in enumerate(buckets.target.tolist()):
        lines = slice(*np.searchsorted(of, [target, target + 1]))
        leaf = scale.is_leaf[node[lines]]
        spans = 2 * np.column_stack([scale.low, scale.high])[node[lines][leaf]].astype(np.int64)
        room = (share[lines][leaf] * sizes[number]).tolist()
        run = slice(*ends[number : number + 2])
        lacking[number] = unserved(position[run].tolist(), many[run].tolist(), spans, room)
    return lacking / sizes
