"""The docs do what they say: their code runs, their commands print what is shown."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from sfumato.audit.audit import failed
from sfumato.cli.main import main
from sfumato.core import catalogue
from sfumato.pipeline.job import read_job
from sfumato.pipeline.publish import run_job

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
CHANGES = re.compile(r"[\d.,]+ s\b|expected")


def blocks(page: Path, language: str) -> list[str]:
    """Code blocks of one language."""
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [text for kind, text in found if kind == language]


@pytest.fixture(scope="module")
def tour(tmp_path_factory):
    """A folder in which the tour's job was run."""
    folder = tmp_path_factory.mktemp("tour")
    (folder / "job.toml").write_text((ROOT / "examples/people/job.toml").read_text())
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["sample", "people", "-o", "people.csv", "--hierarchies", "trees"]) == 0
        assert main(["publish", "job.toml", "--seed", "1"]) == 0
        utilities = ["--utility", "utilities.csv"]
        assert main(["sample", "segments", "-o", "segments.parquet", *utilities]) == 0
        assert main(["sample", "friends", "-o", "friends.csv"]) == 0
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_python_in_the_docs_runs(page, tour, monkeypatch):
    monkeypatch.chdir(tour)
    for place, code in enumerate(blocks(page, "python")):
        exec(compile(code, f"{page.name}, block {place}", "exec"), {})


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_commands_in_the_docs_print_what_is_shown(page, tmp_path, monkeypatch, capsys):
    (tmp_path / "job.toml").write_text((ROOT / "examples/people/job.toml").read_text())
    monkeypatch.chdir(tmp_path)
    for text in blocks(page, "console"):
        for part in text.split("$ ")[1:]:
            command, _, shown = part.partition("\n")
            words = shlex.split(command, comments=True)
            assert words[0] == "sfumato", command
            assert main(words[1:]) == 0, command
            check_output(shown, capsys.readouterr().out, command)


def check_output(shown: str, printed: str, command: str) -> None:
    """Every line shown was printed, in order; lines with a time may differ, "..." skips lines."""
    lines = iter([" ".join(line.split()) for line in printed.splitlines()])
    for line in shown.splitlines():
        wanted = " ".join(line.split())
        if wanted and wanted != "..." and not CHANGES.search(wanted):
            assert any(line == wanted for line in lines), f"{command}: did not print {wanted!r}"


@pytest.mark.parametrize("text", blocks(ROOT / "docs" / "jobs.md", "toml"))
def test_the_job_in_the_docs_publishes(text, tour, monkeypatch):
    monkeypatch.chdir(tour)
    (tour / "docs.toml").write_text(text.replace('"release', '"docs-release'), encoding="utf-8")
    outcome = run_job(read_job(tour / "docs.toml"), replace_output=True)
    assert not failed(outcome.verdicts)
    assert outcome.publication.release.content.rows == 10_000


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#]+?)(?:#[\w-]+)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists(), link


def test_docs_name_everything_in_the_catalogue():
    models = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    metrics = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in models for name in catalogue.MODELS)
    assert all(f"`{name}`" in metrics for _, name in catalogue.METRICS)
    for kind, name in catalogue.ATTACKS:
        plural = kind if kind.endswith("s") else f"{kind}s"
        assert f"## {name}\n" in (ROOT / f"docs/attacks/{plural}.md").read_text(encoding="utf-8")


def test_every_public_name_is_loadable_and_told():
    import sfumato

    assert len(sfumato.__all__) <= 25
    for name in sfumato.__all__:
        assert getattr(sfumato, name) is not None


def test_files_name_no_machine():
    words = re.compile(r"/work/|/root/|/home/|localhost|pypi-more")
    for path in ROOT.rglob("*"):
        hidden = any(part.startswith(".") or part in ("demo", "gallery") for part in path.parts[3:])
        if path.suffix in (".md", ".py", ".toml") and not hidden and path != Path(__file__):
            assert not words.search(path.read_text(encoding="utf-8")), path
