"""The kernels of distribution-based publication: optimal generalization, and optimal fakes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from time import thread_time
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bench.data import capital_losses
from bench.measure import fresh, growth, timed, weighed
from bench.tables import Row, Table, target
from sfumato.data import scales
from sfumato.data.schema import Kind
from sfumato.data.table import table_from_arrow
from sfumato.kernels.edge_weights import edge_weights
from sfumato.kernels.fakes import cost_by_fakes, plan_of, solve, trace
from sfumato.kernels.push_down import Entries, push_down
from sfumato.kernels.tree import Case
from sfumato.methods.tables.distribution_entries import running, runs_of, tree_of

LEAVES = 4_096
EACH = 1_000  # values in a bucket, where there are several
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
SOON = 0.5
ADULT_FAKES, ADULT_SOON = 285, 0.3
MANY_FAKES, MANY_SOON = 200, 1.0
ARITIES = range(2, 10)
GROWING = {  # fakes, values, leaves: one of them grows
    "fakes": [(t, LEAVES, LEAVES) for t in (50, 100, 200, 400)],
    "values": [(MANY_FAKES, n, LEAVES) for n in (1_024, 2_048, 4_096, 8_192)],
    "leaves": [(MANY_FAKES, LEAVES, n) for n in (256, 1_024, 4_096, 16_384)],
}
PAPER = {"fakes": "2", "values": "1", "leaves": "0, by its logarithm"}
Codes = NDArray[np.int32]


def run(quick: bool) -> list[Table]:
    """Generalization at growing sizes; fakes at every arity, and as each of their sizes grows."""
    return [generalization(SIZES[:2] if quick else SIZES), *fakes(quick)]


def generalization(sizes: tuple[int, ...]) -> Table:
    """One process per size; values are drawn evenly, and the target is uniform."""
    table = Table(f"distribution: optimal generalization, hierarchy of {LEAVES:,} leaves")
    for each in (0, EACH):
        found = [fresh("bench.distribution:case", rows=rows, each=each) for rows in sizes]
        for row in found:
            judged = {"target": "", "met": ""}
            if row["values"] == SIZES[-1]:
                judged = target(f"{SOON:g} s", (row["cpu s"], SOON))
            table.add(**row, **judged)
        table.notes += [_slope(f"growth, {_buckets(each)}", found, "values")]
    table.notes += ["codes in memory to entries; counting s: of it, counting the values of buckets"]
    return table


def _buckets(each: int) -> str:
    return f"{each:,} values a bucket" if each else "one bucket"


def _slope(name: str, rows: list[Row], size: str) -> str:
    slope = growth([row[size] for row in rows], [row["cpu s"] for row in rows])
    steps = (two["cpu s"] / one["cpu s"] for one, two in pairwise(rows))
    return f"{name}: cpu {slope:.2f} (times {', '.join(f'{step:.3g}' for step in steps)})"


def case(rows: int, each: int) -> dict[str, Any]:
    """One size: from the leaf of every value to entries."""
    buckets = rows // each if each else 1
    leaf, bucket = _drawn(rows, buckets)
    made = ruled(np.arange(LEAVES), np.zeros(1, np.int64), 2)
    _pushed(made, *_drawn(10 * EACH, 10), 10)
    (entries, _), timing, memory = weighed(partial(_pushed, made, leaf, bucket, buckets))
    (_, counting), again = timed(partial(_pushed, made, leaf, bucket, buckets), repeat=3)
    cells = min(timing, again, key=lambda one: one.cpu).cells()
    lines = {"values": rows, "buckets": buckets, "lines": len(entries[1])}
    return lines | cells | {"counting s": counting, "extra MB": memory.extra}


def _drawn(rows: int, buckets: int) -> tuple[Codes, Codes]:
    rng = np.random.default_rng(1)
    leaf = rng.integers(0, LEAVES, rows, np.int32)
    return leaf, rng.integers(0, buckets, rows, np.int32)


def _pushed(made: Case, leaf: Codes, bucket: Codes, buckets: int) -> tuple[Entries, float]:
    start = thread_time()
    runs = runs_of(bucket, leaf, buckets, LEAVES)
    counting = thread_time() - start
    found = push_down(made.tree, runs, made.weights, np.zeros(buckets, np.int32))
    return found, counting


def ruled(domain: NDArray[Any], values: NDArray[Any], arity: int) -> Case:
    """Numbers in one bucket, a balanced tree over the domain, and the uniform target."""
    column = table_from_arrow(pa.table({"value": domain}))["value"]
    assert column.kind is Kind.NUMBER
    tree = tree_of(scales.balanced(scales.observed(column), arity))
    leaves = len(column.values)
    leaf = np.searchsorted(np.unique(domain), values).astype(np.int32)
    runs = runs_of(np.zeros(len(leaf), np.int32), leaf, 1, leaves)
    every = np.arange(leaves)
    masses = running(np.zeros(leaves, np.int64), every, np.ones(leaves, np.int64), 1)
    return Case(tree, runs, edge_weights(tree, masses, 0))


def fakes(quick: bool) -> Iterator[Table]:
    """Adult's losses, then values drawn evenly."""
    _best(ruled(np.arange(8), np.arange(8), 2), 2)
    losses = capital_losses()
    title = f"distribution: optimal fakes, {len(losses):,} capital losses of Adult"
    table = Table(f"{title}, at most {ADULT_FAKES}")
    for arity in ARITIES:
        row = _timed(ruled(losses, losses, arity), ADULT_FAKES, 1 if quick else 3)
        table.add(arity=arity, **row, **target(f"{ADULT_SOON:g} s", (row["cpu s"], ADULT_SOON)))
    table.notes = ["target distribution uniform over the values that occur; ranges: their sum,"]
    table.notes += ["without fakes and with the best; the best multiset included"]
    yield table
    yield _growing(1 if quick else 3, quick)


def _growing(repeat: int, quick: bool) -> Table:
    table = Table("distribution: optimal fakes as sizes grow, values drawn evenly, binary")
    for name, cases in GROWING.items():
        rows = []
        for most, values, leaves in cases[:2] if quick else cases:
            drawn = np.random.default_rng(1).integers(0, leaves, values)
            row = _timed(ruled(np.arange(leaves), drawn, 2), most, repeat)
            sizes = {"at most": most, "values": values, "leaves": leaves}
            judged = {"target": "", "met": ""}
            if (most, values, leaves) == (MANY_FAKES, LEAVES, LEAVES):
                judged = target(f"{MANY_SOON:g} s", (row["cpu s"], MANY_SOON))
            rows.append({"growing": name} | sizes | row | judged)
        column = "at most" if name == "fakes" else name
        table.rows += rows
        table.notes += [
            f"{_slope(f'growth with {name}', rows, column)}; the paper's: {PAPER[name]}"
        ]
    return table


def _timed(made: Case, most: int, repeat: int) -> dict[str, Any]:
    (costs, number, chosen), timing = timed(partial(_best, made, most), repeat, thread_time)
    assert chosen.sum() == number
    ranges = {"ranges without": float(costs[0]), "with the best": float(costs[number])}
    return {**timing.cells(), "fakes": number} | ranges


def _best(made: Case, most: int) -> tuple[NDArray[np.float64], int, NDArray[np.int64]]:
    """Costs by number of fakes, the best number, and the best multiset."""
    plan = plan_of(made.tree, made.runs, 0, made.weights, 0, most)
    solve(plan, made.tree, made.weights)
    costs = cost_by_fakes(plan)
    number = int(np.argmin(costs))
    return costs, number, trace(plan, made.tree, made.weights, number)
