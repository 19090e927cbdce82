"""The searches of attacks on graphs against the obvious ones, on small random graphs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.naive.graph_attack import extended, posterior, random_graph, score, walks

from sfumato.attacks.evidence import as_words
from sfumato.kernels.placing import extend, refine
from sfumato.kernels.placing_all import weigh_all
from sfumato.kernels.walk_search import find_path

SEEDS = st.integers(0, 2**32 - 1)
CHANCE = np.log(np.array([[0.9, 0.1], [0.2, 0.8]])) - np.log([0.6, 0.4])


def pattern(rng, size):
    """A path and coins."""
    half = np.triu(rng.random((size, size)) < 0.5, 1)
    half[np.arange(size - 1), np.arange(1, size)] = True
    return half | half.T


@given(SEEDS, st.integers(2, 14), st.integers(2, 5), st.integers(0, 2), st.integers(0, 3))
def test_the_path_is_the_first_that_recursion_finds(seed, nodes, size, errors, width):
    rng = np.random.default_rng(seed)
    graph, inside = random_graph(rng, nodes, 0.4), pattern(rng, size)
    middle = rng.integers(0, 8, size)
    lowest, highest = middle - width, middle + width
    every = walks(graph, lowest, highest, inside, errors)
    words = as_words(inside)
    path, looked = find_path(graph.indptr, graph.targets, lowest, highest, words, errors, 10**9)
    assert path.tolist() == (every[0] if every else [])
    assert looked >= len(path)


@given(SEEDS, st.integers(1, 60))
def test_a_cut_search_looks_no_further_than_its_cap(seed, cap):
    rng = np.random.default_rng(seed)
    graph, inside = random_graph(rng, 20, 0.5), pattern(rng, 6)
    none, all_of = np.zeros(6, np.int64), np.full(6, 99)
    path, looked = find_path(graph.indptr, graph.targets, none, all_of, as_words(inside), 0, cap)
    assert looked <= cap + 20  # starts that fail at once are not cut
    assert len(path) in (0, 6)


def test_a_path_of_64_nodes_fills_a_word():
    from sfumato.data.graph import Graph

    graph = Graph.of(64, range(63), range(1, 64))
    inside = np.zeros((64, 64), bool)
    inside[np.arange(63), np.arange(1, 64)] = True
    inside |= inside.T
    path, _ = find_path(
        graph.indptr, graph.targets, graph.degrees, graph.degrees, as_words(inside), 0, 10**6
    )
    assert path.tolist() == list(range(64))
    fit = np.zeros((64, 3))
    placed, found = refine(graph.indptr, graph.targets, path, as_words(inside), CHANCE, fit)
    assert placed.tolist() == list(range(64))
    assert found == pytest.approx(score(graph, range(64), inside, CHANCE))


@given(SEEDS, st.integers(3, 8), st.integers(2, 4))
def test_all_placements_are_weighed(seed, nodes, size):
    rng = np.random.default_rng(seed)
    size = min(size, nodes)
    graph, inside = random_graph(rng, nodes, 0.5), pattern(rng, size)
    fit = rng.normal(size=(size, nodes))
    best, highest, total = weigh_all(
        graph.indptr, graph.targets, as_words(inside), CHANCE, fit, 3.0
    )
    _, share = posterior(graph, inside, CHANCE, fit)
    assert score(graph, best, inside, CHANCE, fit) == pytest.approx(highest)
    assert math.exp(highest - 3.0) / total == pytest.approx(share)


@given(SEEDS, st.integers(1, 3), st.integers(1, 40))
def test_a_position_more_keeps_the_best(seed, level, keep):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 14, 0.4)
    beam = np.array([rng.permutation(14)[:level] for _ in range(9)], np.int32)
    scores = -np.sort(rng.random(9))
    flags = rng.random(level) < 0.7
    flags[0] = True
    fit = rng.normal(size=14)
    wanted = as_words(flags[None])[0]
    grown, found = extend(graph.indptr, graph.targets, beam, scores, wanted, CHANCE, fit, keep)
    every = extended(graph, beam, scores, flags, CHANCE, fit)
    assert found == pytest.approx([one for one, _ in every[:keep]])
    listed = {tuple(placed) for _, placed in every}
    assert all(tuple(placed) in listed for placed in grown.tolist())


@given(SEEDS)
def test_moving_nodes_never_lowers_the_score(seed):
    rng = np.random.default_rng(seed)
    graph, inside = random_graph(rng, 16, 0.4), pattern(rng, 5)
    fit = rng.normal(size=(5, 17))
    start = rng.permutation(16)[:5].astype(np.int32)
    placed, found = refine(graph.indptr, graph.targets, start, as_words(inside), CHANCE, fit)
    assert len(set(placed.tolist())) == 5
    assert found == pytest.approx(score(graph, placed, inside, CHANCE, fit))
    assert found >= score(graph, start, inside, CHANCE, fit) - 1e-9
    again = refine(graph.indptr, graph.targets, placed, as_words(inside), CHANCE, fit)
    assert again[0].tolist() == placed.tolist()
