"""What only the owner can check of worlds: who is behind each record, by the ledger.

Every link between an original and a published record is tested on the files: a link that is no
world of the record counts for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.audit.claims import status
from sfumato.audit.files import Files
from sfumato.audit.owner import check_links, differing, inside
from sfumato.audit.set_owner import EXACT, numbers_in
from sfumato.audit.world_claims import asked
from sfumato.core.answers import Status, Verdict
from sfumato.core.words import several
from sfumato.data.sets import Holders, Sets
from sfumato.releases.claims import CANDIDATES, DIVERSE
from sfumato.releases.release import Ledger
from sfumato.releases.uncertain import Uncertain

CLAIM = "originals are among their worlds"
ASSIGNMENTS = "disjoint assignments"
MOST_CELLS = 1 << 23  # of the table of records by items that is looked at at once

Ints = NDArray[np.int64]


class Links(NamedTuple):
    """Edge e leads from original[e] to record[e]; those of a record follow one another."""

    start: Ints
    record: Ints
    original: Ints


class Tested(NamedTuple):
    """Of every link, whether the original is a world of the record; and records that are wider
    than their candidates differ."""

    world: NDArray[np.bool_]
    loose: int


def check_owner(files: Files, ledger: Ledger | None, original: Holders | None) -> Iterator[Verdict]:
    """Every record against the originals that it was made of."""
    if ledger is None or original is None:
        yield Verdict(CLAIM, Status.NEEDS_OWNER, note="give --ledger (and --against)")
        return
    if ledger.release_id != files.manifest["release_id"]:
        yield Verdict(CLAIM, Status.VIOLATED, "the ledger belongs to another release")
        return
    content = files.content
    assert isinstance(content, Uncertain)
    yield check_links(files, content.rows, ledger, original)
    links = _links(ledger, content.rows, original)
    if links is None:
        yield Verdict(CLAIM, Status.VIOLATED, "the ledger's matches do not fit")
        return
    place = numbers_in(original.sets, content.base)
    if (place < 0).any() or not np.array_equal(original.sets.utility[place], content.base.utility):
        yield Verdict(CLAIM, Status.VIOLATED, "items or utilities are not the original's")
        return
    tested = _tested(content, links, original.sets, place)
    yield _worlds(links, tested)
    yield from _exact(files, ledger.rows, original)
    yield _assignments(links, ledger.rows)
    yield from _counted(files, links, tested.world, original.rows)


def _links(ledger: Ledger, rows: int, original: Holders) -> Links | None:
    """The edges of the graph, None if they are not of these records."""
    table = ledger.matches
    if table is None or table.num_rows != rows or len(ledger.rows) != rows:
        return None
    lists = table.column("candidates").combine_chunks()
    if isinstance(lists, pa.ChunkedArray) or lists.null_count:
        return None
    behind = np.asarray(lists.flatten()).astype(np.int64)
    if not inside(behind, original) or not inside(ledger.rows, original):
        return None
    lengths = np.asarray(lists.value_lengths()).astype(np.int64)
    start = np.concatenate([[0], np.cumsum(lengths)])
    return Links(start, np.repeat(np.arange(rows), lengths), behind)


def _tested(content: Uncertain, links: Links, original: Sets, place: Ints) -> Tested:
    """All links, in blocks of records of which a table by items fits the caches."""
    number = np.full(original.domain, -1, np.int64)  # the published number of every original item
    number[place] = np.arange(len(place))
    width = max(1, MOST_CELLS // max(1, content.base.domain))
    found = [
        _block(content, links, original, number, (first, min(first + width, content.rows)))
        for first in range(0, content.rows, width)
    ]
    world = np.concatenate([np.zeros(0, bool), *(one.world for one in found)])
    return Tested(world, sum(one.loose for one in found))


def _block(
    content: Uncertain, links: Links, original: Sets, number: Ints, block: tuple[int, int]
) -> Tested:
    """Some records: their candidates item by item against base, open items and threshold."""
    first, end = block
    domain = content.base.domain
    edges = slice(links.start[first], links.start[end])
    behind, record = links.original[edges], links.record[edges] - first
    lengths = original.lengths[behind]
    ends = np.cumsum(lengths)
    at = np.repeat(original.indptr[behind] - (ends - lengths), lengths) + np.arange(lengths.sum())
    edge = np.repeat(np.arange(len(behind)), lengths)
    item = number[original.items[at]]
    known = item >= 0
    cell = np.where(known, record[edge] * domain + item, 0)
    base = _marks(content.base.indptr, content.base.items, block, domain)
    opened = _marks(content.open.start, content.open.items, block, domain)
    in_base, is_open = base[cell] & known, opened[cell] & known
    shared, added = _sums(in_base, ends), _sums(~in_base, ends)
    allowed = _sums(is_open & ~in_base, ends)
    kept_open = _sums(in_base & is_open, ends)
    size = np.diff(content.base.indptr)[first:end][record]
    removable = (base & opened).reshape(-1, domain).sum(axis=1)[record] if domain else 0 * size
    lost = size - shared
    world = (added == allowed) & (lost == removable - kept_open)
    world &= added + lost <= content.threshold[first:end][record]
    voters = np.diff(links.start[first : end + 1])
    counts = np.bincount(cell[known], minlength=(end - first) * domain).reshape(-1, domain)
    differ = (counts > 0) & (counts < voters[:, None])
    wider = int((differ != opened.reshape(-1, domain)).any(axis=1).sum()) if domain else 0
    return Tested(world, wider)


def _marks(
    start: Ints, items: NDArray[np.unsignedinteger], block: tuple[int, int], domain: int
) -> NDArray[np.bool_]:
    """Lists of items of some records as a table, row by row."""
    first, end = block
    marks = np.zeros(max(1, (end - first) * domain), bool)
    lengths = np.diff(start[first : end + 1])
    row = np.repeat(np.arange(end - first), lengths)
    marks[row * domain + items[start[first] : start[end]].astype(np.int64)] = True
    return marks[: (end - first) * domain] if domain else marks


def _sums(flags: NDArray[np.bool_], ends: Ints) -> Ints:
    """How many flags every edge has; those of an edge follow one another."""
    running = np.concatenate([[0], np.cumsum(flags)])
    stops = running[ends] if len(ends) else np.zeros(0, np.int64)
    return np.diff(np.concatenate([[0], stops]))


def _least(numbers: Ints) -> int:
    return int(numbers.min()) if len(numbers) else 0


def _worlds(links: Links, tested: Tested) -> Verdict:
    wrong = int((~tested.world).sum())
    problems = [f"{wrong:,} links lead to records of which they are no world"] * bool(wrong)
    if tested.loose:
        problems.append(f"{tested.loose:,} records are open where their candidates agree, or not")
    fine = f"{several(len(links.original), 'link')}, each a world of its record"
    return Verdict(CLAIM, status(not problems), "; ".join(problems) or fine)


def _exact(files: Files, rows: Ints, original: Holders) -> Iterator[Verdict]:
    exact = [column["name"] for column in files.columns if column["cells"] == "exact"]
    if exact:
        table = original.table
        other = sum(differing(files.records.column(n), table[n].take(rows)) for n in exact)
        fine = f"{several(len(rows), 'record')}, {several(len(exact), 'column')}"
        yield Verdict(EXACT, status(other == 0), f"{other:,} values differ" if other else fine)


def _assignments(links: Links, true: Ints) -> Verdict:
    """The a-th candidates of all records are different originals, and all that have so many."""
    degree = np.diff(links.start)
    number = np.arange(len(links.record)) - links.start[links.record]
    pair = np.unique(links.original * (int(degree.max(initial=0)) + 1) + number)
    once = len(pair) == len(number)
    out = np.bincount(links.original, minlength=len(degree))
    regular = np.array_equal(np.sort(out[out > 0]), np.sort(degree))
    closed = np.array_equal(out[links.original], degree[links.record])
    is_true = links.original == true[links.record]
    drawn = bool((np.bincount(links.record[is_true], minlength=len(degree)) == 1).all())
    fine = once and regular and closed and drawn
    found = f"{_least(degree)} to {int(degree.max(initial=0))} of every record"
    if not once:
        found = "an original stands twice in one assignment"
    elif not (regular and closed):
        found = "originals have other numbers of links than the records that they are linked to"
    elif not drawn:
        found = "a record's true original is not among its candidates"
    return Verdict(ASSIGNMENTS, status(fine), found)


def _counted(files: Files, links: Links, world: NDArray[np.bool_], rows: int) -> Iterator[Verdict]:
    """The claims, counted: records that have an original among their worlds, and their values."""
    records = len(links.start) - 1
    who, where = np.divmod(
        np.unique(links.original[world] * records + links.record[world]), records
    )
    number = np.bincount(who, minlength=rows)
    for claim in files.claims:
        most = asked(claim)
        if most is None:
            continue
        if claim.model == CANDIDATES:
            few = _least(number)
            title = f"{CANDIDATES} k = {most}, counted"
            yield Verdict(title, status(few >= most), f"{few:,} records or more for everybody")
        elif claim.model == DIVERSE:
            codes = files.values(claim.sensitive or "")[0]
            alike = who * (int(codes.max(initial=0)) + 1) + codes[where]
            key, same = np.unique(alike, return_counts=True)
            of = key // (int(codes.max(initial=0)) + 1)
            share = float((same / number[of]).max(initial=0.0))
            title = f"{DIVERSE} l = {most} on {claim.sensitive}, counted"
            holds = bool((same * most <= number[of]).all())
            kinds = _least(np.bincount(of, minlength=rows))
            found = f"{kinds} different values or more for everybody, none on more than {share:.1%}"
            yield Verdict(title, status(holds), found)
