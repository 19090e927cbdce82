"""A generated social graph: communities, circles of friends in them, a few who know many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.core.errors import BadJob
from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.kernels.graph_rows import rows_of_pairs, without_repeats
from sfumato.kernels.sample_circles import draw_circles

LEAST, STEEP, MOST = 3, 2.6, 500  # friends wanted: at least, exponent of the tail, at most
CLOSENESS = 0.85  # of two people in the smallest circles
OUTSIDE = 0.15  # of the friends beyond the circle live in another community
SMALLEST, SIZES = 30, 1.9  # people of a community: at least, exponent of the tail
Ints = NDArray[np.int64]
Rng = np.random.Generator


@dataclass(frozen=True, eq=False)
class Friends:
    """Who knows whom (each pair once, in no order), and which community everybody lives in."""

    edges: pa.Table
    people: pa.Table


def friends(rows: int, run: Run, isolated: float = 0.0) -> Friends:
    """Made-up people and their friends; nobody without any, unless a share `isolated` is asked for.

    The block model of two levels (Seshadhri, Kolda, Pinar 2012) within communities: how many
    friends a person wants follows a power law of exponent 2.6; people of a community who want
    about equally many form circles in which most know each other, which makes the triangles; the
    rest of the friends are drawn in the community, 15 % of them anywhere. Communities have sizes
    of a power law. Persons go by numbers in no order.

    >>> made = friends(200, Run.seeded(1))
    >>> made.edges.column_names, made.people.num_rows
    (['person', 'friend'], 200)
    """
    if rows < 0 or not 0 <= isolated <= 1:
        raise BadJob(f"{rows} rows, {isolated:g} isolated", "give 0 or more, and a share of 0 to 1")
    graph, community = friends_graph(rows, run, isolated)
    names = _names(_rng(run, "names"), rows)
    rng = _rng(run, "order")
    ends = np.array(graph.upper)
    ends = ends[:, rng.permutation(graph.edges)]
    turned = rng.random(graph.edges) < 0.5
    person, friend = np.where(turned, ends[::-1], ends)
    order = rng.permutation(rows)
    return Friends(
        pa.table({"person": names[person], "friend": names[friend]}),
        pa.table({"person": names[order], "community": _groups(community)[order]}),
    )


def friends_graph(rows: int, run: Run, isolated: float = 0.0) -> tuple[Graph, Ints]:
    """The graph itself and everybody's community; people are numbered by community."""
    lonely = _rng(run, "isolated").random(rows) < isolated
    community = _communities(_rng(run, "communities"), rows)
    wanted = np.where(lonely, 0, _wanted(_rng(run, "wanted"), rows))
    order = np.lexsort((wanted, community))
    order = order[wanted[order] > 0]
    u, v, has = draw_circles(community[order], wanted[order], CLOSENESS, run.word("circles"))
    left = np.zeros(rows, np.int64)
    left[order] = np.maximum(wanted[order] - has, 0)
    pairs = [np.stack([order[u], order[v]]), _rest(_rng(run, "rest"), community, left)]
    graph = _simple(rows, np.concatenate(pairs, axis=1))
    lost = np.flatnonzero((graph.degrees == 0) & ~lonely)
    if len(lost) and rows > 1:
        pairs.append(_company(lost, order, _rng(run, "company")))
        graph = _simple(rows, np.concatenate(pairs, axis=1))
    return graph, community


def _simple(rows: int, pairs: Ints) -> Graph:
    u, v = pairs.astype(np.int32)
    return Graph(*without_repeats(*rows_of_pairs(u, v, rows)))


def _communities(rng: Rng, rows: int) -> Ints:
    """Everybody's community, ascending; sizes by a power law, at most a tenth of all people."""
    most = max(rows / 10, SMALLEST)
    sizes = np.empty(0, np.int64)
    while sizes.sum() < rows:
        more = SMALLEST * (1 - rng.random(rows // SMALLEST + 1)) ** (-1 / (SIZES - 1))
        sizes = np.concatenate([sizes, np.minimum(more, most).astype(np.int64)])
    ends = np.cumsum(sizes)
    return np.searchsorted(ends, np.arange(rows), side="right").astype(np.int64)


def _wanted(rng: Rng, rows: int) -> Ints:
    """Friends wanted: a power law, at most 500 and a tenth of all people."""
    most = max(min(MOST, rows // 10), LEAST)
    drawn = (LEAST + 1) * (1 - rng.random(rows)) ** (-1 / (STEEP - 1)) - rng.random(rows)
    return np.clip(drawn, LEAST, most).astype(np.int64)


def _rest(rng: Rng, community: Ints, left: Ints) -> Ints:
    """Friends beyond the circle: ends that meet within a community, some of them anywhere."""
    ends = np.repeat(np.arange(len(left)), left)
    away = rng.random(len(ends)) < OUTSIDE
    home = ends[~away]
    home = home[np.lexsort((rng.random(len(home)), community[home]))]
    return np.concatenate([_met(home), _met(rng.permutation(ends[away]))], axis=1)


def _met(ends: Ints) -> Ints:
    """Every two that follow each other."""
    half = len(ends) // 2
    return ends[: 2 * half].reshape(half, 2).T


def _company(lost: Ints, order: Ints, rng: Rng) -> Ints:
    """Somebody else for each who has nobody."""
    place = rng.integers(0, len(order), len(lost))
    other = np.where(order[place] == lost, order[(place + 1) % len(order)], order[place])
    return np.stack([lost, other])


def _names(rng: Rng, rows: int) -> NDArray[np.int64]:
    """Different numbers of nine digits or more, in no order."""
    low = 10 ** max(8, len(str(rows)))
    drawn = np.empty(0, np.int64)
    while len(drawn) < rows:
        more = rng.integers(low, 10 * low, rows - len(drawn) + 8)
        drawn = np.unique(np.concatenate([drawn, more]))
    return rng.permutation(drawn)[:rows]


def _groups(community: Ints) -> NDArray[np.str_]:
    digits = max(3, len(str(int(community.max(initial=0)) + 1)))
    return np.array([f"C{number + 1:0{digits}}" for number in community.tolist()])


def _rng(run: Run, part: str) -> Rng:
    return run.rng("sample", "friends", part)
