"""What the recoding methods for tables share: codes for kernels, and groups as a publication."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field

from sfumato.core.errors import BadJob
from sfumato.core.run import Run
from sfumato.data.grid import grid_of
from sfumato.data.people import People
from sfumato.kernels.grid import Grid
from sfumato.methods.demand import Demand, claimed_trees, claims
from sfumato.releases.cells import cells_of
from sfumato.releases.recoded import Recoded
from sfumato.releases.release import Ledger, Publication, Release


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
        claims=claims(people, wanted, steered=steered),
        hierarchies=claimed_trees(people, wanted),
    )
    ledger = Ledger(np.arange(people.table.rows, dtype=np.int64), run.key.hex(), notes=notes or {})
    return Publication(release, ledger)
