"""From columns to the grid of codes that kernels work on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import BadInput
from sfumato.data.hierarchy import Hierarchy, fit
from sfumato.data.schema import Kind
from sfumato.data.table import Column, smallest_unsigned
from sfumato.kernels.grid import RANGE, SET, TREE, Grid

MOST_CODES = 1 << 16


def grid_of(
    columns: Sequence[Column],
    hierarchies: Mapping[str, Hierarchy],
    weights: Mapping[str, float] | None = None,
) -> Grid:
    """The grid of some quasi-identifier columns; weights default to equal ones and sum to 1."""
    parts = [_part(column, hierarchies.get(column.name)) for column in columns]
    size = np.array([part["size"] for part in parts], np.int64)
    given = np.array([(weights or {}).get(column.name, 1.0) for column in columns])
    ladders = [part["ladder"] for part in parts]
    losses = [part["loss"] for part in parts]
    nodes = np.cumsum([0, *(len(loss) for loss in losses)])[:-1]
    return Grid(
        codes=_stack([part["codes"] for part in parts], int(size.max(initial=1))),
        kind=np.array([part["kind"] for part in parts], np.int8),
        size=size,
        weight=given / given.sum(),
        start=_starts([part["position"] for part in parts]),
        position=np.concatenate([part["position"] for part in parts]),
        step=1.0 / np.maximum(size - 1, 1) * (size > 1),
        levels=np.array([len(ladder) for ladder in ladders], np.int64),
        ladder=_starts([ladder.ravel() for ladder in ladders]),
        node=np.concatenate(
            [(ladder + base).ravel() for ladder, base in zip(ladders, nodes, strict=True)]
        ).astype(np.int32),
        node_loss=np.concatenate(losses),
    )


def _part(column: Column, hierarchy: Hierarchy | None) -> dict[str, Any]:
    if hierarchy is not None:
        return _tree_part(column, hierarchy)
    if column.kind is Kind.CATEGORY:
        return _set_part(column)
    return _range_part(column)


_NO_LADDER: NDArray[np.int32] = np.empty((0, 0), np.int32)
_NO_LOSS: NDArray[np.float64] = np.empty(0)


def _set_part(column: Column) -> dict[str, Any]:
    if column.size > MOST_CODES:
        raise BadInput(
            f"quasi column '{column.name}' has {column.size} different values, more than "
            f"{MOST_CODES} can be grouped without a hierarchy",
            "give it one in schema.hierarchies, or list it as identifier or drop",
        )
    return {
        "codes": column.codes,
        "kind": SET,
        "size": column.size,
        "position": np.zeros(column.size),
        "ladder": _NO_LADDER,
        "loss": _NO_LOSS,
    }


def _range_part(column: Column) -> dict[str, Any]:
    position = _positions(column)
    codes = column.codes
    if len(position) > MOST_CODES:  # steer by equal runs of values; cells still use exact values
        rung = np.arange(len(position)) * (MOST_CODES - 1) // (len(position) - 1)
        first = np.searchsorted(rung, np.arange(MOST_CODES))
        codes, position = rung.astype(np.uint16)[codes], position[first]
    return {
        "codes": codes,
        "kind": RANGE,
        "size": len(position),
        "position": position,
        "ladder": _NO_LADDER,
        "loss": _NO_LOSS,
    }


def _positions(column: Column) -> NDArray[np.float64]:
    """Values scaled so that the domain has length 1; missing one whole domain below."""
    numbers = column.numbers / 2  # halved, so that no difference overflows
    length = float(numbers[-1] - numbers[0]) if len(numbers) else 0.0
    present = (numbers - numbers[0]) / length if length else np.zeros(len(numbers))
    return np.concatenate([[-1.0], present]) if column.has_missing else present


def _tree_part(column: Column, hierarchy: Hierarchy) -> dict[str, Any]:
    tree, leaf = fit(hierarchy, column)
    first = tree.spans[tree.finest[leaf], 0]
    used = np.unique(first)
    rank = np.searchsorted(used, first)
    if len(used) > MOST_CODES:
        raise BadInput(
            f"quasi column '{column.name}' has {len(used)} different values, more than "
            f"{MOST_CODES} can be grouped",
            "cut its values shorter, or list it as identifier or drop",
        )
    return {
        "codes": rank.astype(smallest_unsigned(len(used)))[column.codes],
        "kind": TREE,
        "size": len(used),
        "position": np.zeros(len(used)),
        "ladder": tree.ladder[:, used],
        "loss": tree.loss,
    }


def _starts(parts: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    return np.cumsum([0, *(len(part) for part in parts)])[:-1].astype(np.int64)


def _stack(codes: Sequence[NDArray[Any]], largest: int) -> NDArray[Any]:
    grid = np.empty((len(codes[0]), len(codes)), smallest_unsigned(min(largest, MOST_CODES)))
    for place, column in enumerate(codes):
        grid[:, place] = column
    return grid
