"""The sample segments: repeatable, well-formed, and of the laws that they state.

Seeds are fixed, so nothing here fails by chance; bounds lie at least four standard errors away.
"""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.core.errors import BadJob
from sfumato.core.run import Run
from sfumato.data.sets import Sets
from sfumato.io.sample_sets import CHUNK, frequencies, segments
from sfumato.kernels.sample_rows import urn

ROWS = 40_000


@pytest.fixture(scope="module")
def thesis() -> Sets:
    return segments(ROWS, Run.seeded(11))


@pytest.fixture(scope="module")
def long_tail() -> Sets:
    return segments(ROWS, Run.seeded(11), "long tail")


def incidence(sets: Sets, items: int) -> np.ndarray:
    """The first items as columns of 0 and 1."""
    dense = np.zeros((sets.rows, items))
    row = np.repeat(np.arange(sets.rows), sets.lengths)
    shown = sets.items < items
    dense[row[shown], sets.items[shown]] = 1
    return dense


@pytest.mark.parametrize("profile", ["thesis", "long tail"])
def test_rows_are_well_formed(profile: str) -> None:
    sets = segments(300, Run.seeded(2), profile, 37)
    assert sets.domain == len(sets.names) == 37
    assert sets.indptr[0] == 0 and sets.indptr[-1] == len(sets.items) and sets.items.max() < 37
    for row in range(sets.rows):
        assert (np.diff(sets.items[sets.indptr[row] : sets.indptr[row + 1]].astype(int)) > 0).all()


def test_a_chunk_depends_on_key_and_place_alone() -> None:
    few = segments(CHUNK + 50, Run.seeded(3, workers=1), domain=30)
    more = segments(CHUNK + 50, Run.seeded(3, workers=2), domain=30)
    assert np.array_equal(few.indptr, more.indptr) and np.array_equal(few.items, more.items)
    longer = segments(2 * CHUNK, Run.seeded(3), domain=30)
    assert np.array_equal(few.items[: few.indptr[CHUNK]], longer.items[: few.indptr[CHUNK]])
    other = segments(CHUNK, Run.seeded(4), domain=30)
    assert not np.array_equal(few.items[:100], other.items[:100])


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("domain", [1, 2, 70_000])
@pytest.mark.parametrize("profile", ["thesis", "long tail"])
def test_small_and_wide(rows: int, domain: int, profile: str) -> None:
    sets = segments(rows, Run.seeded(1), profile, domain)
    assert sets.rows == rows and sets.domain == domain
    assert sets.items.dtype == (np.uint16 if domain <= 65_536 else np.uint32)


def test_bad_arguments_are_named() -> None:
    with pytest.raises(BadJob, match="profile"):
        segments(1, Run.seeded(1), "short tail")
    with pytest.raises(BadJob, match="-1 rows"):
        segments(-1, Run.seeded(1))
    with pytest.raises(BadJob, match="0 segments"):
        segments(1, Run.seeded(1), domain=0)


def test_the_urn_draws_by_weight() -> None:
    weights = np.array([5.0, 0.0, 1.0, 1.0, 0.3, 9.0])
    slots = urn(weights)
    share = np.zeros(6)
    for item in range(6):
        own = slots.bound[item] / 2.0**32
        share[item] += own
        share[slots.other[item]] += 1 - own
    assert np.allclose(share / 6, weights / weights.sum(), atol=1e-8)


def test_frequencies_fall_from_a_half_to_a_thousandth(thesis: Sets) -> None:
    law = frequencies(1000)
    assert law[0] == 0.5 and np.isclose(law[-1], 0.001) and (np.diff(law) < 0).all()
    assert np.isclose(law.sum(), 40)
    expected = ROWS * law
    error = np.sqrt(expected * (1 - law))
    # 1,000 standard normal numbers: the largest is over 5 with probability 6e-4, and their
    # squares, nearly uncorrelated, sum to 1,000 with a standard error of about 60.
    score = (thesis.counts - expected) / error
    assert np.abs(score).max() < 5
    assert 700 < (score**2).sum() < 1500


def test_lengths_of_the_thesis(thesis: Sets) -> None:
    assert abs(thesis.lengths.mean() - 40) < 4 * 24 / np.sqrt(ROWS)
    assert abs(thesis.lengths.std() - 24) < 0.5  # its standard error is 0.11
    assert thesis.lengths.min() <= 2


def test_utilities_are_uniform_whole_numbers() -> None:
    utility = segments(1, Run.seeded(11), domain=20_000).utility
    assert set(np.unique(utility)) == set(range(1, 101))
    seen = np.bincount(utility.astype(int))[1:]
    assert ((seen - 200) ** 2 / 200).sum() < 99 + 4 * np.sqrt(2 * 99)


def test_items_are_independent_given_the_length(thesis: Sets) -> None:
    dense = incidence(thesis, 12)[np.abs(thesis.lengths - 40) <= 3]
    found = np.corrcoef(dense.T)[np.triu_indices(12, 1)]
    # Of a fixed length, items crowd one another out a little: about -1/40 at these frequencies.
    assert np.abs(found - found.mean()).max() < 5 / np.sqrt(len(dense))
    assert -0.04 < found.mean() < 0.01


def test_the_long_tail(long_tail: Sets) -> None:
    lengths, share = long_tail.lengths, long_tail.counts / ROWS
    assert abs(lengths.mean() - 22.4) < 0.5
    assert np.percentile(lengths, [25, 50, 75]).tolist() == [3, 15, 34]
    assert 0.32 < share[0] < 0.36 and share[-100:].mean() < 0.0026
    ratio = share[900:1100].mean() / share[1800:].mean()
    assert 1.7 < ratio < 2.0  # rarely crowded out, so popularity shows: 1,901 / 1,008
