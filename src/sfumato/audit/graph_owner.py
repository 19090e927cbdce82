"""What only the owner can check of a graph: that edges came and went as the law says."""

from __future__ import annotations

from collections.abc import Iterator
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.files import Files
from sfumato.audit.owner import check_links, differing, inside
from sfumato.core.answers import Status, Verdict
from sfumato.data.graph import Network
from sfumato.releases.perturbed_graph import NO_ISOLATED_NODES, PerturbedGraph
from sfumato.releases.release import Ledger

CLAIM = "edges follow the law"
EXACT = "nodes equal their originals"
LEVEL = 1e-9  # at which a true law is doubted by mistake

Ints = NDArray[np.int64]


def check_owner(files: Files, ledger: Ledger | None, original: Network | None) -> Iterator[Verdict]:
    """The published graph against the original and the links of its nodes."""
    if ledger is None or original is None:
        yield Verdict(CLAIM, Status.NEEDS_OWNER, note="give --ledger (and --against)")
        return
    if ledger.release_id != files.manifest["release_id"]:
        yield Verdict(CLAIM, Status.VIOLATED, "the ledger belongs to another release")
        return
    content, rows = files.content, ledger.rows
    assert isinstance(content, PerturbedGraph)
    yield check_links(files, content.rows, ledger, original)
    if len(rows) != content.rows or not inside(rows, original):
        yield Verdict(CLAIM, Status.VIOLATED, "the ledger's links do not fit")
        return
    yield _flips(content, rows, original)
    yield from _columns(files, rows, original)
    yield from _facts(files, original)


def _flips(content: PerturbedGraph, rows: Ints, original: Network) -> Verdict:
    """Edges that went and came are as many as the law lets expect, up to chance."""
    number = np.empty(len(rows), np.int64)
    number[rows] = np.arange(len(rows))
    lower, upper = original.graph.upper
    before = _keys(number[lower], number[upper], len(rows))
    lower, upper = content.graph.upper
    after = _keys(lower.astype(np.int64), upper.astype(np.int64), len(rows))
    kept = int(_common(np.sort(before), after))
    deleted, added = len(before) - kept, len(after) - kept
    free = original.graph.pairs - len(before)
    law = content.law
    problems = [
        f"{count:,} edges were {what}, expected about {mean:,.0f}"
        for what, count, mean, spread in (
            ("lost", deleted, *_likely(len(before), law.delete)),
            ("added", added, *_likely(free, law.add)),
        )
        if abs(count - mean) > spread
    ]
    fine = f"{deleted:,} edges lost, {added:,} added; expected {len(before) * law.delete:,.0f} and "
    fine += f"{free * law.add:,.0f}"
    status = Status.VIOLATED if problems else Status.VERIFIED
    return Verdict(CLAIM, status, "; ".join(problems) or fine, note=f"doubted at {LEVEL:g}")


def _keys(u: Ints, v: Ints, nodes: int) -> Ints:
    """A pair as one number."""
    keys: Ints = np.minimum(u, v) * nodes + np.maximum(u, v)
    return keys


def _common(ascending: Ints, some: Ints) -> int:
    if len(ascending) == 0:
        return 0
    place = np.minimum(np.searchsorted(ascending, some), len(ascending) - 1)
    return int((ascending[place] == some).sum())


def _likely(pairs: int, chance: float) -> tuple[float, float]:
    """The mean of a binomial count, and how far from it (Bernstein) it is once in 1 / LEVEL."""
    mean, variance, strength = pairs * chance, pairs * chance * (1 - chance), log(2 / LEVEL)
    if variance == 0:
        return mean, 0.0
    return mean, strength / 3 + sqrt(strength**2 / 9 + 2 * strength * variance)


def _columns(files: Files, rows: Ints, original: Network) -> Iterator[Verdict]:
    exact = [column["name"] for column in files.columns if column["cells"] == "exact"]
    if exact:
        nodes = files.table("nodes")
        other = sum(differing(nodes.column(n), original.table[n].take(rows)) for n in exact)
        status = Status.VIOLATED if other else Status.VERIFIED
        found = f"{other:,} values that differ" if other else f"{len(exact)} columns"
        yield Verdict(EXACT, status, found)


def _facts(files: Files, original: Network) -> Iterator[Verdict]:
    if NO_ISOLATED_NODES in files.manifest["facts"].get("stated", ()):
        isolated = int((original.graph.degrees == 0).sum())
        status = Status.VIOLATED if isolated else Status.VERIFIED
        yield Verdict(f"fact: {NO_ISOLATED_NODES}", status, f"{isolated:,} nodes without an edge")
