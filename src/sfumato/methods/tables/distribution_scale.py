"""The scale that a job asks for, and where every record's value stands on it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.core.errors import BadJob
from sfumato.data import scales
from sfumato.data.people import People
from sfumato.data.plain import spell
from sfumato.data.scale import Scale
from sfumato.data.scales import Domain
from sfumato.data.schema import Kind
from sfumato.data.table import Column
from sfumato.releases.bucketed import Targets

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]


class Asked(Protocol):
    """What a method says of its scale."""

    @property
    def hierarchy(self) -> Any: ...
    @property
    def strata(self) -> int: ...
    @property
    def domain(self) -> list[float] | None: ...


@dataclass(frozen=True, eq=False)
class Grown:
    """A scale over a column's domain, with the leaf of every record.

    With strata, `code` holds every record's value and `span` the first and last stratum of each
    value; `leaf` is then the first. `weight` holds the weights that the hierarchy itself states.
    """

    domain: Domain
    scale: Scale
    leaf: Codes
    worth: NDArray[np.float64]  # every record's value as a number; categories by their place
    code: Codes | None = None
    span: tuple[Ints, Ints] = (np.empty(0, np.int64), np.empty(0, np.int64))
    weight: Ints | None = None

    @cached_property
    def leaves(self) -> int:
        """Leaves of the scale."""
        return int(self.scale.is_leaf.sum())

    @cached_property
    def ends(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Smallest and largest value of every node as numbers; categories by their places."""
        low, high = self.scale.present_ends
        low = np.minimum(low, high)
        if self.scale.kind is Kind.CATEGORY:
            return low.astype(np.float64), high.astype(np.float64)
        numbers = np.nan_to_num(self.scale.numbers)
        return numbers[low], numbers[high]

    def annotated(self, groups: int) -> Targets:
        """The hierarchy's own weights as the target of every group."""
        assert self.weight is not None
        node = np.flatnonzero(self.weight).astype(np.int32)
        start = np.arange(groups + 1, dtype=np.int64) * len(node)
        return Targets(start, np.tile(node, groups), np.tile(self.weight[node], groups))


def grown(data: People, name: str, asked: Asked) -> Grown:
    """The scale of the sensitive column."""
    column = data.table[name]
    if column.size == 0:
        raise BadJob(f"'{name}' has no values", "bring records")
    if asked.hierarchy == "strata":
        return _strata(column, asked.strata)
    weight = None
    if isinstance(asked.hierarchy, dict):
        domain, scale, weight = _annotated(column, asked.hierarchy)
    elif _is_file(asked.hierarchy):
        domain, scale = scales.of_hierarchy(column, _file(data, name, str(asked.hierarchy)))
    else:
        domain = _domain(column, asked.domain)
        scale = _tree(domain, asked.hierarchy)
    place = domain.place[column.codes]
    return Grown(domain, scale, place.astype(np.int32), _worth(scale, place), weight=weight)


def _worth(scale: Scale, place: Ints) -> NDArray[np.float64]:
    if scale.kind is Kind.CATEGORY:
        return place.astype(np.float64)
    return np.nan_to_num(scale.numbers)[place]


def _domain(column: Column, ends: list[float] | None) -> Domain:
    return scales.observed(column) if ends is None else scales.stated(column, ends)


def _is_file(hierarchy: Any) -> bool:
    return isinstance(hierarchy, str) and hierarchy not in ("binary", "ternary")


def _file(data: People, name: str, file: str) -> Any:
    if name not in data.hierarchies:
        raise BadJob(
            f"method.hierarchy is '{file}', and no hierarchy of '{name}' was read",
            'use "binary", "ternary", "strata", an arity, breakpoints or a CSV in level form',
        )
    return data.hierarchies[name]


def _tree(domain: Domain, hierarchy: Any) -> Scale:
    if isinstance(hierarchy, list):
        return scales.by_breaks(domain, hierarchy)
    arity = {"binary": 2, "ternary": 3}.get(hierarchy, hierarchy)
    return scales.balanced(domain, int(arity))


def _strata(column: Column, levels: int) -> Grown:
    scale, first, last = scales.strata(column, levels)
    codes = column.codes.astype(np.int32)
    numbers = column.numbers[column.codes]
    domain = scales.observed(column)
    leaf = first[column.codes].astype(np.int32)
    return Grown(domain, scale, leaf, numbers, codes, (first, last))


def _annotated(column: Column, tree: dict[str, Any]) -> tuple[Domain, Scale, Ints]:
    """A tree stated in the job, weights on its edges: {w = [...], c = [value or tree, ...]}."""
    texts: list[str] = []
    nested = _read(tree, texts)
    values = _values(column, texts)
    domain = scales.around(column, values)
    if column.has_missing:
        raise BadJob(
            f"'{column.name}' has missing values, which a tree with weights has no place for",
            'use "binary" with target weights, which take "missing"',
        )
    scale = scales.nested(domain, nested)
    weight = np.zeros(len(scale), np.int64)
    _weigh(tree, 0, scale, weight)
    return domain, scale, weight


def _read(node: Any, texts: list[str]) -> Any:
    if not isinstance(node, dict):
        texts.append(spell([node])[0])
        return len(texts) - 1
    weights, children = node.get("w"), node.get("c")
    whole = isinstance(weights, list) and all(type(w) is int and w >= 0 for w in weights)
    if set(node) != {"w", "c"} or not whole or not isinstance(children, list):
        raise BadJob(
            "method.hierarchy: a node of a tree is { w = [whole numbers], c = [values or nodes] }",
            "w holds one weight per child, 0 or more",
        )
    if len(weights) != len(children) or len(children) < 2:  # type: ignore[arg-type]
        raise BadJob(
            "method.hierarchy: a node of a tree needs two children or more, with a weight for each",
            "leave out nodes that join nothing",
        )
    if not any(weights):  # type: ignore[arg-type]
        raise BadJob(
            "method.hierarchy: all children of a node have weight 0, which says no distribution",
            "give one of them a weight; the node itself may have weight 0",
        )
    return [_read(child, texts) for child in children]


def _values(column: Column, texts: list[str]) -> pa.Array:
    values = scales.typed(column, texts)
    if len(values.unique()) != len(values):
        raise BadJob("method.hierarchy: a value stands in the tree twice", "keep one of them")
    return values


def _weigh(node: dict[str, Any], at: int, scale: Scale, weight: Ints) -> None:
    """Write the weights of a node's children, without what they have in common."""
    common = gcd(*node["w"]) or 1
    for place, (child, part) in enumerate(zip(node["c"], node["w"], strict=True)):
        below = int(scale.first_child[at]) + place
        weight[below] = part // common
        if isinstance(child, dict):
            _weigh(child, below, scale, weight)
