"""What a metric is: a formula with a name, a meaning, a source and a list of what it needs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from sfumato.core.answers import Answer, ResultTable
from sfumato.core.errors import Refused
from sfumato.core.words import several
from sfumato.releases.release import Evidence, Release

Result = Answer | ResultTable


@dataclass(frozen=True)
class Metric:
    """One way to say how good a release is, computed from what it publishes and nothing else.

    `needs` names the owner's pieces: `()` means that the public half is enough and that everybody
    gets the same number; a result that needed a piece must stay with the owner. `lower_is_better`
    is None where neither direction is. A metric that makes no sense for a release gives an answer
    that is refused, with the reason; a piece that is absent is an error naming the option for it.

    >>> double = Metric("double", "twice the records", "nobody", lambda evidence: found(
    ...     2 * evidence.release.content.rows))
    >>> double.public
    True
    """

    name: str
    meaning: str
    source: str
    calculate: Callable[[Evidence], Result]
    lower_is_better: bool | None = True
    needs: tuple[str, ...] = ()
    unit: str = ""
    forms: tuple[str, ...] = ()

    @property
    def public(self) -> bool:
        """Whether the public half is enough."""
        return not self.needs

    def about(self, form: str) -> bool:
        """Whether a release of a form can be measured so."""
        return not self.forms or form.lower() in self.forms

    def compute(self, evidence: Evidence) -> Result:
        """The metric of one release."""
        for piece in self.needs:
            evidence.need(piece)
        if evidence.release.content.rows == 0:
            return self._refusal("the release has no records")
        try:
            # Numbers too large for a float end as infinity, which is refused below.
            with np.errstate(over="ignore", invalid="ignore"):
                result = self.calculate(evidence)
        except Refused as refusal:
            return self._refusal(refusal.what)
        if isinstance(result, ResultTable):
            return result
        if result.value is None or not math.isfinite(result.value):
            return self._refusal("the result is too large to be written as a number")
        return replace(result, name=self.name, unit=self.unit)

    def _refusal(self, reason: str) -> Answer:
        return Answer(self.name, None, basis=reason, unit=self.unit, refused=True)


def found(value: float, basis: str = "", bounds: tuple[float, float] | None = None) -> Answer:
    """An answer that still lacks the name and unit of its metric."""
    return Answer("", float(value), bounds=bounds, basis=basis)


def scope(release: Release) -> str:
    """What was averaged or summed over, with what a dropped record was taken to be."""
    content = release.content
    text = f"{several(content.rows, 'record')} in {several(content.groups, 'group')}"
    if release.dropped:
        text += f"; {release.dropped:,} dropped records count as lost entirely"
    return text


def scope_published(release: Release) -> str:
    """The same for metrics in which a dropped record has no part."""
    content = release.content
    text = f"{several(content.rows, 'record')} in {several(content.groups, 'group')}"
    return f"{text}; {release.dropped:,} dropped records are left out" if release.dropped else text
