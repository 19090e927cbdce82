"""Redrawn tables on disk: CSV as well as Parquet, values that look alike, names that are taken."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sfumato.audit.audit import audit, failed
from sfumato.core.errors import BadJob
from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.table import table_from_arrow
from sfumato.io.opening import open_ledger, open_release
from sfumato.io.store import write_release
from sfumato.methods.tables.ra import RA
from sfumato.pipeline.publish import save
from sfumato.query import answer


def odd() -> People:
    """Empty texts beside missing ones, dates, truths, decimals, and a value that one person has."""
    rows = 60
    pick = np.arange(rows)
    data = {
        "text": pa.array([None if i % 7 == 0 else ["", "a,b", 'q"', "ü"][i % 4] for i in pick]),
        "day": pa.array(pick.astype("datetime64[D]"), mask=pick % 5 == 0),
        "sure": pa.array((pick % 3 == 0).tolist()),
        "size": pa.array(pick / 8, mask=pick % 11 == 0),
        "once": pa.array(["x"] * (rows - 1) + ["y"]),
        "secret": pa.array([None if i % 9 == 0 else str(i % 4) for i in pick]),
    }
    quasi = ["text", "day", "sure", "size", "once"]
    return People(table_from_arrow(pa.table(data)), Schema.of(quasi=quasi, sensitive=["secret"]))


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_a_release_is_the_same_after_reading(form, tmp_path):
    data = odd()
    made = RA(redraw=2, bins={"size": 2.0}).publish(data, [], Run.seeded(2)).sealed()
    save(made, tmp_path / "release", tmp_path / "ledger", format=form)
    assert not failed(audit(tmp_path / "release", open_ledger(tmp_path / "ledger"), data.table))
    opened = open_release(tmp_path / "release")
    before, after = made.release.redrawn, opened.redrawn
    assert after.bins == before.bins and after.law.weights == before.law.weights
    for one, two in zip(before.law.counts, after.law.counts, strict=True):
        assert np.array_equal(one, two)
    for name, column in before.records.columns.items():
        assert column.values.equals(after.records[name].values) or name == "secret"
        assert np.array_equal(column.codes, after.records[name].codes) or name == "secret"
    sql = "SELECT COUNT(*) FROM release WHERE text = '' AND sure = TRUE"
    assert answer(opened, sql) == answer(made.release, sql)


def test_a_value_that_nobody_shows_any_more_is_still_in_the_law(tmp_path):
    data = odd()
    for seed in range(40):
        made = RA(redraw=5).publish(data, [], Run.seeded(seed)).sealed()
        if not (made.release.redrawn.records["once"].codes == 1).any():
            break
    write_release(made.release, tmp_path / "release")
    opened = open_release(tmp_path / "release").redrawn
    assert opened.law.counts[4].tolist() == [59, 1]
    assert opened.records["once"].values.to_pylist() == ["x", "y"]


def test_a_column_named_as_a_release_names_its_counts_is_refused(tmp_path):
    table = table_from_arrow(pa.table({"a": [1, 2, 3], "a_records": [1, 1, 2]}))
    people = People(table, Schema.of(quasi=["a", "a_records"]))
    made = RA().publish(people, [], Run.seeded(1)).sealed()
    with pytest.raises(BadJob, match="a release has a column 'a_records' of its own"):
        write_release(made.release, tmp_path / "release")
