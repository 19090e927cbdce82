"""The audit as a whole: files, structure, claims, and what the owner can add."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from sfumato.audit.claims import check_claims
from sfumato.audit.files import Files, check_files
from sfumato.audit.owner import check_owner
from sfumato.audit.structure import check_structure
from sfumato.core.answers import Status, Verdict
from sfumato.core.errors import BadRelease
from sfumato.data.table import Table
from sfumato.io.folder import MISFITS
from sfumato.io.opening import recognise
from sfumato.releases.release import Ledger


def audit(
    folder: Path | str, ledger: Ledger | None = None, original: Table | None = None
) -> list[Verdict]:
    """Judge a release folder by its files alone, and by the original where the owner gives it.

    Checks that depend on a broken earlier one are left out.
    """
    files = Files(Path(folder))
    recognise(files.folder)  # an error unless this calls itself a release, of a known format
    verdicts: list[Verdict] = []
    for name, check in CHECKS:
        if failed(verdicts):
            return verdicts
        verdicts += _verdicts(name, partial(check, files))
    return verdicts + _verdicts("owner", partial(check_owner, files, ledger, original))


CHECKS = (("files", check_files), ("structure", check_structure), ("claims", check_claims))


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
