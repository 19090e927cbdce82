"""Where reports go, and what a terminal is shown of a hostile release."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pyarrow as pa
import pytest
from tests.unit.audit.test_tampering import release
from tests.unit.io.publications import publish

from sfumato.audit.audit import audit, failed
from sfumato.cli.main import main
from sfumato.core.errors import BadInput
from sfumato.data.schema import Schema
from sfumato.data.table import table_from_arrow
from sfumato.io.store import write_ledger, write_release
from sfumato.pipeline.report import report_release
from sfumato.report import Page, render


def test_the_owners_report_is_private(tmp_path: Path) -> None:
    made = publish(
        table_from_arrow(pa.table({"q": range(20), "s": ["x", "y"] * 10})),
        [0, 1] * 10,
        schema=Schema.of(quasi=["q"], sensitive=["s"]),
    )
    write_release(made.release, tmp_path / "r")
    write_ledger(made.ledger, tmp_path / "l")
    (tmp_path / "old.html").write_text(render(Page("an old report", "")), encoding="utf-8")
    (tmp_path / "old.html").chmod(0o644)
    for place in (None, tmp_path / "new.html", tmp_path / "old.html"):
        path = report_release(tmp_path / "r", tmp_path / "l", output=place)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    public = report_release(tmp_path / "r", output=tmp_path / "public.html")
    (tmp_path / "usual").touch()
    assert public.stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("owner", [True, False])
@pytest.mark.parametrize("place", ["r/report.html", "r/data/report.html", "link/report.html"])
def test_no_report_lies_in_a_release(tmp_path: Path, place: str, owner: bool) -> None:
    made, _ = release(tmp_path / "r")
    write_ledger(made.ledger, tmp_path / "l")
    (tmp_path / "link").symlink_to(tmp_path / "r")
    with pytest.raises(BadInput, match="would lie in the release"):
        report_release(tmp_path / "r", tmp_path / "l" if owner else None, output=tmp_path / place)
    assert not failed(audit(tmp_path / "r"))


def test_errors_are_one_clean_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "r\x1b[2J\nfake: fine"
    release(folder)
    (folder / "schema.json").write_text("{")
    for words in (["query", str(folder), "SELECT COUNT(*) FROM release"], ["measure", str(folder)]):
        assert main(words) == 2
        said = capsys.readouterr().err
        assert "\x1b" not in said
        assert said.count("\n") == 1
    with pytest.raises(SystemExit):
        main(["audit", "x", "--\x1b[2J"])
    assert "\x1b" not in capsys.readouterr().err


def test_what_is_damaged_is_violated_and_what_is_no_release_an_error(tmp_path: Path) -> None:
    release(tmp_path / "r")
    path = tmp_path / "r" / "manifest.json"
    facts = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(facts | {"files": 1}), encoding="utf-8")
    assert main(["audit", str(tmp_path / "r")]) == 1
    for text in (json.dumps(facts | {"format": "other/1"}), "[" * 100_000, "{"):
        path.write_text(text, encoding="utf-8")
        assert main(["audit", str(tmp_path / "r")]) == 2
