"""The ledger's fakes: with them, every entry is somebody's or a fake's, one each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.audit.buckets import Buckets, Ints, summed
from sfumato.audit.claims import status
from sfumato.audit.matching import unmatched
from sfumato.core.answers import Status, Verdict

CLAIM = "fakes and members fill all entries"
COLUMNS = {"bucket", "value", "count"}


def check_fakes(
    buckets: Buckets, fakes: pa.Table | None, key: Ints, many: Ints
) -> Iterator[Verdict]:
    """One verdict where there are fakes; `many` members at each key: bucket * places + position."""
    content = buckets.content
    lacking = content.entries - content.sizes
    if fakes is None:
        if lacking.any():
            found = f"the ledger lists none of {int(lacking.sum()):,} fakes"
            yield Verdict(CLAIM, Status.VIOLATED, found, buckets.shape(int(lacking.argmax())))
        return
    places = 2 * buckets.scale.places
    listed = _listed(buckets, fakes, places)
    if listed is None:
        yield Verdict(CLAIM, Status.VIOLATED, "the ledger's fakes are not values of buckets")
        return
    off = lacking - np.bincount(listed[0] // places, listed[1], minlength=content.groups)
    if off.any():
        found = f"{int((off != 0).sum()):,} buckets have another number of fakes"
        yield Verdict(CLAIM, Status.VIOLATED, found, buckets.shape(int(np.abs(off).argmax())))
        return
    key, many = summed(np.concatenate([key, listed[0]]), np.concatenate([many, listed[1]]))
    alone = unmatched(buckets, key // places, key % places, many)
    bad = f"{alone.sum():,} find no entry, in {(alone > 0).sum():,} buckets"
    yield Verdict(
        CLAIM,
        status(not alone.any()),
        bad if alone.any() else f"{int(lacking.sum()):,} fakes",
        buckets.shape(int(alone.argmax())) if alone.any() else "",
    )


def _listed(buckets: Buckets, fakes: pa.Table, places: int) -> tuple[Ints, Ints] | None:
    """The fakes as keys and counts, if they can be read."""
    if set(fakes.column_names) != COLUMNS or any(fakes[name].null_count for name in COLUMNS):
        return None
    scale = buckets.scale
    leaf = np.flatnonzero(scale.is_leaf)
    labels = pa.array([scale.labels[at] for at in leaf], pa.string())
    node = pc.index_in(fakes["value"].cast(pa.string()), value_set=labels)
    bucket, count = (np.asarray(fakes[name], np.int64) for name in ("bucket", "count"))
    if node.null_count or (count < 1).any() or not _inside(bucket, buckets.content.groups):
        return None
    at = leaf[np.asarray(node)]
    # between the ends of an interval, which no neighbour shares
    position = 2 * scale.low[at].astype(np.int64) + (scale.low[at] < scale.high[at])
    return bucket * places + position, count


def _inside(bucket: Ints, groups: int) -> bool:
    return not len(bucket) or bool(bucket.min() >= 0 and bucket.max() < groups)
