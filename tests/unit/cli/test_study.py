"""`sfumato study`: lists, runs, says what it left out, and overwrites nothing else."""

from __future__ import annotations

import json

import pytest

from sfumato.cli.main import main
from sfumato.core import catalogue
from sfumato.core.answers import result_table
from sfumato.study.findings import Curves, Finding, Part, Statement, Study


def growing(setting):
    rows = 2 if setting.quick else 3
    lines = [{"x": x, "y": float(setting.run.rng("y", x).random())} for x in range(rows)]
    drawn = Curves("x", ["y"], "x", "y")
    said = [Statement("It grows.", True, "1 to 2"), Statement("It falls.", False, "1 to 2")]
    yield Finding("growing", "Growing", "a note", result_table("Growing", lines), drawn, said)


def lacking(setting):
    setting.file("small.parquet")
    yield from ()


SMALL = Study(
    "Small",
    "nobody's paper",
    "How it is done.",
    [Part("Growth", "", growing), Part("Real data", "", lacking)],
)


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    monkeypatch.setitem(catalogue.STUDIES, "small", f"{__name__}:SMALL")
    monkeypatch.delenv("SFUMATO_DATA", raising=False)
    monkeypatch.chdir(tmp_path)


def ran(*words: str) -> int:
    return main(["study", "small", *words])


def test_studies_are_listed(capsys):
    assert main(["study", "--json"]) == 0
    [table] = json.loads(capsys.readouterr().out)
    assert {row["study"] for row in table["rows"]} == set(catalogue.STUDIES)


def test_a_study_writes_a_page_and_its_tables(tmp_path, capsys):
    assert ran("-o", "found", "--seed", "7") == 0
    out = capsys.readouterr().out
    assert "left out: Real data: no small.parquet" in out
    page = (tmp_path / "found/small.html").read_text(encoding="utf-8")
    for text in ("How it is done.", "Growing", "a note", "It grows.", "Left out:", "--seed 7"):
        assert text in page
    differing = page.split("Where the numbers differ")[2].split("</section>")[0]
    assert "It falls." in differing and "It grows." not in differing
    tables = json.loads((tmp_path / "found/small.json").read_text(encoding="utf-8"))
    assert tables[0]["title"] == "Growing"
    assert [row["here"] for row in tables[1]["rows"]] == ["agrees", "differs"]
    assert tables[2]["rows"][0]["part"] == "Real data"


def test_a_seed_repeats_a_study_and_another_one_does_not(tmp_path):
    for folder, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        assert ran("-o", folder, "--seed", seed) == 0
    one, two, three = ((tmp_path / f"{name}/small.json").read_text() for name in "abc")
    assert one == two != three


def test_quick_json_and_a_second_run_over_the_first(tmp_path, capsys):
    for _ in range(2):
        assert ran("-o", "found", "--quick", "--json") == 0
        captured = capsys.readouterr()
        assert len(json.loads(captured.out)[0]["rows"]) == 2
        assert "small.html" in captured.err


def test_data_is_looked_for_where_it_is_said_to_be(tmp_path, capsys, monkeypatch):
    (tmp_path / "data").mkdir()
    (tmp_path / "data/small.parquet").touch()
    assert ran("--data", "data") == 0
    assert "left out" not in capsys.readouterr().out
    monkeypatch.setenv("SFUMATO_DATA", "data")
    assert ran() == 0
    assert "left out" not in capsys.readouterr().out


def test_docs_hold_a_page_and_its_figures_and_no_old_ones(tmp_path):
    old = tmp_path / "docs/small/old.svg"
    old.parent.mkdir(parents=True)
    old.touch()
    assert ran("--docs", "docs") == 0
    text = (tmp_path / "docs/small.md").read_text(encoding="utf-8")
    assert "![Growing](small/growing.svg)" in text
    assert [path.name for path in old.parent.iterdir()] == ["growing.svg"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["study", "medium"], "studies: distribution"),
        (["study", "small", "--data", "nowhere"], "which is no folder"),
        (["study", "small", "-o", "a/b"], "does not exist"),
        (["study", "small", "-o", "file"], "is a file"),
        (["study", "small", "-o", "taken"], "not of a study"),
    ],
)
def test_complaints_come_before_the_work(words, says, tmp_path, capsys):
    (tmp_path / "file").touch()
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken/small.html").write_text("mine")
    assert main(words) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert says in line
    assert (tmp_path / "taken/small.html").read_text() == "mine"
