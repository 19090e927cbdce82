"""Ways to group rows, called as kernels: grid in, group of every row out."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bench.data import QUASI, SENSITIVE
from sfumato import Schema
from sfumato.data.grid import grid_of
from sfumato.data.schema import Kind
from sfumato.data.table import Column
from sfumato.io.sources import load_table
from sfumato.kernels.grid import Grid
from sfumato.kernels.mondrian import Cutting, mondrian
from sfumato.kernels.mondrian_node import BEST, STRICT
from sfumato.kernels.regroup import regroup

CUTS = {"best": Cutting(BEST), "median": Cutting(STRICT)}


def schema(quasi: tuple[str, ...] = QUASI) -> Schema:
    """What Adult's columns are."""
    return Schema.of(quasi=list(quasi), sensitive=[SENSITIVE])


def grid_of_table(table: pa.Table) -> Grid:
    """The grid of Adult's quasi-identifiers."""
    columns = load_table(table, schema()).columns
    return grid_of([columns[name] for name in QUASI], {})


def grid_of_codes(codes: NDArray[np.uint16], sizes: tuple[int, ...]) -> Grid:
    """The grid of columns that are codes already."""
    names = [f"c{place}" for place in range(len(sizes))]
    columns = [
        Column(name, Kind.NUMBER, codes[:, place], pa.array(np.arange(size)), False)
        for place, (name, size) in enumerate(zip(names, sizes, strict=True))
    ]
    return grid_of(columns, {})


def by_mondrian(grid: Grid, k: int, cut: str, workers: int = 1) -> NDArray[np.int32]:
    """Mondrian's groups."""
    rows, bounds = mondrian(grid, k, CUTS[cut], workers=workers)
    return labels_of(rows, bounds)


def labels_of(rows: NDArray[np.int32], bounds: NDArray[np.int32]) -> NDArray[np.int32]:
    """The group of every row, from rows in order and where groups begin."""
    group = np.empty(len(rows), np.int32)
    group[rows] = np.repeat(np.arange(len(bounds) - 1, dtype=np.int32), np.diff(bounds))
    return group


def by_regroup(
    grid: Grid, k: int, effort: int, seed: int = 1, workers: int = 1
) -> NDArray[np.int32]:
    """The groups of `regroup`."""
    return regroup(grid, k, effort, seed, workers)


@cache
def warm() -> None:
    """Have every kernel compiled, so that no time counts it."""
    codes = np.random.default_rng(1).integers(0, 8, (2_000, 8)).astype(np.uint16)
    for kind in (np.uint16, np.uint8):
        grid = grid_of_codes(codes, (8,) * 8)._replace(codes=codes.astype(kind))
        for cut in CUTS:
            by_mondrian(grid, 5, cut)
        by_regroup(grid, 5, 1)
