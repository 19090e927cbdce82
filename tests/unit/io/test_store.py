"""Writing: whole or not at all, whatever is there before and whatever goes wrong."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from tests.unit.io.killed import KILLED
from tests.unit.io.publications import everything, publish

from sfumato.core.errors import BadInput, ClaimFails, OutputExists, SfumatoError
from sfumato.data.schema import Schema
from sfumato.data.table import table_from_arrow
from sfumato.io import store, swap
from sfumato.io.opening import open_ledger, open_release
from sfumato.io.store import LONG_AGO, Output, safe_name, write, write_release

ROOT = Path(__file__).parents[3]
PUBLICATION = everything(rows=12)[0]


def save(folder: Path, replace: bool = False, form: str = "parquet") -> str:
    """Write both halves into a folder; returns the id."""
    output = Output(folder / "release", folder / "ledger", replace, form)
    return write(PUBLICATION, output, lambda staged, kept: None)


def names(folder: Path) -> list[str]:
    """What lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_two_halves_of_one_id(tmp_path: Path, form: str) -> None:
    made = save(tmp_path, form=form)
    assert open_release(tmp_path / "release").release_id == made
    assert open_ledger(tmp_path / "ledger").release_id == made
    assert names(tmp_path) == ["ledger", "release"]
    assert stat.S_IMODE((tmp_path / "ledger").stat().st_mode) == 0o700
    assert save(tmp_path, replace=True, form=form) != made
    assert names(tmp_path) == ["ledger", "release"]


def test_public_files_carry_no_date_and_no_notes(tmp_path: Path) -> None:
    save(tmp_path)
    for path in [tmp_path / "release", *(tmp_path / "release").rglob("*")]:
        assert path.stat().st_mtime == LONG_AGO
        if path.suffix == ".parquet":
            assert set(pq.read_metadata(path).metadata or {}) == {b"ARROW:schema"}
            assert pq.read_schema(path).metadata is None


def test_an_existing_output_is_refused_unless_told(tmp_path: Path) -> None:
    save(tmp_path)
    with pytest.raises(OutputExists, match=r"output\.path 'release' exists; use --replace"):
        save(tmp_path)
    (tmp_path / "ledger").rename(tmp_path / "elsewhere")
    (tmp_path / "release").rename(tmp_path / "ledger")
    with pytest.raises(OutputExists, match=r"output\.ledger 'ledger' exists"):
        save(tmp_path)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("thesis.tex", "years of work"),
        ("manifest.json", '{"name": "a browser extension"}'),
        ("manifest.json", "not even JSON"),
        ("manifest.json", "[]"),
        ("ledger.json", '{"format": "sfumato/1"}'),
    ],
)
def test_foreign_folders_are_never_replaced(tmp_path: Path, file: str, content: str) -> None:
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / file).write_text(content)
    with pytest.raises(OutputExists, match="is not a sfumato folder, or the other half's"):
        save(tmp_path, replace=True)
    assert (tmp_path / "release" / file).read_text() == content
    assert names(tmp_path) == ["release"]


def test_a_release_is_no_place_for_a_ledger(tmp_path: Path) -> None:
    save(tmp_path)
    crossed = Output(tmp_path / "ledger", tmp_path / "release", replace=True)
    with pytest.raises(OutputExists, match="the other half's"):
        crossed.check()


def test_files_and_empty_folders(tmp_path: Path) -> None:
    (tmp_path / "release").mkdir()
    (tmp_path / "ledger").touch()
    with pytest.raises(OutputExists, match=r"output\.ledger 'ledger' is not a sfumato folder"):
        save(tmp_path, replace=True)
    (tmp_path / "ledger").unlink()
    save(tmp_path, replace=True)
    assert names(tmp_path) == ["ledger", "release"]


