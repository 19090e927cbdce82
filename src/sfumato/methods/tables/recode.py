"""What the recoding methods share: requirements as compiled rules, and groups as a publication."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field

from sfumato.core.errors import BadJob, CannotBeMet
from sfumato.core.run import Run
from sfumato.data.grid import grid_of
from sfumato.data.hierarchy import fit
from sfumato.data.people import People
from sfumato.kernels.grid import Grid
from sfumato.kernels.rules import Rules, stack
from sfumato.models.base import Model, Whole, whole_of
from sfumato.models.k_anonymity import KAnonymity
from sfumato.releases.cells import cells_of
from sfumato.releases.claims import Claim
from sfumato.releases.recoded import Recoded
from sfumato.releases.release import Ledger, Publication, Release


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


def check_weights(weights: dict[str, float]) -> dict[str, float]:
    """Weights must be positive: a column that does not matter belongs under drop."""
    for name, weight in weights.items():
        if not weight > 0:
            raise ValueError(f"the weight of {name} must be above 0")
    return weights


Weights = Annotated[
    dict[str, float],
    AfterValidator(check_weights),
    Field(description="how much a column's loss matters; 1 where not given"),
]


def demand(people: People, k: int, require: Sequence[Model], also: Sequence[str] = ()) -> Demand:
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


def _whole(people: People, name: str) -> Whole:
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


def _codes(people: People, names: Sequence[str]) -> NDArray[np.int32]:
    codes = np.empty((people.table.rows, len(names)), np.int32)
    for place, name in enumerate(names):
        codes[:, place] = people.table[name].codes
    return codes


def quasi_grid(people: People, weights: dict[str, float] | None = None) -> Grid:
    """The quasi-identifiers as kernels see them."""
    unknown = sorted(set(weights or {}) - set(people.schema.quasi))
    if unknown:
        raise BadJob(
            f"method.weights names '{unknown[0]}', which is no quasi-identifier",
            f"quasi: {', '.join(people.schema.quasi)}",
        )
    columns = [people.table[name] for name in people.schema.quasi]
    return grid_of(columns, people.hierarchies, weights)


def shuffled(grid: Grid, run: Run) -> tuple[Grid, NDArray[np.int64]]:
    """The grid with its rows in a secret order, and which row stands where.

    People with equal quasi-identifiers are dealt to groups by where they stand. In the order of the
    source, which may mean something, that would put neighbours of the source into one group.
    """
    order = run.rng("rows").permutation(len(grid.codes))
    return grid._replace(codes=grid.codes[order]), order


def publication(
    people: People,
    group: NDArray[np.int32],
    wanted: Demand,
    run: Run,
    *,
    steered: bool,
    notes: dict[str, Any] | None = None,
) -> Publication:
    """Cells around the groups, claims from the demand, links for the owner."""
    groups = int(group.max()) + 1
    with run.phase("label"):
        quasi = people.schema.quasi
        trees = people.hierarchies
        cells = {n: cells_of(people.table[n], group, groups, trees.get(n)) for n in quasi}
    exact = people.schema.sensitive + people.schema.keep
    content = Recoded(cells, group, groups, people.table.select(exact))
    release = Release(
        kind="table",
        form="recoded",
        schema=people.schema.with_kinds({n: c.kind for n, c in people.table.columns.items()}),
        content=content,
        claims=tuple(_claim(model, people, steered) for model in wanted.models),
        hierarchies=_claimed_trees(people, wanted),
    )
    ledger = Ledger(np.arange(people.table.rows, dtype=np.int64), run.key.hex(), notes=notes or {})
    return Publication(release, ledger)


def _claim(model: Model, people: People, steered: bool) -> Claim:
    return Claim(model.name, model.parameters, people.schema.quasi, model.about, steered=steered)


def _claimed_trees(people: People, wanted: Demand) -> dict[str, Any]:
    """Hierarchies of sensitive columns that a claim is measured by."""
    about = {m.about for m in wanted.models if getattr(m, "distance", "") == "hierarchical"}
    for name in about:
        fit(people.hierarchies[name or ""], people.table[name or ""])
    return {name: people.hierarchies[name] for name in about if name is not None}
