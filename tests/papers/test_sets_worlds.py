"""Nonreciprocal publication: the source's worked example, and what its algorithms get wrong."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from tests.naive import nonreciprocal as naive
from tests.papers.known_answers import known, of_kind

from sfumato.core.run import Run
from sfumato.data.sets import Sets
from sfumato.kernels.gray import gray_ranks, packed_rows, sorted_by_words, steps
from sfumato.kernels.matchings import ring
from sfumato.kernels.rows import Rows
from sfumato.kernels.segments import segment_ends
from sfumato.kernels.tours import tour_segments
from sfumato.kernels.votes import votes
from sfumato.methods.sets.assignments import assignments, in_chunks

TABLE = known("SV-rank").input["rows"]
ORDER = known("SV-tsp-order").expected


def rows_of(vectors: list[str]) -> Rows:
    """Vectors of bits as rows of items."""
    lists = [[place for place, bit in enumerate(v) if bit == "1"] for v in vectors]
    start = np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.int64)
    return Rows(start, np.array([item for one in lists for item in one], np.uint16))


def bits_of(vectors: list[str]) -> np.ndarray:
    width = len(vectors[0])
    return packed_rows(rows_of(vectors), np.arange(width), 1)


def test_gray_codes():
    case = known("SV-gray")
    bits = case.input["bits"]
    assert [naive.gray_code(i, bits) for i in range(1 << bits)] == case.expected


def test_gray_ranks():
    case = known("SV-rank")
    assert [naive.gray_rank(row) for row in TABLE] == case.expected
    ranks = gray_ranks(bits_of(TABLE))[:, 0] >> np.uint64(60)
    assert ranks.tolist() == case.expected
    order = sorted_by_words(gray_ranks(bits_of(TABLE)))
    assert (order + 1).tolist() == known("SV-sum-gray").input["order"]


@pytest.mark.parametrize("case", of_kind("hamming_sums"), ids=lambda c: c.id)
def test_hamming_sums(case):
    order = np.array(case.input["order"]) - 1
    found = steps(bits_of(case.input["rows"]), order)
    assert found.sum() == case.expected["cyclic"]
    assert found[:-1].sum() == case.expected["open"]
    assert naive.length(case.input["rows"], order) == case.expected["open"]


def test_the_tour_between_fixed_ends():
    case = known("SV-tsp-order")
    order = np.array(case.input["order"]) - 1
    tour_segments(bits_of(TABLE), order, np.array([0, 6]), 3, np.uint64(1))
    assert naive.length(TABLE, order) == naive.best_inside(TABLE, np.array(ORDER) - 1) == 7
    assert (order[0], order[-1]) == (ORDER[0] - 1, ORDER[-1] - 1)


@pytest.mark.parametrize("case", of_kind("dp_segments"), ids=lambda c: c.id)
def test_segments(case):
    given = case.input
    step = steps(bits_of(given["rows"]), np.arange(len(given["rows"])))
    ends = segment_ends(step, given["m"], given["M"])
    sizes = np.diff(ends)
    if case.expected == "infeasible":
        assert naive.best_segments(step.tolist(), given["m"], given["M"]) is None
        assert sizes.sum() == len(step)
        assert sizes[-1] < given["m"] <= sizes[:-1].min()
        return
    cost = int(step[ends[1:-1] - 1].sum())
    assert cost == case.expected["cost"]
    assert sizes.min() >= given["m"]
    assert sizes.max() <= given["M"]


def test_the_ring():
    case = known("SV-ring")
    order, k = case.input["order"], case.input["k"]
    links = {str(r): sorted(p) for r, p in naive.ring(order, k).items()}
    assert links == case.expected
    ours = (np.arange(6)[:, None] + ring(6, k)) % 6
    found = {str(order[r]): sorted(order[p] for p in ours[r]) for r in range(6)}
    assert found == case.expected


@pytest.mark.parametrize("case", of_kind("publish"), ids=lambda c: c.id)
def test_what_is_published(case):
    vectors, told = case.input["preimages"], case.expected
    wanted = (told["base"], told["bitmap"], told["threshold"])
    assert naive.publish(vectors) == wanted
    assert ours(vectors) == wanted


def ours(vectors: list[str]) -> tuple[str, str, int]:
    rows, width = rows_of(vectors), len(vectors[0])
    many = np.arange(len(vectors), dtype=np.int32)
    found = votes(rows, np.array([0, len(vectors)]), many, width, False)
    base, opened = (
        "".join("1" if i in part.items else "0" for i in range(width))
        for part in (found.base, found.open)
    )
    return base, opened, int(found.threshold[0])


def test_the_vote_and_the_worlds():
    vote, told = known("SV-vote"), known("SV-worlds")
    assert ours(vote.input["preimages"])[0] == vote.expected
    given = told.input
    found = naive.worlds(given["base"], given["bitmap"], given["threshold"])
    assert sorted(found) == told.expected


def test_worlds_admit_more_than_the_links():
    """Equal chances hold for the hidden graph only (errata S8)."""
    case = known("SV-consistency")
    fits = {
        number: {
            place
            for place, triple in enumerate(case.input["triples"], 1)
            if row in naive.worlds(*triple)
        }
        for number, row in enumerate(case.input["rows"], 1)
    }
    links = [[record, place] for record, places in fits.items() for place in sorted(places)]
    assert links == case.expected["edges"]
    found = list(naive.matchings(fits, list(fits)))
    assert len(found) == case.expected["perfect_matchings"]
    for place, share in case.expected["share_r1"].items():
        assert Fraction(sum(one[0] == int(place) for one in found), len(found)) == Fraction(share)
    hidden = naive.ring(ORDER, 3)
    assert (
        len(list(naive.matchings(hidden, list(hidden))))
        == (case.expected["ring_perfect_matchings"])
    )


def test_the_ring_falls_apart_into_assignments():
    order = np.array(ORDER) - 1
    links = naive.ring(range(6), 3)
    assert naive.is_decomposition(naive.closed_walks(links, random.Random(1)), links)
    for walk in ("free", "closed", "backtracking"):
        found, _ = assignments(ring(6, 3), Run.seeded(1), walk)
        assert naive.is_decomposition(found.tolist(), links)
    assert sorted(order) == list(range(6))


def test_most_draws_break_diversity_on_the_ring():
    """Own labels are diverse (SV-3div); 26 of 36 pairs of a decomposition and a draw are not."""
    case = known("SV-3div")
    label, order = case.input["labels"], [r - 1 for r in ORDER]
    links = naive.ring(order, 3)
    whole = sorted(naive.matchings(links, range(6)))
    triples = {
        frozenset(map(tuple, (one, two, three)))
        for one in whole
        for two in whole
        for three in whole
        if naive.is_decomposition([one, two, three], links)
    }
    own = min(len({label[place] for place in links[r]}) for r in links)
    assert own == case.expected["diversity"]
    drawn = [
        naive.diverse(list(map(list, triple)), label, draw)
        for triple in triples
        for draw in range(3)
    ]
    assert (len(drawn), sum(number >= 3 for number in drawn)) == (36, 10)


def test_the_greedy_extraction_can_end_nowhere():
    case = known("SV-deadend")
    before = case.input["previous_assignments_0based"]
    assert naive.extendable(case.input["labels"], before) is case.expected


def test_shifts_of_sorted_labels_always_work():
    case = known("SV-shift")
    label, share = case.input["labels"], case.input["l"]
    found = naive.shifts(label, share)
    assert found == case.expected
    assert all(naive.diverse(found, label, draw) >= share for draw in range(share))
    codes = np.unique(label, return_inverse=True)[1].astype(np.int32)
    matches = in_chunks(np.array([0, len(label)]), codes, share, share, Run.seeded(1))
    behind = matches.original.reshape(-1, share)
    assert [sorted(one) for one in behind.T.tolist()] == [list(range(6))] * share
    assert {(p, r) for r, one in enumerate(zip(*found, strict=True)) for p in one} == {
        (p, r) for p in range(6) for r in behind[p].tolist()
    }


@pytest.mark.parametrize("share", [2, 3, 4])
def test_the_greedy_extraction_breaks_diversity_once_drawn(share):
    """l = 2 is never affected; from l = 3 on many draws are no longer diverse (errata S1)."""
    rng = random.Random(7)
    broken = drawn = 0
    for _ in range(150):
        label = [rng.choice("abcdefgh"[: share + 3]) for _ in range(12)]
        if max(map(label.count, label)) * share > len(label):
            continue
        found = naive.greedy(label, share)
        for draw in range(share if found else 0):
            drawn += 1
            broken += naive.diverse(found or [], label, draw) < share
    assert drawn > 20
    assert (broken == 0) == (share == 2)


def test_suppression_in_groups():
    """Table 3.2: what members of a group share is shown, the rest is not."""
    rows = rows_of(TABLE)
    groups = np.array([0, 2, 4, 1, 3, 5], np.int32)
    found = votes(rows, np.array([0, 3, 6]), groups, 4, True)
    sets = Sets(*found.base, pa.array(list("jwts")), np.ones(4))
    assert [sets.take(np.array([g])).items.tolist() for g in (0, 1)] == [[0, 1], [2]]
    assert np.diff(found.open.start).tolist() == found.threshold.tolist() == [2, 3]
