"""The known answers of the source documents: worked examples, checked by hand, as data."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class KnownAnswer:
    """One worked example: where it stands, what goes in, what must come out.

    `claimed` is what the document prints, where it differs from or confirms `expected`.
    """

    id: str
    document: str
    where: str
    kind: str
    status: str
    input: Any
    expected: Any
    claimed: Any = None
    note: str = ""
    tolerance: float = 0.0


@cache
def all_answers() -> dict[str, KnownAnswer]:
    """Every known answer by its id."""
    text = Path(__file__).with_name("known-answers.json").read_text(encoding="utf-8")
    return {case["id"]: _answer(case) for case in json.loads(text)["cases"]}


def _answer(case: dict[str, Any]) -> KnownAnswer:
    known = {name: case[name] for name in KnownAnswer.__dataclass_fields__ if name in case}
    return KnownAnswer(**{"input": None, "expected": None} | known)


def known(name: str) -> KnownAnswer:
    """The known answer with this id."""
    return all_answers()[name]


def of_kind(kind: str) -> list[KnownAnswer]:
    """All known answers of one kind, in the order of the file."""
    return [case for case in all_answers().values() if case.kind == kind]


def number(value: Any) -> Fraction | float:
    """A number of the file: "a/b" is an exact fraction."""
    return Fraction(value) if isinstance(value, str | int) else float(value)
