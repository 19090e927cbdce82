"""How many fakes are asked for, and which were taken."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.methods.tables.distribution_entries import Entries
from sfumato.methods.tables.distribution_scale import Grown

Ints = NDArray[np.int64]


def share_of(fakes: int | str) -> tuple[int, Fraction | int]:
    """Fakes as (a number, a share of the records).

    >>> share_of("5%")
    (0, Fraction(1, 20))
    """
    if isinstance(fakes, int):
        if fakes < 0:
            raise ValueError("a number of fakes is 0 or more")
        return fakes, 0
    text = fakes.strip()
    try:
        share = Fraction(text[:-1]) / 100 if text.endswith("%") else Fraction(-1)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise ValueError('write a number of fakes, or a share from "0%" to "100%"')
    return 0, share


def most_of(fakes: int | str, sizes: Ints) -> Ints:
    """Most fakes of every bucket."""
    number, share = share_of(fakes)
    share = Fraction(share)
    return number + sizes * share.numerator // share.denominator


def fakes_table(made: Grown, entries: Entries) -> pa.Table | None:
    """The fakes of every bucket, by value; none if there are none."""
    if not len(entries.fakes):
        return None
    lines, count = np.unique(entries.fakes, axis=0, return_counts=True)
    leaf = np.flatnonzero(made.scale.is_leaf)
    node = leaf[np.argsort(made.scale.leaf_spans[0][leaf])]
    labels = pa.array(made.scale.labels).take(pa.array(node[lines[:, 1]]))
    return pa.table({"bucket": lines[:, 0].astype(np.int32), "value": labels, "count": count})
