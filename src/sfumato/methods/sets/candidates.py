"""Where clustering looks for members: parameters that both methods share."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sfumato.core.errors import CannotBeMet
from sfumato.data.sets import Holders
from sfumato.kernels.sets_cluster import ALL, DRAWN, HASHED, Candidates
from sfumato.methods.base import Method

KINDS = {"all": ALL, "random": DRAWN, "hashed": HASHED}
MOST_ALL = 200_000  # records of which all pairs can be looked at within hours


class Clustering(Method):
    """k, and how candidates are found."""

    k: int = Field(ge=1, description="fewest records that publish the same set")
    candidates: Literal["hashed", "random", "all"] = Field(
        "hashed",
        description="who may join: records that share a hash bucket, records drawn at random, or "
        "all (time grows with the square of the records)",
    )
    c: float = Field(50.0, gt=0, description="candidates looked at: c times ln(records)")
    tables: int = Field(5, ge=1, le=64, description="hashed: number of hash tables")
    bits: int = Field(
        0, ge=0, le=30, description="hashed: bits of a hash; 0: so many that buckets hold enough"
    )

    def where(self, data: Holders) -> Candidates:
        """The kernel's form; refused where it would take days."""
        if self.candidates == "all" and data.rows > MOST_ALL:
            raise CannotBeMet(
                f'method.candidates = "all" compares all pairs of {data.rows:,} records',
                f'use "hashed" above {MOST_ALL:,} records',
            )
        return Candidates(KINDS[self.candidates], self.c, self.tables, self.bits)
