"""Which properties are kept: found in the data, or stated by the owner and checked against it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import BadJob
from sfumato.core.run import Run
from sfumato.core.words import several
from sfumato.data.decimals import as_fraction
from sfumato.data.linear_text import Reference, parse_statements
from sfumato.data.table import Table
from sfumato.kernels.localities import LESS, sampled_localities, words_for
from sfumato.methods.tables.patterns_columns import Scale, Variables
from sfumato.releases.properties import (
    AT_MOST,
    BELOW,
    EQUAL,
    Properties,
    excess,
    holds,
    joined,
    no_properties,
    of_one_column,
    one_property,
)

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Keeper:
    """The data as properties see it; records stand in a secret order."""

    table: Table
    scales: Sequence[Scale]
    variables: Variables
    names: tuple[str, ...]
    run: Run

    @property
    def units(self) -> list[Ints]:
        """Every column in units, record by record."""
        return [scale.decimals.by_row for scale in self.scales]

    @property
    def digits(self) -> list[int]:
        """Digits of every column."""
        return [scale.digits for scale in self.scales]

    def own(self, name: str) -> Ints:
        """The variables of a column."""
        return np.flatnonzero(self.variables.column == self.names.index(name))

    def neighbours(self, name: str) -> tuple[Ints, Ints]:
        """Pairs of variables that follow one another in a part, as records."""
        own, part = self.own(name), self.variables.part
        pairs = own[:-1][part[own[:-1]] == part[own[1:]]]
        return self.variables.row[pairs], self.variables.row[pairs + 1]


def orders(keeper: Keeper, name: str, order: str, across: bool = False) -> Properties:
    """Values of a part, or of all, stay in their order: neighbours do, and the rest follows.

    Strictly, if so asked, where they differ; ties that are broken are put in a random order.
    """
    if order == "none":
        return no_properties(keeper.names)
    one, other = keeper.neighbours(name)
    if across:
        own = keeper.own(name)
        records = keeper.variables.row[own[np.argsort(keeper.variables.unit[own], kind="stable")]]
        one, other = records[:-1], records[1:]
    unit = keeper.units[keeper.names.index(name)]
    apart = unit[one] < unit[other]
    relation = np.where(apart, BELOW, AT_MOST) if order == "strict" else AT_MOST
    pairs = np.column_stack([one, other])
    found = of_one_column(keeper.names, name, "order", relation, pairs, [1, -1])
    return true_ones(keeper, found)


def ties(keeper: Keeper, name: str) -> Properties:
    """Equal values of a part stay equal."""
    of = keeper.variables.of[keeper.names.index(name)]
    rows = np.flatnonzero(of >= 0)
    rows = rows[np.argsort(of[rows], kind="stable")]
    same = np.flatnonzero(np.diff(of[rows]) == 0)
    pairs = np.column_stack([rows[same], rows[same + 1]])
    return true_ones(keeper, of_one_column(keeper.names, name, "tie", EQUAL, pairs, [1, -1]))


def localities(keeper: Keeper, name: str, share: float) -> Properties:
    """A random share of the complete set of localities of every part."""
    own = keeper.own(name)
    if not len(own) or share <= 0:
        return no_properties(keeper.names)
    part = keeper.variables.part[own]
    cuts = np.flatnonzero(np.diff(part, prepend=-1))
    found = []
    for begin, end in pairwise([*cuts.tolist(), len(own)]):
        mine = own[begin:end]
        words = keeper.run.words(words_for(len(mine), share), "localities", name, begin)
        local = sampled_localities(keeper.variables.unit[mine], share, words)
        found.append(np.column_stack([mine[local[:, :3]], local[:, 3]]))
    rows = np.concatenate(found).astype(np.int64)
    records = keeper.variables.row[rows[:, :3]]
    less = rows[:, 3] == LESS
    times = np.where(less, -1, 1)[:, None] * np.array([1, -2, 1])
    relation = np.where(less, BELOW, AT_MOST)
    made = of_one_column(keeper.names, name, "locality", relation, records, times)
    return true_ones(keeper, made)


def true_ones(keeper: Keeper, properties: Properties) -> Properties:
    """Without those that hold only because values are rounded to the digits that are published."""
    if all(scale.decimals.exact for scale in keeper.scales):
        return properties
    return properties.take(np.flatnonzero(surely(keeper, properties)))


def surely(keeper: Keeper, properties: Properties) -> NDArray[np.bool_]:
    """Whether properties are true of the decimals as they are written, not only as rounded."""
    true = holds(properties, keeper.units, keeper.digits)
    if all(scale.decimals.exact for scale in keeper.scales):
        return true
    over = np.abs(excess(properties, keeper.units, keeper.digits)).astype(np.float64)
    most = max(keeper.digits)
    rough = np.array([10.0 ** (most - d) / 2 for d in keeper.digits])[properties.column]
    doubt = np.add.reduceat(np.abs(properties.coefficient) * rough, properties.start[:-1])
    for place in np.flatnonzero(over <= doubt * 1.001).tolist():
        true[place] &= _true(keeper, properties, place)
    return true


def _true(keeper: Keeper, properties: Properties, place: int) -> bool:
    total = -Fraction(int(properties.constant[place]))
    for i in range(int(properties.start[place]), int(properties.start[place + 1])):
        value = keeper.scales[properties.column[i]].decimals.true_value(int(properties.record[i]))
        total += int(properties.coefficient[i]) * value
    relation = properties.relation[place]
    return total == 0 if relation == EQUAL else total < 0 if relation == BELOW else total <= 0


def part_ends(keeper: Keeper, name: str) -> Properties:
    """Values of a part stay between the least and the largest of the part."""
    own, scale = keeper.own(name), keeper.scales[keeper.names.index(name)]
    part, unit = keeper.variables.part[own], keeper.variables.unit[own]
    group = np.unique(part, return_inverse=True)[1]
    low = np.full(int(group.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    high = -low
    np.minimum.at(low, group, unit)
    np.maximum.at(high, group, unit)
    records = np.concatenate([keeper.variables.row[own]] * 2)[:, None]
    times = np.repeat([10**scale.digits, -(10**scale.digits)], len(own))[:, None]
    found = of_one_column(keeper.names, name, "scale", AT_MOST, records, times)
    found.constant[:] = np.concatenate([high[group], -low[group]])
    return true_ones(keeper, found)


def gaps(keeper: Keeper, name: str, widths: Sequence[float]) -> Properties:
    """Whether neighbours in order are at least so far apart."""
    one, other = keeper.neighbours(name)
    return _either(keeper, name, "gap", one, other, [(Fraction(1), as_fraction(w)) for w in widths])


def ratios(keeper: Keeper, name: str, times: Sequence[float]) -> Properties:
    """Whether of neighbours in order the larger is at least so many times the smaller."""
    one, other = keeper.neighbours(name)
    return _either(
        keeper, name, "ratio", one, other, [(as_fraction(t), Fraction(0)) for t in times]
    )


def thresholds(keeper: Keeper, name: str, constants: Sequence[Any]) -> Properties:
    """On which side of a constant every value lies: at least as large, or below."""
    rows = keeper.variables.row[keeper.own(name)]
    limits = [(Fraction(0), as_fraction(c)) for c in constants]
    return _either(keeper, name, "threshold", rows, rows, limits)


def _either(
    keeper: Keeper,
    name: str,
    kind: str,
    one: Ints,
    other: Ints,
    limits: Sequence[tuple[Fraction, Fraction]],
) -> Properties:
    """For every pair, other - times * one is at least a constant, or below it: what is true."""
    found = [no_properties(keeper.names)]
    for times, constant in limits:
        part = one_property(
            keeper.names, kind, AT_MOST, [(name, 0, times), (name, 1, Fraction(-1))], -constant
        )
        pairs = np.column_stack([one, other]) if times else other[:, None]
        made = of_one_column(keeper.names, name, kind, AT_MOST, pairs, part.coefficient)
        made.constant[:] = part.constant[0]
        true = surely(keeper, made)
        made.coefficient[np.repeat(~true, pairs.shape[1])] *= -1
        made.constant[~true] *= -1
        made.relation[~true] = BELOW
        found.append(made.take(np.flatnonzero(true | surely(keeper, made))))
    return joined(found)


def averages(
    keeper: Keeper, name: str, kind: str, band: float, groups: Mapping[str, Ints]
) -> Properties:
    """The sum or average over each group stays in a band, of which it is a random place.

    In the middle of a band the true average would be published with it.
    """
    found = [no_properties(keeper.names)]
    scale = keeper.scales[keeper.names.index(name)]
    for label, rows in groups.items():
        rows = rows[scale.decimals.present[rows]]
        if not len(rows):
            continue
        each = Fraction(1) if kind == "sum" else Fraction(1, len(rows))
        true, wide = each * _total(scale, rows), as_fraction(band)
        if not wide and not scale.decimals.exact:
            raise BadJob(
                f"method.{kind}s.{name} is 0, but the values have more digits than are published",
                "allow a band, or ask for more method.digits",
            )
        word = int(keeper.run.words(1, "band", kind, name, label)[0]) >> 44
        below = wide * Fraction(2 * word + 1, 1 << 20) if wide else Fraction(0)
        terms = [(name, int(row), each) for row in rows]
        found += _band(keeper, kind, terms, true - below, true - below + 2 * wide)
    return joined(found)


def _total(scale: Scale, rows: Ints) -> Fraction:
    """The sum of some values as they are written."""
    if scale.decimals.exact:
        units = scale.decimals.by_row[rows].astype(object)
        return Fraction(int(units.sum()), 10**scale.digits)
    return sum((scale.decimals.true_value(int(row)) for row in rows), Fraction(0))


def _band(
    keeper: Keeper, kind: str, terms: list[Any], low: Fraction, high: Fraction
) -> list[Properties]:
    if low == high:
        return [one_property(keeper.names, kind, EQUAL, terms, low)]
    opposite = [(name, row, -times) for name, row, times in terms]
    return [
        one_property(keeper.names, kind, AT_MOST, terms, high),
        one_property(keeper.names, kind, AT_MOST, opposite, -low),
    ]


def stated(keeper: Keeper, texts: Sequence[str], rows_of: Callable[[str], Ints]) -> Properties:
    """The owner's own; one that the data violates is an error."""
    found = [no_properties(keeper.names)]
    for statement in [one for text in texts for one in parse_statements(text)]:
        terms = [t for r, times in statement.terms for t in _terms(keeper, r, times, rows_of)]
        made = one_property(keeper.names, "own", statement.relation, terms, statement.constant)
        if not _true(keeper, made, 0):
            raise BadJob(
                f"the data violates the property '{statement.text}'",
                "a release keeps what is true; leave it out or mend it",
            )
        found.append(made.take(np.flatnonzero(np.diff(made.start))))
    return joined(found)


def _terms(
    keeper: Keeper, reference: Reference, times: Fraction, rows_of: Callable[[str], Ints]
) -> list[tuple[str, int, Fraction]]:
    name = reference.column
    if name not in keeper.names:
        raise BadJob(
            f"a property is about '{name}', which is not replaced",
            f"replaced: {', '.join(keeper.names)}",
        )
    rows = rows_of(reference.name)
    there = rows[keeper.scales[keeper.names.index(name)].decimals.present[rows]]
    if reference.how == "value" and len(rows) != 1:
        raise BadJob(
            f"a property is about {name}[{reference.name}], which is {several(len(rows), 'row')}",
            f"say avg({name}[{reference.name}]) or sum({name}[{reference.name}])",
        )
    if not len(there):
        raise BadJob(
            f"a property is about {name}[{reference.name}], which has no value",
            "leave the property out",
        )
    each = times / len(there) if reference.how == "avg" else times
    return [(name, int(row), each) for row in there]
