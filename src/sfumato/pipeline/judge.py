"""Auditing a folder, with whatever the owner adds."""

from __future__ import annotations

from pathlib import Path

from sfumato.audit.audit import audit, failed
from sfumato.core.answers import Verdict
from sfumato.pipeline.evidence import Place, collect


def audit_release(
    release: Place, ledger: Place | None = None, against: Place | None = None
) -> list[Verdict]:
    """Audit a release folder; the files come first, so that a damaged one is not opened further.

    Returns one verdict for every check: verified, violated, argued, or needs the owner.
    """
    if ledger is None and against is None:
        return audit(Path(release))
    verdicts = audit(Path(release))
    if failed(verdicts):
        return verdicts
    evidence = collect(release, ledger, against)
    return audit(Path(release), evidence.ledger, evidence.original)
