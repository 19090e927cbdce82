"""The source's estimates of counts: equations 12 and 13, and records read as they stand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.table import Column, Table
from sfumato.methods.tables.mondrian import Mondrian
from sfumato.methods.tables.permutation import Permutation
from sfumato.models.l_diversity import EntropyLDiversity
from sfumato.releases.cells import Cells, Intervals, ValueSets
from sfumato.study.papers.ra_data import SENSITIVE, Question

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Estimate = Callable[[Question], float]


def direct(table: Table) -> Estimate:
    """The count of records as they stand, however they were made."""

    def estimate(question: Question) -> float:
        held = question.sensitive[table[SENSITIVE].codes]
        for name, flags in question.quasi.items():
            held &= flags[table[name].codes]
        return float(held.sum())

    return estimate


def diverse_groups(people: People, diversity: float, run: Run) -> Estimate:
    """Equation 12 on groups of Mondrian of enough entropy.

    As printed, the share of a group's values that lie inside a condition would be its true one,
    which is not published; the text takes values for evenly spread, and so is it read here: the
    share of the different values that the published cell allows.
    """
    model = EntropyLDiversity(column=SENSITIVE, l=diversity)
    content = Mondrian(k=1).publish(people, [model], run).release.recoded
    allowed = {
        name: _allowed(cells, people.table[name], content.groups)
        for name, cells in content.cells.items()
    }
    own = people.table[SENSITIVE]
    pairs = content.group.astype(np.int64) * own.size + own.codes
    held = np.bincount(pairs, minlength=content.groups * own.size).reshape(-1, own.size)

    def estimate(question: Question) -> float:
        number = held @ question.sensitive.astype(np.float64)
        for name, flags in question.quasi.items():
            number = number * (allowed[name] @ flags) / allowed[name].sum(axis=1)
        return float(number.sum())

    return estimate


def _allowed(cells: Cells, column: Column, groups: int) -> Floats:
    """1 for every value that the cell of a group may stand for, (groups, values)."""
    found = np.zeros((groups, column.size))
    if isinstance(cells, Intervals):
        low, high = (np.asarray(end.cast("float64")) for end in (cells.lower, cells.upper))
        inside = (low[:, None] <= column.numbers) & (column.numbers <= high[:, None])
        return inside.astype(np.float64)
    assert isinstance(cells, ValueSets)
    for group, place in enumerate(cells.which.tolist()):
        found[group, cells.codes[cells.offsets[place] : cells.offsets[place + 1]]] = 1.0
    return found


def permuted(people: People, diversity: float, run: Run) -> tuple[Estimate, Table]:
    """Equation 13 on buckets of enough entropy, and the table with values permuted inside them."""
    method = Permutation(l=diversity, diversity="entropy")
    bucket = method.publish(people, [], run).release.bucketed.bucket
    sizes, own = np.bincount(bucket), people.table[SENSITIVE]

    def estimate(question: Question) -> float:
        held = np.ones(len(bucket), np.bool_)
        for name, flags in question.quasi.items():
            held &= flags[people.table[name].codes]
        matching = np.bincount(bucket, held, minlength=len(sizes))
        values = np.bincount(bucket, question.sensitive[own.codes], minlength=len(sizes))
        return float((matching * values / sizes).sum())

    return estimate, _dealt(people.table, bucket, run)


def _dealt(table: Table, bucket: NDArray[np.int32], run: Run) -> Table:
    """Sensitive values of every bucket dealt to its records at random."""
    own = table[SENSITIVE]
    mixed = np.argsort(run.rng("deal").random(len(bucket)))
    places = np.argsort(bucket, kind="stable")
    values = mixed[np.argsort(bucket[mixed], kind="stable")]
    codes = own.codes.copy()
    codes[places] = own.codes[values]
    fresh = Column(own.name, own.kind, codes, own.values, own.has_missing)
    return Table(dict(table.columns) | {SENSITIVE: fresh}, table.rows)
