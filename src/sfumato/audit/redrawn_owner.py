"""What only the owner can check of a redrawn table: that it was made by its law, and its risk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.audit.claims import status
from sfumato.audit.files import Files
from sfumato.audit.owner import check_links, differing, inside
from sfumato.audit.redrawn_beliefs import Register
from sfumato.audit.redrawn_claims import well_formed
from sfumato.audit.redrawn_structure import content_of
from sfumato.core.answers import Status, Verdict
from sfumato.data.table import Column, Table
from sfumato.io.layout_redrawn import redrawn
from sfumato.releases.claims import INFERENCE
from sfumato.releases.redraw_risk import Adversary, affordable
from sfumato.releases.redrawn_table import RedrawnTable
from sfumato.releases.release import Ledger

EXACT = "exact columns equal their originals"
CLAIM = "records were redrawn by the law"
LOOKED_AT = 20  # records whose beliefs are derived once more, one by one
Codes = list[NDArray[Any]]


def check_owner(files: Files, ledger: Ledger | None, original: Table | None) -> Iterator[Verdict]:
    """Every published record against the original row it came from."""
    if ledger is None or original is None:
        for name in (EXACT, CLAIM, *_limits(files)):
            yield Verdict(name, Status.NEEDS_OWNER, note="give --ledger (and --against)")
        return
    if ledger.release_id != files.manifest["release_id"]:
        yield Verdict(CLAIM, Status.VIOLATED, "the ledger belongs to another release")
        return
    yield check_links(files, files.records.num_rows, ledger, original)
    if len(ledger.rows) != files.records.num_rows or not inside(ledger.rows, original):
        yield Verdict(CLAIM, Status.VIOLATED, "the ledger's links do not fit")
        return
    yield _exact(files, ledger.rows, original)
    before = [_codes(files, column, original[column["name"]]) for column in redrawn(files.columns)]
    yield _marginals(files, before)
    linked = [codes[ledger.rows] for codes in before]
    yield _changes(files, linked)
    yield from _inferred(files, linked)


def _limits(files: Files) -> list[str]:
    return [_limit(claim.parameters["most"]) for claim in files.claims if claim.model == INFERENCE]


def _limit(most: str) -> str:
    return f"{INFERENCE} at most {most}"


def _exact(files: Files, rows: NDArray[np.int64], original: Table) -> Verdict:
    exact = [column["name"] for column in files.columns if column["cells"] == "exact"]
    other = sum(differing(files.records.column(name), original[name].take(rows)) for name in exact)
    fine = f"{len(rows):,} records, {len(exact)} columns"
    return Verdict(EXACT, status(other == 0), f"{other:,} values that differ" if other else fine)


def _codes(files: Files, column: dict[str, Any], source: Column) -> NDArray[Any]:
    """Original values as codes over the marginals, -1 where they are not there."""
    ours = content_of(files).records[column["name"]]
    values = source.values
    if column["bin"] is not None:
        width = column["bin"]
        values = pa.array((np.floor(source.numbers / width) + 0.5) * width)
    place = pc.index_in(values.cast(ours.values.type), value_set=ours.values).fill_null(-1)
    codes = np.asarray(place).astype(np.int64)
    codes = np.where(codes < 0, -1, codes + ours.has_missing)
    missing = [0 if ours.has_missing else -1] * source.has_missing
    narrow = np.min_scalar_type(-1 - int(codes.max(initial=0)))  # ten million rows a column
    return np.concatenate([np.array(missing, np.int64), codes]).astype(narrow)[source.codes]


def _marginals(files: Files, before: Codes) -> Verdict:
    """The law's marginals are those of the original."""
    name = "marginals are those of the original"
    for codes, counts in zip(before, content_of(files).law.counts, strict=True):
        if codes.min(initial=0) < 0 or not np.array_equal(
            np.bincount(codes, minlength=len(counts)), counts
        ):
            return Verdict(name, Status.VIOLATED, "a column had other values, or other counts")
    return Verdict(name, Status.VERIFIED, f"{len(before)} columns")


def _changes(files: Files, before: Codes) -> Verdict:
    """No record differs in more columns than are redrawn, and all do as often as the law says."""
    content = content_of(files)
    law, after = content.law, content.records
    number, each = np.zeros(content.rows, np.uint8), np.zeros(len(law.names))
    for place, (codes, name) in enumerate(zip(before, law.names, strict=True)):
        changed = codes != after[name].codes
        number += changed
        each[place] = changed.sum()
    if (number > law.redraw).any():
        text = f"{(number > law.redraw).sum():,} records differ in more columns than were redrawn"
        return Verdict(CLAIM, Status.VIOLATED, text)
    moved = [1.0 - float(share @ share) for share in law.shares]
    expected = law.inclusion * moved * len(number)
    spread = np.sqrt(np.maximum(expected, 1.0))
    off = np.abs(each - expected) / spread
    fits = bool((off < 6.5 + 20 / spread).all())  # 6.5 deviations: one in ten thousand million
    meant = expected.sum() / len(number)
    text = f"{number.mean():.3f} columns of a record changed, {meant:.3f} expected"
    return Verdict(CLAIM, status(fits), text)


def _again(
    content: RedrawnTable, before: Codes, after: list[NDArray[Any]], best: NDArray[np.float64]
) -> list[float]:
    """The largest beliefs of all, derived in another way."""
    register, rows = Register(content.law, before), np.argsort(best)[-LOOKED_AT:]
    records = np.stack([codes[rows].astype(np.int64) for codes in after], axis=1)
    return sorted(register.largest(record) for record in records)


def _inferred(files: Files, before: Codes) -> Iterator[Verdict]:
    """What somebody who knows all quasi-identifiers can infer, and whether limits hold."""
    content = content_of(files)
    limits = [claim for claim in files.claims if claim.model == INFERENCE and well_formed(claim)]
    if not limits and not affordable(content.law, 2 * content.rows):
        note = "it would take long: sfumato measure inference"
        yield Verdict("what can be inferred", Status.ARGUED, "not looked at", note=note)
        return
    after = [content.records[name].codes for name in content.law.names]
    found = Adversary(content.law, before, after).inference
    largest = float(found.best.max(initial=0.0))
    text = f"the likeliest combination is believed with up to {largest:.4g}"
    again = _again(content, before, after, found.best) if limits else []
    for claim in limits:
        most = claim.parameters["most"]
        if not np.allclose(again, np.sort(found.best)[-len(again) :]):
            yield Verdict(_limit(most), Status.VIOLATED, "the belief can't be derived again")
        else:
            yield Verdict(_limit(most), status(largest <= float(most)), text)
    told = (
        f"the best guess of the person behind a record is right for {found.person.mean():.1%}; "
        f"{text}"
    )
    note = "for somebody who knows everybody's quasi-identifiers and the law"
    yield Verdict("what can be inferred", Status.ARGUED, told, note=note)
