"""Count triangles with networkit, in its own environment: arguments are EDGES.npy and NODES."""

from __future__ import annotations

import json
import sys
import time
from importlib import metadata

import networkit as nk
import numpy as np


def main() -> None:
    """Build, count, print as JSON."""
    edges, nodes = np.load(sys.argv[1]).astype(np.uint64), int(sys.argv[2])
    nk.setNumberOfThreads(1)
    graph = nk.GraphFromCoo((edges[0], edges[1]), n=nodes)
    graph.indexEdges()
    wall, cpu = time.perf_counter(), time.process_time()
    score = nk.sparsification.TriangleEdgeScore(graph)
    score.run()
    times = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    total = int(np.sum(score.scores())) // 3
    print(json.dumps(times | {"triangles": total, "version": metadata.version("networkit")}))


main()
