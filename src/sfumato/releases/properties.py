"""Facts true of the original: linear relations between values, with whole coefficients.

Property p says: the sum of coefficient * value over its terms stands in `relation` to `constant`.
Values are the decimals as they are published, so that each property is a statement in fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import SfumatoError
from sfumato.data.linear_text import AT_MOST as AT_MOST
from sfumato.data.linear_text import BELOW as BELOW
from sfumato.data.linear_text import EQUAL as EQUAL
from sfumato.releases.cells import run_ranks

Ints = NDArray[np.int64]

KINDS = (
    "order", "tie", "locality", "gap", "ratio", "threshold", "sum", "average", "own", "scale",
)  # fmt: skip
RELATIONS = ("<=", "<", "=")
MOST = 1 << 62
SHOWN_TERMS = 6


@dataclass(frozen=True, eq=False)
class Properties:
    """Property p has the terms start[p] <= i < start[p + 1]: coefficient[i] times the value of
    record[i] in column columns[column[i]]."""

    columns: tuple[str, ...]
    kind: NDArray[np.int8]
    relation: NDArray[np.int8]
    constant: Ints
    start: Ints
    column: NDArray[np.int16]
    record: Ints
    coefficient: Ints

    def __len__(self) -> int:
        return len(self.kind)

    def take(self, which: NDArray[Any]) -> Properties:
        """Some properties, in another order."""
        sizes = np.diff(self.start)[which]
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        terms = np.arange(start[-1]) + np.repeat(self.start[which] - start[:-1], sizes)
        return replace(
            self,
            kind=self.kind[which],
            relation=self.relation[which],
            constant=self.constant[which],
            start=start,
            column=self.column[terms],
            record=self.record[terms],
            coefficient=self.coefficient[terms],
        )

    @property
    def of_term(self) -> Ints:
        """The property of every term."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    def text(self, place: int, name: Any = None) -> str:
        """A property in words of the job file: `age[3] + age[9] <= 80`; long ones are cut."""
        run = range(int(self.start[place]), int(self.start[place + 1]))
        parts = [self._term(i, name) for i in run[:SHOWN_TERMS]]
        more = f" + ... ({len(run)} terms)" if len(run) > SHOWN_TERMS else ""
        left = (
            "".join(parts).removeprefix(" + ").replace(" - ", "-", 1 if parts[0][1] == "-" else 0)
        )
        return f"{left}{more} {RELATIONS[self.relation[place]]} {int(self.constant[place])}"

    def _term(self, i: int, name: Any) -> str:
        times = int(self.coefficient[i])
        row = int(self.record[i])
        shown = "" if abs(times) == 1 else f"{abs(times)} * "
        label = row if name is None else name(row)
        return f" {'-' if times < 0 else '+'} {shown}{self.columns[self.column[i]]}[{label}]"


def no_properties(columns: Sequence[str]) -> Properties:
    """None at all."""
    none = np.empty(0, np.int64)
    small = np.empty(0, np.int8)
    return Properties(
        tuple(columns), small, small, none, np.zeros(1, np.int64), none.astype(np.int16), none, none
    )


def of_one_column(
    columns: Sequence[str], name: str, kind: str, relation: Any, records: Ints, coefficients: Any
) -> Properties:
    """Properties with constant 0 and equally many terms: records and coefficients, a row each."""
    rows, width = records.shape
    return Properties(
        tuple(columns),
        np.full(rows, KINDS.index(kind), np.int8),
        np.broadcast_to(np.asarray(relation, np.int8), rows).copy(),
        np.zeros(rows, np.int64),
        np.arange(0, rows * width + 1, width, dtype=np.int64) if rows else np.zeros(1, np.int64),
        np.full(rows * width, tuple(columns).index(name), np.int16),
        records.ravel().astype(np.int64),
        np.broadcast_to(np.asarray(coefficients, np.int64), (rows, width)).ravel().copy(),
    )


def one_property(
    columns: Sequence[str],
    kind: str,
    relation: int,
    terms: Sequence[tuple[str, int, Fraction]],
    constant: Fraction,
) -> Properties:
    """A property with fractions for coefficients, brought to whole numbers without common factor.

    Terms of the same value are added up; what cancels is left out.
    """
    summed: dict[tuple[int, int], Fraction] = {}
    for name, record, times in terms:
        place = (tuple(columns).index(name), record)
        summed[place] = summed.get(place, Fraction(0)) + times
    kept = [(place, times) for place, times in sorted(summed.items()) if times]
    numbers = _whole([times for _, times in kept] + [constant])
    if any(abs(number) >= MOST for number in numbers):
        raise SfumatoError("a property has numbers of more than 18 digits", "use fewer digits")
    columns_of = np.array([place[0] for place, _ in kept], np.int16)
    records = np.array([place[1] for place, _ in kept], np.int64)
    return Properties(
        tuple(columns),
        np.array([KINDS.index(kind)], np.int8),
        np.array([relation], np.int8),
        np.array(numbers[-1:], np.int64),
        np.array([0, len(kept)], np.int64),
        columns_of,
        records,
        np.array(numbers[:-1], np.int64),
    )


