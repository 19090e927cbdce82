"""p-sensitive k-anonymity, and its category form (p, alpha)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pydantic import Field

from sfumato.core.errors import BadJob
from sfumato.kernels.rules import DISTINCT, PALPHA, Entry
from sfumato.models.base import NOTHING, Model, Whole


class PSensitive(Model):
    """k-anonymity, and at least p different sensitive values in every group (errata M14)."""

    name = "p-sensitive-k-anonymity"
    summary = "k-anonymity with at least p different sensitive values in every group"
    source = "Truta, Vinay 2006"

    column: str = Field(description="the sensitive column")
    p: int = Field(ge=1, description="fewest different values in a group")
    k: int = Field(ge=1, description="fewest records a group may have")

    @property
    def smallest_group(self) -> int:
        return self.k

    def statement(self) -> str:
        return f"every group holds at least {self.k} records and {self.p} values of {self.column}"

    def limit(self) -> str:
        return f"at least {self.p}"

    def number(self, counts: Sequence[int], whole: Whole) -> float:
        return float(sum(count > 0 for count in counts))

    def holds(self, counts: Sequence[int], whole: Whole) -> bool:
        return self.number(counts, whole) >= self.p and sum(counts) >= self.k

    def entry(self, place: int, whole: Whole) -> Entry | None:
        return (DISTINCT, place, float(self.p), 0.0, NOTHING)


class PAlpha(Model):
    """At least p different categories of sensitive values in every group.

    Two values that are equally harmful to learn, such as two grave diseases, belong in one
    category: knowing that it is one of them is harm enough. The owner names the categories.
    """

    name = "p-alpha-anonymity"
    summary = "at least p different categories of sensitive values in every group"
    source = "Sun, Wang, Li, Truta 2008"

    column: str = Field(description="the sensitive column")
    p: int = Field(ge=1, description="fewest different categories in a group")
    categories: dict[str, list[str]] = Field(
        description="category = [values]; every value that occurs must be in exactly one"
    )

    def statement(self) -> str:
        return f"every group holds at least {self.p} categories of {self.column}"

    def limit(self) -> str:
        return f"at least {self.p}"

    def number(self, counts: Sequence[int], whole: Whole) -> float:
        category = self._ids(whole)
        present = {name for name, count in zip(category, counts, strict=True) if count}
        return float(len(present))

    def holds(self, counts: Sequence[int], whole: Whole) -> bool:
        return self.number(counts, whole) >= self.p

    def _ids(self, whole: Whole) -> list[int]:
        """The category of every code."""
        of = {value: i for i, values in enumerate(self.categories.values()) for value in values}
        if len(of) < sum(map(len, self.categories.values())):
            raise BadJob(f"{self.name}: a value of '{whole.name}' is in two categories")
        lacking = sum(text not in of for text in whole.texts)
        if lacking:
            raise BadJob(
                f"{self.name}: {lacking} of the {len(whole.texts)} values of '{whole.name}' are in "
                "no category",
                'put each in one; "missing" stands for missing values',
            )
        return [of[text] for text in whole.texts]

    def entry(self, place: int, whole: Whole) -> Entry | None:
        """Categories are renumbered below the number of values, as the kernel asks."""
        ids = np.unique(self._ids(whole), return_inverse=True)[1]
        return (PALPHA, place, float(self.p), 0.0, ids.astype(np.float64))
