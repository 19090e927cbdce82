"""The audit as a whole: files, structure, claims, and what the owner can add."""

from __future__ import annotations

from pathlib import Path

from sfumato.audit.claims import check_claims
from sfumato.audit.files import Files, check_files
from sfumato.audit.owner import check_owner
from sfumato.audit.structure import check_structure
from sfumato.core.answers import Status, Verdict
from sfumato.data.table import Table
from sfumato.releases.release import Ledger


def audit(
    folder: Path | str, ledger: Ledger | None = None, original: Table | None = None
) -> list[Verdict]:
    """Judge a release folder by its files alone, and by the original where the owner gives it.

    Checks that depend on a broken earlier one are left out.
    """
    files = Files(Path(folder))
    verdicts = list(check_files(files))
    if failed(verdicts):
        return verdicts
    verdicts += check_structure(files)
    if failed(verdicts):
        return verdicts
    verdicts += check_claims(files)
    return verdicts + list(check_owner(files, ledger, original))


def failed(verdicts: list[Verdict]) -> bool:
    """Whether anything is violated."""
    return any(verdict.status is Status.VIOLATED for verdict in verdicts)
