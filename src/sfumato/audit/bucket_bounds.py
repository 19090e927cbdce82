"""The auxiliary table derived again: every bound is the best of all ways to select records."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.audit.buckets import Buckets
from sfumato.data.schema import Kind

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def check_bounds(buckets: Buckets) -> Iterator[str]:
    """Every bound in the file is the one derived."""
    if buckets.scale.kind is not Kind.NUMBER:
        return
    table = buckets.files.table("bounds")
    sizes = buckets.content.sizes
    before = np.repeat(np.cumsum(sizes) - sizes, sizes)
    derived: dict[str, Floats | Ints] = {"bucket": np.repeat(np.arange(len(sizes)), sizes)}
    derived["selected"] = np.arange(len(before)) - before + 1
    bad = [name for name, numbers in derived.items() if _differ(table, name, numbers)]
    if bad:
        yield "bounds are not those of every bucket and number of records"
        return
    derived = {n: v for n, v in _derived(buckets).items() if n in table.column_names}
    bad = [name for name, numbers in derived.items() if _differ(table, name, numbers)]
    if bad:
        yield f"{bad[0]} differs from what the entries allow"


def _differ(table: pa.Table, name: str, numbers: Floats | Ints) -> bool:
    """Whether a column is other than derived; null stands for NaN, and NaN for nothing."""
    column, none = table.column(name), np.isnan(numbers)
    if not np.array_equal(np.asarray(column.is_null()), none):
        return True
    return not np.array_equal(np.asarray(column.drop_null()), numbers[~none])


def _derived(buckets: Buckets) -> dict[str, Floats | Ints]:
    content, scale = buckets.content, buckets.scale
    first, last = scale.present_ends
    none, able = first > last, scale.holds_missing
    low = np.where(none, np.nan, scale.numbers[np.minimum(first, last)])
    high = np.where(none, np.nan, scale.numbers[last])
    at, count, start = content.node, content.count, content.start[:-1]
    some = np.where(none, 0, 1)[at] * count
    present, maybe = np.add.reduceat(some, start), np.add.reduceat(able[at] * count, start)
    sizes = content.sizes
    before = np.repeat(np.cumsum(sizes) - sizes, sizes)
    selected = np.arange(len(before)) - before + 1
    smallest = _ends(np.fmin, low[at], start, sizes)
    largest = _ends(np.fmax, high[at], start, sizes)
    # of those selected, whoever can be missing is missing where that helps
    least = np.where(none, 0, np.where(able, np.fmin(low, 0), low))
    most = np.where(none, 0, np.where(able, np.fmax(high, 0), high))
    return {
        "sum_lower": _added(_smallest(buckets, least), sizes),
        "sum_upper": 0.0 - _added(_smallest(buckets, -most), sizes),
        "min_lower": smallest,
        "min_upper": np.minimum(-_smallest(buckets, np.where(able, -np.inf, -high)), largest),
        "max_lower": np.maximum(_smallest(buckets, np.where(able, -np.inf, low)), smallest),
        "max_upper": largest,
        "present_lower": np.maximum(selected - np.repeat(maybe, sizes), 0),
        "present_upper": np.minimum(selected, np.repeat(present, sizes)),
    }


def _ends(best: np.ufunc, value: Floats, start: Ints, sizes: Ints) -> Floats:
    return np.repeat(best.reduceat(value, start), sizes)


def _smallest(buckets: Buckets, value: Floats) -> Floats:
    """For every bucket, as many of its entries' values as it has records, smallest first."""
    content = buckets.content
    rank = np.unique(value, return_inverse=True)[1]
    bucket = content.entry_bucket.astype(np.int64)
    order = np.argsort(bucket * len(value) + rank[content.node], kind="stable")
    count, bucket = content.count[order], bucket[order]
    after = np.cumsum(count)
    inside = after - count - np.append(0, np.cumsum(content.entries))[bucket]
    taken = np.clip(content.sizes[bucket] - inside, 0, count)
    return np.repeat(value[content.node[order]], taken)


def _added(value: Floats, sizes: Ints) -> Floats:
    """Sums from the first value of each bucket on, added one by one; buckets of a size at once."""
    found = np.empty(len(value))
    begins = np.cumsum(sizes) - sizes
    for size in np.unique(sizes).tolist():
        rows = begins[sizes == size][:, None] + np.arange(size)
        found[rows] = np.cumsum(value[rows], axis=1) + 0.0
    return found
