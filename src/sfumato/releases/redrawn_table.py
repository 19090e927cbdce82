"""Form Perturbed, of a table: records of which some quasi-identifiers were redrawn, and the law.

Sensitive and kept columns are exact. Which values of a record were redrawn is not published.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.releases.recoded import sorted_rows
from sfumato.releases.redraw_law import RedrawLaw


@dataclass(frozen=True, eq=False)
class RedrawnTable:
    """Records and the law by which they were made.

    Columns named by the law are coded over the values of the original table, which its counts are
    about; `bins` gives the width of those whose numbers were put into bins, and stand there as the
    middles of these.
    """

    records: Table
    law: RedrawLaw
    bins: dict[str, float] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Records published."""
        return self.records.rows

    @property
    def groups(self) -> int:
        """Every record stands for itself."""
        return self.rows

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Records per group."""
        return np.ones(self.rows, np.int64)


def seal(content: RedrawnTable) -> tuple[RedrawnTable, NDArray[np.int64]]:
    """Sort records by their published values, so that no order tells where one came from.

    Also returns, for the owner, which record of the input each published record was.
    """
    rows = sorted_rows(np.zeros(content.rows, np.int32), 1, content.records)
    return replace(content, records=content.records.take(rows)), rows
