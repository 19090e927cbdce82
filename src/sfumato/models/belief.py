"""Bayes-optimal belief change: how much a group teaches about its members."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from pydantic import Field

from sfumato.kernels.rules import BELIEF, Entry
from sfumato.models.base import Model, Whole


class BeliefChange(Model):
    """The largest difference between a value's share in a group and in the whole table.

    Before the release an adversary believes the whole table's shares, afterwards the group's. The
    default bound of 1 never binds: the number is then only reported.
    """

    name = "belief-change"
    summary = "largest change of belief in a sensitive value, from whole table to group"
    source = "Machanavajjhala et al. 2007, Bayes-optimal privacy"
    higher_is_safer = False

    column: str = Field(description="the sensitive column")
    most: float = Field(1.0, ge=0, le=1, description="largest change allowed; 1 only reports it")

    def statement(self) -> str:
        return f"no group changes the belief in a value of {self.column} by more than {self.most:g}"

    def limit(self) -> str:
        return f"at most {self.most:g}"

    def number(self, counts: Sequence[int], whole: Whole) -> float:
        return float(self._change(counts, whole))

    def holds(self, counts: Sequence[int], whole: Whole) -> bool:
        return self._change(counts, whole) <= Fraction(str(self.most))

    def _change(self, counts: Sequence[int], whole: Whole) -> Fraction:
        total, rows = sum(counts), whole.rows
        return max(
            abs(Fraction(count, total) - Fraction(all_, rows))
            for count, all_ in zip(counts, whole.counts, strict=True)
        )

    def entry(self, place: int, whole: Whole) -> Entry | None:
        return None if self.most >= 1 else (BELIEF, place, self.most, 0.0, whole.shares)
