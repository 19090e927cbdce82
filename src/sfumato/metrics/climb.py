"""Distance in the generalization lattice: how many levels of a hierarchy the cells climbed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import Answer, ResultTable, result_table
from sfumato.core.errors import Refused
from sfumato.metrics.base import Metric, found, scope
from sfumato.releases.cells import Nodes
from sfumato.releases.recoded import Recoded
from sfumato.releases.release import Evidence

SOURCE = "Samarati 2001; Sweeney 2002; LeFevre, DeWitt, Ramakrishnan, SIGMOD 2005"


def mean_climb(
    levels: NDArray[np.int64], sizes: NDArray[np.int64], top: int, dropped: int = 0
) -> float:
    """Mean over records of the level of their node, a dropped record standing at the top."""
    return float((sizes @ levels + dropped * top) / (sizes.sum() + dropped))


def _trees(content: Recoded) -> dict[str, Nodes]:
    trees = {name: cells for name, cells in content.cells.items() if isinstance(cells, Nodes)}
    if not trees:
        raise Refused("no column is published as nodes of a hierarchy")
    return trees


def _climbs(evidence: Evidence) -> list[dict[str, Any]]:
    release = evidence.release
    rows: list[dict[str, Any]] = []
    for name, cells in _trees(release.recoded).items():
        levels, top = cells.hierarchy.height[cells.node], cells.hierarchy.levels - 1
        mean = mean_climb(levels, release.recoded.sizes, top, release.dropped)
        rows.append({"column": name, "levels": mean, "most": int(levels.max()), "of": top})
    return rows


def _distance(evidence: Evidence) -> Answer:
    rows = _climbs(evidence)
    top = sum(row["of"] for row in rows)
    columns = f"{len(rows)} of {len(evidence.release.recoded.cells)} columns, {top} levels at most"
    return found(sum(row["levels"] for row in rows), f"{columns}; {scope(evidence.release)}")


def _per_column(evidence: Evidence) -> ResultTable:
    return result_table("Levels climbed", _climbs(evidence), [scope(evidence.release)])


hierarchy_distance = Metric(
    name="hierarchy-distance",
    meaning="levels climbed above the values, summed over hierarchy columns, mean over records",
    source=SOURCE,
    calculate=_distance,
    unit="levels",
)
"""Mean over records of the sum over columns of the level of the published node (values: level 0).

For a global recoding this is the height of its node in the lattice; local recodings get the mean.
Numbers and dates with breakpoints are published as intervals without levels and are left out. It
misleads across columns: a level of two values counts as much as a level of a thousand.
"""

hierarchy_levels = Metric(
    name="hierarchy-levels",
    meaning="levels climbed above the values in each hierarchy column, mean and most",
    source=SOURCE,
    calculate=_per_column,
)
"""The distance vector: `hierarchy_distance` one row per column. Misleads in the same way."""
