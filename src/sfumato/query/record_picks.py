"""Values of an exact column that a condition on the sensitive column may select."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bitmaps import Words, chosen_runs, run_moments
from sfumato.query.bucket_scope import BucketScope
from sfumato.query.entry_picks import Part
from sfumato.query.regions import Region
from sfumato.query.residues import EVERYTHING, Residue
from sfumato.query.selections import Picks

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Runs(NamedTuple):
    """Per bucket the values of some records, their running sums, and where the bucket's stand."""

    values: Floats
    sums: Floats
    ends: Ints


class RecordPicks:
    """Values of an exact column, of which per bucket and region some are selected."""

    def __init__(self, scope: BucketScope, name: str) -> None:
        self._scope = scope
        self._column = scope.table.records.sorted(name)
        self._runs = [self._chosen(one.words) for one in scope.residues]

    def _chosen(self, words: Words) -> Runs:
        column = self._column
        return Runs(*chosen_runs(column.values, column.rows, column.start, words))

    def bounds(self) -> list[Picks]:
        """Apart and together."""
        scope = self._scope
        hoped = [self._share(one.region) * s for one, s in self._parts()]
        picks = [self._picks(self._runs, scope.apart, hoped)]
        if scope.together:
            runs = [self._chosen(scope.words)]
            picks.append(self._picks(runs, scope.together, [np.sum(hoped, axis=0)]))
        return picks

    def _parts(self) -> Iterator[tuple[Residue, Ints]]:
        return zip(self._scope.residues, self._scope.selected, strict=True)

    def _share(self, region: Region) -> Any:
        return 1.0 if region == EVERYTHING else self._scope.table.moments(region)[:, 1]

    def _picks(self, runs: list[Runs], parts: list[Part], hoped: list[Any]) -> Picks:
        """All runs in one."""
        values = np.concatenate([run.values for run in runs])
        sums = np.concatenate([run.sums for run in runs])
        begin = np.cumsum([0, *(len(run.values) for run in runs)])
        ends = np.concatenate([run.ends + at for run, at in zip(runs, begin, strict=False)])
        limits = np.concatenate([np.column_stack(part.numbers) for part in parts])
        return Picks(self._column, values, sums, ends, limits, np.concatenate(hoped)).compact()

    def error(self, origin: float) -> float:
        """Standard error of the sum of (value - origin)."""
        total = 0.0
        for (one, _), run in zip(self._parts(), self._runs, strict=True):
            if one.region != EVERYTHING:
                factors = run_moments(run.values, run.ends, origin)
                moments = self._scope.table.moments(one.region)
                total += self._scope.table.implied.expect(moments, *factors).error(None)
        return total
