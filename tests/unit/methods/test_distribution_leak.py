"""The minimality leak: buckets joined for it, an attack that never gains more, and refusals."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.naive import distribution as naive
from tests.unit.methods.distribution_cases import (
    buckets_of,
    random_case,
    random_values,
    scale_of,
    targets_of,
)

from sfumato.audit.audit import audit, failed
from sfumato.core.errors import CannotBeMet
from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.table import Table, table_from_arrow
from sfumato.io.store import write_release
from sfumato.kernels.joining import Spans, join_until_near
from sfumato.methods.tables.distribution import Distribution
from sfumato.methods.tables.distribution_entries import tree_of, weights_of
from sfumato.releases.release import Publication

SCHEMA = Schema.of(quasi=["age"], sensitive=["pay"])


@pytest.mark.parametrize("seed", range(60))
def test_joined_buckets_are_near_or_all_is_refused(seed: int) -> None:
    """Up to 8 buckets of a group: neighbours are joined until every one is near enough, and it is
    refused exactly where the whole group is not."""
    rng = np.random.default_rng(seed)
    case = random_case(rng, int(rng.integers(2, 6)))
    for _ in range(10):
        values = random_values(rng, len(case.value), 6, int(rng.integers(1, 9)))
        runs, of = buckets_of(values, len(case.value))
        leaves = np.arange(len(case.value))
        most = float(rng.choice([0.0517, 0.2013, 0.4019, 0.7031]))
        targets = weights_of(targets_of(case))
        label = join_until_near(
            runs, of, Spans(leaves, leaves), tree_of(scale_of(case)), targets, most
        )
        far = apart(case, [x for one in values for x in one])
        if far > most:
            assert (label == -1).all()
            continue
        assert label[0] == 0 and set(np.diff(label)) <= {0, 1}
        for number in range(label[-1] + 1):
            own = [x for one, at in zip(values, label, strict=True) if at == number for x in one]
            assert apart(case, own) <= most


def apart(case: naive.Case, own: list[int]) -> Fraction:
    """Total variation between some values and the target."""
    share = [Fraction(own.count(x), len(own)) for x in range(len(case.value))]
    return naive.variation(share, case.target)


def published(folder: Path, link: float, **extra: Any) -> tuple[Publication, Table]:
    """600 people whose pay rises with age as strongly as `link` says."""
    rng = np.random.default_rng(3)
    age = rng.integers(20, 60, 600)
    pay = np.clip(np.rint((age - 20) / 5 * link + rng.integers(0, 8, 600) * (1 - link)), 0, 7)
    table = table_from_arrow(pa.table({"age": age, "pay": 1000 + pay.astype(int)}))
    method = Distribution(target="uniform", **extra)
    made = method.publish(People(table, SCHEMA, {}), [], Run.seeded(1)).sealed()
    write_release(made.release, folder)
    return made, table


def gained(made: Publication, table: Table) -> np.ndarray:
    """What the sharpest reader gains bucket by bucket: who has seen the values themselves, and
    believes of everybody in a bucket what its members have, instead of the target."""
    content = made.release.bucketed
    pay = table["pay"].codes[made.ledger.rows]
    found = np.zeros((content.groups, 8))
    np.add.at(found, (content.bucket, pay), 1 / content.sizes[content.bucket])
    return np.asarray(np.abs(found - 1 / 8).sum(axis=1) / 2)


def told(made: Publication, table: Table, folder: Path) -> dict[str, float]:
    """The number in the worst bucket, of every verdict about the leak."""
    verdicts = audit(folder, made.ledger, table)
    assert not failed(verdicts)
    return {
        v.claim.rsplit(", ")[-1]: float(v.found.split(", ")[1].split()[0])
        for v in verdicts
        if v.claim.startswith("minimality leak,")
    }


@pytest.mark.parametrize(
    "extra",
    [
        {},
        {"subgroups": "exact"},
        {"subgroups": "exact", "fakes": "10%"},
        {"subgroups": "exact", "tolerance": 0.2},
        {"subgroups": "exact", "tolerance": 0.2, "distance": "ordered"},
        {"groups": "age >= 40"},
    ],
)
@pytest.mark.parametrize("link", [0.0, 0.5, 1.0])
def test_an_attack_never_gains_more(tmp_path: Path, link: float, extra: dict[str, Any]) -> None:
    made, table = published(tmp_path / "r", link, **extra)
    numbers, attack = told(made, table, tmp_path / "r"), gained(made, table)
    assert numbers["as it is"] == pytest.approx(attack.max(), abs=6e-4)
    assert attack.max() <= numbers["at most"] + 6e-4


@pytest.mark.parametrize("most", [0.1, 0.2, 0.4])
def test_a_limit_is_kept_by_joining(tmp_path: Path, most: float) -> None:
    without, table = published(tmp_path / "without", 0.3, subgroups="exact")
    limited, _ = published(tmp_path / "with", 0.3, subgroups="exact", leak=0.7 * most + 0.3)
    assert gained(without, table).max() > 0.7 * most + 0.3
    assert gained(limited, table).max() <= 0.7 * most + 0.3
    assert 1 <= limited.release.content.groups < without.release.content.groups
    assert not failed(audit(tmp_path / "with", limited.ledger, table))
    assert all(claim.steered for claim in limited.release.claims)


@pytest.mark.parametrize("extra", [{"subgroups": "exact"}, {}, {"subgroups": "similar"}])
def test_a_limit_that_the_whole_group_breaks_is_refused(
    tmp_path: Path, extra: dict[str, Any]
) -> None:
    with pytest.raises(CannotBeMet, match=r"method\.leak cannot be met, because a whole group"):
        published(tmp_path / "r", 0.3, leak=0.01, **extra)
