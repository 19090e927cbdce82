"""Flipping by skipping, against flipping pair by pair."""

from __future__ import annotations

from itertools import pairwise
from math import floor, log, log1p
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core.run import Run
from sfumato.data.graph import Graph, symmetric
from sfumato.kernels.edge_flips import flip_rows, shuffled, upper_rows

WORDS = st.lists(st.integers(0, 2**64 - 1), min_size=80, max_size=80)
CHANCES = st.one_of(st.just(0.0), st.floats(1e-4, 0.7))


@st.composite
def graphs(draw, most: int = 9):
    """A small graph of any density."""
    nodes = draw(st.integers(1, most))
    pairs = [(u, v) for u in range(nodes) for v in range(u + 1, nodes)]
    held = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Graph.of(nodes, [u for u, _ in held], [v for _, v in held])


def flipped_by_hand(graph, first, last, law, words):
    """Edges and pairs counted one by one; each stream says how many to skip."""

    def places(chance, stream, count):
        at, found = -1, set()
        for word in stream if chance else ():
            at += 1 + floor(log(((word >> 11) + 0.5) * 2.0**-53) / log1p(-chance))
            if at >= count:
                return found
            found.add(at)
        return found

    held = [(int(u), int(v)) for u, v in zip(*graph.upper) if first <= u < last]
    pairs = [(u, v) for u in range(first, last) for v in range(u + 1, graph.nodes)]
    gone = {held[i] for i in places(law[0], words[0], len(held))}
    come = {pairs[i] for i in places(law[1], words[1], len(pairs))}
    return sorted((set(held) - gone) | (come - set(held)))


@given(graphs(), CHANCES, CHANCES, WORDS, WORDS, st.data())
def test_it_flips_what_flipping_by_hand_flips(graph, a, b, drops, joins, data):
    first = data.draw(st.integers(0, graph.nodes))
    last = data.draw(st.integers(first, graph.nodes))
    rows = upper_rows(graph.indptr, graph.targets)
    words = (np.array(drops, np.uint64), np.array(joins, np.uint64))
    made = flip_rows(*rows, first, last, (a, b), words)
    assert not made.short
    starts = np.concatenate([[0], made.ends])
    found = [
        (first + row, int(v))
        for row in range(last - first)
        for v in made.other[starts[row] : starts[row + 1]]
    ]
    assert found == flipped_by_hand(graph, first, last, (a, b), (drops, joins))
    before = {(int(u), int(v)) for u, v in zip(*graph.upper) if first <= u < last}
    assert (made.deleted, made.added) == (len(before - set(found)), len(set(found) - before))


def test_too_few_words_are_told():
    graph = Graph.of(50, [0], [1])
    rows = upper_rows(graph.indptr, graph.targets)
    words = np.full(3, 2**64 - 1, np.uint64)  # never skip
    assert flip_rows(*rows, 0, 50, (0.5, 0.5), (words, words)).short


@given(graphs())
def test_rows_of_both_sorts_are_the_same_graph(graph):
    found = symmetric(*upper_rows(graph.indptr, graph.targets))
    assert np.array_equal(found.indptr, graph.indptr)
    assert np.array_equal(found.targets, graph.targets)


@given(graphs(20), st.lists(st.integers(0, 20), max_size=4), st.sampled_from([1, 2]))
def test_rows_are_joined_in_ranges(graph, borders, workers):
    rows = upper_rows(graph.indptr, graph.targets)
    inner = sorted({0, graph.nodes, *(min(one, graph.nodes) for one in borders)})
    with patch("sfumato.data.graph._borders", lambda *_: list(pairwise(inner))):
        found = symmetric(*rows, workers)
    assert np.array_equal(found.targets, graph.targets)


def test_large_graphs_are_joined_in_ranges():
    rng = np.random.default_rng(1)
    keys = np.unique(rng.integers(0, 3_000 * 3_000, 150_000))
    u, v = keys // 3_000, keys % 3_000
    graph = Graph.of(3_000, u[u < v], v[u < v])
    with patch("sfumato.data.graph.SMALL", 1000):
        found = symmetric(*upper_rows(graph.indptr, graph.targets), 2)
    assert np.array_equal(found.indptr, graph.indptr)
    assert np.array_equal(found.targets, graph.targets)


@pytest.mark.parametrize("nodes", [1, 2, 5])
def test_orders_are_equally_likely(nodes):
    """Chi-square on all orders of five nodes, level 1e-6."""
    runs = 24_000
    seen: dict[tuple[int, ...], int] = {}
    words = Run.seeded(4).words(runs * nodes, "orders").reshape(runs, nodes)
    for one in words:
        key = tuple(shuffled(one).tolist())
        seen[key] = seen.get(key, 0) + 1
    orders = int(np.prod(range(1, nodes + 1)))
    assert len(seen) == orders
    expected = runs / orders
    chi = sum((count - expected) ** 2 / expected for count in seen.values())
    assert chi < {1: 1, 2: 24.0, 5: 207.6}[nodes]  # quantiles of chi-square with orders - 1
