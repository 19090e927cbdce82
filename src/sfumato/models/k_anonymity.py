"""k-anonymity: nobody can be told from fewer than k - 1 others."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from sfumato.kernels.rules import Entry
from sfumato.models.base import Model, Whole


class KAnonymity(Model):
    """Every group holds at least k records; they may still share everything else."""

    name = "k-anonymity"
    summary = "every record shares its published quasi-identifiers with at least k - 1 others"
    source = "Samarati 2001; Sweeney 2002"

    k: int = Field(ge=1, description="fewest records a group may have")

    @property
    def smallest_group(self) -> int:
        return self.k

    def statement(self) -> str:
        return f"every group holds at least {self.k} records"

    def limit(self) -> str:
        return f"at least {self.k}"

    def number(self, counts: Sequence[int], whole: Whole) -> float:
        return float(sum(counts))

    def holds(self, counts: Sequence[int], whole: Whole) -> bool:
        return sum(counts) >= self.k

    def entry(self, place: int, whole: Whole) -> Entry | None:
        return None
