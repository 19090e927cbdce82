"""Clumsy users of sets: one clear line, exit code 2, nothing half-written, no item's name."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.unit.cli.test_bad_input import SECRET, Desk

JOB = """
[source]
kind = "sets"
path = "{path}"
{way}
[schema]
{schema}
[method]
name = "mondrian"
k = {k}
{method}
{require}
"""
WHO = [f"p{i}" for i in range(60)]
HAS = [[SECRET, f"i{i % 3}", f"i{i % 5}"] for i in range(60)]
ILL = ["flu", "none", "cold"] * 20
LISTS, PAIRS, LINES = "lists.parquet", "pairs.csv", "lines.dat"


class SetDesk(Desk):
    """A folder with sets in three files and a job."""

    def write(self, path: str = LISTS, way: str = 'items = "has"', **parts: object) -> None:
        table = pa.table({"who": WHO, "has": HAS, "ill": ILL})
        pq.write_table(table, self.folder / LISTS)
        pairs = [f"{w},{i},{x}" for w, h, x in zip(WHO, HAS, ILL, strict=True) for i in h]
        (self.folder / PAIRS).write_text("\n".join(["who,has,ill", *pairs]))
        (self.folder / LINES).write_text("1 2 3\n" * 30 + "2 3\n" * 30)
        blanks = {"schema": 'drop = ["who", "ill"]', "method": "", "require": "", "k": 5}
        facts = blanks | {"path": path, "way": way} | parts
        (self.folder / "job.toml").write_text(JOB.format(**facts))


@pytest.fixture
def desk(tmp_path: Path, capsys, monkeypatch) -> SetDesk:
    return SetDesk(tmp_path, capsys, monkeypatch)


PAIR = 'person = "who"\nitem = "has"'
FIMI = 'format = "fimi"'
LABEL = {"way": 'items = "has"\nlabel = "ill"', "schema": 'drop = ["who"]'}


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({"k": 61}, "the data has 60 records and a group needs 61"),
        ({"k": 0}, "job.toml line 10: method.k is 0"),
        ({"way": ""}, "job.toml line 2: source says in no way"),
        ({"way": 'items = "has"\nformat = "fimi"'}, "in several"),
        ({"way": 'items = "have"'}, "lists.parquet has no column 'have'"),
        ({"way": 'items = "who"', "schema": 'drop = ["has", "ill"]'}, "'who' holds no lists"),
        ({"way": 'item = "has"'}, "job.toml line 2: source.person and source.item go together"),
        ({"way": 'format = "xml"'}, "job.toml line 5: source.format"),
        ({"way": 'itmes = "has"'}, "job.toml line 5: source.itmes is not a parameter here"),
        ({"way": 'items = "has"\nutility = "none.csv"'}, "no file"),
        ({"way": 'items = "has"\nutility = "pairs.csv"'}, "pairs.csv has 3 columns"),
        ({"way": 'items = "has"\nhierarchy = "none.csv"'}, "no file"),
        ({"way": 'items = "has"\nlabel = "pill"'}, "column 'pill' is not in the data"),
        ({"way": FIMI}, "line 1 of lists.parquet is not whole numbers"),
        ({"way": PAIR, "schema": 'drop = ["ill"]'}, "no plain values"),
        ({"schema": 'drop = ["who"]'}, "column 'ill' has no role"),
        ({"schema": 'quasi = ["who", "ill"]'}, "job.toml line 7: schema.quasi is for tables"),
        ({"schema": 'drop = ["who", "ill"]\nundecided = ["x"]'}, "still lists 'x'"),
        ({"path": "none.parquet"}, "no file"),
        ({"path": "."}, "is a folder"),
        ({"path": PAIRS}, "column 'has' holds no lists"),
        ({"path": PAIRS, "way": FIMI}, "line 1 of pairs.csv is not whole numbers"),
        ({"path": PAIRS, "way": PAIR + '\ndelimiter = ";"'}, "has no ';'"),
        ({"path": LINES, "way": 'items = "has"'}, "has no column 'has'"),
        ({"way": 'format = "one-hot"'}, "neither 0 nor 1"),
        ({"way": 'format = "columns"', "schema": 'drop = ["who"]'}, "no plain values"),
        ({"way": 'items = "has"\nbuckets = {age = 3}'}, "line 6: source.buckets without"),
        ({"way": FIMI + '\nlabel = "ill"'}, "job.toml line 6: source.label with format = fimi"),
        ({"way": 'items = "has"\nlabel = "has"'}, "job.toml line 6: source.label is a column"),
        ({"method": 'name = "regroup"'}, "is not TOML"),
        ({"require": '[choose]\nname = ["regroup"]'}, "regroup"),
        ({"require": "[choose]\nname = []"}, "choose.name is empty"),
        ({"require": '[[require]]\nmodel = "t-closeness"\ncolumn = "ill"\nt = 0.2'}, "ill"),
        (
            LABEL | {"require": '[[require]]\nmodel = "distinct-l-diversity"\ncolumn = "ill"\nl=4'},
            "cannot be met, because the whole table as one group reaches 3",
        ),
        (LABEL | {"schema": 'drop=["who"]\n[schema.hierarchies]\nhas = "x.csv"'}, "not sensitive"),
        (LABEL | {"schema": 'drop=["who"]\n[schema.hierarchies]\nill = "x.csv"'}, "no file"),
    ],
)
def test_bad_jobs(desk: SetDesk, parts: dict[str, object], says: str) -> None:
    desk.write(**parts)
    assert says in desk.complaint()


@pytest.mark.parametrize("way", ['items = "has"', FIMI, PAIR, 'format = "one-hot"'])
@pytest.mark.parametrize(
    "content", [b"", b"\n", b"PAR1", b"\xff\xfe\x00", b"who,has\n", b"\x1f\x8b\x08", b"a" * 99]
)
@pytest.mark.parametrize("name", ["odd.csv", "odd.parquet", "odd.dat", "odd.gz"])
def test_files_that_are_no_such_thing(desk: SetDesk, way: str, content: bytes, name: str) -> None:
    desk.write(name, way)
    (desk.folder / name).write_bytes(content)
    desk.complaint()


def test_half_a_packed_file(desk: SetDesk) -> None:
    desk.write("half.dat.gz", FIMI)
    (desk.folder / "half.dat.gz").write_bytes(gzip.compress(b"1 2\n" * 999)[:-10])
    assert "is not a whole gzip file" in desk.complaint()


@pytest.mark.parametrize("words", [("--profile", "none"), ("-n", "0"), ("--utility", "u.txt")])
def test_bad_samples(desk: SetDesk, words: tuple[str, ...]) -> None:
    desk.complaint("sample", "segments", "-o", "s.parquet", *words)


def test_bad_questions(desk: SetDesk) -> None:
    desk.write(**LABEL)
    assert desk.run("publish", "job.toml", "--seed", "1")[0] == 0
    many = " AND ".join(f"has('i{i}')" for i in range(11))
    for where, says in (
        (many, "a condition on 11 items"),
        ("has(1)", "has() takes one item"),
        ("has()", "has() takes one item"),
        ("has('a', 'b')", "has() takes one item"),
        ("has(ill)", "ill"),
        ("has('a') = 1", ""),
        ("items = 'a'", "items"),
        ("SUM", ""),
        ("had('a')", "the function had is not supported"),
    ):
        assert says in desk.complaint(
            "query", "release", f"SELECT COUNT(*) FROM release WHERE {where}"
        )
    assert "SUM" in desk.complaint("query", "release", "SELECT SUM(ill) FROM release")
    assert "items" in desk.complaint("query", "release", "SELECT COUNT(items) FROM release")
    assert "items" in desk.complaint(
        "query", "release", "SELECT COUNT(*) FROM release GROUP BY items"
    )
    other = "--against", LINES
    for verb in ("audit", "measure", "report"):
        desk.complaint(verb, "release", "--ledger", "release-ledger", *other)
