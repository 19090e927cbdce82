"""Studies are carried out part by part; what lacks its data is left out, with the reason."""

from __future__ import annotations

import pytest

from sfumato.core.answers import result_table
from sfumato.core.run import Run
from sfumato.study.findings import Absent, Finding, Part, Setting, Study, conduct


def one(setting):
    yield Finding("one", "One", "", result_table("one", [{"x": 1}]))


def reading(setting):
    yield from one(setting)
    setting.file("people.parquet")


def broken(setting):
    raise ZeroDivisionError
    yield


def study(*makes) -> Study:
    return Study("s", "source", "about", [Part(make.__name__, "text", make) for make in makes])


def test_a_part_without_data_is_left_out_as_a_whole(tmp_path):
    setting = Setting(Run.seeded(1), tmp_path)
    left, made = conduct(study(reading, one), setting)
    assert "people.parquet" in left.left_out and not left.findings
    assert [found.name for found in made.findings] == ["one"] and not made.left_out
    (tmp_path / "people.parquet").touch()
    assert not next(conduct(study(reading), setting)).left_out


def test_only_absent_data_leaves_a_part_out():
    with pytest.raises(ZeroDivisionError):
        list(conduct(study(broken), Setting(Run.seeded(1))))
    with pytest.raises(Absent, match="SFUMATO_DATA"):
        Setting(Run.seeded(1), None).file("adult.parquet")


def test_progress_names_the_parts():
    told = []
    run = Run.seeded(1, progress=lambda *step: told.append(step))
    list(conduct(study(one), Setting(run)))
    assert told == [("one", 0, 1), ("one", 1, 1)]
