"""l-diversity in its three forms (Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

from pydantic import Field

from sfumato.core.errors import CannotBeMet
from sfumato.core.words import ordinal, several
from sfumato.kernels.rules import DISTINCT, ENTROPY, RECURSIVE, Entry
from sfumato.models.base import NOTHING, Model, Whole

MOST_EXACT = 20_000
SOURCE = "Machanavajjhala et al., l-diversity, TKDD 2007"


class DistinctLDiversity(Model):
    """Every group holds at least l different values; one of them may still be nearly certain."""

    name = "distinct-l-diversity"
    summary = "every group holds at least l different sensitive values"
    source = SOURCE

    column: str = Field(description="the sensitive column")
    l: int = Field(ge=1, description="fewest different values in a group")  # noqa: E741

    def statement(self) -> str:
        return f"every group holds at least {self.l} different values of {self.column}"

    def limit(self) -> str:
        return f"at least {self.l}"

    def number(self, counts: Sequence[int], whole: Whole) -> float:
        return float(sum(count > 0 for count in counts))

    def holds(self, counts: Sequence[int], whole: Whole) -> bool:
        return self.number(counts, whole) >= self.l

    def entry(self, place: int, whole: Whole) -> Entry | None:
        return (DISTINCT, place, float(self.l), 0.0, NOTHING)


class EntropyLDiversity(Model):
    """The entropy of every group is at least that of l equally frequent values (errata R13)."""

    name = "entropy-l-diversity"
    summary = "the sensitive values of every group are as uncertain as l equally frequent ones"
    source = SOURCE

    column: str = Field(description="the sensitive column")
    l: float = Field(ge=1, description="fewest equally frequent values as uncertain")  # noqa: E741

    def statement(self) -> str:
        return (
            f"in every group {self.column} is at least as uncertain as {self.l:g} equally "
            "frequent values"
        )

    def limit(self) -> str:
        return f"at least {self.l:g}"

    def number(self, counts: Sequence[int], whole: Whole) -> float:
        total = sum(counts)
        entropy = -math.fsum(c / total * math.log(c / total) for c in counts if c)
        return math.exp(entropy)

    def holds(self, counts: Sequence[int], whole: Whole) -> bool:
        """exp(H) >= l, decided more exactly where floating point comes too close to call."""
        reached = self.number(counts, whole)
        if abs(reached - self.l) > 1e-9 * self.l:
            return reached >= self.l
        return _as_uncertain(counts, Fraction(str(self.l)))

    def entry(self, place: int, whole: Whole) -> Entry | None:
        return (ENTROPY, place, float(self.l), 0.0, NOTHING)


def _as_uncertain(counts: Sequence[int], asked: Fraction) -> bool:
    """Whether the entropy reaches log(asked).

    Counts are divided by what they have in common, which leaves the shares as they are; up to
    MOST_EXACT records the answer is then that of whole numbers. Beyond, these would have millions
    of digits: logarithms of 60 digits decide, and what even they can't tell apart is not reached.
    """
    common = math.gcd(*counts)
    small = [count // common for count in counts if count]
    total = sum(small)
    if total <= MOST_EXACT:
        product = math.prod(count**count for count in small)
        return bool((total * asked.denominator) ** total >= product * asked.numerator**total)
    with localcontext(prec=60):
        top, bottom = Decimal(asked.numerator).ln(), Decimal(asked.denominator).ln()
        have = total * Decimal(total).ln()
        have -= sum(many * n * Decimal(n).ln() for n, many in Counter(small).items())
        return bool(have - total * (top - bottom) > have * Decimal("1e-50"))


class RecursiveCLDiversity(Model):
    """The most frequent value is not too frequent: r1 < c (r_l + ... + r_m) in every group."""

    name = "recursive-cl-diversity"
    summary = "the most frequent value is less than c times all from the l-th most frequent on"
    source = SOURCE
    higher_is_safer = False

    column: str = Field(description="the sensitive column")
    c: float = Field(gt=0, description="how far the most frequent value may outweigh the tail")
    l: int = Field(ge=1, description="where the tail begins")  # noqa: E741

    def statement(self) -> str:
        return (
            f"in every group the most frequent {self.column} occurs less than {self.c:g} times as "
            f"often as all from the {ordinal(self.l)} most frequent on together"
        )

    def limit(self) -> str:
        return f"below {self.c:g}"

    def check_possible(self, whole: Whole | None, rows: int) -> None:
        values = 0 if whole is None else sum(count > 0 for count in whole.counts)
        if whole is not None and values < self.l:
            raise CannotBeMet(
                f"{self.name} on '{whole.name}' cannot be met, because the column has "
                f"{several(values, 'value')} and l is {self.l}",
                "ask for less",
            )
        super().check_possible(whole, rows)

    def number(self, counts: Sequence[int], whole: Whole) -> float:
        top, tail = self._parts(counts)
        return top / tail if tail else math.inf

    def holds(self, counts: Sequence[int], whole: Whole) -> bool:
        top, tail = self._parts(counts)
        return top < Fraction(str(self.c)) * tail

    def _parts(self, counts: Sequence[int]) -> tuple[int, int]:
        ordered = sorted(counts, reverse=True)
        return ordered[0], sum(ordered[self.l - 1 :])

    def entry(self, place: int, whole: Whole) -> Entry | None:
        return (RECURSIVE, place, float(self.c), float(self.l), NOTHING)
