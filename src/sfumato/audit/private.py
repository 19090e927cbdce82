"""P-privacy derived again: what the entries of every bucket imply, against its target.

Implied: at a node with entries strictly below it, its children have the shares of those entries;
anywhere else, the shares that the target gives them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from sfumato.audit.buckets import Buckets, Flags, Floats
from sfumato.core.answers import Status, Verdict
from sfumato.core.errors import BadJob
from sfumato.releases.claims import Claim

P_PRIVACY = "p-privacy"
CLOSE = 1e-9
DECIMAL = re.compile(r"(0|1|0\.[0-9]{0,30}[1-9])")


def check_private(claim: Claim, buckets: Buckets) -> Verdict:
    """Whether every bucket implies its target, or is within the tolerance of it."""
    asked = _tolerance(claim)
    found = distances(buckets)
    holds = follows(buckets) if asked == 0 else _within(buckets, found, asked)
    largest = int(np.where(holds, found, found + 2).argmax())  # a bucket that fails, if any does
    text = f"largest distance {found[largest]:.4g}, allowed {float(asked):g}"
    if asked == 0 and holds.all():
        text = "every bucket follows its target exactly"
    return Verdict(
        f"{P_PRIVACY} tolerance = {claim.parameters['tolerance']} on {claim.sensitive}",
        Status.VERIFIED if holds.all() else Status.VIOLATED,
        text,
        buckets.shape(largest),
        "everybody's value follows the target of their bucket, as far as the entries tell",
    )


def _tolerance(claim: Claim) -> Fraction:
    text = claim.parameters.get("tolerance")
    plain = isinstance(text, str) and DECIMAL.fullmatch(text)
    if not plain or len(claim.parameters) > 1 or claim.sensitive is None:
        raise BadJob("claims.json: p-privacy is about a column, with a tolerance from 0 to 1")
    return Fraction(str(text))


def follows(buckets: Buckets) -> Flags:
    """Buckets that imply exactly their targets; in whole numbers.

    Weights of siblings have no common factor, so entries in their ratio are a multiple of them.
    """
    tally, weights = buckets.tally, buckets.weights
    line = weights.find(buckets.target[tally.bucket], tally.node)
    rest, listed = tally.node > 0, line >= 0
    some = rest & listed
    each = tally.below[tally.up[some]]
    times, over = np.divmod(each, weights.total[line[some]])
    bad = rest & ~listed
    bad[some] = (over != 0) | (times * weights.weight[line[some]] != tally.count[some])
    holds = np.ones(buckets.content.groups, bool)
    holds[tally.bucket[bad]] = False
    return holds


def distances(buckets: Buckets) -> Floats:
    """The total variation between what every bucket implies and its target.

    That is how much more than the target the implied distribution gives to nodes with no entries
    below them; under such a node, both are in the same ratio.
    """
    tally, weights = buckets.tally, buckets.weights
    line = weights.find(buckets.target[tally.bucket], tally.node)
    share = np.where(line >= 0, weights.share[line], 0.0) if len(weights.share) else 0.0 * line
    share = np.where(tally.node == 0, 1.0, share)
    implied = np.ones(len(tally.node))
    for here in buckets.levels(tally.node)[1:]:
        up = tally.up[here]
        implied[here] = implied[up] * tally.count[here] / tally.below[up]
    more = np.where(tally.below == 0, np.maximum(implied - share, 0.0), 0.0)
    return np.bincount(tally.bucket, more, minlength=buckets.content.groups).astype(np.float64)


def _within(buckets: Buckets, found: Floats, asked: Fraction) -> Flags:
    """Whether distances are at most what is asked; in fractions where floats can't tell."""
    holds = found <= float(asked)
    near = np.flatnonzero(np.abs(found - float(asked)) <= CLOSE)
    for bucket, distance in zip(near.tolist(), _exactly(buckets, near.tolist())):
        holds[bucket] = distance <= asked
    return holds


def _exactly(buckets: Buckets, wanted: list[int]) -> Iterable[Fraction]:
    """The distances of some buckets as fractions; of those that look alike, only once."""
    tally = buckets.tally
    ends = np.searchsorted(tally.bucket, [[b, b + 1] for b in wanted]).tolist()
    known: dict[tuple[int, bytes, bytes], Fraction] = {}
    for bucket, (begin, end) in zip(wanted, ends, strict=True):
        run = slice(begin, end)
        looks = (int(buckets.target[bucket]), tally.node[run].tobytes(), tally.count[run].tobytes())
        if looks not in known:
            known[looks] = _distance(buckets, begin, end)
        yield known[looks]


def _distance(buckets: Buckets, begin: int, end: int) -> Fraction:
    """The distance of one bucket, from its lines."""
    tally, weights, run = buckets.tally, buckets.weights, slice(begin, end)
    target = buckets.target[tally.bucket[run]]
    line = weights.find(target, tally.node[run]).tolist()
    count, below = tally.count[run].tolist(), tally.below[run].tolist()
    up = (tally.up[run] - begin).tolist()
    implied, share, more = [Fraction(1)], [Fraction(1)], Fraction(0)
    for place in range(len(up)):
        if place:
            at, above = line[place], up[place]
            part = Fraction(int(weights.weight[at]), int(weights.total[at])) if at >= 0 else 0
            implied.append(implied[above] * Fraction(count[place], below[above]))
            share.append(share[above] * part)
        if not below[place]:
            more += max(Fraction(0), implied[place] - share[place])
    return more