def _whole(numbers: Sequence[Fraction]) -> list[int]:
    """The same ratios in whole numbers without common factor."""
    times = int(np.lcm.reduce([number.denominator for number in numbers], dtype=object))
    scaled = [int(number * times) for number in numbers]
    common = int(np.gcd.reduce(np.array(scaled, object))) or 1
    return [number // common for number in scaled]


def joined(parts: Sequence[Properties]) -> Properties:
    """All properties of several, which are about the same columns."""
    offsets = np.cumsum([0, *(part.start[-1] for part in parts)])
    starts = [part.start[:-1] + offset for part, offset in zip(parts, offsets[:-1], strict=True)]

    def all_of(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(part, name) for part in parts])

    return Properties(
        parts[0].columns,
        all_of("kind"),
        all_of("relation"),
        all_of("constant"),
        np.concatenate([*starts, offsets[-1:]]).astype(np.int64),
        all_of("column"),
        all_of("record"),
        all_of("coefficient"),
    )


def sealed_properties(properties: Properties, place: Ints) -> Properties:
    """The same about records under new numbers, in an order that follows from itself alone."""
    renumbered = replace(properties, record=place[properties.record])
    terms = np.lexsort((renumbered.record, renumbered.column, renumbered.of_term))
    ordered = replace(
        renumbered,
        column=renumbered.column[terms],
        record=renumbered.record[terms],
        coefficient=renumbered.coefficient[terms],
    )
    return ordered.take(_canonical(ordered))


def _canonical(properties: Properties) -> Ints:
    """Properties by kind, then by their terms one after the other."""
    sizes = np.diff(properties.start)
    keys: list[Any] = [properties.constant, properties.relation]
    for term in (2, 1, 0):
        parts: list[NDArray[Any]] = [properties.coefficient, properties.record, properties.column]
        keys += [_term(part, properties.start, sizes, term) for part in parts]
    longer = np.flatnonzero(sizes > 3)
    rest = np.zeros(len(sizes), np.int64)
    if len(longer):
        words = _as_words(properties)
        width = 5
        rest[longer] = 1 + run_ranks(
            width * properties.start[longer], width * properties.start[longer + 1], words
        )
    keys += [sizes, properties.kind]
    return np.asarray(np.lexsort((rest, *keys)))


def _term(what: NDArray[Any], start: Ints, sizes: Ints, number: int) -> Ints:
    there = sizes > number
    found = np.full(len(sizes), -1, np.int64)
    found[there] = what[start[:-1][there] + number]
    return found


def _as_words(properties: Properties) -> NDArray[np.uint32]:
    """Every term as five words of 32 bits."""
    halves = []
    for what in (properties.record, properties.coefficient):
        bits = what.astype(np.uint64)
        halves += [bits >> np.uint64(32), bits & np.uint64(0xFFFFFFFF)]
    return np.column_stack([properties.column.astype(np.uint64), *halves]).ravel().astype(np.uint32)


def excess(properties: Properties, units: Sequence[Ints], digits: Sequence[int]) -> NDArray[Any]:
    """By how much each sum lies above its constant, in units of 10^-most digits; exact.

    `units[c]` are the values of column c times 10^digits[c]. 64 bits where they suffice, and whole
    numbers of any length where not.
    """
    if not len(properties):
        return np.zeros(0, np.int64)
    most = max(digits)
    factor = np.array([10 ** (most - d) for d in digits], object)
    largest = max(
        (int(np.abs(u).max(initial=0)) * int(f) for u, f in zip(units, factor)), default=0
    )
    weight = np.add.reduceat(
        np.append(np.abs(properties.coefficient).astype(np.float64), 0.0), properties.start[:-1]
    )
    size = float(weight.max()) * largest + float(np.abs(properties.constant).max()) * 10.0**most
    kind: Any = np.int64 if size < 2.0**62 else object
    value = np.empty(len(properties.record), kind)
    for number, (column, f) in enumerate(zip(units, factor, strict=True)):
        here = properties.column == number
        value[here] = column.astype(kind)[properties.record[here]] * kind_of(f, kind)
    value *= properties.coefficient.astype(kind)
    total = np.zeros(len(properties), kind)
    some = np.diff(properties.start) > 0
    if some.any():
        total[some] = np.add.reduceat(value, properties.start[:-1][some])
    return np.asarray(total - properties.constant.astype(kind) * kind_of(10**most, kind))


def kind_of(number: int, kind: Any) -> Any:
    """A whole number of the kind that is calculated with."""
    return int(number) if kind is object else np.int64(number)


def holds(
    properties: Properties, units: Sequence[Ints], digits: Sequence[int]
) -> NDArray[np.bool_]:
    """Whether each property is true of some values, exactly."""
    over = excess(properties, units, digits)
    relation = properties.relation
    found = np.where(relation == BELOW, over < 0, over <= 0)
    return np.asarray(np.where(relation == EQUAL, over == 0, found), dtype=np.bool_)
