"""Figures 20 and 21, Tables 13 and 14: made-up segments of two profiles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.core.answers import result_table
from sfumato.study.findings import Finding, Setting, Statement
from sfumato.study.papers import sets_curves as curves
from sfumato.study.papers import sets_data as data
from sfumato.study.papers import sets_shapes as shapes
from sfumato.study.papers.sets_curves import Grid, Heading, figures, grid_of

KS, FEW_KS = (2, 5, 10, 20, 40, 100), (2, 10, 40)
TABLE_KS = (2, 10, 20, 40)
SAMPLE = 20_000  # records, for bottom-up (k,1)
DOWN_KS = (10,)  # for top-down (k,1) of all records, which takes 20 CPU s each
COMPARED = (curves.HASHED, curves.EVEN, curves.TWO_PHASE, curves.K1_HASHED)
NEW = (curves.EVEN, curves.TWO_PHASE, curves.GAIN, curves.BETTER, curves.BEST, curves.K1_DOWN)
PRINTED = {  # utility and instances, in percent; the last cell of two-phase is in doubt
    curves.EVEN: ((43.4, 24.2, 22.7, 21.4), (43.2, 24.3, 22.8, 21.6)),
    curves.TWO_PHASE: ((45.4, 27.3, 25.5, 32.0), (42.0, 22.1, 20.1, 15.6)),
}


def ks_of(setting: Setting) -> tuple[int, ...]:
    """The values of k."""
    return FEW_KS if setting.quick else KS


def compared(setting: Setting) -> Iterator[Finding]:
    """The four methods of the thesis."""
    sets = data.made_up(setting, SAMPLE)
    shown = (*COMPARED, curves.K1_DOWN)
    grid = grid_of(setting, sets, shown, ks_of(setting))
    text = f"Figures 20 and 21. {sets.rows:,} records."
    heading = Heading("segments", "Made-up segments, methods of the thesis", text)
    yield from figures(grid, heading, shown, _compared_said(grid))


def _compared_said(grid: Grid) -> list[Statement]:
    others = [name for name in COMPARED if name != curves.TWO_PHASE]
    grouped = (curves.TWO_PHASE, curves.EVEN)
    near = "At high k hashed clustering is close to Mondrian."
    last = max(k for _, k in grid)
    poor = [shapes.above("", grid, name, [curves.K1_HASHED], (6, last)) for name in grouped]
    return [
        shapes.above("Two-phase beats all the others.", grid, curves.TWO_PHASE, others),
        shapes.same(near, grid, (curves.HASHED, curves.EVEN), (40, last), 0.1),
        Statement(
            "(k,1) hashed shows less than the k-anonymous methods for k > 5.",
            all(one.agrees for one in poor),
            "; ".join(one.found for one in poor),
        ),
    ]


def improved(setting: Setting) -> Iterator[Finding]:
    """What else there is, and by how much it is better than the thesis's two."""
    sets = data.made_up(setting)
    grid = grid_of(setting, sets, NEW[:-1], ks_of(setting))
    grid |= grid_of(setting, sets, NEW[-1:], FEW_KS if setting.quick else DOWN_KS)
    heading = Heading("efforts", "Made-up segments, with what is new", f"{sets.rows:,} records.")
    yield from figures(grid, heading, NEW)
    title = "Made-up segments: gain over the two methods of the thesis"
    lines = [_gains(grid, k) for k in ks_of(setting)]
    yield Finding("gains", title, "", result_table(title, lines))


def _gains(grid: Grid, k: int) -> dict[str, float]:
    ratios = {
        f"{name} / {other}": grid[name, k].utility / grid[other, k].utility
        for name in (curves.BETTER, curves.BEST)
        for other in (curves.EVEN, curves.TWO_PHASE)
    }
    return {"k": k} | ratios


def long_tail(setting: Setting) -> Iterator[Finding]:
    """The shape of Tables 13 and 14, on made-up data: the thesis's own can't be had."""
    sets = data.made_up(setting, profile="long tail")
    names = tuple(PRINTED)
    grid = grid_of(setting, sets, names, TABLE_KS)
    title = f"Long tail, {sets.rows:,} records, and what the thesis prints of its own"
    lines = []
    for place, k in enumerate(TABLE_KS):
        for name in names:
            point, printed = grid[name, k], [part[place] / 100 for part in PRINTED[name]]
            lines.append(
                {
                    "k": k,
                    "method": name,
                    "utility": point.utility,
                    "printed utility": printed[0],
                    "instances": point.instances,
                    "printed instances": printed[1],
                    "CPU s": point.seconds,
                }
            )
    yield Finding("long-tail", title, "", result_table(title, lines), None, _tail_said(grid, names))


def _tail_said(grid: Grid, names: Sequence[str]) -> list[Statement]:
    even, two = names
    fewer = [grid[two, k].instances < grid[even, k].instances for k in TABLE_KS]
    slower = [grid[two, k].seconds / grid[even, k].seconds for k in TABLE_KS]
    return [
        shapes.above("Targeting data: two-phase shows more utility.", grid, two, [even]),
        Statement(
            "Targeting data: it shows fewer (record, item) pairs.",
            all(fewer),
            f"at {sum(fewer)} of {len(fewer)} points",
        ),
        Statement(
            "Targeting data: it takes five to seven times as long.",
            all(5 <= ratio <= 7 for ratio in slower),
            f"{min(slower):.1f} to {max(slower):.1f} times",
        ),
    ]
