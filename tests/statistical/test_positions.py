"""In releases in buckets, order and position carry nothing about whose value is whose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.table import table_from_arrow
from sfumato.io.store import write_release
from sfumato.methods.tables.distribution import Distribution
from sfumato.releases.release import Publication

SCHEMA = Schema.of(quasi=["town", "age"], sensitive=["pay"])
VARIANTS: list[dict[str, Any]] = [
    {"groups": "town", "target": "uniform", "fakes": 5},
    {"groups": "town", "tolerance": 0.1},
    {"groups": "town", "subgroups": "exact", "rounding": 6},
    {"groups": "town", "hierarchy": "strata", "strata": 3},
    {"subgroups": "similar", "order": "town", "tolerance": 0.1},
    {"subgroups": "exact", "leak": 0.6},
]
STEERED = (4, 5)  # values decide the buckets there, and the claim says so
PUBLICATIONS = 300
DEVIATIONS = 4.0  # two-sided level below 1e-4 for each of two statistics


def people_of(rng: np.random.Generator, rows: int) -> dict[str, list[Any]]:
    """People whose pay has nothing to do with what is known of them."""
    return {
        "town": [f"t{t}" for t in rng.integers(0, 4, rows)],
        "age": rng.integers(20, 26, rows).tolist(),
        "pay": rng.choice([10, 20, 30, 40, 50], rows, p=[0.4, 0.3, 0.1, 0.1, 0.1]).tolist(),
    }


def published(rows: dict[str, list[Any]], lines: Any, seed: int, **extra: Any) -> Publication:
    """The people in some order, published."""
    table = pa.table({name: [column[i] for i in lines] for name, column in rows.items()})
    method = Distribution(**extra)
    data = People(table_from_arrow(table), SCHEMA, {})
    return method.publish(data, [], Run.seeded(seed)).sealed()


def files(made: Publication, folder: Path) -> dict[str, bytes]:
    """The data files."""
    write_release(made.release, folder)
    return {path.name: path.read_bytes() for path in (folder / "data").iterdir()}


@pytest.mark.parametrize("place", range(len(VARIANTS)))
def test_whose_value_is_whose_changes_no_byte(place: int, tmp_path: Path) -> None:
    """Rows in another order, and values dealt out anew inside every bucket: the same files."""
    rng = np.random.default_rng(place)
    rows = people_of(rng, 200)
    made = published(rows, range(200), 1, **VARIANTS[place])
    first = files(made, tmp_path / "first")
    turned = published(rows, rng.permutation(200).tolist(), 1, **VARIANTS[place])
    assert files(turned, tmp_path / "turned") == first
    if place in STEERED:
        return
    dealt = list(rows["pay"])
    bucket = made.release.bucketed.bucket
    for number in range(made.release.content.groups):
        members = made.ledger.rows[bucket == number].tolist()
        for one, other in zip(members, rng.permutation(members).tolist(), strict=True):
            dealt[one] = rows["pay"][other]
    again = published(rows | {"pay": dealt}, range(200), 1, **VARIANTS[place])
    assert files(again, tmp_path / "dealt") == first


@pytest.mark.parametrize("place", sorted(set(range(len(VARIANTS))) - set(STEERED)))
def test_positions_say_nothing_of_values(place: int) -> None:
    """300 publications of a source sorted by pay: the place of a record in its bucket, and of its
    bucket among all, is uncorrelated with its pay beyond what the bucket's mean says."""
    inside, between = [], []
    for seed in range(PUBLICATIONS):
        rng = np.random.default_rng([place, seed])
        rows = people_of(rng, 60)
        order = np.argsort(rows["pay"], kind="stable")
        made = published(rows, order.tolist(), seed, **VARIANTS[place])
        pay = np.array(rows["pay"], float)[order][made.ledger.rows]
        bucket = made.release.bucketed.bucket
        inside.append(_correlation(bucket, _alike(made), pay))
        means = np.bincount(bucket, pay) / np.bincount(bucket)
        if len(means) > 3 and means.std() > 0:
            between.append(np.corrcoef(np.arange(len(means)), means)[0, 1])
    for found in (inside, between):
        if len(found) > 50:
            assert abs(np.mean(found)) <= DEVIATIONS * np.std(found) / np.sqrt(len(found))


def _alike(made: Publication) -> np.ndarray:
    """Records that nobody can tell apart have one number, ascending with their place."""
    content = made.release.bucketed
    columns = [content.bucket, *(c.codes for c in content.records.columns.values())]
    step = np.any([np.diff(np.asarray(c, np.int64)) != 0 for c in columns], axis=0)
    return np.concatenate([[0], np.cumsum(step)])


def _correlation(bucket: np.ndarray, alike: np.ndarray, pay: np.ndarray) -> float:
    """Between place among the bucket's records, of those alike the mean, and pay; in the bucket."""
    sizes = np.bincount(bucket)
    place = (np.bincount(alike, np.arange(len(pay))) / np.bincount(alike))[alike]
    turn = place - (np.bincount(bucket, place) / sizes)[bucket]
    off = pay - (np.bincount(bucket, pay) / sizes)[bucket]
    whole = np.sqrt((off**2).sum() * (turn**2).sum())
    return float((off * turn).sum() / whole) if whole > 0 else 0.0
