"""Every table that a bucketed release may stand for: entries handed out in every possible way."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

from sfumato.data.scale import Scale
from sfumato.releases.bucketed import Bucketed

Row = dict[str, Any]


def values_of(scale: Scale, node: int) -> list[Any]:
    """What an entry at a node may stand for; with gaps, every whole number between the ends."""
    missing = int(scale.has_missing)
    places = range(scale.low[node], scale.high[node] + 1)
    found = [scale.values[at - missing].as_py() for at in places if at >= missing]
    if scale.gaps and found:
        found = list(range(min(found), max(found) + 1))
    return found + [None] * (missing and 0 in places)


def bucket_worlds(content: Bucketed, bucket: int, size: int) -> set[tuple[Any, ...]]:
    """Every way the records of one bucket may have their sensitive values."""
    lines = range(content.start[bucket], content.start[bucket + 1])
    entries = [content.node[i] for i in lines for _ in range(content.count[i])]
    domains = [values_of(content.scale, node) for node in entries]
    return {
        world
        for chosen in set(permutations(range(len(entries)), size))
        for world in product(*(domains[at] for at in chosen))
    }


def worlds(content: Bucketed) -> Iterator[list[Row]]:
    """Every table."""
    known = {n: c.to_arrow().to_pylist() for n, c in content.records.columns.items()}
    members = [[i for i, b in enumerate(content.bucket) if b == at] for at in range(content.groups)]
    order = [i for rows in members for i in rows]
    each = [sorted_worlds(content, at, len(rows)) for at, rows in enumerate(members)]
    for choice in product(*each):
        drawn = [value for world in choice for value in world]
        yield [
            {name: values[i] for name, values in known.items()} | {content.sensitive: value}
            for i, value in zip(order, drawn, strict=True)
        ]


def sorted_worlds(content: Bucketed, bucket: int, size: int) -> list[tuple[Any, ...]]:
    """The worlds of a bucket in a fixed order."""
    return sorted(bucket_worlds(content, bucket, size), key=repr)
