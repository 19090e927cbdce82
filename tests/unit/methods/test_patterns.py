"""The method for patterns: properties hold to the last digit, and bad input is told."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import SfumatoError
from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.table import table_from_arrow
from sfumato.methods.tables.patterns import Patterns
from sfumato.releases.properties import BELOW, EQUAL, Properties

EASY = {"effective": 2, "least_shift": 0.0}


def people(**columns) -> People:
    """A table of quasi-identifiers, and one column kept."""
    rows = len(next(iter(columns.values())))
    kept = {name: values for name, values in columns.items() if name.startswith("kept")}
    quasi = [name for name in columns if name not in kept]
    schema = Schema.of(quasi=quasi, keep=list(kept))
    table = table_from_arrow(pa.table(columns))
    assert table.rows == rows
    return People(table, schema)


def publish(data: People, seed: int = 1, workers: int = 1, **parameters):
    """A sealed publication."""
    method = Patterns(**EASY | parameters)
    return method.publish(data, [], Run.seeded(seed, workers)).sealed()


def written(table, name: str) -> list:
    """Values as they are written, as fractions."""
    column = table[name]
    values = [None] * column.has_missing + column.values.to_pylist()
    exact = [None if v is None else Fraction(repr(v)) for v in values]
    return [exact[code] for code in column.codes.tolist()]


def broken(properties: Properties, table) -> list[int]:
    """Properties that some values violate, one after the other, in fractions."""
    values = {name: written(table, name) for name in properties.columns}
    found = []
    for place in range(len(properties)):
        total = -Fraction(int(properties.constant[place]))
        for i in range(properties.start[place], properties.start[place + 1]):
            name = properties.columns[properties.column[i]]
            total += int(properties.coefficient[i]) * values[name][properties.record[i]]
        relation = properties.relation[place]
        true = total < 0 if relation == BELOW else total == 0 if relation == EQUAL else total <= 0
        found += [] if true else [place]
    return found


whole = st.integers(-40, 40) | st.integers(-(10**9), 10**9)
decimal = st.decimals(-(10**6), 10**6, places=2).map(float)
double = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: x + 0.0)
holes = st.none()
column = st.one_of(
    *(st.lists(kind | holes, min_size=1, max_size=14) for kind in (whole, decimal, double))
).filter(lambda values: any(value is not None for value in values))


@pytest.mark.parametrize("start", ["centre", "data"])
def test_what_is_equal_only_by_rounding_is_no_tie(start):
    check_kept([0.0, 1e-308, 3.0], {"disclose": "full", "start": start}, 1)


asked = st.fixed_dictionaries(
    {
        "order": st.sampled_from(["none", "kept", "strict"]),
        "ties": st.sampled_from(["kept", "broken"]),
        "localities": st.sampled_from([0.0, 0.05, 0.5, 1.0]),
        "across": st.booleans(),
        "partition": st.sampled_from(["rows", "sorted"]),
        "size": st.integers(0, 8),
        "start": st.sampled_from(["centre", "data"]),
        "ends": st.sampled_from(["scale", "part"]),
        "disclose": st.sampled_from(["full", "kind"]),
        "thresholds": st.sampled_from([{}, {"a": [0.5, 3.0]}]),
        "gaps": st.sampled_from([{}, {"a": [1.0, 2.5]}]),
        "ratios": st.sampled_from([{}, {"a": [1.5]}]),
        "averages": st.sampled_from([{}, {"a": 0.0}, {"a": 3.0}]),
        "sums": st.sampled_from([{}, {"a": 10.0}]),
    }
)


def check_kept(values, parameters, seed):
    """Whatever is published keeps everything, in fractions, and whole numbers stay whole."""
    kind = pa.int64() if all(isinstance(v, int | None) for v in values) else pa.float64()
    data = people(a=pa.array(values, kind), kept=pa.array(range(len(values))))
    try:
        made = publish(data, seed, steps=20, **parameters)
    except SfumatoError as error:
        assert "cannot be met" in error.what or "digits" in str(error)
        return
    content = made.release.patterned
    kept = content.properties if content.properties is not None else made.ledger.kept
    assert broken(kept, content.records) == []
    assert broken(kept, data.table.take(made.ledger.rows)) == []
    assert content.records["a"].values.type == data.table["a"].values.type
    before = np.asarray(data.table["a"].codes)[made.ledger.rows] < data.table["a"].has_missing
    after = np.asarray(content.records["a"].codes) < content.records["a"].has_missing
    assert np.array_equal(before, after)


@settings(max_examples=120)
@given(column, asked, st.integers(0, 99))
def test_no_property_is_ever_violated(values, parameters, seed):
    check_kept(values, parameters, seed)


@pytest.mark.slow
@settings(max_examples=5_000)
@given(column, asked, st.integers(0, 99))
def test_no_property_is_ever_violated_in_thousands_of_tables(values, parameters, seed):
    check_kept(values, parameters, seed)


SCORES = {"score": [10, 20, 25, 40, 70], "age": [30, 20, 50, 44, 18], "kept": list("ffmmm")}
NAMED = {"rows": {"a": 1, "b": 2, "c": 5}, "groups": {"men": "kept = 'm'"}}


def test_properties_of_ones_own_tie_columns_and_parts_together():
    texts = ["score[a] + score[b] <= score[c]", "age[c] < age[a] < score[c]"]
    texts.append("avg(score[men]) >= 1.3 * avg(score)")
    made = publish(
        people(**SCORES), disclose="full", properties=texts, size=2, bounds={"score": [0, 100]},
        **NAMED,
    )  # fmt: skip
    rows = {int(row): place for place, row in enumerate(made.ledger.rows)}
    score, age = (written(made.release.patterned.records, name) for name in ("score", "age"))
    assert score[rows[0]] + score[rows[1]] <= score[rows[4]]
    assert age[rows[4]] < age[rows[0]] < score[rows[4]]
    assert sum(score[rows[i]] for i in (2, 3, 4)) / 3 >= sum(score) / 5 * Fraction(13, 10)


def test_a_sum_may_be_kept_to_the_last_digit():
    data = people(pay=[1.25, 2.5, 10.75, 3.0, 8.5, 0.5])
    made = publish(data, sums={"pay": 0.0}, order="none", localities=0.0, seed=4)
    pay = written(made.release.patterned.records, "pay")
    assert sum(pay) == Fraction("26.5")
    assert sorted(pay) != [Fraction(str(x)) for x in (0.5, 1.25, 2.5, 3.0, 8.5, 10.75)]


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"properties": ["score[a] >= score[b]"]}, "the data violates the property"),
        ({"properties": ["score[a] <= score[x]"]}, "neither a row nor a group"),
        ({"properties": ["score[a] * score[b] <= 3"]}, "is not linear"),
        ({"properties": ["score[a] + score[b]"]}, "is no inequality"),
        ({"properties": ["score[men] <= 3"]}, "which is 3 rows"),
        ({"properties": ["score <= 3"]}, "does not say whose"),
        ({"properties": ["3 <= 4"]}, "names no value"),
        ({"properties": ["score[a] <= kept[b]"]}, "which is not replaced"),
        ({"bounds": {"score": [15, 80]}}, "excludes 1 value of the data"),
        ({"digits": {"score": 2}}, "the column is whole"),
        ({"sums": {"score": -1.0}}, "a band is 0 or wider"),
        ({"columns": ["score"]}, "'age' is a quasi-identifier"),
        ({"columns": ["score", "age", "kept"]}, "is a category"),
        ({"rows": {"a": 9}, "properties": ["score[a] <= 9"]}, "rows are 1 to 5"),
        ({"least_shift": 0.9}, "would move by"),
    ],
)
def test_bad_input_says_what_is_wrong(parameters, says):
    with pytest.raises(SfumatoError, match=says.replace("(", r"\(")):
        publish(people(**SCORES), **NAMED | parameters)


def test_contradictory_properties_are_caught_as_violated():
    both = ["score[a] <= score[b]", "score[a] >= score[b] + 1"]
    with pytest.raises(SfumatoError, match="violates the property"):
        publish(people(**SCORES), properties=both, **NAMED)


def test_degenerate_tables():
    for values in ([5], [5, 5, 5], [None, 5], [0.1, 0.1]):
        data = people(a=pa.array(values), kept=pa.array(range(len(values))))
        made = publish(data, localities=1.0)
        after = written(made.release.patterned.records, "a")
        assert len({value for value in after if value is not None}) == 1


def test_a_column_without_values():
    data = people(a=pa.array([None, None], pa.int64()), b=pa.array([1, 2]))
    made = publish(data)
    assert written(made.release.patterned.records, "a") == [None, None]


def test_a_thin_polytope_names_what_holds_it():
    data = people(a=list(range(1, 9)))
    made = publish(data, order="strict", localities=0.0, bounds={"a": [1, 8]})
    notes = made.ledger.notes["patterned"]
    assert notes["values that could not move"] == 8
    assert any("a[" in text for text in notes["held by"])


def test_sorted_parts_with_their_own_ends_are_refused():
    values = np.random.default_rng(1).integers(0, 100_000, 400)
    texts = [f"a[r{i}] >= {v - 100}" for i, v in enumerate(values)]
    texts += [f"a[r{i}] <= {v + 100}" for i, v in enumerate(values)]
    rows = {f"r{i}": i + 1 for i in range(400)}
    with pytest.raises(SfumatoError, match="the properties pin its values"):
        publish(people(a=values), partition="sorted", properties=texts, rows=rows, least_shift=0.01)


def test_the_start_in_the_middle_depends_on_properties_alone():
    """With the same properties, scale and words, other data gives the same release."""
    one, other = [1, 2, 3, 4, 50], [10, 20, 30, 40, 44]
    made = [
        publish(people(a=data), order="kept", localities=0.0, bounds={"a": [0, 100]}, steps=3)
        for data in (one, other)
    ]
    first, second = (written(one.release.patterned.records, "a") for one in made)
    assert first == second


def test_results_do_not_depend_on_threads():
    values = np.random.default_rng(2).normal(size=400).round(3)
    one, two = (publish(people(a=values), workers=w, size=50) for w in (1, 2))
    records = [written(made.release.patterned.records, "a") for made in (one, two)]
    assert records[0] == records[1]


def widths(release, truth: dict) -> list[float]:
    """The room of every value by SciPy, ends of the column known, in shares of the range."""
    from scipy.optimize import linprog

    found = release.properties
    n = release.rows
    rows = np.zeros((len(found), n))
    np.add.at(rows, (found.of_term, found.record), found.coefficient)
    limit = found.constant - (found.relation == BELOW)
    values = np.array([int(truth[i]) for i in range(n)])
    low, high = values.min(), values.max()
    ends = [(v, v) if v in (low, high) else (low, high) for v in values.tolist()]
    room = []
    for i in range(n):
        if low < values[i] < high:
            both = [
                linprog(sign * np.eye(n)[i], A_ub=rows, b_ub=limit, bounds=ends).fun
                for sign in (1, -1)
            ]
            room.append((-both[1] - both[0]) / (high - low))
    return room


def test_freedom_is_kept_for_every_value():
    values = np.unique(np.random.default_rng(5).integers(0, 10_000, 24)).tolist()
    asked = {"localities": 1.0, "order": "none", "ties": "broken", "disclose": "full", "size": 0}
    room = []
    for freedom in (0.0, 0.4):
        made = publish(people(a=values), freedom=freedom, **asked)
        truth = {place: values[int(row)] for place, row in enumerate(made.ledger.rows)}
        room.append(min(widths(made.release.patterned, truth)))
    assert room[0] < 0.2
    assert room[1] >= 0.4 - 1e-6


def test_freedom_that_order_does_not_leave_is_refused():
    with pytest.raises(SfumatoError, match=r"keep less than 0\.9 of its range"):
        publish(
            people(a=list(range(1, 400, 7))), freedom=0.9, order="strict", thresholds={"a": [9]}
        )
