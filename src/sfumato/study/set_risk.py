"""A first look at sets: how large they are, and how few items single a person out.

Nothing here shows the name of an item.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.core.answers import ResultTable, result_table
from sfumato.core.run import Run
from sfumato.core.words import several
from sfumato.data.schema import Kind
from sfumato.data.sets import Sets
from sfumato.data.table import Column, Table, smallest_unsigned
from sfumato.kernels.row_order import row_ranks
from sfumato.kernels.set_singles import holders_of
from sfumato.study.risk import SMALL, risk

PLACES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
MOST_KNOWN = 3


@dataclass(frozen=True)
class SetEffort:
    """Limits of `singled_by_items`: records looked at, and people whose items are known."""

    rows: int = 200_000
    people: int = 10_000


_EFFORT = SetEffort()


def set_facts(sets: Sets) -> ResultTable:
    """How many records and items there are, and how long records are."""
    lengths = sets.lengths
    lines = {
        "records": sets.rows,
        "different items": sets.domain,
        "items of a record, mean": float(lengths.mean()),
        "items of a record, median": float(np.median(lengths)),
        "items of a record, most": int(lengths.max()),
        "records without items": int((lengths == 0).sum()),
    }
    return result_table("sets", [{"fact": name, "value": value} for name, value in lines.items()])


def frequencies(sets: Sets) -> ResultTable:
    """How many records have the most frequent item, the second, and so on; no names."""
    counts = np.sort(sets.counts)[::-1]
    lines = [
        {
            "item": f"number {place}",
            "records": int(counts[place - 1]),
            "share": float(counts[place - 1] / sets.rows),
        }
        for place in PLACES
        if place <= len(counts)
    ]
    rare = int((counts < SMALL).sum())
    notes = [f"items that fewer than {SMALL} records have: {rare:,}"]
    return result_table("items by how many records have them", lines, notes)


def risk_of_groups(group: NDArray[np.integer], groups: int) -> ResultTable:
    """The risk of being found among the records of one's group."""
    codes = group.astype(smallest_unsigned(groups))
    column = Column("group", Kind.NUMBER, codes, pa.array(range(groups)), False)
    return risk(Table({"group": column}, len(group)), ["group"])


def risk_of_sets(sets: Sets) -> ResultTable:
    """The risk that somebody who knows all items of a person finds the person's record."""
    ranks = row_ranks(sets.held)
    return risk_of_groups(ranks, int(ranks.max()) + 1)


def singled_by_items(
    sets: Sets, run: Run | None = None, effort: SetEffort = _EFFORT
) -> ResultTable:
    """How many people are singled out by somebody who knows one, two or three of their items.

    The items are drawn at random among those of the person, or are the person's rarest. Numbers are
    over people with so many items. Of a sample of the records they overstate those of all: who is
    alone in the sample may have doubles among the records not drawn.

    >>> import numpy as np, pyarrow as pa
    >>> has = Sets(np.array([0, 2, 4]), np.array([0, 1, 0, 2]), pa.array("abc"), np.ones(3))
    >>> singled_by_items(has).column("singled out by their rarest")
    [1.0, 1.0]
    """
    rng = (run or Run.seeded(0)).rng("study", "singled by items")
    seen, notes = sets, [f"exact, over {several(sets.rows, 'record')}"]
    if sets.rows > effort.rows:
        seen = sets.take(np.sort(rng.choice(sets.rows, effort.rows, replace=False)))
        notes = [
            f"numbers are for a random sample of {effort.rows:,} of {sets.rows:,} records, and "
            "overstate those of all"
        ]
    lines = [_line(seen, known, rng, effort.people) for known in range(1, MOST_KNOWN + 1)]
    return result_table("singled out by some items", [line for line in lines if line], notes)


def _line(sets: Sets, known: int, rng: np.random.Generator, most: int) -> dict[str, object] | None:
    people = np.flatnonzero(sets.lengths >= known)
    if len(people) > most:
        people = np.sort(rng.choice(people, most, replace=False))
    if not len(people):
        return None
    drawn = np.array([_known(sets, person, known, rng) for person in people])
    rarest = np.array([_known(sets, person, known, None) for person in people])
    at_random, by_rarest = (_holders(sets, asked) for asked in (drawn, rarest))
    return {
        "known": several(known, "item"),
        "people": len(people),
        "singled out": float((at_random == 1).mean()),
        f"among fewer than {SMALL}": float((at_random < SMALL).mean()),
        "singled out by their rarest": float((by_rarest == 1).mean()),
    }


def _known(
    sets: Sets, person: np.int64, known: int, rng: np.random.Generator | None
) -> NDArray[np.integer]:
    """Some items of a person, the rarest first; without randomness, the rarest of all."""
    own = sets.items[sets.indptr[person] : sets.indptr[person + 1]]
    if rng is not None:
        own = rng.choice(own, known, replace=False)
    return own[np.argsort(sets.counts[own], kind="stable")[:known]]


def _holders(sets: Sets, asked: NDArray[np.integer]) -> NDArray[np.int64]:
    first, holding = sets.postings
    return holders_of(sets.held, first, holding, asked.astype(np.int64), SMALL)
