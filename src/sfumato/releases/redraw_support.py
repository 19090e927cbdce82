"""How far the published support of a combination of values is off, by formula.

Records are independent: a record that holds some of the values is published with all of them with
a probability that depends on which it holds. The mean is the sum of these, the variance the sum of
p (1 - p).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.releases.redraw_law import RedrawLaw


@dataclass(frozen=True)
class RelativeSupport:
    """Of (published support - support) / support: its mean, signed, and its variance."""

    bias: float
    variance: float


def relative_support(
    law: RedrawLaw, columns: Sequence[NDArray[Any]], wanted: Mapping[int, int]
) -> RelativeSupport:
    """Of the combination that has the code wanted[i] in column i.

    `columns` are original codes in the order of the law. Takes a look at every subset of the
    combination that occurs. For a combination that nobody has, both are infinite.
    """
    places = sorted(wanted)
    held = np.zeros(len(columns[0]), np.int64)
    for bit, place in enumerate(places):
        held |= (columns[place] == wanted[place]).astype(np.int64) << bit
    kinds, many = np.unique(held, return_counts=True)
    everything = (1 << len(places)) - 1
    support = float(many[kinds == everything].sum())
    if not support:
        return RelativeSupport(np.inf, np.inf)
    likely = np.array([_chance(law, places, wanted, int(kind)) for kind in kinds])
    bias = (float(likely @ many) - support) / support
    return RelativeSupport(bias, float((likely * (1 - likely)) @ many) / support**2)


def _chance(law: RedrawLaw, places: list[int], wanted: Mapping[int, int], kind: int) -> float:
    """How likely a record that holds some of the values is published with all."""
    shares, agree = [1.0] * len(law.names), list[bool | None]([None] * len(law.names))
    for bit, place in enumerate(places):
        shares[place] = float(law.shares[place][wanted[place]])
        agree[place] = bool(kind >> bit & 1)
    return law.transition(shares, agree)
