"""Everything at hand about a release: its folder, and what the owner adds."""

from __future__ import annotations

from pathlib import Path

from sfumato.core.errors import BadInput, BadJob
from sfumato.core.words import several
from sfumato.io.opening import open_ledger, open_release
from sfumato.pipeline.kinds import kind_of
from sfumato.releases.release import Evidence, Ledger

Place = Path | str


def gather(release: Place, ledger: Place | None = None, against: Place | None = None) -> Evidence:
    """Open a release with its ledger and original, which must be those it was made with."""
    found = collect(release, ledger, against)
    made_from = found.release.content.rows + found.release.dropped
    if found.original is not None and found.original.rows != made_from:
        name = "the original" if against is None else Path(str(against)).name
        raise BadInput(
            f"{name} has {several(found.original.rows, 'row')}, "
            f"the release was made from {made_from:,}",
            "name the original with --against",
        )
    return found


def collect(release: Place, ledger: Place | None = None, against: Place | None = None) -> Evidence:
    """The same for an audit, which judges an original that does not fit.

    The ledger knows where the original lay.
    """
    opened = open_release(release)
    book = open_ledger(ledger) if ledger is not None else None
    if book is not None and book.release_id != opened.release_id:
        raise BadJob(
            f"the ledger {Path(str(ledger)).name} belongs to another release",
            "both were written by the same publish; find the pair",
        )
    source = against if against is not None else _source_of(book)
    kind = kind_of(opened.kind)
    original = kind.original(opened, source, book) if source is not None else None
    return Evidence(opened, original, book)


def _source_of(ledger: Ledger | None) -> Path | None:
    if ledger is None or "source" not in ledger.job:
        return None
    place = Path(ledger.job["folder"]) / ledger.job["source"]["path"]
    return place if place.is_file() else None
