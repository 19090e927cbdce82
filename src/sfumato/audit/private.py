"""P-privacy derived again: what the entries of every bucket imply, against its target.

Implied: at a node with entries strictly below it, its children have the shares of those entries;
anywhere else, the shares that the target gives them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from sfumato.audit.buckets import Buckets, Flags, Floats
from sfumato.audit.moved import exactly_moved, moved
from sfumato.core.answers import Status, Verdict
from sfumato.core.errors import BadJob
from sfumato.releases.claims import Claim

P_PRIVACY = "p-privacy"
CLOSE = 1e-9
NONE = Fraction(0)
DECIMAL = re.compile(r"(0|1|0\.[0-9]{0,30}[1-9])")


def check_private(claim: Claim, buckets: Buckets) -> Verdict:
    """Whether every bucket implies its target, or is within the tolerance of it."""
    asked, ordered = _promised(claim)
    found = distances(buckets, ordered)
    holds = follows(buckets) if asked == 0 else _within(buckets, found, asked, ordered)
    largest = int(np.where(holds, found, found + 2).argmax())  # a bucket that fails, if any does
    text = f"largest distance {found[largest]:.4g}, allowed {float(asked):g}"
    if asked == 0 and holds.all():
        text = "every bucket follows its target exactly"
    return Verdict(
        f"{P_PRIVACY} {parameters(claim)} on {claim.sensitive}",
        Status.VERIFIED if holds.all() else Status.VIOLATED,
        text,
        buckets.shape(largest),
        "everybody's value follows the target of their bucket, as far as the entries tell",
    )


def _promised(claim: Claim) -> tuple[Fraction, bool]:
    """The tolerance, and whether it is the earth mover's."""
    stated = dict(claim.parameters)
    distance = stated.pop("distance", "equal")
    if distance not in ("equal", "ordered"):
        raise BadJob("claims.json: the distance of p-privacy is equal or ordered")
    return decimal(claim, "tolerance", stated), distance == "ordered"


def decimal(claim: Claim, name: str, stated: dict[str, Any]) -> Fraction:
    """The only parameter of a claim about a column, a decimal from 0 to 1."""
    text = stated.get(name)
    plain = isinstance(text, str) and DECIMAL.fullmatch(text)
    if not plain or len(stated) > 1 or claim.sensitive is None:
        raise BadJob(f"claims.json: {claim.model} is about a column, with {name} from 0 to 1")
    return Fraction(str(text))


def parameters(claim: Claim) -> str:
    """The parameters of a claim as text."""
    return ", ".join(f"{name} = {value}" for name, value in claim.parameters.items())


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


def distances(buckets: Buckets, ordered: bool = False) -> Floats:
    """How far what every bucket implies is from its target: the total variation, or if `ordered`
    the earth mover's distance.

    The total variation is how much more than the target the implied distribution gives to nodes
    with no entries below them; under such a node, both are in the same ratio.
    """
    tally, weights = buckets.tally, buckets.weights
    line = weights.find(buckets.target[tally.bucket], tally.node)
    share = np.where(line >= 0, weights.share[line], 0.0) if len(weights.share) else 0.0 * line
    share = np.where(tally.node == 0, 1.0, share)
    implied = np.ones(len(tally.node))
    for here in buckets.levels(tally.node)[1:]:
        up = tally.up[here]
        implied[here] = implied[up] * tally.count[here] / tally.below[up]
    if ordered:
        return moved(buckets, np.asarray(implied), np.asarray(share))
    more = np.where(tally.below == 0, np.maximum(implied - share, 0.0), 0.0)
    return np.bincount(tally.bucket, more, minlength=buckets.content.groups).astype(np.float64)


def _within(buckets: Buckets, found: Floats, asked: Fraction, ordered: bool) -> Flags:
    """Whether distances are at most what is asked; in fractions where floats can't tell."""
    holds = found <= float(asked)
    near = np.flatnonzero(np.abs(found - float(asked)) <= CLOSE)
    for bucket, distance in zip(near.tolist(), _exactly(buckets, near.tolist(), ordered)):
        holds[bucket] = distance <= asked
    return holds


def _exactly(buckets: Buckets, wanted: list[int], ordered: bool) -> Iterable[Fraction]:
    """The distances of some buckets as fractions; of those that look alike, only once."""
    tally = buckets.tally
    ends = np.searchsorted(tally.bucket, [[b, b + 1] for b in wanted]).tolist()
    known: dict[tuple[int, bytes, bytes], Fraction] = {}
    for bucket, (begin, end) in zip(wanted, ends, strict=True):
        run = slice(begin, end)
        looks = (int(buckets.target[bucket]), tally.node[run].tobytes(), tally.count[run].tobytes())
        if looks not in known:
            lines = list(_ends(buckets, begin, end))
            known[looks] = (
                exactly_moved(buckets, looks[0], iter(lines))
                if ordered
                else sum((max(Fraction(0), implied - asked) for _, implied, asked in lines), NONE)
            )
        yield known[looks]


def _ends(buckets: Buckets, begin: int, end: int) -> Iterator[tuple[int, Fraction, Fraction]]:
    """The nodes of one bucket without entries below: what is implied, and what is asked, of each.

    Nodes of the target without any entries at all are left out.
    """
    tally, weights, run = buckets.tally, buckets.weights, slice(begin, end)
    target = buckets.target[tally.bucket[run]]
    line = weights.find(target, tally.node[run]).tolist()
    count, below = tally.count[run].tolist(), tally.below[run].tolist()
    up = (tally.up[run] - begin).tolist()
    node = tally.node[run].tolist()
    implied, share = [Fraction(1)], [Fraction(1)]
    for place in range(len(up)):
        if place:
            at, above = line[place], up[place]
            part = Fraction(int(weights.weight[at]), int(weights.total[at])) if at >= 0 else 0
            implied.append(implied[above] * Fraction(count[place], below[above]))
            share.append(share[above] * part)
        if not below[place]:
            yield node[place], implied[place], share[place]
