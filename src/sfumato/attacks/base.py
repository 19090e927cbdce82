"""What every attack is: checked parameters, something planted before, a guess made after.

An attack is an experiment. It plants something (or splits the people into some that are in and some
that are not), looks at what is published of the result, and guesses. The same guess is made where
there is nothing to find: the control. How both are counted and compared stands in `study.trial`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict


@dataclass(frozen=True, eq=False)
class Planted:
    """What is published, what attackers know of it, and the same for the control.

    Every piece of knowledge is an attempt. Where nothing was planted for the control, it attacks
    the publication of `control` with the same knowledge; where people were split into some that
    are in and some that are not, it attacks the same publication (`control` is None) with
    `false_knowledge`, of people who are not in.
    """

    data: Any
    knowledge: Sequence[Any]
    control: Any = None
    false_knowledge: Sequence[Any] | None = None


@dataclass(frozen=True, eq=False)
class Shown:
    """What the attacker sees, and what only the owner knows: where everything went."""

    seen: Any
    links: Any = None


@dataclass(frozen=True, eq=False)
class Guess:
    """What an attacker says. `claimed`: the attacker takes it for right.

    `work` counts steps of the search, `capped` says that it was cut before its end.
    """

    found: Any
    claimed: bool
    work: int = 0
    capped: bool = False


@dataclass(frozen=True)
class Score:
    """A guess held against the truth: `found` of `of` targets, and what else is worth counting."""

    success: bool
    found: int = 0
    of: int = 0
    more: dict[str, float] = field(default_factory=dict)


class Attack(BaseModel):
    """Parameters are declared once, here; they serve checks, help and docs."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    kind: ClassVar[str]
    name: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[str]

    def plant(self, data: Any, rng: np.random.Generator) -> Planted:
        """Prepare the data before it is published."""
        raise NotImplementedError

    def guess(self, seen: Any, knowledge: Any, rng: np.random.Generator) -> Guess:
        """Find the targets in what was published, from what the attacker knows."""
        raise NotImplementedError

    def judge(self, guess: Guess, planted: Planted, knowledge: Any, links: Any) -> Score:
        """Hold a guess against the truth, which the owner knows."""
        raise NotImplementedError

    def chance(self, planted: Planted) -> float:
        """How likely somebody succeeds who guesses without looking: the baseline."""
        raise NotImplementedError
