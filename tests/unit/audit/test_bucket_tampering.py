"""Releases in buckets that were changed and signed again: each change is found, where it is worst.

No verdict ever says a cell value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.unit.audit.test_tampering import claimed, put, tamper

from sfumato.audit.audit import audit, failed
from sfumato.core.answers import Status, Verdict
from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.table import Table, table_from_arrow
from sfumato.io.opening import open_release
from sfumato.io.store import write_release
from sfumato.methods.tables.distribution import Distribution
from sfumato.releases.release import Ledger, Publication

Tables = dict[str, pa.Table]
SCHEMA = Schema.of(quasi=["town", "age"], sensitive=["pay"])
PAYS = [90001, 90002, 90003, 90004, 90005, 90006, 90007, 90008]


def published(folder: Path, many: int = 120, **extra: Any) -> tuple[Publication, Table]:
    """People in six towns, with up to four fakes a bucket; one bucket a town."""
    rng = np.random.default_rng(4)
    rows = {
        "town": [f"t{i % 6}" for i in range(many)],
        "age": rng.integers(20, 60, many).tolist(),
        "pay": rng.choice(PAYS, many, p=[0.3, 0.2, 0.2, 0.1, 0.05, 0.05, 0.05, 0.05]).tolist(),
    }
    table = table_from_arrow(pa.table(rows))
    asked = {"groups": "town", "target": "uniform", "fakes": 4} | extra
    method = Distribution(**asked)
    made = method.publish(People(table, SCHEMA, {}), [], Run.seeded(1)).sealed()
    write_release(made.release, folder)
    return made, table


def found(verdicts: list[Verdict], claim: str) -> Verdict:
    """The first verdict whose claim starts so."""
    return next(verdict for verdict in verdicts if verdict.claim.startswith(claim))


def column(tables: Tables, part: str, name: str) -> list[Any]:
    """The values of one column."""
    return tables[part][name].to_pylist()


def lines_of(tables: Tables, bucket: int) -> list[int]:
    """The lines of entries of a bucket."""
    return [i for i, b in enumerate(column(tables, "entries", "bucket")) if b == bucket]


def set_bounds(tables: Tables, name: str, row: int, by: float) -> None:
    """Move one bound."""
    value = column(tables, "bounds", name)[row]
    tables["bounds"] = put(tables["bounds"], name, row, value + by)


def move_an_entry(tables: Tables) -> None:
    """In bucket 3 one entry of a value becomes one of another, and one less of the first."""
    count = column(tables, "entries", "count")
    first, *_, last = lines_of(tables, 3)
    tables["entries"] = put(tables["entries"], "count", first, count[first] - 1)
    tables["entries"] = put(tables["entries"], "count", last, count[last] + 1)


def another_weight(tables: Tables) -> None:
    """Targets are stated by one weight otherwise: what every bucket has does not follow it."""
    tables["targets"] = put(tables["targets"], "weight", 0, 2)


def weights_not_in_lowest_terms(tables: Tables) -> None:
    """1 : 1 becomes 2 : 2."""
    for line in (0, 1):
        tables["targets"] = put(tables["targets"], "weight", line, 2)


def lose_an_entry(tables: Tables) -> None:
    line = lines_of(tables, 2)[0]
    count = column(tables, "entries", "count")[line]
    tables["entries"] = put(tables["entries"], "count", line, count - 1)


def move_a_record(tables: Tables) -> None:
    """A record of bucket 0 now belongs to bucket 1."""
    last = column(tables, "records", "bucket").count(0) - 1
    tables["records"] = put(tables["records"], "bucket", last, 1)


def swap_records(tables: Tables) -> None:
    """Two records of a bucket change places: their order would say something."""
    order = list(range(tables["records"].num_rows))
    order[0], order[1] = 1, 0
    tables["records"] = tables["records"].take(pa.array(order))


def swap_entries(tables: Tables) -> None:
    order = list(range(tables["entries"].num_rows))
    order[0], order[1] = 1, 0
    tables["entries"] = tables["entries"].take(pa.array(order))


def set_one(part: str, name: str, row: int, value: Any) -> Callable[[Tables], None]:
    """A change of one value."""

    def mutate(tables: Tables) -> None:
        tables[part] = put(tables[part], name, row, value)

    return mutate


SEEN_BY_ALL: dict[str, Callable[[Tables], None]] = {
    "an entry moved": move_an_entry,
    "another target weight": another_weight,
    "weights not in lowest terms": weights_not_in_lowest_terms,
    "an entry lost": lose_an_entry,
    "a record in another bucket": move_a_record,
    "records swapped": swap_records,
    "entries swapped": swap_entries,
    "a lower bound of a sum": lambda t: set_bounds(t, "sum_lower", 7, 1),
    "an upper bound of a sum": lambda t: set_bounds(t, "sum_upper", 119, -1),
    "a bound of a smallest value": lambda t: set_bounds(t, "min_upper", 50, 1),
    "a bound of a largest value": lambda t: set_bounds(t, "max_lower", 50, 1),
    "bounds lacking": lambda t: t.update(bounds=t["bounds"].slice(1)),
    "a number of selected": set_one("bounds", "selected", 3, 9),
    "a target that is not there": set_one("buckets", "target", 0, 7),
    "a node that is not there": set_one("entries", "node", 0, 99),
    "a count below 1": set_one("entries", "count", 0, 0),
    "a number of records": set_one("buckets", "records", 1, 3),
    "a number of entries": set_one("buckets", "entries", 1, 90),
    "a negative weight": set_one("targets", "weight", 0, -1),
    "a weight of 0": set_one("targets", "weight", 0, 0),
    "another label of a value": set_one("nodes", "label", 14, "cheap"),
    "a record of nobody": set_one("records", "age", 0, None),
    "no entries": lambda t: t.update(entries=t["entries"].slice(0, 0)),
    "no targets": lambda t: t.update(targets=t["targets"].slice(0, 0)),
}


@pytest.mark.parametrize("what", SEEN_BY_ALL)
def test_tampering_that_everybody_sees(tmp_path: Path, what: str) -> None:
    published(tmp_path / "r")
    tamper(tmp_path / "r", SEEN_BY_ALL[what])
    verdicts = audit(tmp_path / "r")
    assert failed(verdicts)
    assert not _says_a_value(verdicts)


def _says_a_value(verdicts: list[Verdict]) -> bool:
    text = " ".join(f"{v.found} {v.worst} {v.note}" for v in verdicts)
    return any(str(pay) in text.replace(",", "") for pay in PAYS)


def test_an_honest_release_is_verified(tmp_path: Path) -> None:
    made, table = published(tmp_path / "r")
    assert not failed(audit(tmp_path / "r"))
    verdicts = audit(tmp_path / "r", made.ledger, table)
    assert not failed(verdicts)
    assert found(verdicts, "entries generalize").status is Status.VERIFIED
    assert found(verdicts, "fakes and members").status is Status.VERIFIED


def written_with(made: Publication, folder: Path, bucket: int, add: dict[int, int]) -> None:
    """Write the release again with more or fewer entries at some nodes of a bucket; all else, the
    bounds too, follows from it."""
    content = made.release.bucketed
    count = content.count.copy()
    for node, more in add.items():
        [line] = np.flatnonzero((content.entry_bucket == bucket) & (content.node == node))
        count[line] += more
    write_release(replace(made.release, content=replace(content, count=count)), folder)


@pytest.mark.parametrize("tolerance", [0.0, 0.05])
def test_one_entry_breaks_p_privacy_and_its_bucket_is_named(
    tmp_path: Path, tolerance: float
) -> None:
    """Where the target is followed exactly; with a tolerance, all that are at values but one."""
    made, _ = published(tmp_path / "r", 960, tolerance=tolerance, fakes=0)
    content = made.release.bucketed
    leaf = content.scale.is_leaf[content.node] & (content.entry_bucket == 3) & (content.count > 1)
    node, count = content.node[leaf].tolist(), content.count[leaf].tolist()
    moved = {at: 1 - many for at, many in zip(node[1:], count[1:], strict=True)}
    if not tolerance:
        moved = {node[1]: -1}
    written_with(made, tmp_path / "more", 3, moved | {node[0]: -sum(moved.values())})
    verdicts = audit(tmp_path / "more")
    assert found(verdicts, "structure").status is Status.VERIFIED
    verdict = found(verdicts, "p-privacy")
    assert verdict.status is Status.VIOLATED
    assert verdict.worst == f"bucket 3, {content.sizes[3]} records"


def test_a_claim_stronger_than_true(tmp_path: Path) -> None:
    published(tmp_path / "r", tolerance=0.2, fakes=0)
    claimed(tmp_path / "r", 0, tolerance="0.01")
    [violated] = [v for v in audit(tmp_path / "r") if v.status is Status.VIOLATED]
    assert violated.claim.startswith("p-privacy")


@pytest.mark.parametrize("tolerance", ["-0.1", "2", "1e-3", "a", 0.5, None, "0.10"])
def test_a_tolerance_that_is_no_decimal(tmp_path: Path, tolerance: Any) -> None:
    published(tmp_path / "r")
    claimed(tmp_path / "r", 0, tolerance=tolerance)
    assert failed(audit(tmp_path / "r"))


def test_a_leak_larger_than_claimed(tmp_path: Path) -> None:
    """Known to the owner alone."""
    made, table = published(tmp_path / "r", leak=0.6, fakes=0)
    assert not failed(audit(tmp_path / "r", made.ledger, table))
    claimed(tmp_path / "r", 1, most="0.05")
    assert not failed(audit(tmp_path / "r"))
    verdict = found(audit(tmp_path / "r", made.ledger, table), "minimality-leak")
    assert verdict.status is Status.VIOLATED
    assert verdict.worst.startswith("bucket ")


def changed(table: Table, name: str, row: int, value: Any) -> Table:
    """An original with one value changed."""
    columns = {n: c.to_arrow().to_pylist() for n, c in table.columns.items()}
    columns[name][row] = value
    return table_from_arrow(pa.table(columns))


def test_values_that_find_no_entry(tmp_path: Path) -> None:
    """The original of a record is another value now: its bucket has no entry left for it."""
    made, table = published(tmp_path / "r", fakes=0)
    bucket = made.release.bucketed.bucket
    rows = made.ledger.rows[np.flatnonzero(bucket == 5)]
    other = table
    for row in rows.tolist():
        other = changed(other, "pay", row, PAYS[-1])
    verdicts = audit(tmp_path / "r", made.ledger, other)
    verdict = found(verdicts, "entries generalize")
    assert verdict.status is Status.VIOLATED
    assert verdict.worst == f"bucket 5, {len(rows)} records"
    assert not _says_a_value(verdicts)


def test_records_that_are_not_the_originals(tmp_path: Path) -> None:
    made, table = published(tmp_path / "r")
    verdicts = audit(tmp_path / "r", made.ledger, changed(table, "age", 11, 99))
    assert found(verdicts, "records equal").status is Status.VIOLATED


def test_links_that_are_not_one_to_one(tmp_path: Path) -> None:
    made, table = published(tmp_path / "r")
    rows = made.ledger.rows
    for wrong in (rows[:-1], rows[::-1].copy(), rows - 1, np.append(rows[1:], rows[1])):
        assert failed(audit(tmp_path / "r", replace(made.ledger, rows=wrong), table))


def with_fakes(ledger: Ledger, **columns: Any) -> Ledger:
    """A ledger with other fakes."""
    assert ledger.fakes is not None
    fakes = {name: ledger.fakes[name].to_pylist() for name in ledger.fakes.column_names}
    return replace(ledger, fakes=pa.table(fakes | columns))


def test_fakes_that_are_not_those_of_the_entries(tmp_path: Path) -> None:
    made, table = published(tmp_path / "r")
    fakes = made.ledger.fakes
    assert fakes is not None
    bucket, count = fakes["bucket"].to_pylist(), fakes["count"].to_pylist()
    more = [count[0] + 1, *count[1:]]
    common = [str(PAYS[0])] * len(count)
    for wrong in (
        with_fakes(made.ledger, count=more),
        with_fakes(made.ledger, bucket=[(b + 1) % 6 for b in bucket]),
        with_fakes(made.ledger, bucket=[99, *bucket[1:]]),
        with_fakes(made.ledger, value=common),
        with_fakes(made.ledger, value=["nothing", *common[1:]]),
        with_fakes(made.ledger, count=[None, *count[1:]]),
        replace(made.ledger, fakes=fakes.drop_columns("count")),
        replace(made.ledger, fakes=None),
    ):
        verdicts = audit(tmp_path / "r", wrong, table)
        assert found(verdicts, "fakes and members").status is Status.VIOLATED
        assert not _says_a_value(verdicts)


def test_an_entry_more_that_nobody_listed(tmp_path: Path) -> None:
    """At the root it breaks no target, so only the ledger can tell."""
    made, table = published(tmp_path / "r", fakes=2)
    content = made.release.bucketed
    bucket = int(content.entry_bucket[content.node == 0][0])
    written_with(made, tmp_path / "more", bucket, {0: 1})
    assert not failed(audit(tmp_path / "more"))
    ledger = replace(made.ledger, release_id=open_release(tmp_path / "more").release_id)
    verdict = found(audit(tmp_path / "more", ledger, table), "fakes and members")
    assert verdict.status is Status.VIOLATED
    assert verdict.worst.startswith(f"bucket {bucket},")
