"""What targets a job asks for, group by group, as masses of leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import BadJob
from sfumato.data.expressions import labels
from sfumato.data.people import People
from sfumato.kernels.tree import Runs
from sfumato.methods.tables.distribution_entries import running
from sfumato.methods.tables.distribution_scale import Grown
from sfumato.methods.tables.distribution_targets import Target, masses

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]


def labelled(
    data: People, group: Codes, groups: str | list[str], targets: dict[str, Any]
) -> dict[str, int]:
    """The number of every group that has a target of its own."""
    if not targets:
        return {}
    if not isinstance(groups, str) or not groups:
        raise BadJob("method.targets needs method.groups to be one expression", "state one")
    found = labels(groups, data.table, data.schema.quasi, group)
    unknown = [name for name in targets if name not in found]
    if unknown:
        raise BadJob(
            f"method.targets names {len(unknown)} groups that do not occur",
            "write the value that method.groups gives, as text",
        )
    return {name: found[name] for name in targets}


def masses_of(
    asked: Sequence[Target], made: Grown, runs: Runs, table: Ints, shared: dict[str, Ints]
) -> Runs:
    """Masses of leaves, group by group; a target that all groups share is worked out once."""
    if all(part == "group" for part in asked):
        return runs
    lines = []
    for place, part in enumerate(asked):
        if isinstance(part, str) and part in shared:
            mass = shared[part]
        else:
            own = _own(runs, place, made.leaves)
            mass = masses(part, made.domain, table, own)
        used = np.flatnonzero(mass)
        lines.append((np.full(len(used), place), used, mass[used]))
    which, leaf, number = (np.concatenate(part) for part in zip(*lines, strict=True))
    return running(which, leaf, number, len(asked))


def _own(runs: Runs, place: int, leaves: int) -> Ints:
    """Counts of one group, leaf by leaf."""
    lines = slice(runs.start[place], runs.start[place + 1])
    own = np.zeros(leaves, np.int64)
    own[runs.leaf[lines]] = np.diff(runs.upto[lines], prepend=0)
    return own
