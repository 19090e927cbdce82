"""The audit as a whole: files, structure, claims, and what the owner can add."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from sfumato.audit import (
    bucket_claims,
    bucket_owner,
    bucket_structure,
    claims,
    graph_claims,
    graph_owner,
    graph_structure,
    owner,
    pattern_claims,
    pattern_owner,
    pattern_structure,
    redrawn_claims,
    redrawn_owner,
    redrawn_structure,
    set_claims,
    set_owner,
    set_structure,
    structure,
    world_claims,
    world_owner,
    world_structure,
)
from sfumato.audit.files import Files, check_files
from sfumato.core.answers import Status, Verdict
from sfumato.core.errors import BadRelease
from sfumato.data.graph import Network
from sfumato.data.sets import Holders
from sfumato.data.table import Table
from sfumato.io.folder import MISFITS
from sfumato.io.opening import recognise
from sfumato.releases.release import Ledger

Original = Table | Holders | Network


class Checks(NamedTuple):
    """The checks of one form, in the order in which each needs those before it."""

    structure: Callable[[Files], Iterable[Verdict]]
    claims: Callable[[Files], Iterable[Verdict]]
    owner: Callable[[Files, Ledger | None, Any], Iterable[Verdict]]


CHECKS = {
    ("recoded", "table"): Checks(structure.check_structure, claims.check_claims, owner.check_owner),
    ("bucketed", "table"): Checks(
        bucket_structure.check_structure, bucket_claims.check_claims, bucket_owner.check_owner
    ),
    ("recoded", "sets"): Checks(
        set_structure.check_structure, set_claims.check_claims, set_owner.check_owner
    ),
    ("uncertain", "sets"): Checks(
        world_structure.check_structure, world_claims.check_claims, world_owner.check_owner
    ),
    ("patterned", "table"): Checks(
        pattern_structure.check_structure, pattern_claims.check_claims, pattern_owner.check_owner
    ),
    ("perturbed", "table"): Checks(
        redrawn_structure.check_structure, redrawn_claims.check_claims, redrawn_owner.check_owner
    ),
    ("perturbed", "graph"): Checks(
        graph_structure.check_structure, graph_claims.check_claims, graph_owner.check_owner
    ),
}


def audit(
    folder: Path | str, ledger: Ledger | None = None, original: Original | None = None
) -> list[Verdict]:
    """Judge a release folder by its files alone, and by the original where the owner gives it.

    Checks that depend on a broken earlier one are left out.
    """
    files = Files(Path(folder))
    recognise(files.folder)  # an error unless this calls itself a release, of a known format
    verdicts = _verdicts("files", partial(check_files, files))
    if failed(verdicts):
        return verdicts
    checks = CHECKS[files.manifest["form"], files.manifest["kind"]]
    verdicts += _verdicts("structure", partial(checks.structure, files))
    if failed(verdicts):
        return verdicts
    verdicts += _verdicts("claims", partial(checks.claims, files))
    return verdicts + _verdicts("owner", partial(checks.owner, files, ledger, original))


def _verdicts(name: str, check: Callable[[], Iterable[Verdict]]) -> list[Verdict]:
    """The verdicts of one check; files that do not fit one another violate it."""
    try:
        return list(check())
    except BadRelease as error:
        return [Verdict(name, Status.VIOLATED, error.what)]
    except (OSError, *MISFITS):
        return [Verdict(name, Status.VIOLATED, "the files do not fit together")]


def failed(verdicts: list[Verdict]) -> bool:
    """Whether anything is violated."""
    return any(verdict.status is Status.VIOLATED for verdict in verdicts)
