"""A first session with sets, in an empty folder, and looking at sources of sets."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from tests.unit.cli.test_bad_input import SECRET, Desk

from sfumato.audit.audit import audit, failed
from sfumato.io.opening import open_ledger


@pytest.fixture
def desk(tmp_path: Path, capsys, monkeypatch) -> Desk:
    return Desk(tmp_path, capsys, monkeypatch)


def fine(desk: Desk, *words: str) -> str:
    code, out, err = desk.run(*words)
    assert code == 0, err
    return out


def test_a_session(desk: Desk) -> None:
    """Sample, look, publish, audit, ask, measure, report: each says what it did."""
    fine(desk, "sample", "segments", "-n", "600", "-o", "s.parquet", "--utility", "u.csv")
    assert "wrote job.toml, then: sfumato publish job.toml" in fine(desk, "inspect", "s.parquet")
    job = Path("job.toml")
    told = tomllib.loads(job.read_text())
    assert told["source"] == {"kind": "sets", "path": "s.parquet", "items": "items"}
    assert told["schema"]["identifier"] == ["person"] and "quasi" not in told["schema"]
    job.write_text(job.read_text().replace("[schema]", 'utility = "u.csv"\n\n[schema]'))
    job.write_text(job.read_text().replace("k = 10", "k = 5\neffort = 0"))
    assert "expected: about" in fine(desk, "publish", "job.toml", "--seed", "1")
    whole = ("release", "--ledger", "release-ledger", "--against", "s.parquet")
    out = fine(desk, "audit", *whole)
    assert "people have what is shown of them" in out and "needs" not in out
    sql = "SELECT COUNT(*) FROM release WHERE has('segment 0001') AND NOT has('segment 0007')"
    assert "truth" in fine(desk, "query", "release", sql, "--against", "s.parquet")
    assert "instances" in fine(desk, "measure", *whole)
    fine(desk, "report", "release", "-o", "public.html")
    fine(desk, "report", *whole, "-o", "own.html")
    assert "Items that most people have" not in Path("public.html").read_text()
    assert "Items that most people have" in Path("own.html").read_text()
    assert "two-phase" in fine(desk, "methods")
    for verb in (("audit", *whole), ("query", "release", sql), ("measure", *whole)):
        json.loads(fine(desk, *verb, "--json"))
    json.loads(fine(desk, "inspect", "s.parquet", "--json"))
    json.loads(fine(desk, "publish", "job.toml", "--seed", "1", "--replace", "--json"))


def test_the_best_of_several_methods(desk: Desk) -> None:
    """Under [choose], methods and their parameters are tried; the most utility is published."""
    fine(desk, "sample", "segments", "-n", "400", "-o", "s.parquet")
    fine(desk, "inspect", "s.parquet")
    job = Path("job.toml")
    text = job.read_text().replace(
        "[output]", '[choose]\nname = ["mondrian", "two-phase"]\n[output]'
    )
    job.write_text(text.replace("k = 10", "k = 8"))
    out = json.loads(fine(desk, "publish", "job.toml", "--json"))
    text = json.dumps(out)
    assert "chosen: the lowest score" in text and "two-phase" in text
    rows = open_ledger(Path("release-ledger")).notes["choice"]["rows"]
    scores = [row[1] if isinstance(row, list) else row["score"] for row in rows]
    chosen = [("chosen" in json.dumps(row)) for row in rows]
    assert scores[chosen.index(True)] == min(scores)


WHO = [f"p{i}" for i in range(80)]
HAS = [[SECRET, f"i{i % 7}"] for i in range(80)]
TOWN = [f"t{i % 3}" for i in range(80)]


def sources(folder: Path) -> None:
    people = pa.table({"who": WHO, "has": HAS, "town": TOWN, "illness": ["flu", "none"] * 40})
    pq.write_table(people, folder / "lists.parquet")
    pairs = {
        "person": [w for w, h in zip(WHO, HAS, strict=True) for _ in h],
        "item": [item for h in HAS for item in h],
        "town": [t for t, h in zip(TOWN, HAS, strict=True) for _ in h],
    }
    pacsv.write_csv(pa.table(pairs), folder / "pairs.csv")
    pacsv.write_csv(pa.table({"person": WHO, "item": TOWN}), folder / "short.csv")
    (folder / "lines.dat").write_text("1 2 3\n4\n" * 40)
    flags = {f"i{n}": [i % 7 == n for i in range(80)] for n in range(7)}
    pq.write_table(pa.table({"who": WHO, **flags}), folder / "flags.parquet")


@pytest.mark.parametrize(
    ("words", "source", "asked"),
    [
        (("lists.parquet",), {"items": "has"}, ["town", "illness"]),
        (("lists.parquet", "--label", "illness"), {"items": "has", "label": "illness"}, ["town"]),
        (("lists.parquet", "--items", "has", "--drop", "town,illness"), {"items": "has"}, []),
        (("pairs.csv",), {"person": "person", "item": "item"}, ["town"]),
        (("pairs.csv", "--person", "person", "--item", "town"), {"item": "town"}, ["item"]),
        (("lines.dat",), {"format": "fimi"}, []),
        (("lines.dat", "--format", "fimi"), {"format": "fimi"}, []),
        (("flags.parquet", "--format", "one-hot", "--drop", "who"), {"format": "one-hot"}, []),
        (("flags.parquet", "--format", "columns", "--drop", "who"), {"format": "columns"}, []),
    ],
)
def test_inspecting_sets(desk: Desk, words: tuple[str, ...], source: dict[str, str], asked: list):
    """The job that is written says how the source was read; once roles are decided, it runs."""
    sources(desk.folder)
    out = fine(desk, "inspect", *words)
    assert SECRET not in out and "singled out by some items" in out
    job = Path("job.toml")
    told = tomllib.loads(job.read_text())
    assert source.items() <= told["source"].items() and told["source"]["kind"] == "sets"
    assert told["schema"].get("undecided", []) == asked
    if asked:
        assert "schema.undecided still lists" in desk.complaint()
    text = job.read_text().replace("undecided =", "#").replace("k = 10", "k = 4\neffort = 0")
    drop = [*told["schema"]["drop"], *asked]
    lines = [
        f"drop = {json.dumps(drop)}" if x.startswith("drop =") else x for x in text.split("\n")
    ]
    job.write_text("\n".join(lines))
    fine(desk, "publish", "job.toml", "--seed", "1")
    assert not failed(audit("release"))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("none.parquet",), "no file"),
        (("lists.parquet", "--items", "what"), "no column 'what'"),
        (("lists.parquet", "--items", "who"), "holds no lists"),
        (("lists.parquet", "--person", "who"), "go together"),
        (("lists.parquet", "--label", "none"), "'none'"),
        (("lists.parquet", "--quasi", "town"), "--quasi is for tables"),
        (("lists.parquet", "--keep", "none"), "'none' is given a role"),
        (("lists.parquet", "--population", "5"), "--population is for tables"),
        (("lists.parquet", "--format", "fimi"), "is not whole numbers"),
        (("lists.parquet", "--format", "xml"), "source.format is 'xml'"),
        (("flags.parquet", "--format", "one-hot"), "neither 0 nor 1"),
        (("lines.dat", "--keep", "who"), "'who' is given a role"),
        (("short.csv", "--label", "item"), "item"),
    ],
)
def test_what_cannot_be_inspected(desk: Desk, words: tuple[str, ...], says: str) -> None:
    sources(desk.folder)
    assert says in desk.complaint("inspect", *words)


@pytest.mark.slow
def test_killed_at_any_time(desk: Desk) -> None:
    """kill -9 leaves no release, or a whole one; the next run puts one in place."""
    fine(desk, "sample", "segments", "-n", "4000", "-o", "s.parquet")
    fine(desk, "inspect", "s.parquet")
    job = Path("job.toml")
    job.write_text(job.read_text().replace("k = 10", "k = 10\neffort = 0"))
    words = [sys.executable, "-m", "sfumato", "publish", "job.toml", "--replace"]
    start = time.perf_counter()
    subprocess.run(words, check=True, capture_output=True)
    whole = time.perf_counter() - start
    for part in range(12):
        run = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(whole * part / 11)
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        ledger = open_ledger(Path("release-ledger"))
        assert not failed(audit("release"))
        assert ledger.rows is not None
    subprocess.run(words, check=True, capture_output=True)
    left = [p.name for p in desk.folder.iterdir() if p.name.startswith(".sfumato")]
    assert not left
