"""Clumsy users: one clear line, exit code 2, nothing half-written, no cell value echoed."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.cli.main import main

SECRET = "Xq7secret"
JOB = """
[source]
kind = "table"
path = "people.csv"
{source}
[schema]
quasi = ["age", "sex"]
sensitive = ["illness"]
{schema}
[method]
name = "mondrian"
k = {k}
{method}
{require}
"""
PEOPLE = "age,sex,illness\n" + "".join(
    f"{20 + i % 40},{'fm'[i % 2]},{('flu', 'none', SECRET)[i % 3]}\n" for i in range(60)
)


class Desk:
    """A folder with a job and a table, and the command line run inside it."""

    def __init__(self, folder: Path, capsys, monkeypatch) -> None:
        self.folder, self.capsys = folder, capsys
        monkeypatch.chdir(folder)

    def write(self, people: str | bytes = PEOPLE, **parts: object) -> None:
        data = people if isinstance(people, bytes) else people.encode()
        (self.folder / "people.csv").write_bytes(data)
        blanks = {"source": "", "schema": "", "method": "", "require": "", "k": 5}
        (self.folder / "job.toml").write_text(JOB.format(**blanks | parts))

    def run(self, *words: str) -> tuple[int, str, str]:
        try:
            code = main(list(words))
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = self.capsys.readouterr()
        return code, out, err

    def complaint(self, *words: str) -> str:
        """The one line a bad command answers with; nothing may be left behind."""
        before = sorted(self.folder.rglob("*"))
        code, _, err = self.run(*(words or ("publish", "job.toml")))
        assert code == 2, err
        assert err.count("\n") == 1, err
        assert SECRET not in err
        assert sorted(self.folder.rglob("*")) == before
        return err


@pytest.fixture
def desk(tmp_path, capsys, monkeypatch) -> Desk:
    return Desk(tmp_path, capsys, monkeypatch)


@pytest.mark.parametrize(
    ("people", "says"),
    [
        ("", "is empty"),
        ("age,sex,illness\n", "has no rows"),
        ("age,sex,sex\n1,f,x\n", "more than one column named 'sex'"),
        ("age,sex\n1,f\n", "column 'illness' is not in the data"),
        ("age,sex,illness,zip\n1,f,x,9\n", "column 'zip' has no role"),
        (PEOPLE + "1,f\n", "line 62 of people.csv has 2 fields"),
        (PEOPLE.encode() + b"30,f,\xff\xfe\n", "is not UTF-8"),
        (PEOPLE + f"{2**70},f,flu\n", "1 whole number beyond 64 bits"),
        (PEOPLE + f"{SECRET},f,flu\n", "mixes numbers with 1 other value"),
        (PEOPLE + "1e999,f,flu\n", "infinite"),
        ("age,sex,illness\n1,f,flu\n2,m,flu\n", "the data has 2 records"),
        ("age,,illness\n1,f,x\n", "has no name"),
    ],
)
def test_bad_tables(desk, people, says):
    desk.write(people)
    assert says in desk.complaint()


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({"k": 0}, "job.toml line 12: method.k is 0"),
        ({"k": '"ten"'}, "method.k is 'ten'"),
        ({"k": 61}, "the data has 60 records and a group needs 61"),
        ({"method": "cuts = 3"}, "method.cuts is not a parameter here"),
        ({"method": 'cut = "fast"'}, "method.cut is 'fast'"),
        ({"source": 'delimiter = ";"'}, "the header of people.csv has no ';'"),
        ({"schema": 'keep = ["age"]'}, "column 'age' is listed twice"),
        ({"schema": 'undecided = ["zip"]'}, "schema.undecided still lists 'zip'"),
        ({"schema": 'types = {zip = "number"}'}, "column 'zip' has no role"),
        ({"schema": 'types = {sex = "number"}'}, "column 'sex'"),
        ({"schema": 'types = {age = "colour"}'}, "schema.types.age"),
        ({"schema": 'hierarchies = {sex = "none.csv"}'}, "no file none.csv"),
        ({"schema": "hierarchies = {age = {breaks = [[20, 40], [30]]}}"}, "breakpoints"),
        ({"schema": "hierarchies = {age = {}}"}, "states nothing"),
        ({"require": '[[require]]\nmodel = "m"'}, "require.model is 'm'"),
        ({"require": '[[require]]\nmodel = "t-closeness"\nt = 0.2'}, "needs a column"),
        (
            {"require": '[[require]]\nmodel = "distinct-l-diversity"\ncolumn = "illness"\nl = 4'},
            "cannot be met, because the whole table as one group reaches 3",
        ),
        (
            {"require": '[[require]]\nmodel = "distinct-l-diversity"\ncolumn = "sex"\nl = 2'},
            "'sex', which is not a sensitive column",
        ),
        ({"require": "[outputs]\npath = 'x'"}, "outputs is not a parameter here"),
        ({"require": "[output]\npath = 'x'\nledger = 'x/y'"}, "lie inside one another"),
        ({"require": "[output]\npath = 'a/b/c'"}, "the folder for output.path does not exist"),
        ({"require": "this is not toml"}, "is not TOML"),
    ],
)
def test_bad_jobs(desk, parts, says):
    desk.write(**parts)
    assert says in desk.complaint()


def test_an_open_quote_publishes_nothing(desk):
    swallowed = PEOPLE.splitlines()[:5]
    desk.write(PEOPLE + '30,f,"flu\n' + "\n".join(swallowed) + "\n")
    assert "a quote on line 62 of people.csv is not closed" in desk.complaint()


def test_a_population_that_lacks_columns(desk):
    desk.write()
    (desk.folder / "all.csv").write_text("age\n30\n")
    code, _, err = desk.run(
        "inspect", "people.csv", "--quasi", "age,sex", "--population", "all.csv", "--job", "x.toml"
    )
    assert (code, err.count("\n")) == (2, 1)
    assert "the population all.csv has no column 'sex'" in err


def test_a_hierarchy_that_lacks_values(desk):
    desk.write(schema='hierarchies = {sex = "sex.csv"}')
    (desk.folder / "sex.csv").write_text("f,*\n")
    assert "hierarchy of 'sex' lacks 1 of the column's 2 values" in desk.complaint()


def test_an_output_that_exists(desk):
    desk.write()
    assert desk.run("publish", "job.toml")[0] == 0
    assert "output.path 'release' exists" in desk.complaint()
    assert desk.run("publish", "job.toml", "--replace")[0] == 0


def test_a_foreign_folder_is_never_replaced(desk):
    desk.write()
    (desk.folder / "release").mkdir()
    (desk.folder / "release" / "thesis.tex").write_text("years of work")
    assert "not a sfumato folder" in desk.complaint("publish", "job.toml", "--replace")


@pytest.mark.parametrize(
    "words",
    [
        ("publish", "missing.toml"),
        ("audit", "nowhere"),
        ("query", "nowhere", "SELECT COUNT(*) FROM release"),
        ("inspect", "missing.csv"),
        ("sample", "martians"),
        ("sample", "people", "--rows", "0"),
        ("sample", "people", "-o", "people.xlsx"),
        ("sample", "friends", "-o", "f.csv", "--nodes", "f.csv"),
        ("sample", "friends", "-o", "f.csv", "--isolated", "2"),
        ("methods", "magic"),
        ("report", "nowhere"),
        ("measure", "nowhere"),
        ("publish",),
        ("fly",),
        (),
    ],
)
def test_bad_commands(desk, words):
    code, _, err = desk.run(*words)
    assert code == 2
    assert err.count("\n") == 1
    assert list(desk.folder.iterdir()) == []


@pytest.mark.parametrize(
    "people",
    [
        "age,sex,illness\n" + "30,f,flu\n" * 20,
        "age,sex,illness\n" + "".join(f"{i},f,flu\n" for i in range(20)),
        "age,sex,illness\n" + ",,\n" * 20,
        "age;sex;illness\n" + "30;f;flu\n" * 20,
        "\ufeffage,sex,illness\r\n" + '30,f,"a\nb"\r\n' * 20,
        "age,sex,illness\n" + "2020-01-05,f,flu\n" * 20,
    ],
    ids=["all equal", "constant column", "all missing", "semicolons", "BOM and breaks", "dates"],
)
def test_odd_but_fine_tables(desk, people):
    desk.write(people)
    code, _, err = desk.run("publish", "job.toml")
    assert code == 0, err
    assert desk.run("audit", "release", "--ledger", "release-ledger")[0] == 0


def test_a_tampered_release_is_exit_code_one(desk):
    desk.write()
    desk.run("publish", "job.toml")
    claims = desk.folder / "release" / "claims.json"
    claims.write_text(claims.read_text().replace('"k": 5', '"k": 50'))
    code, out, _ = desk.run("audit", "release")
    assert code == 1
    assert "violated" in out
