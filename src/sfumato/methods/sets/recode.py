"""What methods for sets share: groups of people, models met by joining them, and a publication."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.run import Run
from sfumato.data.sets import Holders, Sets
from sfumato.kernels.rows import Rows, common_items, members_of
from sfumato.kernels.rows_distinct import joined_rows
from sfumato.kernels.sets_ruled import join_sets_until_ruled, ordered_groups
from sfumato.methods.demand import Demand, claimed_trees, claims
from sfumato.methods.merge_leak import Joining, merge_leak
from sfumato.releases.claims import KNOWS_ITEMS, Claim
from sfumato.releases.recoded_sets import RecodedSets
from sfumato.releases.release import Ledger, Publication, Release

SOURCE = "Podgursky, Practical k-anonymity on large datasets, thesis, Vanderbilt University 2011"


def grouped(sets: Sets, run: Run, group: Callable[[Sets], NDArray[np.int32]]) -> NDArray[np.int32]:
    """The group of every record, found with the records in a secret order.

    People with equal sets are dealt to groups by where they stand. In the order of the source,
    which may mean something, that would put neighbours of the source into one group.
    """
    order = run.rng("rows").permutation(sets.rows)
    found = np.empty(sets.rows, np.int32)
    found[order] = group(sets.take(order))
    return found


def in_groups(holders: Holders, group: NDArray[np.int32], wanted: Demand, run: Run) -> Publication:
    """Everybody publishes what all of their group have in common.

    Groups that break a model on a sensitive column are joined first.
    """
    notes: dict[str, Any] = {}
    if wanted.steers:
        with run.phase("merge"):
            group, notes = _merged(holders.sets, group, wanted, run)
    with run.phase("label"):
        common = shared(holders.sets, group, run.workers)
    content = RecodedSets(as_sets(common, holders.sets), group, True, holders.table)
    promised = claims(holders, wanted, steered=wanted.steers, adversary=KNOWS_ITEMS)
    return published(holders, content, promised, run, claimed_trees(holders, wanted), notes)


def shared(sets: Sets, group: NDArray[np.int32], workers: int) -> Rows:
    """What all members of each group have, by all workers."""
    start, members = members_of(group, int(group.max()) + 1)
    parts = min(4 * workers, len(start) - 1)
    edges = np.linspace(0, len(start) - 1, parts + 1).astype(np.int64)
    with ThreadPoolExecutor(workers) as pool:
        found = pool.map(
            lambda ends: common_items(sets.held, start[ends[0] : ends[1] + 1], members),
            pairwise(edges),
        )
        return joined_rows(list(found), sets.held)


def _merged(
    sets: Sets, group: NDArray[np.int32], wanted: Demand, run: Run
) -> tuple[NDArray[np.int32], dict[str, Any]]:
    """Join groups until the models hold; also what the joining gives away."""
    before, shown = ordered_groups(sets.held, sets.utility, group)
    label, broken, joins = join_sets_until_ruled(
        shown, sets.utility, before, wanted.rules, wanted.codes
    )
    if not broken.any():
        return group, {}
    history = Joining(before, label, broken, joins)
    return label, {"merge_leak": merge_leak(history, wanted, run.rng("leak"))}


def as_sets(rows: Rows, like: Sets) -> Sets:
    """Rows over the items of other sets."""
    return Sets(rows.start, rows.items, like.names, like.utility)


def published(
    holders: Holders,
    content: RecodedSets,
    promised: Sequence[Claim],
    run: Run,
    trees: dict[str, Any] | None = None,
    notes: dict[str, Any] | None = None,
) -> Publication:
    """A release of sets with its ledger."""
    release = Release(
        kind="sets",
        form="recoded",
        schema=holders.schema,
        content=content,
        claims=tuple(promised),
        hierarchies=trees or {},
    )
    ledger = Ledger(np.arange(holders.rows, dtype=np.int64), run.key.hex(), notes=notes or {})
    return Publication(release, ledger)
