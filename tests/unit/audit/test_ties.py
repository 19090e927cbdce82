"""An audit decides exact ties exactly, as the definitions do, also where floats can't tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.unit.io.publications import publish

from sfumato.audit.audit import audit
from sfumato.core.answers import Status, Verdict
from sfumato.data.schema import Schema
from sfumato.data.table import Table, table_from_arrow
from sfumato.io.store import write_release
from sfumato.models.base import parse_model

SCHEMA = Schema.of(quasi=["q"], sensitive=["s"])


def table_of(groups: list[str]) -> tuple[Table, Any]:
    """One record for every letter; every text is a group."""
    letters = list("".join(groups))
    group = np.repeat(np.arange(len(groups)), [len(g) for g in groups]).astype(np.int32)
    return table_from_arrow(pa.table({"q": group, "s": letters})), group


def verdict(folder: Path, groups: list[str], name: str, values: dict[str, Any]) -> Verdict:
    """What an audit says of one claim about these groups."""
    table, group = table_of(groups)
    model = parse_model(name, values | {"column": "s"}, "require")
    write_release(publish(table, group, schema=SCHEMA, models=[model]).release, folder)
    return next(v for v in audit(folder) if v.claim.startswith(name))


@pytest.mark.parametrize(
    ("groups", "name", "values", "holds"),
    [
        (["abc", "abc"], "entropy-l-diversity", {"l": 3}, True),
        (["aaabbbccc", "abc"], "entropy-l-diversity", {"l": 3}, True),
        (["aaabbbcccc", "abc"], "entropy-l-diversity", {"l": 3}, False),
        (["a" * 4000 + "b" * 4001, "ab"], "entropy-l-diversity", {"l": 2}, False),
        (["aab", "abb"], "recursive-cl-diversity", {"c": 2, "l": 2}, False),
        (["aab", "abb"], "recursive-cl-diversity", {"c": 2.0001, "l": 2}, True),
        (["aaabbbbccc"] * 3, "alpha-k-anonymity", {"alpha": 0.4, "k": 10}, True),
        (["aaabbbbccc"] * 3, "alpha-k-anonymity", {"alpha": 0.4, "k": 11}, False),
        (["aaabbbbbcc", "aaaaabbbcc"], "t-closeness", {"t": 0.1}, True),
        (["aaabbbbbcc", "aaaaabbbcc"], "t-closeness", {"t": 0.0999999999999}, False),
        (["aaabbbbbcc", "aaaaabbbcc"], "belief-change", {"most": 0.1}, True),
        (["aaabbbbbcc", "aaaaabbbcc"], "belief-change", {"most": 0.0999999999999}, False),
        (["ab", "abc"], "distinct-l-diversity", {"l": 2}, True),
        (["ab", "abc"], "p-sensitive-k-anonymity", {"p": 2, "k": 3}, False),
    ],
)
def test_ties(
    tmp_path: Path, groups: list[str], name: str, values: dict[str, Any], holds: bool
) -> None:
    found = verdict(tmp_path / "r", groups, name, values)
    assert found.status is (Status.VERIFIED if holds else Status.VIOLATED)


def test_the_worst_group_is_named_without_a_value(tmp_path: Path) -> None:
    found = verdict(tmp_path / "r", ["abc", "bb", "abcd"], "distinct-l-diversity", {"l": 2})
    assert found.status is Status.VIOLATED
    assert found.found == "worst group 1, asked at least 2"
    assert found.worst == "group 1, 2 records"


def test_kept_columns_count_against_k(tmp_path: Path) -> None:
    table = table_from_arrow(pa.table({"q": [1, 1, 2, 2], "kept": ["x", "y", "z", "z"]}))
    schema = Schema.of(quasi=["q"], keep=["kept"])
    write_release(publish(table, [0, 0, 1, 1], schema=schema).release, tmp_path / "r")
    found = next(v for v in audit(tmp_path / "r") if "kept columns" in v.claim)
    assert found.status is Status.ARGUED
    assert found.found == "smallest class 1, 50.0% of records alone"


def test_a_group_below_k_is_noticed_though_all_files_agree(tmp_path: Path) -> None:
    table, group = table_of(["abc", "ab"])
    made = publish(table, group, schema=SCHEMA).release
    write_release(made, tmp_path / "r")
    assert "k = 2" in next(v.claim for v in audit(tmp_path / "r") if "k-anon" in v.claim)
    claim = type(made.claims[0])("k-anonymity", {"k": 3}, ("q",))
    write_release(type(made)("table", "recoded", SCHEMA, made.content, (claim,)), tmp_path / "s")
    found = next(v for v in audit(tmp_path / "s") if v.claim.startswith("k-anonymity"))
    assert (found.status, found.found) == (Status.VIOLATED, "smallest group 2")
