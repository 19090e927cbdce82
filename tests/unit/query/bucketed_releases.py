"""Tiny bucketed releases for tests, by hand and at random."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from sfumato.data.scale import Scale, grow, grow_leaves
from sfumato.data.schema import Kind, Schema
from sfumato.data.table import table_from_arrow
from sfumato.releases.bucketed import Bucketed, Targets
from sfumato.releases.release import Release

Buckets = list[dict[int, int]]


def release_of(
    columns: dict[str, Any],
    bucket: list[int],
    scale: Scale,
    buckets: Buckets,
    weights: dict[int, int] | None = None,
) -> Release:
    """A release of exact columns and column pay; buckets map nodes to numbers of entries."""
    records = table_from_arrow(pa.table(columns))
    weights = weights if weights is not None else dict.fromkeys(range(1, len(scale)), 1)
    node = np.array(sorted(weights), np.int32)
    weight = np.array([weights[at] for at in sorted(weights)], np.int64)
    targets = Targets(np.array([0, len(node)], np.int64), node, weight)
    lines = [pair for found in buckets for pair in sorted(found.items())]
    start = np.cumsum([0, *(len(found) for found in buckets)]).astype(np.int64)
    content = Bucketed(
        records,
        np.array(bucket, np.int32),
        "pay",
        scale,
        targets,
        np.zeros(len(buckets), np.int32),
        start,
        np.array([at for at, _ in lines], np.int32),
        np.array([number for _, number in lines], np.int64),
    )
    schema = Schema.of(quasi=records.names, sensitive=["pay"])
    return Release("table", "Bucketed", schema, content, ())


def halves(low: int, high: int) -> Any:
    """A binary tree over places."""
    if low == high:
        return low
    middle = (low + high) // 2
    return [halves(low, middle), halves(middle + 1, high)]


NUMBERS = pa.array([-2, 1, 3, 4])


def scale_of(tree: Any, missing: bool, gaps: bool) -> Scale:
    """A scale of the numbers above over places 0..3, or over the intervals between them."""
    if gaps:
        shift = int(missing)
        leaves = [(0, 0)] * shift + [(at + shift, at + 1 + shift) for at in range(3)]
        top = [0, *_moved(tree, shift)] if missing else tree
        return grow_leaves(Kind.NUMBER, NUMBERS, missing, top, leaves)
    return grow(Kind.NUMBER, NUMBERS, missing, [0, *_moved(tree, 1)] if missing else tree)


def _moved(tree: Any, by: int) -> Any:
    if isinstance(tree, list):
        return [_moved(part, by) for part in tree]
    return tree + by


FOUR = st.sampled_from([[0, 1, 2, 3], [[0, 1], [2, 3]], [[0, 1], 2, 3], [0, [1, [2, 3]]]])
THREE = st.sampled_from([[0, 1, 2], [[0, 1], 2], [0, [1, 2]]])


@st.composite
def tiny(draw: st.DrawFn, most: int = 3) -> Release:
    """Up to two buckets of a few records, each with at most two fakes."""
    missing, gaps = draw(st.booleans()), draw(st.booleans())
    scale = scale_of(draw(THREE if gaps else FOUR), missing, gaps)
    sizes = draw(st.sampled_from([[1], [2], [most], [1, 1], [2, 1], [2, 2]]))
    node = st.integers(0, len(scale) - 1)
    buckets = []
    for size in sizes:
        fakes = draw(st.integers(0, 2 if size < 3 else 1))
        nodes = draw(st.lists(node, min_size=size + fakes, max_size=size + fakes))
        buckets.append({at: nodes.count(at) for at in nodes})
    rows = sum(sizes)
    ages = st.lists(st.sampled_from([None, 1, 2, 3]), min_size=rows, max_size=rows)
    sexes = st.lists(st.sampled_from(["f", "m"]), min_size=rows, max_size=rows)
    columns = {
        "age": pa.array(draw(ages), pa.int64()),
        "sex": pa.array(draw(sexes), pa.string()),
    }
    weights = {at: draw(st.integers(0, 3)) for at in range(1, len(scale))}
    bucket = [at for at, size in enumerate(sizes) for _ in range(size)]
    return release_of(columns, bucket, scale, buckets, {a: w for a, w in weights.items() if w})
