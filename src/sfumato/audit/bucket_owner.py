"""What only the owner can check of buckets: records as they were, values among their entries."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow.compute as pc

from sfumato.audit.bucket_claims import check_compared
from sfumato.audit.bucket_fakes import check_fakes
from sfumato.audit.bucket_leak import check_leak, unjudged
from sfumato.audit.buckets import Buckets, Ints, buckets_of, summed
from sfumato.audit.claims import status
from sfumato.audit.files import Files
from sfumato.audit.implied import values_of
from sfumato.audit.matching import lowest, unmatched
from sfumato.audit.owner import check_links, differing, inside
from sfumato.core.answers import Status, Verdict
from sfumato.data.table import Column, Table
from sfumato.releases.release import Ledger

EXACT = "records equal their originals"
CLAIM = "entries generalize their members' values"


def check_owner(files: Files, ledger: Ledger | None, original: Table | None) -> Iterator[Verdict]:
    """Every published record and bucket against the original rows they came from."""
    if ledger is None or original is None:
        yield Verdict(EXACT, Status.NEEDS_OWNER, note="give --ledger (and --against)")
        yield Verdict(CLAIM, Status.ARGUED, note="the owner can check it: give --ledger")
        yield from check_compared(buckets_of(files))
        yield from unjudged(buckets_of(files))
        return
    if ledger.release_id != files.manifest["release_id"]:
        yield Verdict(CLAIM, Status.VIOLATED, "the ledger belongs to another release")
        return
    buckets, rows = buckets_of(files), ledger.rows
    yield check_links(files, buckets.content.rows, ledger, original)
    if len(rows) != buckets.content.rows or not inside(rows, original):
        yield Verdict(CLAIM, Status.VIOLATED, "the ledger's links do not fit")
        return
    yield _records(files, rows, original)
    yield from _values(buckets, original[buckets.content.sensitive].take(rows), ledger)


def _records(files: Files, rows: Ints, original: Table) -> Verdict:
    exact = [column["name"] for column in files.columns if column["cells"] == "exact"]
    records = files.table("records")
    other = sum(differing(records.column(name), original[name].take(rows)) for name in exact)
    fine = f"{len(rows):,} records, {len(exact)} columns"
    return Verdict(EXACT, status(other == 0), f"{other:,} values that differ" if other else fine)


def _values(buckets: Buckets, source: Column, ledger: Ledger) -> Iterator[Verdict]:
    position = _positions(buckets, source)[source.codes]
    beyond = int((position < 0).sum())
    if beyond:
        yield Verdict(CLAIM, Status.VIOLATED, f"{beyond:,} values outside the tree")
        return
    bucket = buckets.content.bucket.astype(np.int64)
    places = 2 * buckets.scale.places
    key, many = summed(bucket * places + position, np.ones(len(bucket), np.int64))
    lacking = unmatched(buckets, key // places, key % places, many)
    worst = int(lacking.argmax())
    bad = f"{lacking.sum():,} values find no entry, in {(lacking > 0).sum():,} buckets"
    fine = f"{len(bucket):,} records, each an entry of its own that contains its value"
    shape = buckets.shape(worst) if lacking.any() else ""
    yield Verdict(CLAIM, status(not lacking.any()), bad if lacking.any() else fine, shape)
    yield from check_fakes(buckets, ledger.fakes, key, many)
    yield from check_leak(buckets, key // places, key % places, many)
    yield from check_compared(buckets, _counts(buckets, position))


def _positions(buckets: Buckets, source: Column) -> Ints:
    """Where every code of the original stands: 2p at place p, 2p + 1 between it and the next."""
    scale = buckets.scale
    values = source.values.cast(scale.values.type)
    found = pc.index_in(values, value_set=scale.values).to_numpy(zero_copy_only=False)
    at = np.where(np.isnan(found), -1, 2 * (np.nan_to_num(found) + scale.has_missing))
    if scale.gaps:
        ends = scale.numbers[int(scale.has_missing) :]
        after = np.searchsorted(ends, source.numbers)
        between = (at < 0) & (after > 0) & (after < len(ends))
        at[between] = 2 * (after[between] + scale.has_missing) - 1
    if source.has_missing:
        at = np.append(0 if scale.has_missing else -1, at)
    return at.astype(np.int64)


def _counts(buckets: Buckets, position: Ints) -> Ints:
    """How often each value, as models count them, occurs in the original."""
    value = values_of(buckets)[0]
    of = np.full(len(buckets.scale), -1)
    of[np.flatnonzero(buckets.scale.is_leaf)] = value
    found = of[lowest(buckets.scale)[position]]
    return np.bincount(found[found >= 0], minlength=int(value.max()) + 1)
