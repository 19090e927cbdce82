"""The sample population: repeatable, complete, and dependent in the ways it says.

Seeds are fixed, so nothing here fails by chance; bounds lie several standard errors away.
"""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from numpy.typing import NDArray

from sfumato.core.errors import BadJob
from sfumato.core.run import Run
from sfumato.data.hierarchy import fit, from_levels
from sfumato.data.schema import Kind
from sfumato.data.table import table_from_arrow
from sfumato.io import sample_values as made
from sfumato.io.samples import SAMPLES, draw, hierarchies, people

ROWS = 40_000


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return people(ROWS, Run.seeded(11))


def column(table: pa.Table, name: str) -> NDArray[np.generic]:
    return np.asarray(table[name].to_pylist())


def chi_square(first: NDArray[np.generic], second: NDArray[np.generic]) -> tuple[float, int]:
    """The statistic of independence and its degrees of freedom."""
    rows, row = np.unique(first.astype(str), return_inverse=True)
    columns, place = np.unique(second.astype(str), return_inverse=True)
    seen = np.zeros((len(rows), len(columns)))
    np.add.at(seen, (row, place), 1)
    expected = seen.sum(1)[:, None] * seen.sum(0) / len(first)
    return float(((seen - expected) ** 2 / expected).sum()), (len(rows) - 1) * (len(columns) - 1)


def test_columns_and_types(table: pa.Table) -> None:
    assert table.num_rows == ROWS
    texts = ["person_id", "zip", "sex", "education", "occupation", "country", "diagnosis"]
    assert [f.name for f in table.schema if f.type == pa.string()] == texts
    assert [f.name for f in table.schema if f.type == pa.int64()] == [
        *("age", "hours", "income", "cost")
    ]


def test_a_seed_repeats_it_and_another_does_not() -> None:
    assert people(500, Run.seeded(3, workers=1)).equals(people(500, Run.seeded(3, workers=2)))
    assert not people(500, Run.seeded(3)).equals(people(500, Run.seeded(4)))


@pytest.mark.parametrize("rows", [0, 1, 2, 7])
def test_small_tables(rows: int) -> None:
    table = SAMPLES["people"](rows, Run.seeded(1))
    assert table.num_rows == rows
    assert table.schema.equals(people(10, Run.seeded(1)).schema)


def test_bad_number_of_rows() -> None:
    with pytest.raises(BadJob, match="rows is -1"):
        people(-1, Run.seeded(1))


def test_identifiers_are_unique_and_of_one_form(table: pa.Table) -> None:
    assert pc.count_distinct(table["person_id"]).as_py() == ROWS
    assert pc.all(pc.match_substring_regex(table["person_id"], "^P[0-9]{6}$")).as_py()


def test_domains(table: pa.Table) -> None:
    age, hours, income, cost = (column(table, name) for name in ("age", "hours", "income", "cost"))
    assert age.min() == 0 and 95 < age.max() <= made.OLDEST
    assert hours.min() == 0 and hours.max() <= 70
    assert all(value is None or (value >= 0 and value % 100 == 0) for value in income)
    assert (cost >= 0).all() and (cost % 10 == 0).all()
    assert pc.all(pc.match_substring_regex(table["zip"], "^[1-9][0-9]{4}$")).as_py()


def test_missing_values_are_few_and_in_two_columns(table: pa.Table) -> None:
    missing = {f.name: table[f.name].null_count / ROWS for f in table.schema}
    assert {name for name, share in missing.items() if share} == {"education", "income"}
    assert 0.017 < missing["education"] < 0.023
    assert 0.027 < missing["income"] < 0.034


def test_postal_codes_are_of_very_unequal_size(table: pa.Table) -> None:
    counts = sorted(pc.value_counts(table["zip"]).field("counts").to_pylist())
    assert 60 <= len(counts) <= 120
    assert counts[-1] > 20 * counts[0]
    assert len(set(made.zips()[0])) == len(made.zips()[0])


def test_hierarchies_are_valid_and_cover_everything(table: pa.Table) -> None:
    encoded = table_from_arrow(table)
    given = hierarchies()
    assert set(given) == {"zip", "education", "occupation", "country"}
    for name, rows in given.items():
        tree, leaf = fit(from_levels(name, rows), encoded[name])
        assert len(leaf) == encoded[name].size and tree.levels == 4
    assert {row[0] for row in given["zip"]} == set(made.zips()[0])
    assert [row[0] for row in given["education"]] == list(made.EDUCATION)
    assert [row[0] for row in given["occupation"]] == list(made.OCCUPATIONS)
    assert len(given["country"]) == len(made.COUNTRIES) + 1


