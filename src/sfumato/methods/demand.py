"""What a grouping of records has to satisfy, whatever the records are: models as compiled rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import CannotBeMet
from sfumato.data.hierarchy import Hierarchy, fit
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.kernels.rules import Rules, stack
from sfumato.models.base import Model, Whole, whole_of
from sfumato.models.k_anonymity import KAnonymity
from sfumato.releases.claims import KNOWS_QUASI, Claim


class Described(Protocol):
    """People as models see them: exact columns, and hierarchies of some."""

    @property
    def schema(self) -> Schema: ...
    @property
    def table(self) -> Table: ...
    @property
    def hierarchies(self) -> dict[str, Hierarchy]: ...


@dataclass(frozen=True, eq=False)
class Demand:
    """All that a grouping has to satisfy, ready for kernels.

    `codes` holds the sensitive columns `names` that some model is about; `rules` read their counts.
    """

    smallest: int
    names: tuple[str, ...]
    models: tuple[Model, ...]
    rules: Rules
    codes: NDArray[np.int32]

    @property
    def steers(self) -> bool:
        """Whether sensitive values decide which groups are allowed."""
        return len(self.rules.kind) > 0


def demand(people: Described, k: int, require: Sequence[Model], also: Sequence[str] = ()) -> Demand:
    """k and the required models together, refused here if no grouping can meet them.

    `also` names sensitive columns that the method itself reads.
    """
    models = _with_k(k, require)
    about = [model.about for model in models if model.about is not None]
    names = tuple(dict.fromkeys([*about, *also]))
    wholes = {name: _whole(people, name) for name in names}
    for model in models:
        model.check_possible(wholes.get(model.about or ""), people.table.rows)
    smallest = max(model.smallest_group for model in models)
    return Demand(smallest, names, models, _rules(models, wholes), _codes(people, names))


def _with_k(k: int, require: Sequence[Model]) -> tuple[Model, ...]:
    """The method's own k is a requirement like any other; the strictest one is claimed."""
    asked = [model for model in require if isinstance(model, KAnonymity)]
    strictest = max([k, *(model.smallest_group for model in require)])
    rest = [model for model in require if model not in asked]
    return (KAnonymity(k=strictest), *rest)


def _whole(people: Described, name: str) -> Whole:
    if name not in people.schema.sensitive:
        raise CannotBeMet(
            f"a requirement is about '{name}', which is not a sensitive column",
            f"sensitive: {', '.join(people.schema.sensitive) or 'none'}",
        )
    return whole_of(people.table[name], people.hierarchies.get(name))


def _rules(models: Sequence[Model], wholes: dict[str, Whole]) -> Rules:
    place = {name: number for number, name in enumerate(wholes)}
    sizes = [len(whole.texts) for whole in wholes.values()]
    entries = [
        model.entry(place[model.about], wholes[model.about])
        for model in models
        if model.about is not None
    ]
    return stack([e for e in entries if e is not None], np.cumsum([0, *sizes]).astype(np.int64))


def _codes(people: Described, names: Sequence[str]) -> NDArray[np.int32]:
    codes = np.empty((people.table.rows, len(names)), np.int32)
    for place, name in enumerate(names):
        codes[:, place] = people.table[name].codes
    return codes


def claims(
    people: Described, wanted: Demand, *, steered: bool, adversary: str = KNOWS_QUASI
) -> tuple[Claim, ...]:
    """A claim for every model of a demand."""
    quasi = people.schema.quasi
    return tuple(
        Claim(model.name, model.parameters, quasi, model.about, adversary, steered)
        for model in wanted.models
    )


def claimed_trees(people: Described, wanted: Demand) -> dict[str, Any]:
    """Hierarchies of sensitive columns that a claim is measured by."""
    about = {m.about for m in wanted.models if getattr(m, "distance", "") == "hierarchical"}
    for name in about:
        fit(people.hierarchies[name or ""], people.table[name or ""])
    return {name: people.hierarchies[name] for name in about if name is not None}
