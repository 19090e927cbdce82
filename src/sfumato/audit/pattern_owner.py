"""What only the owner can check: exact columns are exact, and properties are true of both."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.claims import status
from sfumato.audit.files import Files
from sfumato.audit.owner import check_links, differing, inside
from sfumato.audit.pattern_exact import broken
from sfumato.audit.pattern_structure import patterned_of
from sfumato.core.answers import Status, Verdict
from sfumato.core.words import several
from sfumato.data.table import Table
from sfumato.releases.properties import Properties
from sfumato.releases.release import Ledger

EXACT = "other columns equal their originals"
TRUE = "properties are true of the original"
HOLD = "properties that are not disclosed hold"


def check_owner(files: Files, ledger: Ledger | None, original: Table | None) -> Iterator[Verdict]:
    """Every record against the row it came from, and every property against both."""
    if ledger is None or original is None:
        yield Verdict(EXACT, Status.NEEDS_OWNER, note="give --ledger (and --against)")
        return
    if ledger.release_id != files.manifest["release_id"]:
        yield Verdict(EXACT, Status.VIOLATED, "the ledger belongs to another release")
        return
    content, rows = patterned_of(files), ledger.rows
    yield check_links(files, content.rows, ledger, original)
    if len(rows) != content.rows or not inside(rows, original):
        yield Verdict(EXACT, Status.VIOLATED, "the ledger's links do not fit")
        return
    yield _exact(files, rows, original)
    kept = content.properties if content.properties is not None else ledger.kept
    if kept is None:
        yield Verdict(TRUE, Status.VIOLATED, "the ledger does not list the properties")
        return
    if content.properties is None:
        yield _true(HOLD, kept, content.records)
    yield _true(TRUE, kept, original.take(rows))


def _exact(files: Files, rows: NDArray[np.int64], original: Table) -> Verdict:
    replaced = patterned_of(files).replaced
    other = 0
    for column in files.columns:
        name = column["name"]
        source = original[name].take(rows)
        if name not in replaced:
            other += differing(files.records.column(name), source)
        else:
            lacking = source.codes < source.has_missing
            shown = np.asarray(files.records.column(name).is_null())
            other += int((lacking != shown).sum())
    fine = f"{len(rows):,} records; values are missing where they were"
    return Verdict(EXACT, status(other == 0), f"{other:,} values that differ" if other else fine)


def _true(name: str, kept: Properties, table: Table) -> Verdict:
    bad = broken(kept, table.columns)
    if not len(bad):
        return Verdict(name, Status.VERIFIED, several(len(kept), "property"))
    found = f"{len(bad):,} of {several(len(kept), 'property')} broken"
    return Verdict(name, Status.VIOLATED, found, kept.text(int(bad[0])))
