"""Bottom-up (k,1): every record gathers k - 1 others that cost its set least; they may be shared.

Others are looked for among all records, or among those that share a bucket with it in a few hash
tables. Where buckets hold fewer than the queries, drawn records make up for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, lean
from sfumato.kernels.regroup_random import draw
from sfumato.kernels.rows import Rows
from sfumato.kernels.sets_cluster_pool import ONE, SIZE, Pool, add, begin, finish, take
from sfumato.kernels.sets_hash import Buckets

ALL, HASHED = 0, 1


@compiled
def grow_rows(pool: Pool, buckets: Buckets, span: Any, options: Any, word: np.uint64) -> Rows:
    """The sets of records span[0] to span[1], each contained in k records.

    options: (k <= records, kind of candidates, queries); the pool has room for k candidates.
    O(candidates * (items + k)) a record.
    """
    first, last = span
    k = options[0]
    state = np.empty(1, np.uint64)
    start = np.zeros(last - first + 1, np.int64)
    room = pool.rows.start[last] - pool.rows.start[first]
    items = np.empty(room, pool.rows.items.dtype)
    for row in range(first, last):
        state[0] = word ^ (np.uint64(row + 1) * np.uint64(0xD6E8FEB86659FD93))
        begin(pool, row)
        _gather(pool, buckets, row, options, state)
        for _ in range(k - 1):
            take(pool, row)
        used = start[row - first]
        start[row - first + 1] = used + _write(pool, row, items[used:])
        finish(pool, row)
    return Rows(start, items[: start[-1]].copy())


@lean
def _gather(
    pool: Pool, buckets: Buckets, row: int, options: Any, state: NDArray[np.uint64]
) -> None:
    """Fill the pool with candidates, never the record itself, at least k - 1 of them."""
    k, kind, queries = options
    count = len(pool.seen)
    pool.seen[row] = row
    if kind == ALL:
        for other in range(count):
            add(pool, other, row)
        return
    for table in range(len(buckets.order)):
        key = buckets.key[table, row]
        for at in range(buckets.begin[table, key], buckets.end[table, key]):
            add(pool, buckets.order[table, at], row)
    for _ in range(min(queries, count) - pool.level[SIZE]):
        add(pool, draw(state, count), row)
    other = row
    while pool.level[SIZE] < k - 1:
        other = (other + 1) % count
        add(pool, other, row)


@lean
def _write(pool: Pool, row: int, items: NDArray[Any]) -> Any:
    """Write what the record has in common with all it gathered; returns the number of items."""
    written = 0
    begin_, end = pool.rows.start[row], pool.rows.start[row + 1]
    for place in range(end - begin_):
        if (pool.common[place >> 6] >> np.uint64(place & 63)) & ONE:
            items[written] = pool.rows.items[begin_ + place]
            written += 1
    return np.int64(written)
