"""Form Bucketed: quasi-identifiers exact; per bucket a multiset of nodes of the sensitive scale.

Which record of a bucket has which entry is not published, and not even implied by any order:
records and entries lie in two tables. Entries beyond the records of a bucket are fakes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.data.scale import Scale
from sfumato.data.table import Table
from sfumato.releases.cells import run_ranks
from sfumato.releases.recoded import record_ranks, sorted_rows


@dataclass(frozen=True, eq=False)
class Targets:
    """Distributions over a scale, as integer weights on its edges.

    Target t gives weight[i] to node[i] among its siblings, for start[t] <= i < start[t + 1]; nodes
    ascend. Nodes that are not listed have no weight. Weights of siblings have no common factor.
    """

    start: NDArray[np.int64]
    node: NDArray[np.int32]
    weight: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.start) - 1

    def dense(self, target: int, nodes: int) -> NDArray[np.int64]:
        """The weight of every node of the scale under one target."""
        weight = np.zeros(nodes, np.int64)
        run = slice(self.start[target], self.start[target + 1])
        weight[self.node[run]] = self.weight[run]
        return weight

    def take(self, order: NDArray[np.int64]) -> Targets:
        """Some targets, in another order."""
        sizes = np.diff(self.start)[order]
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        rows = np.arange(start[-1]) + np.repeat(self.start[order] - start[:-1], sizes)
        return Targets(start, self.node[rows], self.weight[rows])


@dataclass(frozen=True, eq=False)
class Bucketed:
    """Records in buckets, and the entries of every bucket.

    `records` holds the quasi-identifiers and kept columns, exact; `bucket[i]` is the bucket of
    record i. Bucket b has the entries start[b] <= i < start[b + 1]: count[i] times node[i] of the
    scale of column `sensitive`, nodes ascending. `target[b]` is the distribution it follows.
    """

    records: Table
    bucket: NDArray[np.int32]
    sensitive: str
    scale: Scale
    targets: Targets
    target: NDArray[np.int32]
    start: NDArray[np.int64]
    node: NDArray[np.int32]
    count: NDArray[np.int64]

    @property
    def rows(self) -> int:
        """Records published."""
        return len(self.bucket)

    @property
    def groups(self) -> int:
        """Buckets."""
        return len(self.target)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Records per bucket."""
        return np.bincount(self.bucket, minlength=self.groups).astype(np.int64)

    @cached_property
    def entries(self) -> NDArray[np.int64]:
        """Entries per bucket, fakes included."""
        return np.diff(np.concatenate([[0], np.cumsum(self.count)])[self.start]).astype(np.int64)

    @cached_property
    def entry_bucket(self) -> NDArray[np.int32]:
        """The bucket of every line of entries."""
        return np.repeat(np.arange(self.groups, dtype=np.int32), np.diff(self.start))


def seal(content: Bucketed) -> tuple[Bucketed, NDArray[np.int64]]:
    """Sort everything by what is published.

    Buckets are renumbered by their records, then by their entries; targets by the first bucket that
    follows them; records follow by bucket, then by their own values. Also returns, for the owner,
    which record of the input each published record was.
    """
    rows = sorted_rows(content.bucket, content.groups, content.records)
    order = bucket_order(content, rows)
    renumbered = np.empty(content.groups, np.int32)
    renumbered[order] = np.arange(content.groups, dtype=np.int32)
    bucket = renumbered[content.bucket]
    rows = rows[np.argsort(bucket[rows], kind="stable")]
    sealed = replace(
        _with_buckets(content, order), records=content.records.take(rows), bucket=bucket[rows]
    )
    return _with_targets(sealed), rows


def bucket_order(content: Bucketed, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Buckets by records, then entries; `rows` are those of bucket 0, of bucket 1, and so on."""
    ends = np.cumsum(content.sizes)
    record = record_ranks(content.records, content.rows)[rows]
    by_records = run_ranks(ends - content.sizes, ends, record)
    pairs = np.column_stack([content.node, content.count]).ravel()
    by_entries = run_ranks(2 * content.start[:-1], 2 * content.start[1:], pairs)
    return np.lexsort([by_entries, by_records])


def _with_buckets(content: Bucketed, order: NDArray[np.int64]) -> Bucketed:
    """The same with its buckets in another order; records are left as they are."""
    sizes = np.diff(content.start)[order]
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    lines = np.arange(start[-1]) + np.repeat(content.start[order] - start[:-1], sizes)
    return replace(
        content,
        target=content.target[order],
        start=start,
        node=content.node[lines],
        count=content.count[lines],
    )


def _with_targets(content: Bucketed) -> Bucketed:
    """Equal targets once, numbered by the first bucket that follows each."""
    targets = content.targets
    pairs = np.column_stack([targets.node.astype(np.int64), targets.weight]).ravel()
    same = run_ranks(2 * targets.start[:-1], 2 * targets.start[1:], pairs)
    _, first, which = np.unique(same[content.target], return_index=True, return_inverse=True)
    place = np.argsort(np.argsort(first))
    order = content.target[np.sort(first)].astype(np.int64)
    return replace(content, targets=targets.take(order), target=place[which].astype(np.int32))
