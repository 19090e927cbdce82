"""Made-up graphs for benchmarks: degrees by a power law, edges otherwise independent."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.data import KEPT
from bench.measure import growth
from sfumato.data.graph import Graph

POWER = 1.5  # of the tail of weights
HEAVIEST = 2_000.0


@cache
def power_law(nodes: int, edges: int, seed: int = 1) -> Graph:
    """Edges between ends drawn by heavy-tailed weights, each once, without loops."""
    rng = np.random.default_rng(seed)
    weight = np.minimum(rng.pareto(POWER, nodes) + 1, HEAVIEST)
    share = np.cumsum(weight) / weight.sum()
    keys = np.empty(0, np.int64)
    while len(keys) < edges:
        ends = [np.searchsorted(share, rng.random(edges // 5 + edges)) for _ in range(2)]
        low, high = np.minimum(*ends), np.maximum(*ends)
        drawn = (low * nodes + high)[low < high]
        keys = np.unique(np.concatenate([keys, drawn]))
    keys = rng.permutation(keys)[:edges]
    return Graph.of(nodes, keys // nodes, keys % nodes)


def kept_graph(nodes: int, edges: int) -> Path:
    """Such a graph as a Parquet file of edges, made once."""
    path = KEPT / f"graph-{nodes}-{edges}.parquet"
    if not path.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.parquet")
        u, v = power_law(nodes, edges).upper
        order = np.random.default_rng(2).permutation(len(u))
        pq.write_table(pa.table({"source": u[order], "target": v[order]}), part)
        part.rename(path)
    return path


def slope(what: str, sizes: list[float], times: list[float]) -> str:
    """A note on growth."""
    return f"growth with size, {what}: {growth(sizes, times):.2f}"
