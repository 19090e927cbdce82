"""Bottom-up (k,1)-anonymity, as in the source: candidates are all or those hashed alike."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.core.run import Run
from sfumato.kernels.k1_grow import ALL, HASHED, grow_rows
from sfumato.kernels.rows import Rows
from sfumato.kernels.rows_distinct import distinct_rows, joined_rows
from sfumato.kernels.sets_cluster_pool import new_pool
from sfumato.kernels.sets_hash import Buckets, hash_bits, new_buckets

PIECE = 1024  # records that one worker takes at a time
ROOM = 8  # at most this many times the queries are looked at for one record


@dataclass(frozen=True)
class Growth:
    """Where to look for others: all records, or buckets of `tables` hash functions."""

    hashed: bool = True
    constant: float = 50.0
    tables: int = 5


def bottom_up(
    rows: Rows, utility: NDArray[np.float64], k: int, growth: Growth, run: Run
) -> tuple[NDArray[np.int32], Rows]:
    """(which, sets): record r publishes sets[which[r]]; needs k <= records.

    All: O(records^2). Hashed: O(records * constant * ln(records)).
    """
    count = len(rows.start) - 1
    queries = max(k, math.ceil(growth.constant * math.log(max(count, 2))))
    most = max(min(ROOM * queries, count), k) if growth.hashed else count
    buckets = _buckets(rows, growth, run)
    options = (k, HASHED if growth.hashed else ALL, queries)
    word = run.word("bottom up", "draws")

    def piece(first: int) -> Rows:
        pool = new_pool(rows, utility, most)
        return grow_rows(pool, buckets, (first, min(first + PIECE, count)), options, word)

    parts = []
    with ThreadPoolExecutor(run.workers) as workers:
        for part in workers.map(piece, range(0, count, PIECE)):
            parts.append(part)
            run.step(min(len(parts) * PIECE, count), count)
    return distinct_rows(joined_rows(parts, rows))


def _buckets(rows: Rows, growth: Growth, run: Run) -> Buckets:
    if not growth.hashed:
        narrow, wide = np.empty((0, 0), np.int32), np.empty((0, 0), np.uint32)
        return Buckets(wide, narrow, narrow, narrow, narrow)
    count = len(rows.start) - 1
    bits = hash_bits(count, growth.tables, growth.constant)
    state = np.array([run.word("bottom up", "hash")], np.uint64)
    return new_buckets(rows, np.arange(count, dtype=np.int32), growth.tables, bits, state)
