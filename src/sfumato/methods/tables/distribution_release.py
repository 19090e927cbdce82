"""Buckets and entries as a publication."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.methods.tables.distribution_entries import Entries
from sfumato.methods.tables.distribution_scale import Grown
from sfumato.releases.bucketed import Bucketed, Targets
from sfumato.releases.claims import Claim
from sfumato.releases.release import Ledger, Publication, Release

Codes = NDArray[np.int32]


ADVICE = (
    "more than half of the entries say nothing, because few values are in the exact ratios of the "
    'target: allow a tolerance such as 0.05, set rounding = 12, or use hierarchy = "strata"'
)


def content_of(
    data: People, made: Grown, bucket: Codes, targets: Targets, of: Codes, entries: Entries
) -> Bucketed:
    return Bucketed(
        data.table.select(data.schema.quasi + data.schema.keep),
        bucket,
        made.domain.name,
        made.scale,
        targets,
        of,
        entries.start,
        entries.node,
        entries.count,
    )


def publication_of(
    data: People, content: Bucketed, claims: tuple[Claim, ...], run: Run, fakes: pa.Table | None
) -> Publication:
    kinds = {name: one.kind for name, one in data.table.columns.items()}
    release = Release("table", "bucketed", data.schema.with_kinds(kinds), content, claims)
    notes = {"advice": ADVICE} if _collapsed(content) else {}
    rows = np.arange(data.table.rows, dtype=np.int64)
    ledger = Ledger(rows, run.key.hex(), notes=notes, fakes=fakes)
    return Publication(release, ledger)


def _collapsed(content: Bucketed) -> bool:
    """Whether most entries lie at the root."""
    return len(content.scale) > 1 and int(content.count[content.node == 0].sum()) * 2 > content.rows
