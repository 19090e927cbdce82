"""The audit as a whole: files, structure, claims, and what the owner can add."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from sfumato.audit.claims import check_claims
from sfumato.audit.files import Files, check_files
from sfumato.audit.owner import check_owner
from sfumato.audit.structure import check_structure
from sfumato.core.answers import Status, Verdict
from sfumato.core.errors import BadRelease
from sfumato.data.table import Table
from sfumato.io.opening import MISFITS
from sfumato.releases.release import Ledger


def audit(
    folder: Path | str, ledger: Ledger | None = None, original: Table | None = None
) -> list[Verdict]:
    """Judge a release folder by its files alone, and by the original where the owner gives it.

    Checks that depend on a broken earlier one are left out.
    """
    files = Files(Path(folder))
    files.manifest  # noqa: B018, an error unless this is a release that can be read
    verdicts: list[Verdict] = []
    for check in (check_files, check_structure, check_claims):
        if failed(verdicts):
            return verdicts
        verdicts += _verdicts(check, files)
    return verdicts + list(check_owner(files, ledger, original))


def _verdicts(check: Callable[[Files], Iterable[Verdict]], files: Files) -> list[Verdict]:
    """The verdicts of one check; files that do not fit one another violate the structure."""
    try:
        return list(check(files))
    except BadRelease as error:
        return [Verdict("structure", Status.VIOLATED, str(error))]
    except MISFITS:
        return [Verdict("structure", Status.VIOLATED, "the files do not fit together")]


def failed(verdicts: list[Verdict]) -> bool:
    """Whether anything is violated."""
    return any(verdict.status is Status.VIOLATED for verdict in verdicts)
