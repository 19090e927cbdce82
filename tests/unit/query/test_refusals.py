"""What lies outside the grammar is refused in one line that helps, and shows no cell value."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pyarrow as pa
import pytest

from sfumato.core.errors import Refused
from sfumato.data.hierarchy import from_levels
from sfumato.data.schema import Schema
from sfumato.data.table import table_from_arrow
from sfumato.query import answer, exact, prepare
from sfumato.releases.cells import cells_of
from sfumato.releases.recoded import Recoded
from sfumato.releases.release import Release

SECRET = "zebra"
TABLE = table_from_arrow(
    pa.table(
        {
            "age": [20, 30],
            "marital-status": [SECRET, SECRET],
            "place": ["12", "x"],
            "day": [date(2020, 1, 1)] * 2,
            "pay": [1, 2],
            "flag": [True, False],
        }
    )
)
QUASI = ("age", "marital-status", "place", "day")
PLACES = from_levels("place", [("12", "*"), ("x", "*")])


def release() -> Release:
    """Two people in one group."""
    group = np.zeros(2, np.int32)
    cells = {n: cells_of(TABLE[n], group, 1, {"place": PLACES}.get(n)) for n in QUASI}
    schema = Schema.of(quasi=QUASI, keep=["pay", "flag"])
    content = Recoded(cells, group, 1, TABLE.select(("pay", "flag")))
    return Release("table", "Recoded", schema, content, ())


ENGINE = prepare(release())
COUNT = "SELECT COUNT(*) FROM release WHERE "
REFUSED = {
    "": "does not begin with SELECT",
    "DELETE FROM release": "does not begin with SELECT",
    "WITH t AS (SELECT 1) SELECT COUNT(*) FROM t": "does not begin with SELECT",
    "SELECT COUNT(*) FROM release; SELECT COUNT(*) FROM release": "not one SELECT query",
    "SELECT COUNT(*) FROM release UNION SELECT COUNT(*) FROM release": "not one SELECT query",
    "SELECT COUNT(* FROM release": "cannot be read (line 1, column",
    "SELECT COUNT(*) FROM release WHERE age = 'abc": "cannot be read",
    "SELECT COUNT(*)": "no FROM release",
    "SELECT COUNT(*) FROM people": "there is no table 'people'; the only table is release",
    "SELECT COUNT(*) FROM (SELECT * FROM release)": "may only read FROM release",
    "SELECT COUNT(*) FROM release r": "ALIAS is not supported",
    "SELECT COUNT(*) FROM release, release": "JOINS is not supported",
    "SELECT COUNT(*) FROM release JOIN t ON age = pay": "JOINS is not supported",
    "SELECT age FROM release": "selected without an aggregate",
    "SELECT * FROM release": "STAR cannot be selected",
    "SELECT MEDIAN(age) FROM release": "cannot be selected",
    "SELECT MIN(age, pay) FROM release": "is not supported in MIN",
    "SELECT COUNT(DISTINCT age) FROM release": "DISTINCT stands where a column name is expected",
    "SELECT SUM(age + 1) FROM release": "arithmetic",
    "SELECT SUM(marital-status) FROM release": "double quotes",
    "SELECT DISTINCT COUNT(*) FROM release": "DISTINCT is not supported",
    "SELECT COUNT(*) FROM release ORDER BY age": "ORDER is not supported",
    "SELECT COUNT(*) FROM release LIMIT 3": "LIMIT is not supported",
    "SELECT COUNT(*) FROM release GROUP BY age HAVING COUNT(*) > 1": "HAVING is not supported",
    "SELECT COUNT(*) FROM release GROUP BY ROLLUP (age)": "ROLLUP stands where",
    "SELECT COUNT(*) FROM release GROUP BY 1": "where a column name is expected",
    "SELECT COUNT(*) FROM release GROUP BY age": "WHERE age BETWEEN ... AND ...",
    "SELECT SUM(flag) FROM release": "which holds true or false",
    "SELECT MIN(place) FROM release": "which holds text",
    "SELECT SUM(day) FROM release": "which holds dates; SUM and AVG need numbers",
    COUNT + "size > 3": "there is no column 'size'; columns: age, marital-status, place, day",
    COUNT + "other.age > 3": "there is no table 'other'",
    COUNT + "age > pay": "two columns cannot be compared",
    COUNT + "age > (SELECT 1)": "a subquery stands where a literal is expected",
    COUNT + "age > 1 + 1": "arithmetic",
    COUNT + "ABS(age) > 1": "where a column name is expected",
    COUNT + "place LIKE 'a%'": "LIKE is not supported in WHERE",
    COUNT + "flag": "the bare name 'flag'",
    COUNT + "flag IS TRUE": "write column = TRUE",
    COUNT + "age IN (SELECT 1)": "QUERY is not supported in IN",
    COUNT + "age = '20'": "column 'age' holds whole numbers, but is compared with a text",
    COUNT + "age = 1e999": "too large",
    COUNT + '"marital-status" = 3': "write texts in single quotes",
    COUNT + "\"marital-status\" = DATE '2020-01-01'": "holds text, but is compared with a date",
    COUNT + "day > 'soon'": "'soon' cannot be read as one of the dates of column 'day'",
    COUNT + "day > 3": "write a date as '2020-12-31'",
    COUNT + "flag = 1": "compare it with TRUE or FALSE",
    COUNT + "pay = TRUE": "but is compared with TRUE or FALSE",
    COUNT + "place > 3": "hierarchy of column 'place' cannot be read as",
    COUNT + "(" * 3000 + "age > 1" + ")" * 3000: "nested too deeply",
}


@pytest.mark.parametrize("sql", REFUSED, ids=lambda sql: sql[:60])
def test_refusal_names_the_trouble(sql: str) -> None:
    with pytest.raises(Refused) as caught:
        answer(ENGINE, sql)
    message = str(caught.value)
    assert REFUSED[sql] in message
    assert "\n" not in message
    assert SECRET not in message


@pytest.mark.parametrize("sql", [COUNT + "age = '20'", COUNT + "ghost = 1", "SELECT 1"])
def test_the_original_refuses_alike(sql: str) -> None:
    with pytest.raises(Refused):
        exact(TABLE, sql)


def test_texts_and_numbers_do_not_mix_in_one_column() -> None:
    content = release().content
    places = table_from_arrow(pa.table({"place": ["1", "2"]}))
    tree = from_levels("place", [("1", "*"), ("2", "*")])
    cells = content.cells | {"place": cells_of(places["place"], content.group, 1, tree)}
    other = replace(release(), content=replace(content, cells=cells))
    [(_, [one])] = answer(other, COUNT + "place >= 2")
    assert one.bounds == (0, 2)
    with pytest.raises(Refused, match="numbers in one place and with texts"):
        answer(other, COUNT + "place = 2 OR place = '1'")


def test_forms_without_an_answer_are_refused() -> None:
    with pytest.raises(Refused, match=r"Imagined are not supported; supported: .*table of form"):
        prepare(replace(release(), form="Imagined"))


def test_too_many_rows_are_refused() -> None:
    many = table_from_arrow(pa.table({"age": range(1001), "pay": range(1001)}))
    group = np.zeros(1001, np.int32)
    content = Recoded({"age": cells_of(many["age"], group, 1)}, group, 1, many.select(("pay",)))
    wide = Release("table", "Recoded", Schema.of(quasi=["age"], keep=["pay"]), content, ())
    with pytest.raises(Refused, match="1001 rows; at most 1000"):
        answer(wide, "SELECT COUNT(*) FROM release GROUP BY pay")


@pytest.mark.parametrize(
    "where",
    ["25 > age", "AGE < 25", "release.age < 25", "age < (25)", "NOT age >= 25", "age < 2.5e1"],
)
def test_spellings_of_one_condition(where: str) -> None:
    [(_, [count])] = answer(ENGINE, COUNT + where)
    assert count.bounds == (1, 1)