def test_the_home_country_dominates_a_long_tail(table: pa.Table) -> None:
    counts = sorted(pc.value_counts(table["country"]).field("counts").to_pylist())
    assert counts[-1] > 0.75 * ROWS
    assert len(counts) > 25 and counts[0] < 0.001 * ROWS


def test_hours_follow_from_occupation(table: pa.Table) -> None:
    hours, occupation = column(table, "hours"), column(table, "occupation")
    for idle in ("retired", "child", "not working"):
        assert (hours[occupation == idle] == 0).all()
    assert (hours[~np.isin(occupation, made.OUT_OF_WORK)] >= 10).all()


def test_occupation_follows_age(table: pa.Table) -> None:
    age, occupation = column(table, "age"), column(table, "occupation")
    assert set(occupation[age < 6]) == {"child"} and not (occupation[age >= 6] == "child").any()
    assert set(occupation[(age >= 6) & (age < 15)]) == {"student"}
    assert age[occupation == "retired"].min() >= 50
    assert (occupation[age >= 76] == "retired").mean() > 0.97


def test_schooling_follows_age(table: pa.Table) -> None:
    age, education = column(table, "age"), column(table, "education")
    assert age[education == "doctorate"].min() >= 24
    assert age[education == "bachelor"].min() >= 21
    assert set(education[age < 10]) <= {"no schooling", None}


def test_income_rises_with_education(table: pa.Table) -> None:
    """Medians of full-time workers rise from level to level, where levels are common."""
    pay = np.array([np.nan if v is None else v for v in table["income"].to_pylist()])
    education, hours = column(table, "education"), column(table, "hours")
    medians = [
        np.nanmedian(pay[(education == level) & (hours >= 35)]) for level in made.EDUCATION[2:]
    ]
    assert all(low < 1.02 * high for low, high in pairwise(medians))
    assert medians[-1] > 2 * medians[0]


def test_diagnosis_depends_on_age_and_sex(table: pa.Table) -> None:
    """Chi-square against independence: beyond 10 standard deviations of its law (p < 1e-20)."""
    age, sex, diagnosis = (column(table, name) for name in ("age", "sex", "diagnosis"))
    for other in (age.astype(int) // 15, sex):
        statistic, freedom = chi_square(diagnosis, other)
        assert statistic > freedom + 10 * np.sqrt(2 * freedom)
    assert (diagnosis[age < 18] == "dementia").sum() == 0
    assert (diagnosis[age > 80] == "none").mean() < 0.25 < (diagnosis[age < 30] == "none").mean()


def test_what_was_drawn_apart_is_independent(table: pa.Table) -> None:
    """Postal code and sex: chi-square at level 0.001, its quantile after Wilson and Hilferty."""
    sex = column(table, "sex")
    known = sex != "other"  # too few of them for the approximation
    statistic, freedom = chi_square(column(table, "zip")[known], sex[known])
    part = 2 / (9 * freedom)
    assert statistic < freedom * (1 - part + 3.09 * np.sqrt(part)) ** 3


def test_cost_follows_diagnosis(table: pa.Table) -> None:
    cost, diagnosis = column(table, "cost"), column(table, "diagnosis")
    mean = {name: cost[diagnosis == name].mean() for name in made.DIAGNOSES}
    assert mean["none"] < mean["allergy"] < mean["diabetes"] < mean["dementia"] < mean["cancer"]


def test_draw_follows_its_weights() -> None:
    """Chi-square of 100,000 draws in three cells, each at level 1e-4 (27.9 at 7 degrees)."""
    weights = np.random.default_rng(1).random((3, 8)) * np.array([1, 0, 1, 1, 5, 1, 1, 1.0])
    cell = np.repeat(np.arange(3), 100_000)
    drawn = draw(np.random.default_rng(2), weights, cell)
    for place in range(3):
        seen = np.bincount(drawn[cell == place], minlength=8)
        expected = weights[place] / weights[place].sum() * 100_000
        assert seen[1] == 0
        some = expected > 0
        assert ((seen - expected)[some] ** 2 / expected[some]).sum() < 27.9


def test_kinds_are_natural(table: pa.Table) -> None:
    encoded = table_from_arrow(table)
    numbers = {"age", "hours", "income", "cost"}
    for name in encoded.names:
        assert encoded[name].kind is (Kind.NUMBER if name in numbers else Kind.CATEGORY)


@pytest.mark.slow
def test_a_million_rows_take_seconds() -> None:
    start = time.perf_counter()
    people(1_000_000, Run.seeded(1))
    assert time.perf_counter() - start < 6
