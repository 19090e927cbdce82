"""Every verb does its work, in tables and in JSON, and explains itself."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from sfumato.cli.main import VERBS, main, parser


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A published sample."""
    place = tmp_path_factory.mktemp("verbs")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        assert main(["sample", "people", "-n", "600", "--hierarchies", "trees"]) == 0
        given = ["--quasi", "age,zip,sex", "--sensitive", "diagnosis", "--keep", "hours"]
        given += ["--drop", "education,occupation,country,income,cost"]
        assert main(["inspect", "people.csv", *given]) == 0
        assert main(["publish", "job.toml", "--seed", "4"]) == 0
    return place


@pytest.fixture
def inside(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_an_example(verb, capsys):
    with pytest.raises(SystemExit) as stop:
        main([verb, "--help"])
    assert stop.value.code == 0
    assert f"sfumato {verb}" in capsys.readouterr().out.split("examples:")[1]


@pytest.mark.parametrize(
    "words",
    [
        ["inspect", "people.csv", "--job", "job.toml"],
        ["audit", "release"],
        ["audit", "release", "--ledger", "release-ledger"],
        ["query", "release", "SELECT COUNT(*), AVG(age) FROM release WHERE sex = 'female'"],
        ["query", "release", "SELECT COUNT(*) FROM release", "--against", "people.csv"],
        ["measure", "release", "--ledger", "release-ledger", "--queries", "20"],
        ["measure", "release", "--queries", "20"],
        ["study"],
        ["methods"],
        ["methods", "regroup"],
        ["methods", "t-closeness"],
        ["methods", "ncp"],
        ["publish", "job.toml", "--plan"],
    ],
)
def test_verbs_speak_to_people_and_machines(inside, capsys, words):
    assert main(words) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 140
    assert main([*words, "--json"]) == 0
    out = capsys.readouterr().out
    if words[0] != "publish":
        tables = json.loads(out)
        assert all({"title", "rows", "notes"} <= set(table) for table in tables)


def test_reports_lie_where_they_belong(inside, capsys):
    assert main(["report", "release", "--ledger", "release-ledger"]) == 0
    assert main(["report", "release"]) == 0
    owner, public = (
        path.read_text(encoding="utf-8").split("</style>")[1]
        for path in (inside / "release-ledger" / "report.html", inside / "report.html")
    )
    assert "Do not publish" in owner
    assert "Do not publish" not in public
    assert "in the original" not in public


def test_inspect_never_decides_that_a_column_is_quasi(inside, capsys):
    assert main(["inspect", "people.csv", "--job", "fresh.toml"]) == 0
    job = (inside / "fresh.toml").read_text()
    assert "quasi = []" in job
    assert 'identifier = ["person_id"]' in job
    assert "undecided = [" in job
    assert main(["publish", "fresh.toml"]) == 2
    assert "schema.undecided still lists" in capsys.readouterr().err


def test_a_seed_repeats_the_public_half(inside):
    def digest(folder):
        files = sorted(p for p in folder.rglob("*.*") if p.name != "manifest.json")
        return [p.read_bytes() for p in files]

    first = digest(inside / "release")
    assert main(["publish", "job.toml", "--seed", "4", "--replace"]) == 0
    assert digest(inside / "release") == first


def test_job_schema_is_the_published_one(capsys):
    from pathlib import Path

    assert main(["methods", "--job-schema"]) == 0
    published = Path(__file__).parents[3] / "docs" / "job.schema.json"
    assert capsys.readouterr().out == published.read_text(encoding="utf-8")


def test_help_and_import_stay_light():
    heavy = {"numpy", "numba", "pyarrow", "pydantic", "rich", "sqlglot"}
    code = "import sys, sfumato; from sfumato.cli.main import parser; parser(); print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not heavy & set(out.stdout.split())
    assert parser().format_help().startswith("usage: sfumato")
