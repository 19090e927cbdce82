"""Written releases of sets with their ledgers and originals, for tests of files and audits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from sfumato.data.schema import Schema
from sfumato.data.sets import Holders, Sets
from sfumato.data.table import table_from_arrow
from sfumato.io.store import write_release
from sfumato.kernels.rows import common_items, members_of
from sfumato.models.base import parse_model
from sfumato.releases.claims import Claim
from sfumato.releases.recoded_sets import RecodedSets
from sfumato.releases.release import Ledger, Publication, Release

ROWS, K, ITEMS = 60, 4, 12
SCHEMA = Schema.of(quasi=["items"], sensitive=["ill"], keep=["year"])


def holders(seed: int = 1, rows: int = ROWS) -> Holders:
    """People with some of twelve items, utilities of their own, and two columns."""
    rng = np.random.default_rng(seed)
    has = rng.random((rows, ITEMS)) < np.linspace(0.95, 0.05, ITEMS)
    has[rng.random(rows) < 0.1] = False
    start = np.concatenate([[0], np.cumsum(has.sum(axis=1))]).astype(np.int64)
    names = pa.array([f"item {chr(97 + i)}" for i in range(ITEMS)])
    worth = np.arange(1, ITEMS + 1, dtype=float)
    sets = Sets(start, np.nonzero(has)[1].astype(np.uint16), names, worth)
    ills = rng.choice(["flu", "none", "cold"], rows)
    years = pa.array(rng.integers(1990, 1993, rows), mask=rng.random(rows) < 0.1)
    return Holders(sets, SCHEMA, table_from_arrow(pa.table({"ill": ills, "year": years})))


def publication(data: Holders, seed: int = 1, tight: bool = True) -> Publication:
    """Random groups of K or more, those with much in common together; two claims."""
    lengths = data.sets.lengths + np.random.default_rng(seed).random(data.rows)
    group = np.empty(data.rows, np.int32)
    group[np.argsort(lengths)] = np.minimum(np.arange(data.rows) // K, data.rows // K - 1)
    start, members = members_of(group, int(group.max()) + 1)
    common = common_items(data.sets.held, start, members)
    sets = Sets(common.start, common.items, data.sets.names, data.sets.utility)
    content = RecodedSets(sets, group, tight, data.table)
    diverse = parse_model("distinct-l-diversity", {"column": "ill", "l": 1}, "require")
    claims = (
        Claim("k-anonymity", {"k": K}, ("items",), None),
        Claim(diverse.name, diverse.parameters, ("items",), "ill"),
    )
    release = Release("sets", "recoded", SCHEMA, content, claims)
    return Publication(release, Ledger(np.arange(data.rows, dtype=np.int64))).sealed()


def written(folder: Path, form: str = "parquet") -> tuple[Publication, Holders]:
    """A release in a folder, and what it was made of."""
    data = holders()
    made = publication(data)
    write_release(made.release, folder, form)
    return made, data
