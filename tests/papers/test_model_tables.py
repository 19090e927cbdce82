"""The worked tables of the k-anonymity document: what they are, and what an audit says of them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from tests.papers.known_answers import known, number

from sfumato.audit.audit import audit
from sfumato.core.answers import Status
from sfumato.data.schema import Schema
from sfumato.data.table import table_from_arrow
from sfumato.io.store import write_release
from sfumato.models.alpha_k import AlphaK
from sfumato.models.base import Whole
from sfumato.releases.cells import cells_of
from sfumato.releases.claims import Claim
from sfumato.releases.recoded import Recoded
from sfumato.releases.release import Ledger, Publication, Release


def classes(rows: list[Any]) -> list[int]:
    """The class of every row: equal rows, equal class."""
    shown = [str(row) for row in rows]
    return [list(dict.fromkeys(shown)).index(row) for row in shown]


def k_anonymous(folder: Path, rows: list[Any], k: int) -> bool:
    """Whether an audit verifies k for a table published with its equal rows as groups."""
    columns = {f"q{i}": [str(row[i]) for row in rows] for i in range(len(rows[0]))}
    table, group = table_from_arrow(pa.table(columns)), np.array(classes(rows), np.int32)
    groups = int(group.max()) + 1
    cells = {name: cells_of(table[name], group, groups) for name in columns}
    schema = Schema.of(quasi=list(columns))
    content = Recoded(cells, group, groups, table.select(()))
    claim = Claim("k-anonymity", {"k": k}, schema.quasi)
    release = Release("table", "recoded", schema, content, (claim,))
    made = Publication(release, Ledger(np.arange(len(rows)))).sealed()
    write_release(made.release, folder)
    verdict = next(v for v in audit(folder) if v.claim.startswith("k-anonymity"))
    return verdict.status is Status.VERIFIED


def test_table_3_as_a_table_of_absent_and_present(tmp_path: Path) -> None:
    case = known("M-t3")
    items = sorted({item for row in case.input["data"] for item in row})
    rows = [[item in row for item in items] for row in case.input["published"]]
    assert k_anonymous(tmp_path / "r", rows, case.input["k"]) is case.expected["k_anonymous"]


def test_table_4(tmp_path: Path) -> None:
    case = known("M-t4")
    rows, k = case.input["rows"], case.input["k"]
    assert k_anonymous(tmp_path / "r", rows, k) is case.expected["k_anonymous"]
    assert not k_anonymous(tmp_path / "more", rows, k + 1)


def test_what_table_4_teaches_of_a_member() -> None:
    """Three equal rows say nothing of two equal diseases: the share is what alpha bounds."""
    case = known("M-t4-post")
    group = case.input["class"]
    texts = tuple(dict.fromkeys(group))
    counts = tuple(group.count(text) for text in texts)
    model = AlphaK(column="s", alpha=1, k=1, values=[case.input["value"]])
    posterior = model.number(counts, Whole("s", texts, counts, False))
    assert posterior == float(number(case.expected))
    assert Fraction(case.claimed) == Fraction(case.expected)


def test_table_5(tmp_path: Path) -> None:
    case = known("M-t5")
    assert k_anonymous(tmp_path / "r", case.input["ranges"], case.input["k"]) is case.expected


def test_table_7(tmp_path: Path) -> None:
    case = known("M-t7")
    rows = case.input["rows"]
    assert k_anonymous(tmp_path / "r", rows, case.input["k"]) is case.expected["k_anonymous"]
    assert sum(row.count("x") for row in rows) == case.expected["suppressed_cells"]


def test_table_8_needs_a_second_cell(tmp_path: Path) -> None:
    """Errata M3: one x does not make row B equal to row D; a table needs two."""
    case = known("M-t8")
    rows, k = case.input["rows"], case.input["k"]
    assert k_anonymous(tmp_path / "r", rows, k) is case.expected["k_anonymous"]
    absent = [[0 if cell == "x" else cell for cell in row] for row in rows]
    assert k_anonymous(tmp_path / "sets", absent, k) is case.expected["set_valued_k_anonymous"]
    twice = [*rows[:3], ["x", *rows[3][1:]]]
    assert k_anonymous(tmp_path / "two", twice, k)
    needed = sum(row.count("x") for row in twice)
    assert needed == case.expected["suppressed_cells_needed_strict"]
