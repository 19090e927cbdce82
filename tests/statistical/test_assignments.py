"""Over repeated publications every link is the true one equally often, whatever made the links."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sfumato.core.run import Run
from sfumato.data.schema import Schema
from sfumato.data.sets import Holders, Sets
from sfumato.data.table import table_from_arrow
from sfumato.kernels.matchings import ring
from sfumato.methods.sets.assignments import dealt, in_chunks, of_graph
from sfumato.methods.sets.nonreciprocal import Nonreciprocal

PUBLICATIONS = 600
LEVEL = 4.5  # standard deviations: below 1e-5 two-sided, times at most 120 links: below 1e-3


def exchanged(rows: int, degree: int) -> np.ndarray:
    """A regular graph that is no ring: offsets of every record are other multiples."""
    place = (np.arange(rows)[:, None] * 1 + np.arange(degree)[None, :] * 5) % rows
    return (place - np.arange(rows)[:, None]).astype(np.int16)


CASES = {
    "free walks": lambda run: of_graph(ring(20, 4), run, "free"),
    "closed walks": lambda run: of_graph(ring(20, 4), run, "closed"),
    "backtracking walks": lambda run: of_graph(ring(20, 4), run, "backtracking"),
    "another graph": lambda run: of_graph(exchanged(20, 4), run, "free"),
    "chunks": lambda run: in_chunks(
        np.array([0, 8, 20]), np.arange(20, dtype=np.int32) % 4, 4, 4, run
    ),
    "groups": lambda run: dealt(np.arange(20), np.array([0, 4, 20]), run),
}


@pytest.mark.parametrize("case", CASES)
def test_every_link_is_true_equally_often(case):
    """The graph stays, keys change; each true match is one of the record's links."""
    counts: dict[tuple[int, int], int] = {}
    degree: dict[int, int] = {}
    for seed in range(PUBLICATIONS):
        matches = CASES[case](Run.seeded(seed))
        for place, true in enumerate(matches.true):
            run = matches.original[matches.start[place] : matches.start[place + 1]]
            assert true in run
            degree[int(matches.own[place])] = len(run)
            key = (int(matches.own[place]), int(true))
            counts[key] = counts.get(key, 0) + 1
    links = sum(degree.values())
    assert len(counts) == links  # every link was the true one at some time
    for (place, _), count in counts.items():
        chance = 1 / degree[place]
        spread = np.sqrt(PUBLICATIONS * chance * (1 - chance))
        assert abs(count - PUBLICATIONS * chance) <= LEVEL * spread


def test_a_match_far_away_says_nothing_of_another():
    """Walks draw assignments anew, so that true offsets of distant records are independent."""
    offsets = []
    for seed in range(PUBLICATIONS):
        matches = of_graph(ring(60, 3), Run.seeded(seed), "free")
        offsets.append([(p - matches.true[p]) % 60 for p in (5, 35)])
    one, other = np.array(offsets).T
    table = np.histogram2d(one, other, bins=(3, 3))[0]
    expected = table.sum(1)[:, None] * table.sum(0)[None, :] / PUBLICATIONS
    assert ((table - expected) ** 2 / expected).sum() < 23.5  # chi squared, 4 degrees: 1e-4


def test_order_of_the_source_says_nothing_of_the_match():
    """Equal records are shuffled secretly: who took whose place is not who stood beside whom."""
    sets = Sets(np.arange(41), np.zeros(40, np.uint16), pa.array(["a"]), np.ones(1))
    label = pa.table({"job": [f"j{i:02}" for i in range(40)]})
    schema = Schema.of(quasi=["items"], sensitive=["job"])
    data = Holders(sets, schema, table_from_arrow(label))
    near = 0
    for seed in range(100):
        publication = Nonreciprocal(k=4).publish(data, [], Run.seeded(seed))
        own = np.asarray(publication.ledger.matches.column("own"))
        near += int((np.abs(own - publication.ledger.rows) == 1).sum())
    expected, most = 100 * 40 * (1 / 4 * 0 + 3 / 4 * 2 / 40), 100 * 40
    assert abs(near - expected) < 5 * np.sqrt(most * 0.0375) + 5
