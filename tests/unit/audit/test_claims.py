"""Claims that are no claims, or about something else, are never verified."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.audit.test_tampering import describe, release, sign

from sfumato.audit.audit import audit, failed
from sfumato.core.answers import Status, Verdict
from sfumato.core.errors import BadRelease
from sfumato.io.opening import open_release


def change(folder: Path, name: str, mutate: Any) -> None:
    """Change a JSON file by a function that returns the new content, and sign again."""
    path = folder / name
    path.write_text(json.dumps(mutate(json.loads(path.read_text(encoding="utf-8")))))
    sign(folder)


def add(folder: Path, **claim: Any) -> list[Verdict]:
    """The verdicts on a release with one claim more, which its dictionary tells as well."""

    def more(facts: dict[str, Any]) -> dict[str, Any]:
        facts["claims"].append(facts["claims"][1] | claim)
        return facts

    change(folder, "claims.json", more)
    describe(folder)
    return audit(folder)


def violated(verdicts: list[Verdict]) -> list[tuple[str, str]]:
    """What is violated, and why."""
    return [(v.claim, v.found) for v in verdicts if v.status is Status.VIOLATED]


@pytest.mark.parametrize(
    ("model", "parameters", "sensitive", "why"),
    [
        ("entropy-l-diversity", {"column": "ill", "l": 5}, None, "a column stands among"),
        ("entropy-l-diversity", {"column": "ill", "l": 1}, "ill", "a column stands among"),
        ("entropy-l-diversity", {"l": 5}, None, "needs a column"),
        ("k-anonymity", {"k": 2}, "ill", "not a parameter"),
        ("k-anonymity", {"k": True}, None, "whole number"),
        ("k-anonymity", {"k": "2"}, None, "whole number"),
        ("k-anonymity", {"k": 2.0}, None, "whole number"),
        ("k-anonymity", {"k": None}, None, "whole number"),
        ("recursive-cl-diversity", {"c": "9", "l": 2}, "ill", "number"),
        ("alpha-k-anonymity", {"alpha": 0.9, "k": 2, "values": []}, "ill", "at least 1"),
        ("t-closeness", {"t": 0.9, "distance": "ordered"}, "ill", "needs numbers or dates"),
        ("t-closeness", {"t": 0.9, "distance": "hierarchical"}, "ill", "needs a hierarchy"),
    ],
)
def test_claims_that_say_less_than_they_seem(
    tmp_path: Path, model: str, parameters: dict[str, Any], sensitive: str | None, why: str
) -> None:
    release(tmp_path / "r")
    found = add(tmp_path / "r", model=model, parameters=parameters, sensitive=sensitive)
    assert [claim for claim, _ in violated(found)] == [model]
    assert why in violated(found)[0][1]


def test_no_claims_at_all(tmp_path: Path) -> None:
    release(tmp_path / "r")
    change(tmp_path / "r", "claims.json", lambda _: {"claims": []})
    describe(tmp_path / "r")
    assert violated(audit(tmp_path / "r")) == [("claims", "no claims")]


def test_listed_values_are_counted(tmp_path: Path) -> None:
    release(tmp_path / "r")
    parameters = {"alpha": 0.9, "k": 2, "values": ["flu", "missing"]}
    found = add(tmp_path / "r", model="alpha-k-anonymity", parameters=parameters)
    assert any(v.claim.endswith("k = 2, values = 2 listed on ill") for v in found)
    assert not failed(found)


def test_what_only_the_release_says_is_told_as_such(tmp_path: Path) -> None:
    release(tmp_path / "r")
    found = next(v for v in audit(tmp_path / "r") if v.claim == "choice of groups")
    assert (found.status, found.found) == (Status.ARGUED, "the release says: not steered")


def test_levels_that_join_nothing_bring_nobody_closer(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    release(folder)
    values = [*open_release(folder).content.records["ill"].values.to_pylist()]
    quoted = ['"{}"'.format(value.replace('"', '""')) for value in values]
    for middle, idle in ((["all"] * 3, True), ([], False)):
        lines = [",".join([value, *middle, "*"]) for value in quoted]
        header = ",".join(f"level_{level}" for level in range(len(middle) + 2))
        listed = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["hierarchies"]
        name = f"hierarchies/{len(listed) + ('ill' not in listed)}-ill.csv"
        (folder / name).write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")

        def listing(facts: dict[str, Any], name: str = name) -> dict[str, Any]:
            facts["hierarchies"]["ill"] = name
            facts["files"][name] = {"sha256": ""}
            return facts

        change(folder, "manifest.json", listing)
        found = add(folder, model="t-closeness", parameters={"t": 0.9, "distance": "hierarchical"})
        assert bool(violated(found)) == idle
        assert not idle or "joins nothing" in violated(found)[0][1]
        change(folder, "claims.json", lambda facts: {"claims": facts["claims"][:-1]})


ROLES = ("quasi", "identifier", "drop", "unknown", "whatever", None)
COLUMNS = {
    "ill": [{"role": role} for role in ROLES],
    "age": [
        {"cells": "exact"},
        {"role": "sensitive"},
        {"role": "keep"},
        {"kind": "category"},
        {"name": "score"},
        {"name": "group"},
        {"name": "town_level"},
        {"type": "timestamp[zz]"},
        {"type": "double"},
        {"missing": "no"},
        {"tight": 1},
        {"comment": "alice"},
    ],
    "cost": [{"kind": "date"}, {"cells": "set"}, {"kind": "category", "role": "quasi"}],
}


@pytest.mark.parametrize(("name", "changed"), [(n, c) for n, all_ in COLUMNS.items() for c in all_])
def test_schemas_that_do_not_fit(tmp_path: Path, name: str, changed: dict[str, Any]) -> None:
    release(tmp_path / "r")

    def mutate(facts: dict[str, Any]) -> dict[str, Any]:
        column = next(column for column in facts["columns"] if column["name"] == name)
        column |= changed
        return facts

    change(tmp_path / "r", "schema.json", mutate)
    assert violated(audit(tmp_path / "r"))[0][0] == "files"
    with pytest.raises(BadRelease):
        open_release(tmp_path / "r")


def test_exact_quasi_identifiers_are_not_published_as_such(tmp_path: Path) -> None:
    """Whichever role the schema gives them, and whatever the claims say of quasi-identifiers."""
    release(tmp_path / "r")

    def dropped(facts: dict[str, Any]) -> dict[str, Any]:
        for claim in facts["claims"]:
            claim["quasi"] = [*claim["quasi"], "cost"]
        return facts

    change(tmp_path / "r", "claims.json", dropped)
    assert violated(audit(tmp_path / "r"))[0][0] == "files"


@pytest.mark.parametrize(
    "changed",
    [
        {"quasi": ["age"]},
        {"quasi": []},
        {"adversary": "knows nothing"},
        {"sensitive": "yes"},
        {"sensitive": 5},
        {"steered": "no"},
        {"notes": ["alice"]},
        {"comment": "alice"},
        {"parameters": None},
    ],
)
def test_claims_about_something_else(tmp_path: Path, changed: dict[str, Any]) -> None:
    release(tmp_path / "r")

    def mutate(facts: dict[str, Any]) -> dict[str, Any]:
        facts["claims"][1] |= changed
        return facts

    change(tmp_path / "r", "claims.json", mutate)
    assert violated(audit(tmp_path / "r"))[0][0] == "files"
    with pytest.raises(BadRelease):
        open_release(tmp_path / "r")
