"""The published graph follows the law, whatever part of it one looks at."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy import stats

from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.kernels.edge_flips import flip_rows, upper_rows
from sfumato.methods.graphs.edge_perturbation import keeping_density, two_sided
from sfumato.methods.graphs.flips import perturbed, renumbered
from sfumato.releases.edge_law import EdgeLaw

LEVEL = 1e-6
RUNS = 30_000


def test_every_graph_is_as_likely_as_the_law_says():
    """All 64 graphs on four nodes, from a path of three: chi-square."""
    graph = Graph.of(4, [0, 1], [1, 2])
    rows, a, b = upper_rows(graph.indptr, graph.targets), 0.3, 0.15
    place = {pair: n for n, pair in enumerate((u, v) for u in range(4) for v in range(u + 1, 4))}
    words = Run.seeded(6).words(RUNS * 40, "law").reshape(RUNS, 2, 20)
    seen = np.zeros(64)
    for drops, joins in words:
        made = flip_rows(*rows, 0, 4, (a, b), (drops, joins))
        row = np.repeat(np.arange(4), np.diff(made.ends, prepend=0))
        seen[sum(1 << place[int(u), int(v)] for u, v in zip(row, made.other))] += 1
    held = {place[0, 1], place[1, 2]}
    chance = np.zeros(64)
    for bits in product((0, 1), repeat=6):
        each = [
            ((1 - a) if bit else a) if n in held else (b if bit else 1 - b)
            for n, bit in enumerate(bits)
        ]
        chance[sum(bit << n for n, bit in enumerate(bits))] = np.prod(each)
    assert stats.chisquare(seen, chance * RUNS).pvalue > LEVEL


def test_parts_of_a_large_graph_are_alike():
    """Additions per row and deletions per edge follow binomial laws in every part."""
    rng = np.random.default_rng(8)
    nodes = 4_000
    keys = np.unique(rng.integers(0, nodes * nodes, 30_000))
    u, v = keys // nodes, keys % nodes
    graph = Graph.of(nodes, u[u < v], v[u < v])
    law = EdgeLaw(0.2, 0.002)
    made = perturbed(graph, law, Run.seeded(9, workers=2))
    before = set(zip(*(ends.tolist() for ends in graph.upper)))
    after = set(zip(*(ends.tolist() for ends in made.graph.upper)))
    assert made.deleted == len(before - after)
    assert made.added == len(after - before)
    lost = stats.binomtest(made.deleted, graph.edges, law.delete)
    won = stats.binomtest(made.added, graph.pairs - graph.edges, law.add)
    assert min(lost.pvalue, won.pvalue) > LEVEL
    rows = np.bincount([u for u, _ in after - before], minlength=nodes)
    free = nodes - 1 - np.arange(nodes) - np.bincount([u for u, _ in before], minlength=nodes)
    blocks = np.add.reduceat(rows, np.arange(0, nodes, 100))
    expected = np.add.reduceat(free, np.arange(0, nodes, 100)) * law.add
    normal = (blocks - expected)[expected > 20] / np.sqrt(expected[expected > 20])
    assert stats.chi2.sf(float((normal**2).sum()), len(normal)) > LEVEL


def test_noise_on_the_number_of_edges_tells_little_of_one():
    """Two-sided geometric: every step away from 0 is less likely by exp(-strength), chi-square."""
    words = Run.seeded(11).words(60_000, "noise").reshape(-1, 2)
    drawn = np.array([two_sided(one, 0.5) for one in words])
    q = np.exp(-0.5)
    chance = (1 - q) / (1 + q) * q ** np.abs(np.arange(-8, 9))
    seen = [(drawn == k).sum() for k in range(-8, 9)]
    rest = len(drawn) - sum(seen)
    expected = np.array([*chance, 1 - chance.sum()]) * len(drawn)
    assert stats.chisquare([*seen, rest], expected).pvalue > LEVEL


def test_the_law_that_keeps_density_is_about_right():
    graph = Graph.of(2_000, np.arange(1_999), np.arange(1, 2_000))
    laws = [keeping_density(0.2, graph, off) for off in (-40, 0, 40)]
    expected = [law.expected(graph.edges, graph.pairs) / graph.edges for law in laws]
    assert np.allclose(expected, 1, atol=0.02)
    full = Graph.of(4, [0, 0, 0, 1, 1, 2], [1, 2, 3, 2, 3, 3])
    assert keeping_density(0.2, full) == EdgeLaw(0.2, 0.4)
    assert keeping_density(0.0, full) == EdgeLaw(0.0, 0.0)


def test_neighbouring_pairs_are_flipped_independently():
    """Of an empty graph: how often two pairs in a row get edges."""
    graph = Graph.of(1_500, [], [])
    made = perturbed(graph, EdgeLaw(0.0, 0.3), Run.seeded(3)).graph
    u, v = made.upper
    apart = v[1:].astype(np.int64) - v[:-1]
    together = int(((u[1:] == u[:-1]) & (apart == 1)).sum())
    pairs = graph.pairs - (graph.nodes - 1)
    assert stats.binomtest(together, pairs, 0.09).pvalue > 1e-9  # pairs overlap: a wide level


def test_numbers_say_nothing_of_where_nodes_stood():
    """The first node of the input gets every number equally often: Kolmogorov-Smirnov."""
    graph = Graph.of(200, np.arange(199), np.arange(1, 200))
    got = [int(renumbered(graph, Run.seeded(seed))[1][0]) for seed in range(1_500)]
    assert stats.kstest((np.array(got) + 0.5) / 200, "uniform").pvalue > LEVEL
