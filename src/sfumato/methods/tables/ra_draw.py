"""Redrawing the quasi-identifiers of a table: blocks of records, each with words of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.run import Run
from sfumato.kernels.redraw import Alias, alias_of, pick_columns, pick_listed, redraw_column
from sfumato.releases.redraw_law import RedrawLaw

Codes = NDArray[Any]
BLOCK = 1 << 14  # records that share words; of 2**12 to 2**16 the fastest by a little
MOST_LISTED = 4096
FINE = 1 << 30  # probabilities of sets of columns are rounded to this part


def redrawn(columns: list[Codes], law: RedrawLaw, run: Run) -> list[Codes]:
    """Every column after redrawing; the words of a block follow from its place alone."""
    aliases = [alias_of(counts) for counts in law.counts]
    listed = _listed(law) if comb(len(law.names), law.redraw) <= MOST_LISTED else None
    out = [np.empty_like(codes) for codes in columns]

    def draw(block: int) -> None:
        rows = slice(block * BLOCK, min((block + 1) * BLOCK, len(columns[0])))
        many = rows.stop - rows.start
        words = run.words(many * (1 + law.redraw), "redraw", law.redraw, block)
        words = words.reshape(many, 1 + law.redraw)
        picked = _picked(words, law, listed)
        for place, (codes, alias) in enumerate(zip(columns, aliases, strict=True)):
            redraw_column(codes[rows], picked, words, place, alias, out[place][rows])

    blocks = -(-len(columns[0]) // BLOCK)
    with ThreadPoolExecutor(run.workers) as pool:
        for done, _ in enumerate(pool.map(draw, range(blocks)), 1):
            run.step(done, blocks)
    return out


def _picked(
    words: NDArray[np.uint64], law: RedrawLaw, listed: tuple[NDArray[np.uint64], Alias] | None
) -> NDArray[np.uint64]:
    if listed is None:
        return pick_columns(words, law.scaled, law.sums)
    return pick_listed(words, *listed)


def _listed(law: RedrawLaw) -> tuple[NDArray[np.uint64], Alias]:
    """All sets of columns as bits, and a table to draw one."""
    sets = [list(one) for one in combinations(range(len(law.names)), law.redraw)]
    bits = np.array([sum(1 << place for place in one) for one in sets], np.uint64)
    if law.even:
        return bits, alias_of(np.ones(len(sets), np.int64))
    chances = np.array([law.scaled[one].prod() for one in sets]) / law.sets
    return bits, alias_of(np.rint(chances * FINE).astype(np.int64))
