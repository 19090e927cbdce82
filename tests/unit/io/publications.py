"""Publications with every kind of cell, made from random groups, for tests of files and audits."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.data.hierarchy import Hierarchy, from_breaks, from_levels
from sfumato.data.schema import Schema
from sfumato.data.table import Table, table_from_arrow
from sfumato.models.base import Model
from sfumato.models.k_anonymity import KAnonymity
from sfumato.releases.cells import cells_of
from sfumato.releases.claims import Claim
from sfumato.releases.recoded import Recoded
from sfumato.releases.release import Ledger, Publication, Release

TOWNS = [(f"{a}{b}", f"{a}*", "*") for a in "123" for b in "12"]
LEVELS = [("1", "low", "*"), ("2.5", "low", "*"), ("4", "high", "*")]
ILLS = ["flu", "", 'a "cold"', "new\nline", "missing", "a, b; c"]
QUASI = ("age", "score", "day", "seen", "sex", "member", "many", "town", "grade", "pay")
SCHEMA = Schema.of(quasi=QUASI, sensitive=["ill", "cost"], keep=["at", "yes"])


def people(rows: int = 60, seed: int = 1, holes: float = 0.1) -> Table:
    """People with numbers, dates, texts and truths; some of everything is missing."""
    rng = np.random.default_rng(seed)

    def some(values: Any, kind: Any = None) -> pa.Array:
        picked = [values[i] for i in rng.integers(0, len(values), rows)]
        values = pa.array(picked, mask=rng.random(rows) < holes)
        return values if kind is None else values.cast(kind)

    moments = range(10**15, 10**15 + 9)
    days = [dt.date(2020, 1, 1) + dt.timedelta(i) for i in range(40)]
    data = {
        "age": some(range(18, 90)),
        "score": some([0.1, 2.5, -3.0, 1e-7, 1 / 3]),
        "day": some(days),
        "seen": some(moments, pa.timestamp("us")),
        "sex": some(["f", "m", "", "missing"]),
        "member": some([True, False]),
        "many": some([f"value {i}" for i in range(80)]),
        "town": some([row[0] for row in TOWNS]),
        "grade": some([1.0, 2.5, 4.0]),
        "pay": some(range(1000, 5000, 7)),
        "ill": some(ILLS),
        "cost": some([1.25, 2.0, 1e9]),
        "at": some(moments, pa.timestamp("us", "UTC")),
        "yes": some([True, False]),
    }
    return table_from_arrow(pa.table(data))


def trees_of(table: Table) -> dict[str, Hierarchy]:
    """A tree over texts, one over numbers, and one of breaks."""
    return {
        "town": from_levels("town", TOWNS),
        "grade": from_levels("grade", LEVELS),
        "pay": from_breaks(table["pay"], [[0, 2000, 3000, 4000, 6000], [0, 3000, 6000]]),
    }


def groups_of(rows: int, k: int, seed: int = 1) -> NDArray[np.int32]:
    """Random groups of at least k records."""
    rng = np.random.default_rng(seed)
    return (rng.permutation(rows) % max(1, rows // k)).astype(np.int32)


def publish(
    table: Table,
    group: Sequence[int] | NDArray[np.int32],
    *,
    schema: Schema = SCHEMA,
    trees: Mapping[str, Hierarchy] | None = None,
    models: Sequence[Model] = (),
) -> Publication:
    """A sealed publication with given groups; claims the size of the smallest and the models."""
    members, found = np.asarray(group, np.int32), trees or {}
    groups = int(members.max()) + 1
    cells = {n: cells_of(table[n], members, groups, found.get(n)) for n in schema.quasi}
    content = Recoded(cells, members, groups, table.select(schema.sensitive + schema.keep))
    claimed = [KAnonymity(k=int(content.sizes.min())), *models]
    claims = tuple(Claim(m.name, m.parameters, schema.quasi, m.about) for m in claimed)
    of_claims = {m.about: found[m.about] for m in models if m.about in found}
    release = Release("table", "recoded", schema, content, claims, hierarchies=of_claims)
    return Publication(release, Ledger(np.arange(table.rows, dtype=np.int64))).sealed()


def everything(rows: int = 60, seed: int = 1, holes: float = 0.1) -> tuple[Publication, Table]:
    """A publication with all kinds of cells, and the original."""
    table = people(rows, seed, holes)
    group = groups_of(rows, 4, seed)
    return publish(table, group, trees=trees_of(table)), table
