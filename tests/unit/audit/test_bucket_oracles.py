"""What the audit finds in buckets, against definitions tried out in fractions."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.naive import distribution as naive
from tests.unit.io.bucketed import content_of, published
from tests.unit.methods.distribution_cases import random_case, scale_of, targets_of

from sfumato.audit.bucket_leak import _apart, _exactly
from sfumato.audit.bucket_lifted import most_leak, off_target
from sfumato.audit.buckets import Buckets
from sfumato.audit.files import Files
from sfumato.audit.matching import unmatched
from sfumato.audit.private import _exactly as exactly_apart
from sfumato.audit.private import distances, follows
from sfumato.data.scale import Scale, grow_leaves
from sfumato.data.schema import Kind, Schema
from sfumato.data.table import table_from_arrow
from sfumato.io.store import write_release

SCHEMA = Schema.of(quasi=["who"], sensitive=["pay"])
CASES = 25
BUCKETS = 20


def read_back(
    folder: Path, scale: Scale, chosen: list[list[int]], weights: dict[int, int]
) -> Buckets:
    """Buckets of entries, one record for each, as the audit reads them; in their order."""
    rows = [bucket for bucket, nodes in enumerate(chosen) for _ in nodes]
    who = [f"{bucket:03}-{at:03}" for at, bucket in enumerate(rows)]
    table = table_from_arrow(pa.table({"who": who, "pay": [0] * len(rows)}))
    entries = [{node: nodes.count(node) for node in nodes} for nodes in chosen]
    content = content_of(table, SCHEMA, rows, scale, entries, [weights], [0] * len(chosen))
    write_release(published(content, SCHEMA).release, folder)
    return Buckets(Files(folder))


@pytest.mark.parametrize("seed", range(CASES))
def test_the_belief_is_compared_exactly(seed: int, tmp_path: Path) -> None:
    """Whether buckets follow their target, and how far they are from it, in both distances."""
    rng = np.random.default_rng(seed)
    case = random_case(rng, int(rng.integers(2, 7)))
    able = [node for node, mass in enumerate(case.mass) if mass]
    private = [list(found) for _, found in naive.all_private(case, 3)]
    chosen = [
        *private,
        *(rng.choice(able, int(rng.integers(1, 9))).tolist() for _ in range(BUCKETS)),
    ]
    targets = targets_of(case)
    weights = dict(zip(targets.node.tolist(), targets.weight.tolist(), strict=True))
    buckets = read_back(tmp_path / "r", scale_of(case), chosen, weights)
    held = follows(buckets)
    for ordered, distance in ((False, naive.variation), (True, naive.earth)):
        found = distances(buckets, ordered)
        exact = list(exactly_apart(buckets, list(range(len(chosen))), ordered))
        for bucket, nodes in enumerate(chosen):
            apart = distance(naive.implied(case, tuple(nodes)), case.target)
            assert held[bucket] == naive.is_private(case, tuple(nodes))
            assert exact[bucket] == apart
            assert found[bucket] == pytest.approx(float(apart), abs=1e-12)


@pytest.mark.parametrize("seed", range(CASES))
def test_what_the_target_forbids_is_never_followed(seed: int, tmp_path: Path) -> None:
    """A node of no mass in a bucket: definition 3.2 says nothing of it, so it is not private."""
    rng = np.random.default_rng(seed + 1000)
    case = random_case(rng, int(rng.integers(3, 7)))
    nodes = range(len(case.nodes))
    chosen = [rng.choice(nodes, int(rng.integers(1, 5))).tolist() for _ in range(BUCKETS)]
    targets = targets_of(case)
    weights = dict(zip(targets.node.tolist(), targets.weight.tolist(), strict=True))
    buckets = read_back(tmp_path / "r", scale_of(case), chosen, weights)
    held, found = follows(buckets), distances(buckets)
    for bucket, some in enumerate(chosen):
        assert held[bucket] == naive.is_private(case, tuple(some))
        if any(not case.mass[node] for node in some):
            assert found[bucket] > 0


def touching() -> tuple[Scale, list[list[int]]]:
    """Four intervals over ends 0, 10, 20, 30, 40, in a binary tree: the values in each node."""
    ends = [(at, at + 1) for at in range(4)]
    values = pa.array([0, 10, 20, 30, 40])
    scale = grow_leaves(Kind.NUMBER, values, False, [[0, 1], [2, 3]], ends)
    inside = [list(range(2 * a, 2 * b + 1)) for a, b in zip(scale.low, scale.high, strict=True)]
    return scale, inside


@pytest.mark.parametrize("strata", [False, True])
@pytest.mark.parametrize("seed", range(CASES))
def test_values_that_find_no_entry_are_counted(seed: int, strata: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    if strata:
        scale, inside = touching()
    else:
        case = random_case(rng, int(rng.integers(2, 7)))
        scale = scale_of(case)
        inside = [[2 * leaf for leaf in leaves] for leaves in case.leaves]
    weights = dict.fromkeys(range(1, len(scale)), 1)
    chosen = [rng.choice(len(scale), int(rng.integers(1, 6))).tolist() for _ in range(BUCKETS)]
    buckets = read_back(tmp_path / "r", scale, chosen, weights)
    able = inside[0]
    own = [sorted(rng.choice(able, len(nodes)).tolist()) for nodes in chosen]
    bucket = np.repeat(np.arange(len(own)), [len(values) for values in own])
    position = np.array([value for values in own for value in values])
    found = unmatched(buckets, bucket, position, np.ones(len(bucket), np.int64))
    for number, (values, nodes) in enumerate(zip(own, chosen, strict=True)):
        fits = [[i for i, node in enumerate(nodes) if value in inside[node]] for value in values]
        assert found[number] == len(values) - naive.most_matched(fits)


@pytest.mark.parametrize("seed", range(CASES))
def test_the_leak_is_the_distance_of_the_members_own_values(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    case = random_case(rng, int(rng.integers(2, 7)))
    chosen = [[0] * int(rng.integers(1, 9)) for _ in range(BUCKETS)]
    targets = targets_of(case)
    weights = dict(zip(targets.node.tolist(), targets.weight.tolist(), strict=True))
    buckets = read_back(tmp_path / "r", scale_of(case), chosen, weights)
    own = [sorted(rng.integers(0, len(case.value), len(nodes)).tolist()) for nodes in chosen]
    bucket = np.repeat(np.arange(len(own)), [len(values) for values in own])
    position = 2 * np.array([value for values in own for value in values])
    values = (bucket, position, np.ones(len(bucket), np.int64))
    found = _apart(buckets, *values)
    for number, some in enumerate(own):
        share = [Fraction(some.count(x), len(some)) for x in range(len(case.value))]
        apart = naive.variation(share, case.target)
        assert _exactly(buckets, values, number) == apart
        assert found[number] == pytest.approx(float(apart), abs=1e-12)


@pytest.mark.parametrize("seed", range(CASES))
def test_the_files_bound_the_leak(seed: int, tmp_path: Path) -> None:
    """Whatever values and fakes the entries stand for, the leak is at most what the files say; the
    bound is made of the exact distances by definition."""
    rng = np.random.default_rng(seed)
    case = random_case(rng, int(rng.integers(2, 7)))
    able = [node for node, mass in enumerate(case.mass) if mass]
    chosen = [rng.choice(able, int(rng.integers(1, 9))).tolist() for _ in range(BUCKETS)]
    chosen += [list(found) for _, found in naive.all_private(case, 3)]
    targets = targets_of(case)
    weights = dict(zip(targets.node.tolist(), targets.weight.tolist(), strict=True))
    buckets = read_back(tmp_path / "r", scale_of(case), chosen, weights)
    found, off = most_leak(buckets), off_target(buckets)
    for number, nodes in enumerate(chosen):
        belief = naive.believed(case.target, case.leaves, tuple(nodes))
        away = naive.variation(belief, case.target)
        assert off[number] == pytest.approx(float(away), abs=1e-12)
        least = [min(case.target[x] for x in case.leaves[v]) / case.mass[v] for v in nodes]
        bound = min(away + 1 - sum(least) / len(nodes), Fraction(1))
        assert found[number] == pytest.approx(float(bound), abs=1e-12)
        for _ in range(20):
            fakes = int(rng.integers(0, len(nodes)))
            values = [int(rng.choice(case.leaves[v])) for v in rng.permutation(nodes)]
            own = values[: len(nodes) - fakes]
            share = [Fraction(own.count(x), len(own)) for x in range(len(case.value))]
            leak = naive.variation(share, case.target)
            assert leak <= min(bound + Fraction(fakes, len(nodes)), 1)
