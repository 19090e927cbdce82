"""Publications in buckets, by hand and at random, for tests of files and audits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.data.scale import Scale, grow
from sfumato.data.schema import Kind, Schema
from sfumato.data.table import Table, table_from_arrow
from sfumato.releases.bucketed import Bucketed, Targets
from sfumato.releases.claims import Claim
from sfumato.releases.release import Ledger, Publication, Release

ZIP = [91110, 91110, 91110, 91130, 91210, 91220, 91240, 91310, 91320, 91330, 91340]
GENDER = list("FMMFFFFMMMF")
SALARY = [30, 40, 50, 60, 40, 30, 50, 40, 60, 60, 60]
FIGURE = Schema.of(quasi=["zipcode", "gender"], sensitive=["salary"])


def content_of(
    table: Table,
    schema: Schema,
    bucket: Sequence[int] | NDArray[Any],
    scale: Scale,
    entries: Sequence[dict[int, int]],
    targets: Sequence[dict[int, int]],
    target: Sequence[int],
) -> Bucketed:
    """Buckets whose entries, {node: count}, and targets, {node: weight}, are given."""

    def lines(runs: Sequence[dict[int, int]]) -> tuple[Any, Any, Any]:
        pairs = [pair for run in runs for pair in sorted(run.items()) if pair[1]]
        start = np.cumsum([0, *(sum(1 for n in run.values() if n) for run in runs)])
        node, number = np.array(pairs, np.int64).reshape(-1, 2).T
        return start.astype(np.int64), node.astype(np.int32), number.copy()

    start, node, count = lines(entries)
    return Bucketed(
        table.select(schema.quasi + schema.keep),
        np.asarray(bucket, np.int32),
        schema.sensitive[0],
        scale,
        Targets(*lines(targets)),
        np.asarray(target, np.int32),
        start,
        node,
        count,
    )


def published(
    content: Bucketed, schema: Schema, tolerance: str = "0", claims: Sequence[Claim] = ()
) -> Publication:
    """A sealed publication; record i is row i of the original."""
    sensitive = content.sensitive
    claim = Claim("p-privacy", {"tolerance": tolerance}, schema.quasi, sensitive)
    release = Release("table", "bucketed", schema, content, (claim, *claims))
    return Publication(release, Ledger(np.arange(content.rows, dtype=np.int64))).sealed()


def salaries() -> Scale:
    """Figure 3: nodes 30-60; 30-40, 50-60; 30, 40, 50, 60."""
    return grow(Kind.NUMBER, pa.array([30, 40, 50, 60]), False, [[0, 1], [2, 3]])


def figure_2(claims: Sequence[Claim] = (), tolerance: str = "0") -> tuple[Publication, Table]:
    """Figure 2 of the paper, and its original."""
    data = {"zipcode": ZIP, "gender": GENDER, "salary": SALARY}
    table = table_from_arrow(pa.table(data))
    entries = [{3: 1, 4: 1, 5: 1, 6: 1}, {0: 1, 1: 1, 2: 1}, {0: 2, 1: 1, 2: 1}]
    uniform = dict.fromkeys(range(1, 7), 1)
    bucket = [0] * 4 + [1] * 3 + [2] * 4
    content = content_of(table, FIGURE, bucket, salaries(), entries, [uniform], [0] * 3)
    return published(content, FIGURE, tolerance, claims), table
