"""What only the owner can check of sets: that everybody has what is shown of them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.claims import status
from sfumato.audit.containment import outside_own
from sfumato.audit.containment_counts import containing
from sfumato.audit.files import Files
from sfumato.audit.owner import check_links, differing, inside, joining_leak
from sfumato.audit.set_claims import asked
from sfumato.core.answers import Status, Verdict
from sfumato.core.run import cores
from sfumato.core.words import several
from sfumato.data.sets import Holders, Sets
from sfumato.releases.claims import K1
from sfumato.releases.recoded_sets import RecodedSets
from sfumato.releases.release import Ledger

CLAIM = "people have what is shown of them"
EXACT = "records equal their originals"
MOST_CELLS = 1 << 23  # of the table of groups by items that is counted at once

Ints = NDArray[np.int64]


class Problems(NamedTuple):
    """Groups that show what some member lacks, and groups that hide what all members have."""

    wrong: int
    loose: int


def check_owner(files: Files, ledger: Ledger | None, original: Holders | None) -> Iterator[Verdict]:
    """Every published set against the original sets it stands for."""
    if ledger is None or original is None:
        yield Verdict(CLAIM, Status.NEEDS_OWNER, note="give --ledger (and --against)")
        return
    if ledger.release_id != files.manifest["release_id"]:
        yield Verdict(CLAIM, Status.VIOLATED, "the ledger belongs to another release")
        return
    content, rows = files.content, ledger.rows
    assert isinstance(content, RecodedSets)
    yield check_links(files, content.rows, ledger, original)
    if len(rows) != content.rows or not inside(rows, original):
        yield Verdict(CLAIM, Status.VIOLATED, "the ledger's links do not fit")
        return
    yield _shown(content, rows, original.sets)
    yield from _records(files, rows, original)
    yield from _contained(files, content, original.sets)
    if "owner_belief" in ledger.notes:
        yield _belief(ledger.notes["owner_belief"])
    if "merge_leak" in ledger.notes:
        yield joining_leak(ledger.notes["merge_leak"])


def _shown(content: RecodedSets, rows: Ints, original: Sets) -> Verdict:
    place = numbers_in(original, content.sets)
    if (place < 0).any():
        return Verdict(CLAIM, Status.VIOLATED, "items are shown that nobody has")
    if not np.array_equal(original.utility[place], content.sets.utility):
        return Verdict(CLAIM, Status.VIOLATED, "utilities differ from the original's")
    if content.tight:
        found = _compared(content, rows, original, place)
    else:
        found = Problems(_lacking(content, rows, original, place), 0)
    problems = [f"{found.wrong:,} groups or records show what somebody lacks"] * bool(found.wrong)
    if content.tight and found.loose:
        problems.append(f"{found.loose:,} groups hide what all members have, but claim to be tight")
    fine = f"{content.rows:,} records, {len(content.sets.items):,} items in groups"
    return Verdict(CLAIM, status(not problems), "; ".join(problems) or fine)


def numbers_in(original: Sets, published: Sets) -> Ints:
    """The original's number of every published item, -1 if it has none."""
    number = {name: place for place, name in enumerate(original.names.to_pylist())}
    return np.array([number.get(name, -1) for name in published.names.to_pylist()], np.int64)


def _lacking(content: RecodedSets, rows: Ints, original: Sets, place: Ints) -> int:
    """Records that lack something that is shown of them."""
    shown = _renumbered(content.sets, place)
    records = original.take(rows)
    return outside_own(records.indptr, records.items, content.group, content.sets.indptr, shown)


def _renumbered(sets: Sets, place: Ints) -> Ints:
    """The original's numbers of all items shown; both number them by name, so they ascend."""
    return place[sets.items]


def _compared(content: RecodedSets, rows: Ints, original: Sets, place: Ints) -> Problems:
    """Count items of members group by group, in blocks of groups that fit the caches."""
    ends = np.cumsum(content.sizes)
    width = max(1, MOST_CELLS // max(1, original.domain))
    blocks = [
        (first, min(first + width, content.groups)) for first in range(0, content.groups, width)
    ]
    with ThreadPoolExecutor(cores()) as pool:
        found = list(pool.map(lambda b: _block(content, rows, original, place, ends, b), blocks))
    return Problems(sum(one.wrong for one in found), sum(one.loose for one in found))


def _block(
    content: RecodedSets,
    rows: Ints,
    original: Sets,
    place: Ints,
    ends: Ints,
    block: tuple[int, int],
) -> Problems:
    """Some groups: what all members have, against what is shown."""
    first, end = block
    begin = int(ends[first - 1]) if first else 0
    members = rows[begin : ends[end - 1]]
    size, domain = content.sizes[first:end], original.domain
    lengths = original.indptr[members + 1] - original.indptr[members]
    start = np.cumsum(lengths) - lengths
    at = np.repeat(original.indptr[members] - start, lengths) + np.arange(lengths.sum())
    local = np.repeat(np.repeat(np.arange(end - first), size), lengths)
    counts = np.bincount(local * domain + original.items[at], minlength=(end - first) * domain)
    common = np.flatnonzero(counts.reshape(end - first, domain) == size[:, None])
    sets = content.sets
    shown_of = np.repeat(np.arange(end - first), np.diff(sets.indptr[first : end + 1]))
    shown = shown_of * domain + place[sets.items[sets.indptr[first] : sets.indptr[end]]]
    wrong = np.setdiff1d(shown, common, assume_unique=True)
    loose = np.setdiff1d(common, shown, assume_unique=True)
    return Problems(len(np.unique(wrong // domain)), len(np.unique(loose // domain)))


def _records(files: Files, rows: Ints, original: Holders) -> Iterator[Verdict]:
    exact = [column["name"] for column in files.columns if column["cells"] == "exact"]
    if exact:
        table = original.table
        other = sum(differing(files.records.column(n), table[n].take(rows)) for n in exact)
        fine = f"{several(len(rows), 'record')}, {several(len(exact), 'column')}"
        bad = f"{other:,} values that differ"
        yield Verdict(EXACT, status(other == 0), bad if other else fine)


def _contained(files: Files, content: RecodedSets, original: Sets) -> Iterator[Verdict]:
    """Every set shown is held by at least k people of the original."""
    wanted = [asked(claim) for claim in files.claims if claim.model == K1]
    for k in (k for k in wanted if k is not None):
        place = numbers_in(original, content.sets)
        shown = place[content.sets.items] if (place >= 0).all() else None
        if shown is None:
            return
        held = containing(original.indptr, original.items, content.sets.indptr, shown, k, cores())
        lacking = int((held < k).sum())
        fine = f"{content.groups:,} sets, each held by {k} people or more"
        bad = f"{lacking:,} sets are held by fewer than {k} people"
        worst = f"group {int(np.argmin(held))}, held by {int(held.min())}" if lacking else ""
        yield Verdict(
            f"{K1} k = {k}, counted", status(not lacking), bad if lacking else fine, worst
        )


def _belief(told: dict[str, float]) -> Verdict:
    """What the lists, which the owner can draw again, let somebody believe."""
    found = (
        f"owner named with probability {told['mean']:.3g} on average, {told['most']:.3g} at most"
    )
    note = "by somebody who knows all records and all lists of admissible sets, and sees one set"
    return Verdict("hidden owners, measured", Status.ARGUED, found, note=note)
