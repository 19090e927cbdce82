"""Bounds of every bucket and number of records against all worlds, fakes included."""

from __future__ import annotations

import numpy as np
import pytest
from tests.naive import distribution as naive

from sfumato.kernels.entry_bounds import bounds_table

Entry = tuple[float | None, float | None, bool]


def random_entries(rng: np.random.Generator, many: int) -> list[Entry]:
    """Intervals of small numbers; some may be missing, some can only be."""
    found: list[Entry] = []
    for _ in range(many):
        low, high = sorted(rng.integers(-3, 5, 2).tolist())
        kind = rng.random()
        ends = (None, None) if kind < 0.1 else (low, high)
        found.append((*ends, kind < 0.35))
    return found


@pytest.mark.parametrize("seed", range(60))
def test_bounds_are_attained(seed: int) -> None:
    """10 buckets of up to 5 entries, of which up to 2 are fakes: every number of records."""
    rng = np.random.default_rng(seed)
    entries = [random_entries(rng, int(rng.integers(1, 6))) for _ in range(10)]
    sizes = np.array([max(1, len(some) - int(rng.integers(0, 3))) for some in entries])
    lines = [one for some in entries for one in some]
    none = np.nan
    table = bounds_table(
        np.cumsum([0, *(len(some) for some in entries)]),
        np.array([none if low is None else low for low, _, _ in lines], float),
        np.array([none if high is None else high for _, high, _ in lines], float),
        np.array([able for _, _, able in lines]),
        np.ones(len(lines), np.int64),
        sizes,
    )
    row = 0
    for some, size in zip(entries, sizes.tolist(), strict=True):
        for selected in range(1, size + 1):
            for name, ends in naive.bounds(some, selected).items():
                found = [float(getattr(table, f"{name}_{end}")[row]) for end in ("lower", "upper")]
                if ends[0] is None:
                    assert np.isnan(found[0]) or _no_value(some)
                else:
                    assert tuple(found) == ends, (name, some, selected)
            row += 1
    assert row == len(table.sum_lower)


def _no_value(some: list[Entry]) -> bool:
    return all(low is None for low, _, _ in some)
