"""Generated sets of items: what a million people are interested in, and nobody of them exists."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.core.errors import BadJob
from sfumato.core.run import Run
from sfumato.data.sets import Sets
from sfumato.kernels.rows import Rows
from sfumato.kernels.sample_rows import Urn, draw_rows, urn

CHUNK = 1 << 16  # rows that share a stream

# The exponent at which 1,000 frequencies add up to 40 items, and the spread of appetite at which
# their number has a standard deviation of 24; both solved numerically.
BEND, SPREAD = 0.6402351, 0.4479270
LONGEST = 0.5  # no row of the long tail holds more than this share of all items

Rng = np.random.Generator
Weights = NDArray[np.float64]


@dataclass(frozen=True)
class Profile:
    """A law of rows: weights of items, and how many draws or different items a row takes."""

    domain: int
    distinct: bool
    weights: Callable[[int], Weights]
    goal: Callable[[Rng, int, Weights], NDArray[np.int64]]


def segments(rows: int, run: Run, profile: str = "thesis", domain: int | None = None) -> Sets:
    """Made-up people and the segments they belong to; item 0 is the most frequent one.

    "thesis": the laws of a master's thesis on targeted advertising (docs: sources), 1,000 items of
    frequencies from .5 to .001 that fall like a logarithm, 40 a row with a standard deviation of
    24. "long tail": 1,987 items drawn by 1 / (rank + 8), 22 a row, quartiles 3, 15 and 34. Items
    are independent given the length of a row (in the first: given how eager a person is).
    Utilities are whole numbers, 1 to 100 alike. With another domain, frequencies stretch along.
    Rows depend on the key and their place alone. Memory: the result and a chunk for each worker.

    >>> sets = segments(3, Run.seeded(1))
    >>> sets.rows, sets.domain, sets.names[0].as_py()
    (3, 1000, 'segment 0001')
    """
    if profile not in PROFILES:
        raise BadJob(f"there is no profile {profile!r} of segments", f"one of {list(PROFILES)}")
    law = PROFILES[profile]
    size = law.domain if domain is None else domain
    if rows < 0 or not 1 <= size <= 1 << 32:
        raise BadJob(f"{rows} rows of {size} segments", "give 0 or more rows, 1 or more segments")
    drawn = _drawn(rows, run, law, size)
    utility = run.rng("segments", "utility").integers(1, 101, size).astype(np.float64)
    digits = len(str(size))
    names = pa.array([f"segment {number:0{digits}}" for number in range(1, size + 1)])
    return Sets(drawn.start, drawn.items, names, utility)


def frequencies(domain: int) -> Weights:
    """How frequent each item of the profile "thesis" is."""
    place = np.arange(domain) / max(domain - 1, 1)
    return np.asarray(0.5 * 500.0 ** -(place**BEND))


def _rates(domain: int) -> Weights:
    """Draws of each item by a person of mean appetite, so that frequencies come out exactly.

    Appetite has a gamma law of mean 1 and variance SPREAD; an item drawn at rate r times appetite
    is there with probability 1 - (1 + SPREAD r) ** (-1 / SPREAD).
    """
    return np.asarray(((1 - frequencies(domain)) ** -SPREAD - 1) / SPREAD)


def _draws(rng: Rng, rows: int, weights: Weights) -> NDArray[np.int64]:
    appetite = rng.gamma(1 / SPREAD, SPREAD, rows)
    return np.asarray(rng.poisson(appetite * weights.sum()))


def _popularity(domain: int) -> Weights:
    return np.asarray(1 / (np.arange(domain) + 8.0))


def _lengths(rng: Rng, rows: int, weights: Weights) -> NDArray[np.int64]:
    """Straight lines between the quartiles, an exponential tail beyond the third."""
    share = rng.random(rows)
    inner = np.interp(share, [0, 0.25, 0.5, 0.75], [0.5, 3, 15, 34])
    tail = 34 + rng.exponential(20.1, rows)
    length = np.rint(np.where(share < 0.75, inner, tail)).astype(np.int64)
    return np.minimum(length, int(np.ceil(LONGEST * len(weights))))


PROFILES = {
    "thesis": Profile(1000, False, _rates, _draws),
    "long tail": Profile(1987, True, _popularity, _lengths),
}


def _drawn(rows: int, run: Run, law: Profile, domain: int) -> Rows:
    """All rows, chunk after chunk, into one array that is cut to size at the end."""
    weights = law.weights(domain)
    slots, dtype = urn(weights), np.uint16 if domain <= 1 << 16 else np.uint32

    def chunk(first: int) -> Rows:
        return _chunk(run, first, min(CHUNK, rows - first), (law, weights, slots, dtype))

    start, items = np.zeros(rows + 1, np.int64), np.empty(0, dtype)
    used = done = 0
    for part in _in_order(chunk, rows, run.workers):
        count, size = len(part.start) - 1, len(part.items)
        if not done:  # memory that is never written takes no room
            items = np.empty(int(1.05 * size / count * rows) + CHUNK, dtype)
        if used + size > len(items):
            items.resize(int(1.05 * (used + size) / (done + count) * rows), refcheck=False)
        start[done + 1 : done + 1 + count] = part.start[1:] + used
        items[used : used + size] = part.items
        used, done = used + size, done + count
        run.step(done, rows)
    items.resize(used, refcheck=False)
    return Rows(start, items)


def _chunk(run: Run, first: int, rows: int, how: tuple[Profile, Weights, Urn, Any]) -> Rows:
    law, weights, slots, dtype = how
    goal = law.goal(run.rng("segments", first // CHUNK), rows, weights)
    room = np.empty(int(goal.sum()), dtype)
    return draw_rows(slots, goal, law.distinct, room, run.word("segments", first // CHUNK))


def _in_order(chunk: Callable[[int], Rows], rows: int, workers: int) -> Iterator[Rows]:
    """Chunks in their order, made by all workers, at most two each waiting."""
    todo = iter(range(0, rows, CHUNK))
    with ThreadPoolExecutor(workers) as pool:
        waiting = [pool.submit(chunk, first) for first in islice(todo, 2 * workers)]
        while waiting:
            part = waiting.pop(0).result()
            waiting += [pool.submit(chunk, first) for first in islice(todo, 1)]
            yield part
