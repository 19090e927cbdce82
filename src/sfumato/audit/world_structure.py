"""The files of a release of worlds fit together, and their order says nothing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.clear import unclear
from sfumato.audit.files import Files
from sfumato.core.answers import Status, Verdict
from sfumato.releases.uncertain import Uncertain

Ints = NDArray[np.int64]


def check_structure(files: Files) -> Iterator[Verdict]:
    """Items, worlds and their order agree with one another."""
    content = files.content
    assert isinstance(content, Uncertain)
    found_by = (list(check(files, content)) for check in CHECKS)
    problems = next((problems for problems in found_by if problems), [])
    status = Status.VIOLATED if problems else Status.VERIFIED
    fine = f"{content.rows:,} records over {content.base.domain:,} items"
    yield Verdict("structure", status, problems[0] if problems else fine)


def _items(files: Files, content: Uncertain) -> Iterator[str]:
    base = content.base
    names = base.names.to_pylist()
    if any(one >= other for one, other in pairwise(names)):
        yield "items do not stand in the order of their names, each once"
    seen = np.zeros(base.domain, bool)
    seen[base.items] = True
    seen[content.open.items] = True
    if not seen.all():
        yield "items are listed that no record can have"
    yield from unclear((files.table("items"),))


def _ascending(_files: Files, content: Uncertain) -> Iterator[str]:
    for what, rows in (("base", content.base.held), ("open", content.open)):
        items, start = rows.items.astype(np.int64), rows.start
        rising = np.ones(len(items), bool)
        rising[1:] = items[1:] > items[:-1]
        rising[start[:-1][start[:-1] < len(items)]] = True  # the first of each list
        if not rising.all():
            yield f"items of a list of {what} do not ascend"


def _thresholds(_files: Files, content: Uncertain) -> Iterator[str]:
    if ((content.opened > 0) != (content.threshold > 0)).any():
        yield "a threshold is 0 though items are open, or the other way round"


def _order(files: Files, content: Uncertain) -> Iterator[str]:
    """By base, open items, threshold, then the values of the other columns."""
    exact = files.named("sensitive", "keep")
    if exact:
        yield from unclear((files.records,))
    steps = [
        _compared(content.base.indptr, content.base.items.astype(np.int64)),
        _compared(content.open.start, content.open.items.astype(np.int64)),
        np.sign(np.diff(content.threshold.astype(np.int64))),
        *(np.sign(np.diff(files.values(name)[0])) for name in exact),
    ]
    step = np.zeros(max(0, content.rows - 1), np.int64)
    for finer in steps:
        step = np.where(step == 0, finer, step)
    if (step < 0).any():
        yield "records do not stand in the order of what is published of them"


def _compared(start: Ints, items: Ints) -> Ints:
    """Each list against the one before: 1 if it comes later, -1 if earlier, 0 if equal."""
    length = np.diff(start)
    found = np.zeros(max(0, len(length) - 1), np.int64)
    tied, place = np.arange(len(found)), 0
    while len(tied):
        one, other = (_item(start, items, length, tied + side, place) for side in (0, 1))
        found[tied] = np.sign(other - one)
        tied = tied[(one == other) & (one >= 0)]
        place += 1
    return found


def _item(start: Ints, items: Ints, length: Ints, rows: Ints, place: int) -> Ints:
    """The item at one place of some lists, -1 where they have ended."""
    inside = length[rows] > place
    found = np.full(len(rows), -1)
    found[inside] = items[start[rows[inside]] + place]
    return found


# each takes for granted what those before it have found to hold
CHECKS = (_items, _ascending, _thresholds, _order)