@pytest.mark.parametrize(
    ("release", "ledger", "says"),
    [
        ("a", "a", "inside one another"),
        ("a", "a/b", "inside one another"),
        ("a/b", "a", "inside one another"),
        ("a", "a/../a/c", "inside one another"),
        ("no/a", "b", "the folder for output.path does not exist; create no"),
        ("a", "no/b", "the folder for output.ledger does not exist; create no"),
    ],
)
def test_places_that_can_not_be(tmp_path: Path, release: str, ledger: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        Output(tmp_path / release, tmp_path / ledger).check()


def test_a_link_to_the_release_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    save(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real" / "release")
    output = Output(tmp_path / "link", tmp_path / "real" / "ledger", replace=True)
    made = write(PUBLICATION, output, lambda staged, kept: None)
    assert open_release(tmp_path / "real" / "release").release_id == made
    assert names(tmp_path / "real") == ["ledger", "release"]


def test_a_refused_release_leaves_nothing(tmp_path: Path) -> None:
    def refuse(staged: Path, kept: Path) -> None:
        assert open_release(staged).release_id == open_ledger(kept).release_id
        raise ClaimFails("no")

    with pytest.raises(ClaimFails):
        write(PUBLICATION, Output(tmp_path / "release", tmp_path / "ledger"), refuse)
    assert names(tmp_path) == []


def test_leftovers_of_a_killed_run_are_swept(tmp_path: Path) -> None:
    left = [".sfumato-staged-release-0123abcd", ".sfumato-staged-ledger-0123abcd"]
    kept = [".sfumato-staged-release-2-0123abcd", ".sfumato-staged-other-0123abcd"]
    for name in left + kept:
        (tmp_path / name).mkdir()
    save(tmp_path)
    assert names(tmp_path) == sorted([*kept, "ledger", "release"])


def test_leftovers_are_swept_whatever_the_name(tmp_path: Path) -> None:
    output = Output(tmp_path / "[x]*", tmp_path / "l?")
    (tmp_path / ".sfumato-staged-[x]*-0123abcd").mkdir()
    write(PUBLICATION, output, lambda staged, kept: None)
    assert names(tmp_path) == ["[x]*", "l?"]


def test_what_was_only_moved_aside_comes_back(tmp_path: Path) -> None:
    made = save(tmp_path)
    (tmp_path / "release").rename(tmp_path / ".sfumato-staged-release-0123abcd-old")
    with pytest.raises(OutputExists):
        save(tmp_path)
    assert open_release(tmp_path / "release").release_id == made


DISK = [
    (pq, "write_table"),
    (pacsv, "write_csv"),
    (Path, "write_text"),
    (Path, "mkdir"),
    (Path, "rename"),
    (os, "fsync"),
    (os, "utime"),
    (store, "exchange"),
]


def fail_at(patch: pytest.MonkeyPatch, point: int) -> list[int]:
    """Let the point-th call of anything that writes find the disk full; counts the calls."""
    calls = [0]

    def failing(call: Any) -> Any:
        def counted(*args: Any, **kwargs: Any) -> Any:
            calls[0] += 1
            if calls[0] == point:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return call(*args, **kwargs)

        return counted

    for place, name in DISK:
        patch.setattr(place, name, failing(getattr(place, name)))
    return calls


@pytest.mark.parametrize("mode", ["fresh", "replace", "replace in two steps"])
def test_a_full_disk_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    if mode == "replace in two steps":
        monkeypatch.setattr(swap, "_in_one_step", lambda *_: False)
    old = None if mode == "fresh" else save(tmp_path)
    point, failures = 0, 0
    while True:
        point += 1
        with monkeypatch.context() as patch:
            calls = fail_at(patch, point)
            try:
                new = save(tmp_path, replace=old is not None)
            except SfumatoError as error:
                failures += 1
                assert "could not be written: No space left on device" in str(error)
                assert error.exit_code == 2
                new = None
        if calls[0] < point:
            break
        if new is not None:  # only what does not matter may fail: flushing a folder
            old = new
            assert failures > 15
        assert names(tmp_path) == ([] if old is None else ["ledger", "release"])
        if old is not None:
            assert open_release(tmp_path / "release").release_id == old
            assert open_ledger(tmp_path / "ledger").release_id == old
        if mode == "fresh" and old is not None:
            break
    assert failures > 15


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills children made by fork")
@pytest.mark.parametrize(
    ("mode", "steps", "stride"),
    [("fresh", "one step", 4), ("replace", "one step", 3), ("replace", "two steps", 5)],
)
def test_killed_at_any_point(tmp_path: Path, mode: str, steps: str, stride: int) -> None:
    command = [sys.executable, "-m", "tests.unit.io.killed", str(tmp_path), mode, steps]
    done = subprocess.run(
        [*command, str(stride)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    trials = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(trials) > 20
    assert [each["code"] for each in trials] == [KILLED] * (len(trials) - 1) + [0]
    seen = {judge(each, one_step=steps == "one step") for each in trials}
    assert seen >= {"old", "new"}


def judge(each: dict[str, Any], one_step: bool) -> str:
    """Whether the old or the new state stands; anything else is a failure."""
    old = each.get("old", {"release": None, "ledger": None})
    killed, after = each["killed"], each["next"]
    assert after["release"] == after["ledger"]
    assert after["release"] is not None
    assert after["left"] == 0
    if killed["release"] == old["release"]:
        return "old"
    if not one_step and killed["release"] is None:
        return "moved aside"
    assert killed["release"] == killed["ledger"]  # never broken, never of two runs
    return "new"


def test_a_column_as_part_of_a_file_name() -> None:
    assert safe_name("a/b c.é" + "x" * 99) == "a_b_c_é" + "x" * 53


def test_the_public_half_is_private_until_it_is_in_place(tmp_path: Path) -> None:
    seen: list[int] = []
    output = Output(tmp_path / "release", tmp_path / "ledger")

    def look(staged: Path, kept: Path) -> None:
        seen.append(stat.S_IMODE(staged.stat().st_mode))
        assert {stat.S_IMODE(path.stat().st_mode) for path in kept.iterdir()} == {0o600}

    write(PUBLICATION, output, look)
    assert seen == [0o700]
    (tmp_path / "other").mkdir()
    usual = stat.S_IMODE((tmp_path / "other").stat().st_mode)
    assert stat.S_IMODE((tmp_path / "release").stat().st_mode) == usual
    assert (tmp_path / "release").stat().st_mtime == LONG_AGO


def test_names_are_no_markup_in_the_dictionary(tmp_path: Path) -> None:
    nasty = "a`\n# b ``c\x1b[2J"
    table = table_from_arrow(pa.table({nasty: [1, 1], "<script>": ["x", "y"]}))
    schema = Schema.of(quasi=[nasty], sensitive=["<script>"])
    write_release(publish(table, [0, 0], schema=schema).release, tmp_path / "r")
    text = (tmp_path / "r" / "dictionary.md").read_text(encoding="utf-8")
    assert "\x1b" not in text
    assert "``` a`\ufffd# b ``c\ufffd[2J ``` (quasi" in text
    assert "- `<script>` (sensitive" in text
