"""The models against pycanon, another implementation, on its own ground.

Where the definitions differ, the test says how and compares what remains:

- pycanon rounds the l of entropy l-diversity down to a whole number;
- its recursive (c, l) sorts counts upwards where the paper sorts them downwards, so that it divides
  the count of the rarest value by those of the most frequent; the paper's formula is compared;
- its t-closeness takes the ordered distance for every numeric column and the equal one for text;
- of several sensitive columns it returns the worst, where sfumato makes one claim for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pycanon import anonymity

from sfumato.data.table import encode
from sfumato.models.alpha_k import AlphaK
from sfumato.models.base import Model, Whole, whole_of
from sfumato.models.k_anonymity import KAnonymity
from sfumato.models.l_diversity import (
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveCLDiversity,
)
from sfumato.models.t_closeness import TCloseness

QUASI = ["a", "b"]
SOME = settings(max_examples=25, deadline=None)


def numbers(model: Model, frame: pd.DataFrame, column: str) -> list[float]:
    """What every class of equal quasi-identifiers achieves."""
    coded = encode(column, pa.chunked_array([pa.array(frame[column])]))
    table = whole_of(coded)
    return [model.number(counts, table) for counts in _counts(frame, coded.codes, table)]


def _counts(frame: pd.DataFrame, codes: Any, table: Whole) -> Iterator[list[int]]:
    for rows in frame.groupby(QUASI).indices.values():
        yield np.bincount(codes[rows], minlength=len(table.texts)).tolist()


@st.composite
def frames(draw: Any) -> pd.DataFrame:
    """A small frame of two quasi-identifiers, a text and a number."""
    row = st.tuples(*[st.integers(0, 1)] * 2, st.sampled_from("xyz"), st.integers(1, 4))
    rows = draw(st.lists(row, min_size=2, max_size=25))
    frame = pd.DataFrame(rows, columns=[*QUASI, "s", "n"])
    assume(frame["s"].nunique() > 1 and frame["n"].nunique() > 1)
    return frame


def compare(frame: pd.DataFrame) -> None:
    """Every number that both define alike."""
    for name in ("s", "n"):
        size = min(numbers(KAnonymity(k=1), frame, name))
        assert size == anonymity.k_anonymity(frame, QUASI)
        distinct = min(numbers(DistinctLDiversity(column=name, l=1), frame, name))
        assert distinct == anonymity.l_diversity(frame, QUASI, [name])
        share = max(numbers(AlphaK(column=name, alpha=1, k=1), frame, name))
        assert (pytest.approx(share), size) == anonymity.alpha_k_anonymity(frame, QUASI, [name])
        diverse = min(numbers(EntropyLDiversity(column=name, l=1), frame, name))
        rounded = anonymity.entropy_l_diversity(frame, QUASI, [name])
        assert rounded in (int(diverse + 1e-9), int(diverse - 1e-9))
        distance = "ordered" if name == "n" else "equal"
        closeness = TCloseness(column=name, t=1, distance=distance)
        far = max(numbers(closeness, frame, name))
        assert far == pytest.approx(anonymity.t_closeness(frame, QUASI, [name]))


@SOME
@given(frames())
def test_random_frames(frame: pd.DataFrame) -> None:
    compare(frame)


def test_a_frame_like_adult() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "a": rng.integers(20, 26, 400),
            "b": rng.choice(["Male", "Female"], 400),
            "s": rng.choice(["Sales", "Tech-support", "Craft-repair", "Other"], 400),
            "n": rng.integers(20, 60, 400),
        }
    )
    compare(frame)


@SOME
@given(frames())
def test_several_sensitive_columns_are_several_claims(frame: pd.DataFrame) -> None:
    each = [min(numbers(DistinctLDiversity(column=c, l=1), frame, c)) for c in ("s", "n")]
    assert min(each) == anonymity.l_diversity(frame, QUASI, ["s", "n"])


@SOME
@given(frames(), st.integers(1, 3))
def test_recursive_diversity_by_the_formula_of_its_paper(frame: pd.DataFrame, l: int) -> None:  # noqa: E741
    expected = []
    for _, part in frame.groupby(QUASI):
        ordered = sorted(part["s"].value_counts(), reverse=True)
        tail = sum(ordered[l - 1 :])
        expected.append(ordered[0] / tail if tail else np.inf)
    assert numbers(RecursiveCLDiversity(column="s", c=1, l=l), frame, "s") == expected


def test_where_recursive_diversity_differs() -> None:
    """Counts 5, 1, 1: the paper's r1 is 5; pycanon's is 1, and its smallest c accordingly."""
    frame = pd.DataFrame({"a": 0, "b": 0, "s": list("xxxxxyz")})
    assert numbers(RecursiveCLDiversity(column="s", c=1, l=3), frame, "s") == [5.0]
    assert anonymity.recursive_c_l_diversity(frame, QUASI, ["s"]) == (1, 3)
