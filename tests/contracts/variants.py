"""For every method of the catalogue: parameters to try, and what it can be asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.data.graph import Graph, Network
from sfumato.data.hierarchy import Hierarchy, from_levels
from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.sets import Holders, Sets
from sfumato.data.table import table_from_arrow

Parameters = dict[str, Any]

REQUIRE: dict[str, list[tuple[str, Parameters]]] = {
    "none": [],
    "entropy": [("entropy-l-diversity", {"column": "illness", "l": 2.5})],
    "alone": [
        ("distinct-l-diversity", {"column": "illness", "l": 3}),
        ("recursive-cl-diversity", {"column": "illness", "c": 3.0, "l": 2}),
    ],
    "two columns": [
        ("t-closeness", {"column": "illness", "t": 0.4}),
        ("distinct-l-diversity", {"column": "cost", "l": 3}),
    ],
    "all": [
        ("recursive-cl-diversity", {"column": "illness", "c": 3.0, "l": 2}),
        ("t-closeness", {"column": "cost", "t": 0.5, "distance": "ordered"}),
        ("p-sensitive-k-anonymity", {"column": "illness", "p": 2, "k": 4}),
        ("alpha-k-anonymity", {"column": "illness", "alpha": 0.8, "k": 3}),
        ("belief-change", {"column": "illness", "most": 0.6}),
    ],
}
QUASI = ["age", "town", "sex", "day"]
TOWNS = [(f"{a}{b}", f"{a}*", "*") for a in "123" for b in "1234"]
ILLS = [("none", "none", "*"), *((ill, "some", "*") for ill in ("flu", "asthma", "rare"))]


@dataclass(frozen=True)
class Variant:
    """One way to call a method: parameters, sensitive columns, and the sets of models it can keep.

    With `may_refuse` some tables are beyond it, which it must say.
    """

    parameters: Parameters
    sensitive: tuple[str, ...]
    keeps: tuple[str, ...]
    may_refuse: bool = False
    quasi: tuple[str, ...] = tuple(QUASI)
    keep: tuple[str, ...] = ("hours",)

    @property
    def schema(self) -> Schema:
        """The columns that it publishes."""
        return Schema.of(quasi=self.quasi, sensitive=self.sensitive, keep=self.keep)


@dataclass(frozen=True)
class Promise:
    """What a method always claims, and parameters that it must refuse."""

    variants: list[Variant]
    claims: set[str]
    smallest: int  # a bucket of which there may be
    wrong: list[Parameters]  # refused before any data is seen
    unknown: list[Parameters]  # naming columns that are not there
    cannot_be_met: str = "cannot be met, because"
    refuses_one_row: Parameters = field(default_factory=dict)


def coarse(**extra: Any) -> Variant:
    """A variant of a method that makes quasi-identifiers coarser."""
    return Variant({"k": 4, **extra}, ("illness", "cost"), tuple(REQUIRE))


def contained(**extra: Any) -> Variant:
    """A variant of a method that makes no groups."""
    return Variant({"k": 4, **extra}, ("illness", "cost"), ("none",), may_refuse=True)


def spread(*keeps: str, on: str = "illness", may_refuse: bool = False, **extra: Any) -> Variant:
    """A variant of a method that publishes one sensitive column by its distribution."""
    return Variant(extra, (on,), ("none", *keeps), may_refuse)


def flipped(**parameters: Any) -> Variant:
    """A variant of a method that flips edges."""
    return Variant(parameters, ("illness",), ("none",))


def drawn(**extra: Any) -> Variant:
    """A variant of a method that draws values anew."""
    parameters = {"size": 40, "effective": 5, "least_shift": 0.0, **extra}
    quasi, keep = ("age", "day", "cost"), ("hours", "sex")
    return Variant(parameters, ("illness",), ("none",), quasi=quasi, keep=keep)


def redrawn(**parameters: Any) -> Variant:
    """A variant of a method that redraws values."""
    return Variant(parameters, ("illness", "cost"), ("none",))


WEIGHED = {"w": [2, 4], "c": ["none", {"w": [1, 1, 0], "c": ["flu", "asthma", "rare"]}]}
NAMED = {"none": 3, "flu": 2, "asthma": 2, "rare": 0}
NEAR = {"model": "entropy-l-diversity", "l": 2.2}
COARSE = {
    "claims": {"k-anonymity"},
    "smallest": 4,
    "wrong": [{"k": 0}, {"k": "many"}, {"k": 3, "kk": 3}, {"k": 3, "weights": {"age": 0}}],
    "unknown": [{"weights": {"nothing": 1.0}}],
    "cannot_be_met": "cannot be met, because the whole table",
    "refuses_one_row": {"k": 2},
}

SETS = {
    "claims": {"k-anonymity"},
    "smallest": 4,
    "wrong": [{"k": 0}, {"k": "many"}, {"k": 3, "kk": 3}],
    "unknown": [],
    "cannot_be_met": "cannot be met, because the whole table",
    "refuses_one_row": {"k": 2},
}

WORLDS = SETS | {
    "claims": {"k-candidates"},
    "smallest": 1,
    "cannot_be_met": "cannot be met, because",
}

PROMISES = {
    ("table", "mondrian"): Promise(
        [
            coarse(),
            coarse(cut="median"),
            coarse(cut="median", strict=False),
            coarse(cut="median", dimension="gain", target="illness"),
            coarse(cut="median", dimension="weights", weights={"age": 3.0}),
        ],
        **COARSE,
    ),
    ("table", "regroup"): Promise(
        [coarse(), coarse(effort=0), coarse(effort=3, weights={"age": 3.0})], **COARSE
    ),
    ("table", "distribution"): Promise(
        [
            spread("entropy", "alone"),
            spread("entropy", "alone", target="uniform", groups="town"),
            spread("entropy", "alone", hierarchy="ills.csv", groups=["sex", "age >= 40"]),
            spread(hierarchy=WEIGHED, target="hierarchy", fakes=3),
            spread(target={"weights": NAMED}, groups="sex", may_refuse=True),
            spread(target={"zipf": 1.0}, hierarchy=3, rounding=6),
            spread("entropy", "alone", target={"nearest": NEAR | {"l": 3}}, may_refuse=True),
            spread(target={"nearest": NEAR | {"by": "variation"}}, groups="sex", may_refuse=True),
            spread("entropy", "alone", subgroups="exact", tolerance=0.1, groups="sex"),
            spread("entropy", "alone", subgroups="similar", tolerance=0.2, order="age"),
            spread(subgroups="exact", leak=0.3, may_refuse=True),
            spread(subgroups="similar", leak=0.4, tolerance=0.1, may_refuse=True),
            spread(target="uniform", targets={"f": "table"}, groups="sex", may_refuse=True),
            spread(on="cost", groups="sex"),
            spread(on="cost", target="group", groups="age >= 40"),
            spread(on="cost", target={"normal": {"mean": 30, "sd": 12}}, fakes="20%"),
            spread(on="cost", hierarchy="ternary", target="uniform", subgroups="similar"),
            spread(on="cost", hierarchy=[[10, 20, 30, 40, 50, 60], [30]], groups="sex"),
            spread(on="cost", target="uniform", domain=[-1.5, 90, 1.5], groups="town", fakes=5),
            spread(on="cost", tolerance=0.05, distance="ordered", subgroups="exact"),
            spread(on="cost", tolerance=0.1, subgroups="similar", order="town"),
        ],
        claims={"p-privacy"},
        smallest=1,
        wrong=[
            {"kk": 3},
            {"fakes": -1},
            {"fakes": "5"},
            {"tolerance": 1.5},
            {"hierarchy": 1},
            {"subgroups": "some"},
            {"target": "median"},
            {"target": {}},
            {"target": {"normal": {"mean": 1.0}}},
            {"target": {"zipf": -1.0}},
            {"leak": -0.1},
            {"strata": 0},
            {"domain": [1.0]},
        ],
        unknown=[
            {"groups": "nothing"},
            {"groups": ["age", "nothing"]},
            {"subgroups": "similar", "order": "nothing"},
        ],
        cannot_be_met="cannot be met, because the target of a group",
    ),
    ("table", "patterns"): Promise(
        [
            drawn(),
            drawn(disclose="full", thresholds={"age": [40]}, averages={"cost": 2.0}, by="sex"),
            drawn(disclose="none", order="strict", ties="broken", start="data"),
            drawn(order="none", localities=0.0, gaps={"day": [30]}, ratios={"cost": [1.5]}),
            drawn(partition="sorted", sums={"cost": 5.0}, size=0, steps=200, localities=0.0005),
            drawn(parts_by="sex", walk="one-sided", steps=50, digits={"cost": 6}),
        ],
        claims={"kept-properties"},
        smallest=1,
        wrong=[
            {"kk": 3},
            {"localities": 1.5},
            {"order": "some"},
            {"size": -1},
            {"walk": "random"},
            {"disclose": "half"},
            {"sums": {"age": "much"}},
        ],
        unknown=[
            {"columns": ["nothing"]},
            {"bounds": {"nothing": [0, 1]}},
            {"parts_by": "nothing"},
            {"properties": ["nothing[a] <= 1"]},
            {"gaps": {"nothing": [1.0]}},
        ],
        cannot_be_met="cannot be met, because exact-looking values",
    ),
    ("table", "permutation"): Promise(
        [
            spread(l=3, may_refuse=True),
            spread("entropy", l=2.5, diversity="entropy", may_refuse=True),
            spread(on="cost", l=4, may_refuse=True),
            spread(on="cost", l=6.5, diversity="entropy", may_refuse=True),
        ],
        claims=set(),
        smallest=1,
        wrong=[{}, {"l": 0}, {"l": "many"}, {"l": 2, "diversity": "some"}, {"l": 2, "k": 3}],
        unknown=[],
        cannot_be_met="cannot be met, because the target of a group",
        refuses_one_row={"l": 2},
    ),
    ("table", "ra"): Promise(
        [
            redrawn(),
            redrawn(redraw=3),
            redrawn(choose="optimal"),
            redrawn(choose={"age": 0.5, "town": 0.2, "sex": 0.3, "day": 0.0}, bins={"age": 5.0}),
            Variant({"redraw": "fewest", "most": 0.9}, ("illness",), ("none",), may_refuse=True),
        ],
        claims={"random-replacement"},
        smallest=1,
        wrong=[
            {"redraw": 0},
            {"redraw": "many"},
            {"choose": {"age": 0.5, "sex": 0.4}},
            {"choose": {"age": 1.5, "sex": -0.5}},
            {"bins": {"age": 0.0}},
            {"most": 0.0},
            {"lambda": 1},
        ],
        unknown=[{"bins": {"nothing": 1.0}}, {"choose": {"nothing": 1.0}}],
        cannot_be_met="cannot be met, because ra makes no groups",
    ),
    ("sets", "mondrian"): Promise(
        [
            coarse(),
            coarse(effort=3),
            *(coarse(effort=0, cut=cut) for cut in ("gain", "utility", "even", "entropy")),
        ],
        **SETS | {"wrong": [*SETS["wrong"], {"k": 3, "cut": "even"}, {"k": 3, "effort": 4}]},
    ),
    ("sets", "cluster"): Promise(
        [coarse(), coarse(candidates="random", c=9.0), coarse(candidates="all")],
        **SETS | {"wrong": [*SETS["wrong"], {"k": 3, "tables": 0}, {"k": 3, "c": 0}]},
    ),
    ("sets", "iterative-cluster"): Promise(
        [coarse(), coarse(tables=2, bits=4, shares=3), coarse(candidates="all")], **SETS
    ),
    ("sets", "two-phase"): Promise([coarse(), coarse(effort=2)], **SETS),
    ("sets", "k1"): Promise(
        [
            contained(),
            contained(candidates=2, places=2),
            *(contained(candidates=1, effort=effort) for effort in (0, 1, 2)),
            *(contained(candidates=1, search=search) for search in ("hashed", "all")),
        ],
        **SETS
        | {
            "claims": {"(k,1)-anonymity"},
            "smallest": 1,
            "wrong": [*SETS["wrong"], {"k": 3, "search": "all"}, {"k": 3, "places": 0}],
            "cannot_be_met": "cannot be met, because",
        },
    ),
    ("sets", "nonreciprocal"): Promise(
        [
            contained(),
            contained(order="gray"),
            contained(order="gray-tour", least=10, most=30, shakes=3),
            contained(walk="closed"),
            contained(links="near"),
            contained(walk="backtracking"),
        ],
        **WORLDS | {"wrong": [*SETS["wrong"], {"k": 3, "least": 40, "most": 30}]},
    ),
    ("sets", "cahd"): Promise(
        [contained(), contained(order="linked", alpha=1), contained(show="common")],
        **WORLDS | {"wrong": [*SETS["wrong"], {"k": 3, "alpha": 0}]},
    ),
    ("graph", "edge-perturbation"): Promise(
        [
            flipped(mu=0.02),
            flipped(mu=0.0),
            flipped(delete=0.1, add="keep-density"),
            flipped(delete=0.3, add=0.01),
        ],
        claims={"edge-odds"},
        smallest=1,
        wrong=[
            {},
            {"mu": 0.5},
            {"mu": -0.1},
            {"mu": "small"},
            {"delete": 0.1},
            {"mu": 0.1, "delete": 0.1, "add": 0.1},
            {"delete": 0.6, "add": 0.4},
            {"delete": 0.1, "add": "keep"},
            {"mu": 0.1, "publish_facts": ["connected"]},
        ],
        unknown=[],
        cannot_be_met="which groups of records can meet",
    ),
}


def data_of(
    kind: str, variant: Variant, rows: int = 400, seed: int = 5, *, equal: bool = False
) -> People | Holders | Network:
    """The data of all tests, of a kind."""
    if kind == "graph":
        return network(variant.sensitive, rows, seed, equal=equal)
    if kind == "sets":
        return holders(variant.sensitive, rows, seed, equal=equal)
    return people(variant.schema, rows, seed, equal=equal)


def holders(
    sensitive: tuple[str, ...], rows: int = 400, seed: int = 5, *, equal: bool = False
) -> Holders:
    """Sets of up to 40 items, frequent and rare ones, some empty; with columns of people."""
    rng = np.random.default_rng(seed)
    likely = 0.6 * 0.9 ** np.arange(40)
    has = rng.random((rows, 40)) < likely * rng.gamma(2.0, 0.5, (rows, 1))
    if equal:
        has[:] = has[0]
    names = [f"item {number:02}" for number in range(40)]
    roles = {"sensitive": sensitive, "keep": ["hours"]}
    table = people(Schema.of(**roles), rows, seed, equal=equal).table
    start = np.concatenate([[0], np.cumsum(has.sum(axis=1))]).astype(np.int64)
    worth = rng.integers(1, 9, 40).astype(float)
    sets = Sets(start, np.nonzero(has)[1].astype(np.uint16), pa.array(names), worth)
    schema = Schema.of(quasi=["items"], **roles)
    own = {name: tree for name, tree in trees().items() if name in sensitive}
    return Holders(sets, schema, table, own)


def network(
    sensitive: tuple[str, ...], rows: int = 400, seed: int = 5, *, equal: bool = False
) -> Network:
    """People who know one another, more often near ones; some know nobody, or all know all."""
    rng = np.random.default_rng(seed)
    u, v = np.triu_indices(rows, 1)
    known = np.ones(len(u), bool) if equal else rng.random(len(u)) < 8 / (8 + (v - u) ** 2)
    roles = {"sensitive": sensitive, "keep": ["hours"]}
    nodes = people(Schema.of(**roles), rows, seed, equal=equal).table
    names = pa.array([f"person {number}" for number in range(rows)])
    return Network(Graph.of(rows, u[known], v[known]), names, Schema.of(**roles), nodes)


def people(schema: Schema, rows: int = 400, seed: int = 5, *, equal: bool = False) -> People:
    """A table with numbers, dates, categories, a hierarchy and missing values everywhere."""
    rng = np.random.default_rng(seed)
    pick = np.zeros(rows, int) if equal else rng.integers(0, 1 << 30, rows)
    holes = np.zeros((4, rows), bool) if equal else rng.random((4, rows)) < 0.05
    data = pa.table(
        {
            "age": pa.array(pick % 71 + 18, mask=holes[0]),
            "town": pa.array([TOWNS[i][0] for i in pick % len(TOWNS)], mask=holes[1]),
            "sex": pa.array(np.array(["f", "m", "x"])[pick % 7 % 3]),
            "day": pa.array((pick % 900).astype("datetime64[D]"), mask=holes[2]),
            "illness": pa.array(np.array(["none", "flu", "asthma", "rare"])[pick % 11 % 4]),
            "cost": pa.array(np.round(pick % 50 * 1.5, 1), mask=holes[3]),
            "hours": pa.array(pick % 5 * 10),
        }
    )
    return People(table_from_arrow(data.select(schema.published)), schema, trees())


def trees() -> dict[str, Hierarchy]:
    """Hierarchies of two columns."""
    return {"town": from_levels("town", TOWNS), "illness": from_levels("illness", ILLS)}
