"""The nearest distribution that satisfies a model, against all of a small denominator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sfumato.data.scales import observed
from sfumato.data.table import table_from_arrow
from sfumato.methods.tables.distribution_targets import nearest, whole_table
from sfumato.models.base import parse_model

UNITS = 36
MODELS: list[dict[str, Any]] = [
    {"model": "entropy-l-diversity", "l": 1.6},
    {"model": "entropy-l-diversity", "l": 2.3},
    {"model": "recursive-cl-diversity", "c": 1.5, "l": 2},
    {"model": "t-closeness", "t": 0.2},
]


def shares(values: int, units: int) -> Iterator[tuple[int, ...]]:
    """All ways to deal out units."""
    if values == 1:
        yield (units,)
        return
    for first in range(units + 1):
        for rest in shares(values - 1, units - first):
            yield (first, *rest)


def variation(one: Any, other: Any) -> float:
    """Total variation between counts."""
    return float(np.abs(np.array(one) / sum(one) - np.array(other) / sum(other)).sum() / 2)


def separation(one: Any, other: Any) -> float:
    """How much of the second is lost when values are handed out in the ratio of the first."""
    has = np.array(one) > 0
    ratio = np.array(other)[has] / sum(other) / (np.array(one)[has] / sum(one))
    return float(1 - min(ratio.min(), 1.0))


@pytest.mark.parametrize("stated", MODELS, ids=lambda m: m["model"])
@pytest.mark.parametrize("by", ["variation", "separation"])
@pytest.mark.parametrize("seed", range(6))
def test_nothing_nearer_satisfies_the_model(seed: int, by: str, stated: dict[str, Any]) -> None:
    """Three values; among distributions in 36ths with the group's values, none that satisfies the
    model is nearer by more than their coarseness."""
    rng = np.random.default_rng(seed)
    table = np.array([20, 15, 10])
    own = np.sort(rng.integers(1, 12, 3))[::-1].copy() + np.array([int(rng.integers(0, 25)), 0, 0])
    values = [1] * 20 + [2] * 15 + [3] * 10
    domain = observed(table_from_arrow(pa.table({"pay": values}))["pay"])
    parameters = {k: v for k, v in stated.items() if k != "model"} | {"column": "pay"}
    model, whole = parse_model(stated["model"], parameters, "require"), whole_table(domain, table)
    found = nearest(stated | {"by": by}, domain, table, own)
    assert model.holds(tuple(map(int, found)), whole)
    distance = variation if by == "variation" else separation
    able = [s for s in shares(3, UNITS) if min(s) and model.holds(s, whole)]
    best = min(distance(share, own) for share in able)
    if stated["model"] != "t-closeness":  # there, a mixture with the table is what is promised
        assert distance(found, own) <= best + 1 / UNITS
