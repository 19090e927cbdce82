"""What every method is: checked parameters, `publish`, and a price told beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from sfumato.core.run import Run
from sfumato.models.base import Model
from sfumato.releases.release import Publication


@dataclass(frozen=True)
class Shape:
    """How large a piece of work is: rows, quasi-identifier columns, published columns.

    Of sets also how many items all rows hold together, and how many different ones there are.
    """

    rows: int
    quasi: int
    columns: int
    items: int = 0
    domain: int = 0


@dataclass(frozen=True)
class Cost:
    """What a run is expected to take on one core of a machine of 2024."""

    seconds: float
    megabytes: float


class Method(BaseModel):
    """Parameters are declared once, here; they serve checks, JSON Schema, help and docs.

    They are taken as they are, except that a whole number does for a decimal one: "10" is no k.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    kind: ClassVar[str]
    name: ClassVar[str]
    form: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[str]

    def publish(self, data: Any, require: Sequence[Model], run: Run) -> Publication:
        """Make a publication that meets the requirements, or say why none can be made."""
        raise NotImplementedError

    def cost(self, shape: Shape) -> Cost:
        """Expected time and memory, without reading or writing files."""
        raise NotImplementedError
