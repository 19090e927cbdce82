"""Answers on releases of sets against every original that a tiny release may stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import Refused
from sfumato.data.schema import Schema
from sfumato.data.sets import Holders, Sets
from sfumato.data.table import Table, table_from_arrow
from sfumato.query import exact, prepare, records
from sfumato.query.writing import literal
from sfumato.releases.recoded_sets import RecodedSets, seal
from sfumato.releases.release import Release

NAMES = ("a", "b", "it's", 'say "x"')  # the last one is asked for, but nobody shows it
SCHEMA = Schema.of(quasi=["items"], sensitive=["ill"])
Person = tuple[frozenset[str], str | None]


def sets_of(rows: Sequence[frozenset[str]], names: Sequence[str]) -> Sets:
    """Rows of names as sets."""
    order = sorted(names)
    items = [order.index(name) for row in rows for name in sorted(row)]
    start = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return Sets(start, np.array(items, np.uint16), pa.array(order), np.ones(len(order)))


def labels(values: Sequence[str | None]) -> Table:
    return table_from_arrow(pa.table({"ill": pa.array(values, pa.string())}))


@dataclass(frozen=True)
class Tiny:
    """What is shown of each group, and the labels of its members."""

    shown: tuple[frozenset[str], ...]
    members: tuple[tuple[str | None, ...], ...]
    tight: bool

    @property
    def release(self) -> Release:
        group = np.repeat(np.arange(len(self.shown)), [len(m) for m in self.members])
        ills = labels([ill for member in self.members for ill in member])
        sets = sets_of(self.shown, NAMES[:3])
        content = seal(RecodedSets(sets, group.astype(np.int32), self.tight, ills))[0]
        return Release("sets", "recoded", SCHEMA, content, ())

    def worlds(self) -> Iterator[list[Person]]:
        """Every original that this may be the release of; groups of equal sets are one."""
        merged: dict[frozenset[str], list[str | None]] = {}
        for shown, member in zip(self.shown, self.members, strict=True):
            merged.setdefault(shown, []).extend(member)
        groups = [self._group(shown, member) for shown, member in merged.items()]
        for parts in product(*groups):
            yield [person for part in parts for person in part]

    def _group(self, shown: frozenset[str], ills: list[str | None]) -> list[list[Person]]:
        rest = sorted(set(NAMES) - shown)
        more = [
            frozenset(n for n, here in zip(rest, bits, strict=True) if here)
            for bits in product((0, 1), repeat=len(rest))
        ]
        found = []
        for sets in product(more, repeat=len(ills)):
            if self.tight and frozenset.intersection(*sets):
                continue
            found.append([(shown | own, ill) for own, ill in zip(sets, ills, strict=True)])
        return found


@st.composite
def tiny(draw: st.DrawFn, most: int = 3) -> Tiny:
    """One or two groups of up to three members."""
    shown = draw(
        st.lists(st.frozensets(st.sampled_from(NAMES[:3])), min_size=1, max_size=2, unique=True)
    )
    sizes = [draw(st.integers(1, most if len(shown) == 1 else 2)) for _ in shown]
    ills = st.sampled_from(["flu", "none", None])
    members = tuple(tuple(draw(ills) for _ in range(size)) for size in sizes)
    return Tiny(tuple(shown), members, draw(st.booleans()))


Test = Callable[[Person], bool | None]


@dataclass(frozen=True)
class Asked:
    """A condition in SQL, what it says of a person (None: unknown), and the items it names."""

    sql: str
    holds: Test
    items: frozenset[str]


def has(name: str) -> Asked:
    return Asked(f"has({literal(name)})", lambda person: name in person[0], frozenset([name]))


def ill(value: str) -> Asked:
    def holds(person: Person) -> bool | None:
        return None if person[1] is None else person[1] == value

    return Asked(f"ill = '{value}'", holds, frozenset())


UNKNOWN = Asked("ill IS NULL", lambda person: person[1] is None, frozenset())
LEAVES = [*map(has, NAMES), ill("flu"), ill("none"), UNKNOWN]


def negated(part: Asked) -> Asked:
    def holds(person: Person) -> bool | None:
        found = part.holds(person)
        return None if found is None else not found

    return Asked(f"NOT ({part.sql})", holds, part.items)


def joined(word: str, parts: Sequence[Asked]) -> Asked:
    stop = word == "OR"  # the value that settles it

    def holds(person: Person) -> bool | None:
        found = [part.holds(person) for part in parts]
        return stop if stop in found else None if None in found else not stop

    sql = f" {word} ".join(f"({part.sql})" for part in parts)
    return Asked(sql, holds, frozenset().union(*(part.items for part in parts)))


conditions = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.one_of(
        inner.map(negated),
        st.tuples(st.sampled_from(["AND", "OR"]), st.lists(inner, min_size=2, max_size=3)).map(
            lambda told: joined(*told)
        ),
    ),
    max_leaves=5,
)


@settings(max_examples=250, deadline=None)
@given(tiny(), conditions)
def test_bounds_are_those_of_all_worlds(made: Tiny, asked: Asked) -> None:
    """They always contain the truth; and they are reached, where groups are large enough."""
    engine = prepare(made.release)
    [(_, [answer])] = engine.answer(f"SELECT COUNT(*) FROM release WHERE {asked.sql}")
    truths = [sum(asked.holds(p) is True for p in world) for world in made.worlds()]
    low, high = answer.bounds
    assert low <= min(truths) and max(truths) <= high
    assert low <= answer.value <= high
    large = min(map(len, made.members)) >= len(asked.items)
    if not made.tight or large:
        assert (low, high) == (min(truths), max(truths))


@settings(max_examples=80, deadline=None)
@given(tiny(), conditions)
def test_columns_of_many_values_give_the_same(made: Tiny, asked: Asked) -> None:
    """Members are counted group by group where a column has few values, else one by one."""
    sql = f"SELECT COUNT(*) FROM release WHERE {asked.sql}"
    [(_, [answer])] = prepare(made.release).answer(sql)
    before = records.FEW_VALUES
    try:
        records.FEW_VALUES = 0
        [(_, [other])] = prepare(made.release).answer(sql)
    finally:
        records.FEW_VALUES = before
    assert other.bounds == answer.bounds
    assert other.value == pytest.approx(answer.value)


@settings(max_examples=80, deadline=None)
@given(tiny(2), st.sampled_from([*map(has, NAMES), negated(has("a"))]))
def test_keys_of_labels(made: Tiny, asked: Asked) -> None:
    """GROUP BY of a label is a condition on it."""
    sql = f"SELECT COUNT(*), COUNT(ill) FROM release WHERE {asked.sql}"
    rows = prepare(made.release).answer(f"{sql} GROUP BY ill")
    worlds = list(made.worlds())
    met = {p[1] for world in worlds for p in world if asked.holds(p)}
    assert {key["ill"] for key, _ in rows} >= met
    for key, (every, present) in rows:
        truths = [sum(asked.holds(p) is True and p[1] == key["ill"] for p in w) for w in worlds]
        low, high = every.bounds
        assert low <= min(truths) and max(truths) <= high
        assert present.bounds == ((0, 0) if key["ill"] is None else (low, high))


@settings(max_examples=60, deadline=None)
@given(tiny(), conditions, st.randoms(use_true_random=False))
def test_the_truth_is_counted(made: Tiny, asked: Asked, dice: st.DataObject) -> None:
    """What an owner compares with is what the people of the original say."""
    world = dice.choice(list(made.worlds()))  # type: ignore[attr-defined]
    table = labels([person[1] for person in world])
    holders = Holders(sets_of([person[0] for person in world], NAMES), SCHEMA, table)
    [(_, [truth])] = exact(holders, f"SELECT COUNT(*) FROM release WHERE {asked.sql}")
    assert truth.value == sum(asked.holds(person) is True for person in world)


def test_names_of_items_are_taken_as_they_are() -> None:
    """Case counts, quotes are doubled, and an item that nobody shows may still be had."""
    made = Tiny((frozenset(["a", "it's"]),), (("flu", "flu"),), True)
    engine = prepare(made.release)

    def bounds(where: str) -> tuple[float, float]:
        [(_, [answer])] = engine.answer(f"SELECT COUNT(*) FROM release WHERE {where}")
        return answer.bounds

    assert bounds("has('a')") == (2, 2)
    assert bounds("HAS('it''s')") == (2, 2)
    assert bounds("has('A')") == bounds("has('unknown')") == bounds("has('')") == (0, 1)
    assert bounds("has('a') AND NOT has('a')") == (0, 0)
    assert bounds("has('x') OR NOT has('x')") == (2, 2)


def test_what_is_not_answered() -> None:
    engine = prepare(Tiny((frozenset("a"),), (("flu",),), True).release)
    many = " AND ".join(f"has('{number}')" for number in range(11))
    exacts = " OR ".join(f"(has('{n}') AND ill = '{n}')" for n in range(4))
    for sql, says in (
        (f"COUNT(*) FROM release WHERE {many}", "a condition on 11 items"),
        (f"COUNT(*) FROM release WHERE {exacts}", "4 parts of exact columns"),
        ("SUM(ill) FROM release", "SUM is not supported on sets"),
        ("COUNT(*) FROM release WHERE has(1)", "one item in single quotes"),
        ('COUNT(*) FROM release WHERE has("a")', "a"),
    ):
        with pytest.raises(Refused, match=says.replace("(", r"\(")):
            engine.answer(f"SELECT {sql}")
