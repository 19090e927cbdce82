"""What differs between kinds of data on the way through the pipeline: one module a kind."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from sfumato.core.run import Run
from sfumato.methods.base import Cost
from sfumato.pipeline.job import Job
from sfumato.releases.release import Evidence, Ledger, Release
from sfumato.study.choose import Scoring

MODULES = {
    "table": "sfumato.pipeline.table_kind",
    "sets": "sfumato.pipeline.sets_kind",
    "graph": "sfumato.pipeline.graph_kind",
}


class DataKind(Protocol):
    """How one kind of data is read, judged and shown."""

    def read(self, job: Job, workers: int, /) -> Any:
        """The data of a job, all checked before anything runs."""

    def owned(self, data: Any, /) -> Any:
        """The data as an audit compares with it."""

    def original(self, release: Release, source: Path | str, ledger: Ledger | None, /) -> Any:
        """The original of a release, read as it was when it was published."""

    def scoring(self, data: Any, run: Run, /) -> Scoring:
        """How releases of the data are compared."""

    def cost(self, job: Job, /) -> Cost:
        """What reading, publishing and writing are expected to take, without compiling."""

    def check(self, data: Any, /) -> None:
        """Refuse data that nothing can be published of."""

    def workload(self, evidence: Evidence, queries: int, run: Run, /) -> Sequence[Any]:
        """Tables on the error of random queries."""


def kind_of(name: str) -> DataKind:
    """The module of a kind of data."""
    module: Any = import_module(MODULES[name])
    return module  # type: ignore[no-any-return]
