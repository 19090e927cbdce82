"""Before and after: exact columns exactly, cells by their expectation, mass always whole."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sfumato.data.hierarchy import from_levels
from sfumato.data.table import table_from_arrow
from sfumato.releases.cells import cells_of
from sfumato.releases.recoded import Recoded
from sfumato.study.profile import profile, profile_of


def release(data: dict, group: list[int], trees: dict | None = None) -> Recoded:
    table = table_from_arrow(pa.table(data))
    labels = np.array(group, np.int32)
    cells = {
        n: cells_of(c, labels, max(group) + 1, (trees or {}).get(n))
        for n, c in table.columns.items()
    }
    return Recoded(cells, labels, max(group) + 1, table.select(()))


def test_whole_numbers_are_spread_over_their_interval():
    found = profile(release({"age": [1, 4, 2, 2]}, [0, 0, 1, 1]), "age")
    assert found.edges.tolist() == [1, 2, 3, 4, 5]
    assert found.counts.tolist() == [0.5, 2.5, 0.5, 0.5]


def test_sets_are_spread_over_their_values():
    found = profile(release({"sex": ["f", "m", "m", None]}, [0, 0, 1, 1]), "sex")
    assert dict(zip(found.labels, found.counts.tolist(), strict=True)) == {"f": 1, "m": 2}
    assert found.missing == 1


def test_nodes_are_spread_over_their_leaves():
    tree = from_levels("zip", [("10", "1*", "*"), ("11", "1*", "*"), ("20", "2*", "*")])
    content = release({"zip": ["10", "11", "20", "20"]}, [0, 0, 1, 1], {"zip": tree})
    assert profile(content, "zip").counts.tolist() == [1, 1, 2]


@pytest.mark.parametrize("seed", range(10))
def test_no_mass_is_lost(seed):
    rng = np.random.default_rng(seed)
    data = {
        "x": pa.array(rng.normal(size=90), mask=rng.random(90) < 0.1),
        "n": pa.array(rng.integers(0, 400, 90), mask=rng.random(90) < 0.1),
        "c": [f"c{i}" for i in rng.integers(0, 9, 90)],
    }
    content = release(data, rng.integers(0, 9, 90).tolist())
    for name in data:
        found = profile(content, name)
        assert found.counts.sum() + found.missing == pytest.approx(90)


def test_an_exact_column_in_the_bins_of_another():
    table = table_from_arrow(pa.table({"age": [1, 4, 2, None]}))
    like = profile(release({"age": [1, 4, 2, 2]}, [0, 0, 1, 1]), "age")
    found = profile_of(table["age"], like)
    assert found.counts.tolist() == [1, 1, 0, 1]
    assert found.missing == 1
