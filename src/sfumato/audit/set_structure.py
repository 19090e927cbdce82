"""The files of a release of sets fit together, and their order says nothing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.clear import in_order, unclear
from sfumato.audit.files import Files
from sfumato.core.answers import Status, Verdict
from sfumato.data.schema import GROUP
from sfumato.releases.recoded_sets import RecodedSets


def check_structure(files: Files) -> Iterator[Verdict]:
    """Rows, sizes, items and their order agree with one another."""
    content = files.content
    assert isinstance(content, RecodedSets)
    found_by = (list(check(files, content)) for check in CHECKS)
    problems = next((problems for problems in found_by if problems), [])
    status = Status.VIOLATED if problems else Status.VERIFIED
    fine = (
        f"{content.rows:,} records, {content.groups:,} different sets of {content.sets.domain:,} "
        "items"
    )
    yield Verdict("structure", status, problems[0] if problems else fine)


def _numbered(files: Files, content: RecodedSets) -> Iterator[str]:
    numbers = np.asarray(files.groups.column(GROUP))
    if not np.array_equal(numbers, np.arange(content.groups)):
        yield "groups are not numbered from 0 on"


def _items(files: Files, content: RecodedSets) -> Iterator[str]:
    sets = content.sets
    names = sets.names.to_pylist()
    if any(one >= other for one, other in pairwise(names)):
        yield "items do not stand in the order of their names, each once"
    seen = np.zeros(sets.domain, bool)
    seen[sets.items] = True
    if not seen.all():
        yield "items are listed that no group shows"
    yield from unclear((files.table("items"),))


def _ascending(_files: Files, content: RecodedSets) -> Iterator[str]:
    items, start = content.sets.items.astype(np.int64), content.sets.indptr
    rising = np.ones(len(items), bool)
    rising[1:] = items[1:] > items[:-1]
    rising[start[:-1][start[:-1] < len(items)]] = True  # the first of each set
    if not rising.all():
        yield "items of a group do not ascend"


def _groups(_files: Files, content: RecodedSets) -> Iterator[str]:
    """Sets ascend, so no two are equal: who publishes the same is in one group."""
    if not _strictly_ascending(content.sets.indptr, content.sets.items.astype(np.int64)):
        yield "groups do not stand in the order of their sets, each once"


def _strictly_ascending(start: NDArray[np.int64], items: NDArray[np.int64]) -> bool:
    """Neighbours compared item by item, as long as they are equal."""
    length = np.diff(start)
    tied = np.arange(len(length) - 1)
    place = 0
    while len(tied):
        one, other = (_item(start, items, length, tied + side, place) for side in (0, 1))
        if (one > other).any() or ((one == other) & (one < 0)).any():
            return False
        tied = tied[one == other]
        place += 1
    return True


def _item(
    start: NDArray[np.int64],
    items: NDArray[np.int64],
    length: NDArray[np.int64],
    rows: NDArray[np.int64],
    place: int,
) -> NDArray[np.int64]:
    """The item at one place of some rows, -1 where they have ended."""
    inside = length[rows] > place
    found = np.full(len(rows), -1)
    found[inside] = items[start[rows[inside]] + place]
    return found


def _records(files: Files, _content: RecodedSets) -> Iterator[str]:
    exact = files.named("sensitive", "keep")
    if not exact:
        return
    yield from unclear((files.records,))
    if not in_order([files.group, *(files.values(name)[0] for name in exact)]):
        yield "records do not stand in the order of their published values"


# each takes for granted what those before it have found to hold
CHECKS = (_numbered, _items, _ascending, _groups, _records)
