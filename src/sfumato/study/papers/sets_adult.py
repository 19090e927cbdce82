"""Figures 7 to 19: Adult as sets of items."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sfumato.core.answers import result_table
from sfumato.data.sets import Sets
from sfumato.study.findings import Curves, Finding, Setting, Statement
from sfumato.study.papers import sets_curves as curves
from sfumato.study.papers import sets_data as data
from sfumato.study.papers import sets_shapes as shapes
from sfumato.study.papers.sets_curves import Grid, Heading, figures, grid_of

KS, FEW_KS = (2, 5, 10, 20, 40, 100, 150, 180), (2, 10, 150, 180)
SAMPLE = 8_000  # records, for methods that compare all pairs
LONG = {curves.ALL: 5, curves.AGAIN_ALL: 20}  # the smallest k tried with all records as candidates
PRINTED_ITEMS, MOST_ITEMS = 123, 10
NAMED = 8  # items of a column that are listed in full


def ks_of(setting: Setting) -> tuple[int, ...]:
    """The values of k."""
    return FEW_KS if setting.quick else KS


def encoding(setting: Setting) -> Iterator[Finding]:
    """The items of Adult by column, and how frequent they are (Figure 19)."""
    sets, other = data.adult(setting), data.made_up(setting)
    parts: dict[str, list[int]] = {}
    for item, name in enumerate(sets.names.to_pylist()):
        parts.setdefault(name.split("=")[0].strip(), []).append(item)
    lines = [_encoded(sets, column, items) for column, items in parts.items()]
    told = f"{len(sets.items) / sets.rows:.2f} items a record, at most {sets.lengths.max()}"
    lines.append({"column": "all", "items": sets.domain, "of records": None, "which": told})
    table = result_table("Adult as items", lines)
    yield Finding("encoding", table.title, "", table, statements=_encoding_said(sets))
    yield _frequencies(sets, other)


def _encoded(sets: Sets, column: str, items: list[int]) -> dict[str, object]:
    """How a column became items, and how many records have one of them."""
    names = [sets.names[item].as_py().split("=", 1)[1].strip() for item in items]
    shown = ", ".join(names) if len(names) <= NAMED else f"{names[0]}, ..., {names[-1]}"
    share = float(sets.counts[items].sum()) / sets.rows
    return {"column": column, "items": len(names), "of records": share, "which": shown}


def _encoding_said(sets: Sets) -> list[Statement]:
    most = int(sets.lengths.max())
    return [
        Statement(
            f"Adult has {PRINTED_ITEMS} items.", sets.domain == PRINTED_ITEMS, f"{sets.domain}"
        ),
        Statement(f"No record has more than {MOST_ITEMS}.", most <= MOST_ITEMS, f"at most {most}"),
    ]


def _frequencies(adult: Sets, other: Sets) -> Finding:
    """Shares of records by rank of the item."""
    places = np.linspace(0, 1, 51)
    lines = []
    for place in places:
        line = {"rank": float(place)}
        for name, sets in (("Adult", adult), ("made-up segments", other)):
            falling = np.sort(sets.counts[sets.counts > 0])[::-1] / sets.rows
            line[name] = float(falling[round(place * (len(falling) - 1))])
        lines.append(line)
    title = "How frequent items are"
    table = result_table(title, lines)
    drawn = Curves(
        "rank",
        table.columns[1:],
        "rank, share of the items",
        "share of the records that have it",
        log=True,
    )
    rare = [_mean_of_rare(sets) for sets in (adult, other)]
    text = f"mean of the rarest quarter: {rare[0]:.2%}, made-up {rare[1]:.2%} of the records"
    said = Statement("Adult has the longer tail of rare items.", rare[0] < rare[1], text)
    return Finding("frequencies", title, "Figure 19.", table, drawn, [said])


def _mean_of_rare(sets: Sets) -> float:
    """The mean frequency of the rarest quarter of the items."""
    rising = np.sort(sets.counts[sets.counts > 0]) / sets.rows
    return float(rising[: len(rising) // 4].mean())


def clustering(setting: Setting) -> Iterator[Finding]:
    """Figures 7 to 12."""
    one = (curves.DRAWN, curves.HASHED, curves.ALL)
    again = (curves.AGAIN_HASHED, curves.AGAIN_ALL)
    grid = grid_of(setting, data.adult(setting), (*one, *again), ks_of(setting), LONG)
    heading = Heading("candidates", "Who may join a cluster", "Figures 7 and 8.")
    yield from figures(grid, heading, one, _candidates_said(grid))
    pair = (curves.ALL, curves.AGAIN_ALL)
    heading = Heading("iterative-all", "Once or again, all candidates", "Figures 9 and 10.")
    yield from figures(grid, heading, pair, _again_all_said(grid))
    pair = (curves.HASHED, curves.AGAIN_HASHED)
    heading = Heading("iterative-hashed", "Once or again, hashed", "Figures 11 and 12.")
    yield from figures(grid, heading, pair, _again_hashed_said(grid))


def _candidates_said(grid: Grid) -> list[Statement]:
    pair, last = (curves.HASHED, curves.DRAWN), max(k for _, k in grid)
    ks = shapes.common_ks(grid, pair)
    return [
        shapes.above("Hashed candidates beat random ones.", grid, curves.HASHED, [curves.DRAWN]),
        shapes.printed_gain("At k = 10 they show 12.8 % more.", grid, pair, 10, 0.128),
        shapes.printed_gain("At high k they show 3.4 % more.", grid, pair, last, 0.034),
        shapes.falls("Their gain falls as k grows.", grid, pair, 10),
        shapes.same(
            "At k = 10 they come close to all candidates.",
            grid,
            (curves.HASHED, curves.ALL),
            (10, 10),
            0.05,
        ),
        shapes.time_ratio(
            "Hashed candidates take longer than random ones.", grid, pair, ks, (1, 1e9)
        ),
        shapes.time_ratio(
            "They take less than 2 % of the time of all.",
            grid,
            (curves.HASHED, curves.ALL),
            shapes.common_ks(grid, (curves.HASHED, curves.ALL)),
            (0, 0.02),
        ),
    ]


def _again_all_said(grid: Grid) -> list[Statement]:
    pair = (curves.AGAIN_ALL, curves.ALL)
    high = shapes.common_ks(grid, pair, least=100)
    return [
        shapes.crosses(
            "All candidates: iterating shows less below k = 30, more above.", grid, pair, 30
        ),
        shapes.printed_gain("At k = 150 iterating shows 9.7 % more.", grid, pair, 150, 0.097),
        shapes.time_ratio(
            "Iterating takes about twice the time at high k.", grid, pair, high, (1.5, 3)
        ),
    ]


def _again_hashed_said(grid: Grid) -> list[Statement]:
    pair = (curves.AGAIN_HASHED, curves.HASHED)
    ks = shapes.common_ks(grid, pair)
    return [
        shapes.crosses("Hashed: iterating shows less below k = 20, more above.", grid, pair, 20),
        shapes.printed_gain(
            "Hashed: at k = 180 iterating shows 26.6 % more.", grid, pair, 180, 0.266
        ),
        shapes.time_ratio("Hashed: iterating takes far longer.", grid, pair, ks, (5, 1e9)),
    ]


def heuristics(setting: Setting) -> Iterator[Finding]:
    """Figures 13 and 14."""
    pair = (curves.ENTROPY, curves.EVEN)
    ks = (*ks_of(setting), 195)
    grid = grid_of(setting, data.adult(setting), pair, ks)
    printed = "At k = 195 entropy shows .098 % more."
    said = [
        shapes.same("Both cuts show nearly the same.", grid, pair),
        shapes.printed_gain(printed, grid, pair, 195, 0.00098),
        shapes.time_ratio("Entropy takes orders of magnitude longer.", grid, pair, ks, (100, 1e9)),
    ]
    heading = Heading("cuts", "Mondrian, two cuts", "Figures 13 and 14.")
    yield from figures(grid, heading, pair, said)


K1 = (curves.K1_HASHED, curves.K1_ALL)
TOP_DOWN = (curves.K1_DOWN, curves.K1_DRAWN)
CLUSTERED = (curves.HASHED, curves.AGAIN_HASHED)


def side_by_side(setting: Setting) -> Iterator[Finding]:
    """Figures 15 to 18, on a sample, and what else there is on all of Adult."""
    sets = data.adult(setting, SAMPLE)
    chosen = (*CLUSTERED, curves.EVEN, curves.TWO_PHASE, *K1)
    grid = grid_of(setting, sets, (*chosen, curves.ALL, *TOP_DOWN), ks_of(setting))
    sample = f"{sets.rows:,} records drawn at random."
    shown = (curves.HASHED, curves.ALL, *K1, *TOP_DOWN)
    heading = Heading("k1", "(k,1)-anonymity and clustering", f"Figures 15 and 16. {sample}")
    yield from figures(grid, heading, shown, _k1_said(grid))
    heading = Heading("overall", "Side by side", f"Figures 17 and 18. {sample}")
    yield from figures(grid, heading, chosen, _overall_said(grid))
    yield from _whole(setting)


def _k1_said(grid: Grid) -> list[Statement]:
    return [
        shapes.above(
            "(k,1) with all beats clustering with all.", grid, curves.K1_ALL, [curves.ALL]
        ),
        shapes.above(
            "(k,1) hashed beats clustering hashed.", grid, curves.K1_HASHED, [curves.HASHED]
        ),
    ]


def _overall_said(grid: Grid) -> list[Statement]:
    others = [curves.TWO_PHASE, curves.EVEN, *CLUSTERED, curves.K1_HASHED]
    low = (curves.K1_HASHED, curves.EVEN)
    return [
        shapes.above("Mondrian beats all clustering.", grid, curves.EVEN, CLUSTERED),
        shapes.above("Two-phase beats all clustering.", grid, curves.TWO_PHASE, CLUSTERED),
        shapes.same("Two-phase matches Mondrian on Adult.", grid, (curves.TWO_PHASE, curves.EVEN)),
        shapes.above("(k,1) with all beats everything.", grid, curves.K1_ALL, others),
        shapes.same("(k,1) hashed only matches Mondrian at low k.", grid, low, (2, 10), 0.05),
    ]


WHOLE = (curves.EVEN, curves.TWO_PHASE, curves.BETTER, curves.BEST, curves.K1_DOWN)


def _whole(setting: Setting) -> Iterator[Finding]:
    grid = grid_of(setting, data.adult(setting), WHOLE, ks_of(setting))
    heading = Heading("whole", "All of Adult, with what is new", "48,842 records.")
    yield from figures(grid, heading, WHOLE)
