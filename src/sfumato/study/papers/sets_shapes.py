"""What the thesis says of its curves, put to the test on points by method and k."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from sfumato.study.findings import Statement
from sfumato.study.papers.sets_curves import Grid

NEAR = 1 / 3  # a printed gain is found again if ours is no farther from it than this share of it
SAME = 0.02  # curves are the same if they are nowhere farther apart than this share


def common_ks(grid: Grid, curves: Sequence[str], least: int = 0, most: int = 10**9) -> list[int]:
    """Every k at which all the curves have points."""
    ks = sorted({k for _, k in grid if least <= k <= most})
    return [k for k in ks if all((curve, k) in grid for curve in curves)]


def gain(grid: Grid, curve: str, other: str, k: int) -> float:
    """How much more utility one curve shows than another, as a share of the other's."""
    mine, theirs = grid[curve, k].utility, grid[other, k].utility
    return mine / theirs - 1 if theirs else math.inf if mine else 0.0


def printed_gain(
    paper: str, grid: Grid, pair: tuple[str, str], k: int, printed: float
) -> Statement:
    """The gain at k is near the one printed."""
    found = gain(grid, *pair, k)
    agrees = abs(found - printed) <= NEAR * abs(printed)
    return Statement(paper, agrees, f"{found:+.1%} at k = {k}")


def above(
    paper: str, grid: Grid, curve: str, others: Iterable[str], span: tuple[int, int] = (0, 10**9)
) -> Statement:
    """One curve shows more than each of the others at every k of a span."""
    lacking = []
    for other in others:
        ks = common_ks(grid, (curve, other), *span)
        below = [k for k in ks if gain(grid, curve, other, k) <= 0]
        if below or not ks:
            lacking.append(f"{other}: at {len(ks) - len(below)} of {len(ks)} points")
    return Statement(paper, not lacking, f"{curve} above {'; '.join(lacking) or 'everywhere'}")


def same(
    paper: str,
    grid: Grid,
    pair: tuple[str, str],
    span: tuple[int, int] = (0, 10**9),
    within: float = SAME,
) -> Statement:
    """Two curves are close at every k of a span."""
    gains = {k: gain(grid, *pair, k) for k in common_ks(grid, pair, *span)}
    worst = max(gains, key=lambda k: abs(gains[k]))
    text = f"{pair[0]} against {pair[1]}: at most {gains[worst]:+.1%} apart, at k = {worst}"
    return Statement(paper, abs(gains[worst]) <= within, text)


def crosses(paper: str, grid: Grid, pair: tuple[str, str], k: int) -> Statement:
    """One curve shows less than another below k, and more above."""
    gains = {at: gain(grid, *pair, at) for at in common_ks(grid, pair) if at != k}
    agrees = all((found > 0) == (at > k) for at, found in gains.items())
    return Statement(paper, agrees, f"{pair[0]} over {pair[1]}: {_told(gains)}")


def falls(paper: str, grid: Grid, pair: tuple[str, str], first: int) -> Statement:
    """The gain of one curve over another is at its last k below half of what it is at `first`."""
    last = common_ks(grid, pair)[-1]
    one, two = (gain(grid, *pair, k) for k in (first, last))
    return Statement(paper, 0 < two < one / 2, f"{one:+.1%} at k = {first}, {two:+.1%} at {last}")


def time_ratio(
    paper: str, grid: Grid, pair: tuple[str, str], ks: Sequence[int], span: tuple[float, float]
) -> Statement:
    """The time of one curve is, summed over some k, a multiple of another's within a span."""
    one, two = (sum(grid[curve, k].seconds for k in ks) for curve in pair)
    ratio = one / two
    text = f"{pair[0]} takes {ratio:.3g} times the CPU time of {pair[1]}"
    return Statement(paper, span[0] <= ratio <= span[1], text)


def _told(gains: dict[int, float]) -> str:
    return ", ".join(f"{found:+.1%} at {k}" for k, found in gains.items())
