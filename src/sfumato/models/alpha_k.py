"""(alpha, k)-anonymity (Wong, Li, Fu, Wang 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from pydantic import Field

from sfumato.core.errors import BadJob
from sfumato.core.words import several
from sfumato.kernels.rules import FREQUENCY, Entry
from sfumato.models.base import Model, Whole


class AlphaK(Model):
    """k-anonymity, and no sensitive value (or none of those listed) above a share of alpha."""

    name = "alpha-k-anonymity"
    summary = "k-anonymity with no sensitive value above a share of alpha in any group"
    source = "Wong, Li, Fu, Wang, KDD 2006"
    higher_is_safer = False

    column: str = Field(description="the sensitive column")
    alpha: float = Field(gt=0, le=1, description="largest share of one value in a group")
    k: int = Field(ge=1, description="fewest records a group may have")
    values: list[str] | None = Field(
        None, min_length=1, description="only these values; default all"
    )

    @property
    def smallest_group(self) -> int:
        return self.k

    def statement(self) -> str:
        which = "no value" if self.values is None else "none of the listed values"
        return f"{which} of {self.column} has a share above {self.alpha:g} in any group"

    def limit(self) -> str:
        return f"at most {self.alpha:g}"

    def number(self, counts: Sequence[int], whole: Whole) -> float:
        return float(self._share(counts, whole))

    def holds(self, counts: Sequence[int], whole: Whole) -> bool:
        return self._share(counts, whole) <= Fraction(str(self.alpha)) and sum(counts) >= self.k

    def _share(self, counts: Sequence[int], whole: Whole) -> Fraction:
        listed = self._listed(whole)
        largest = max((c for c, on in zip(counts, listed, strict=True) if on), default=0)
        return Fraction(largest, sum(counts))

    def _listed(self, whole: Whole) -> list[bool]:
        if self.values is None:
            return [True] * len(whole.texts)
        unknown = len(set(self.values) - set(whole.texts))
        if unknown:
            raise BadJob(
                f"{self.name}: {several(unknown, 'listed value')} not found in '{whole.name}'",
                "check their spelling",
            )
        return [text in self.values for text in whole.texts]

    def entry(self, place: int, whole: Whole) -> Entry | None:
        return (FREQUENCY, place, self.alpha, 0.0, np.array(self._listed(whole), np.float64))
