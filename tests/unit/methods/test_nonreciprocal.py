"""Nonreciprocal publication and CAHD: every promise on random data, and what they refuse."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.naive import cahd as slow
from tests.naive import nonreciprocal as naive

from sfumato.core.errors import CannotBeMet
from sfumato.core.run import Run
from sfumato.data.schema import Schema
from sfumato.data.sets import Holders, Sets
from sfumato.data.table import table_from_arrow
from sfumato.kernels.cahd import Rule, cahd_groups
from sfumato.kernels.gray import gray_ranks, packed_rows, sorted_by_words, steps
from sfumato.kernels.segments import segment_ends
from sfumato.kernels.spaced import chunk_ends, spaced_ring
from sfumato.kernels.tours import tour_segments
from sfumato.kernels.votes import votes
from sfumato.methods.sets.assignments import assignments, in_chunks
from sfumato.methods.sets.cahd import Cahd
from sfumato.methods.sets.near_links import near_offsets
from sfumato.methods.sets.nonreciprocal import Nonreciprocal
from sfumato.methods.sets.ordering import Ordering
from sfumato.methods.sets.worlds import most_alike
from sfumato.models.k_anonymity import KAnonymity
from sfumato.models.l_diversity import DistinctLDiversity, EntropyLDiversity

FLAGS = st.lists(st.lists(st.booleans(), min_size=9, max_size=9), min_size=1, max_size=40)


def holders(has: np.ndarray, label: list[str | None] | None = None) -> Holders:
    """People by who has what."""
    start = np.concatenate([[0], np.cumsum(has.sum(axis=1))]).astype(np.int64)
    names = pa.array([f"i{i:02}" for i in range(has.shape[1])])
    sets = Sets(start, np.nonzero(has)[1].astype(np.uint16), names, np.ones(has.shape[1]))
    if label is None:
        return Holders(sets, Schema.of(quasi=["items"]))
    table = table_from_arrow(pa.table({"job": pa.array(label, pa.string())}))
    return Holders(sets, Schema.of(quasi=["items"], sensitive=["job"]), table)


def drawn(rows: int, items: int = 12, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).random((rows, items)) < 0.4


def texts(has: np.ndarray) -> list[str]:
    return ["".join(map(str, row.astype(int))) for row in has]


def diverse(l: int) -> DistinctLDiversity:  # noqa: E741
    return DistinctLDiversity(column="job", l=l)


@given(FLAGS)
def test_gray_order_is_that_of_the_slow_ranks(flags):
    has = np.array(flags)
    sets = holders(has).sets
    order = sorted_by_words(gray_ranks(packed_rows(sets.held, np.arange(9), 1)))
    ranks = [naive.gray_rank(text) for text in texts(has)]
    assert order.tolist() == sorted(range(len(has)), key=lambda row: ranks[row])


def test_gray_order_over_several_words():
    has = drawn(60, 200)
    order = sorted_by_words(gray_ranks(packed_rows(holders(has).sets.held, np.arange(200), 4)))
    ranks = [naive.gray_rank(text) for text in texts(has)]
    assert order.tolist() == sorted(range(60), key=lambda row: ranks[row])


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(1, 6), st.integers(0, 5))
def test_segments_are_the_best_there_are(step, least, more):
    ends = segment_ends(np.array(step, np.int64), least, least + more)
    sizes = np.diff(ends)
    best = naive.best_segments(step, least, least + more)
    assert sizes.sum() == len(step)
    assert sizes.max() <= max(least + more, least)
    if best is not None:
        assert sizes.min() >= least
        assert sum(step[end - 1] for end in ends[1:-1]) == best


@given(FLAGS, st.integers(0, 4))
def test_tours_keep_ends_and_are_no_longer(flags, shakes):
    has = np.array(flags)
    bits = packed_rows(holders(has).sets.held, np.arange(9), 1)
    before = np.arange(len(has))
    after = before.copy()
    tour_segments(bits, after, np.array([0, len(has)]), shakes, np.uint64(3))
    assert sorted(after) == before.tolist()
    assert (after[0], after[-1]) == (0, len(has) - 1)
    assert steps(bits, after)[:-1].sum() <= steps(bits, before)[:-1].sum()


def test_short_tours_are_mostly_the_shortest():
    best = 0
    for seed in range(30):
        has = drawn(8, 9, seed)
        order = np.arange(8)
        bits = packed_rows(holders(has).sets.held, np.arange(9), 1)
        tour_segments(bits, order, np.array([0, 8]), 10, np.uint64(seed))
        best += naive.length(texts(has), order) == naive.best_inside(texts(has), range(8))
    assert best >= 28


@pytest.mark.parametrize("name", ["linked", "gray-tour", "gray"])
@pytest.mark.parametrize("rows", [1, 2, 3, 50, 700])
def test_orders_are_permutations_and_tell_their_length(name, rows):
    sets = holders(drawn(rows)).sets
    ordering = Ordering(sets, name, 10, 30, 1, Run.seeded(1, 2))
    order = ordering.found()
    assert sorted(order) == list(range(rows))
    assert list(ordering.sums.values())[-1] == steps(ordering.bits, order).sum()


def test_linked_orders_are_shorter_than_gray_ones():
    sets = holders(drawn(1000, 16)).sets
    sums = {}
    for name in ("linked", "gray-tour", "gray"):
        ordering = Ordering(sets, name, 300, 350, 1, Run.seeded(1, 1))
        ordering.found()
        sums[name] = list(ordering.sums.values())[-1]
    assert sums["linked"] < sums["gray-tour"] < sums["gray"]


@given(FLAGS, st.integers(1, 6), st.booleans())
def test_votes_are_those_of_the_slow_counterpart(flags, degree, suppress):
    has = np.array(flags)
    sets = holders(has).sets
    rng = np.random.default_rng(len(has))
    behind = rng.integers(0, len(has), (4, degree)).astype(np.int32)
    found = votes(sets.held, np.arange(5) * degree, behind.ravel(), 9, suppress)
    for place in range(4):
        candidates = [texts(has)[row] for row in behind[place]]
        base, opened, threshold = naive.publish(candidates)
        if suppress:
            base = "".join(str(int(b == "1" and o == "0")) for b, o in zip(base, opened))
            threshold = opened.count("1")
        assert row_of(found.base, place) == base
        assert row_of(found.open, place) == opened
        assert found.threshold[place] == threshold
        assert all(one in naive.worlds(base, opened, threshold) for one in candidates)


def row_of(rows, place: int) -> str:
    there = set(rows.items[rows.start[place] : rows.start[place + 1]].tolist())
    return "".join(str(int(item in there)) for item in range(9))


@pytest.mark.parametrize("walk", ["free", "closed", "backtracking"])
@pytest.mark.parametrize(("rows", "degree"), [(1, 1), (2, 2), (7, 3), (60, 9), (300, 2)])
def test_walks_take_a_regular_graph_apart(walk, rows, degree):
    offset = np.tile(np.arange(degree, dtype=np.int8), (rows, 1))
    found, walked = assignments(offset, Run.seeded(rows), walk)
    links = {r: {(r + s) % rows for s in range(degree)} for r in range(rows)}
    assert naive.is_decomposition(found.tolist(), links)
    assert walked >= rows


@given(st.integers(2, 30), st.integers(1, 5), st.integers(0, 99))
def test_the_slow_closed_walks_never_stall(rows, degree, seed):
    links = naive.ring(range(rows), min(degree, rows))
    assert naive.is_decomposition(naive.closed_walks(links, random.Random(seed)), links)


@pytest.mark.parametrize(("rows", "degree"), [(40, 4), (900, 7), (33_000, 2)])
def test_near_links_are_regular(rows, degree):
    sets = holders(drawn(rows, 14)).sets
    run = Run.seeded(2, 2)
    ordering = Ordering(sets, "gray", 300, 350, 1, run)
    order = ordering.found()
    offset = near_offsets(ordering, order, degree, run)
    place = (np.arange(rows)[:, None] + offset) % rows
    assert (np.bincount(place.ravel(), minlength=rows) == degree).all()
    assert all(len(set(line)) == degree for line in place.tolist())


@given(st.lists(st.integers(0, 6), min_size=1, max_size=60), st.integers(1, 5))
def test_spaced_rings_are_spaced(labels, spacing):
    label = np.array(labels, np.int32)
    bits = np.random.default_rng(1).integers(0, 99, (len(label), 1)).astype(np.uint64)
    found = spaced_ring(bits, np.arange(len(label)), label, spacing)
    if len(found):
        assert sorted(found) == list(range(len(label)))
        there = label[found]
        for ahead in range(1, min(spacing, len(label))):
            assert (there != np.roll(there, -ahead)).all()


@given(st.lists(st.integers(0, 5), min_size=1, max_size=80), st.integers(1, 4), st.integers(1, 3))
def test_chunks_work_for_all_eligible_labels(labels, share, many):
    label = np.array(labels, np.int32)
    if np.bincount(label).max() * share > len(label) or share * many > len(label):
        return
    ends = chunk_ends(label, share, share * many)
    assert np.diff(ends).min() >= share * many
    matches = in_chunks(ends, label, share, share * many, Run.seeded(len(labels)))
    behind = matches.original.reshape(len(label), -1)
    for column in behind.T:
        assert sorted(column) == list(range(len(label)))
    assert all(len(set(line)) == share * many for line in behind.tolist())
    assert most_alike(matches, label) <= many


METHODS = [
    Nonreciprocal(k=3),
    Nonreciprocal(k=6, order="gray", walk="closed"),
    Nonreciprocal(k=1, order="gray-tour"),
    Cahd(k=3),
    Cahd(k=6, order="linked"),
]


@pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{m.name}-{m.k}")
@pytest.mark.parametrize("shares", [[9] * 9, [30, 20, 20, 10, 5, 5, 5, 5], [27, 27, 27]])
def test_labels_as_published_are_diverse(method, shares):
    """Also where labels are too uneven for walks, or barely even enough (errata S1 to S3)."""
    label = [f"job {kind}" for kind, many in enumerate(shares) for _ in range(many)]
    label = np.random.default_rng(3).permutation(label).tolist()
    data = holders(drawn(len(label)), label)
    publication = method.publish(data, [diverse(3)], Run.seeded(5)).sealed()
    shown = publication.release.content.records["job"].to_arrow().to_pylist()
    behind = publication.ledger.matches.column("candidates").to_pylist()
    for record in range(len(label)):
        mine = [shown[place] for place, some in enumerate(behind) if record in some]
        assert len(mine) >= max(3, method.k)
        assert max(map(mine.count, mine)) * 3 <= len(mine)
    assert [label[row] for row in publication.ledger.rows] == shown


@pytest.mark.parametrize("kind", [Nonreciprocal, Cahd])
def test_bad_data_is_refused_with_the_reason(kind):
    few = holders(drawn(3))
    with pytest.raises(CannotBeMet, match="the data has 3 records, not 4"):
        kind(k=4).publish(few, [], Run.seeded(1))
    one = holders(drawn(9), ["same"] * 9)
    with pytest.raises(CannotBeMet, match="one value is on 9 of 9 records, more than 1 in 2"):
        kind(k=2).publish(one, [diverse(2)], Run.seeded(1))
    lacking = holders(drawn(9), [None] * 5 + ["a", "b", "c", "d"])
    with pytest.raises(CannotBeMet, match="one value is on 5 of 9"):
        kind(k=2).publish(lacking, [diverse(2)], Run.seeded(1))
    with pytest.raises(CannotBeMet, match="not a sensitive column"):
        kind(k=2).publish(few, [diverse(2)], Run.seeded(1))
    entropy = EntropyLDiversity(column="job", l=2)
    with pytest.raises(CannotBeMet, match="records are not put in groups"):
        kind(k=2).publish(one, [entropy], Run.seeded(1))
    with pytest.raises(CannotBeMet, match="not 4, the next multiple of 2 from 3 up"):
        kind(k=3).publish(holders(drawn(3), list("abc")), [diverse(2)], Run.seeded(1))


def test_near_links_with_labels_are_refused():
    data = holders(drawn(9), list("abcabcabc"))
    with pytest.raises(CannotBeMet, match="because links is near"):
        Nonreciprocal(k=2, links="near").publish(data, [diverse(2)], Run.seeded(1))


@pytest.mark.parametrize("kind", [Nonreciprocal, Cahd])
def test_duplicates_empty_records_and_items_of_everybody(kind):
    has = drawn(30, 6)
    has[:10] = has[0]
    has[10:20] = False
    has[:, 5] = True
    has[10:14, 5] = False
    publication = kind(k=5).publish(holders(has), [KAnonymity(k=6)], Run.seeded(1)).sealed()
    content = publication.release.content
    assert content.rows == 30
    assert publication.release.claims[0].parameters == {"k": 6}
    behind = publication.ledger.matches.column("candidates").to_pylist()
    for place, some in enumerate(behind):
        base, opened = (
            np.isin(np.arange(6), names(content, part, place)) for part in ("base", "open")
        )
        for row in some:
            assert (has[row] == base)[~opened].all()
            assert (has[row] != base).sum() <= content.threshold[place]


def names(content, part: str, place: int) -> list[int]:
    rows = content.base.held if part == "base" else content.open
    listed = rows.items[rows.start[place] : rows.start[place + 1]]
    return [int(content.base.names[int(item)].as_py()[1:]) for item in listed]


def test_nobody_has_anything():
    publication = Nonreciprocal(k=2).publish(holders(np.zeros((4, 3), bool)), [], Run.seeded(1))
    content = publication.sealed().release.content
    assert (content.base.domain, content.rows) == (0, 4)
    assert (content.log_worlds == 0).all()


@given(
    st.lists(st.tuples(st.integers(0, 255), st.integers(0, 4)), min_size=2, max_size=40),
    st.integers(1, 3),
    st.integers(1, 2),
    st.integers(1, 4),
)
def test_cahd_makes_the_groups_of_its_description(people, share, many, alpha):
    label = np.array([kind for _, kind in people], np.int32)
    size = share * many
    if np.bincount(label).max() * share > len(label) or size > len(label):
        return
    has = np.array([[number >> bit & 1 for bit in range(8)] for number, _ in people], bool)
    bits = packed_rows(holders(has).sets.held, np.arange(8), 1)
    order = sorted_by_words(gray_ranks(bits))
    rule = Rule(size, share, alpha * size)
    members, ends = cahd_groups(bits, order, label, rule)
    found = [members[a:b].tolist() for a, b in pairwise(ends)]
    wanted = slow.groups(texts(has), order.tolist(), label.tolist(), size, share, alpha * size)
    assert found == wanted
