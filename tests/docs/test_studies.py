"""Every study has a page in the docs, and every page the figures it names."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sfumato.core import catalogue

DOCS = Path(__file__).parents[2] / "docs" / "studies"


@pytest.mark.parametrize("name", catalogue.STUDIES)
def test_a_study_has_its_page_with_every_part(name):
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    study = catalogue.study(name)
    assert study.source in text and study.about in text
    for part in study.parts:
        assert f"## {part.title}\n" in text
        assert part.text in text
    assert f"sfumato study {name}" in text
    assert "Left out" not in text and "--quick" not in text


@pytest.mark.parametrize("name", catalogue.STUDIES)
def test_figures_exist_and_none_is_left_over(name):
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    named = {DOCS / place for place in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)}
    assert named == set((DOCS / name).iterdir())
    for figure in named:
        ElementTree.parse(figure)


def test_no_page_is_of_a_study_that_is_no_more():
    assert {path.stem for path in DOCS.glob("*.md")} == set(catalogue.STUDIES)
