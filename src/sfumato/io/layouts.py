"""What each form of a release lays on disk: one module a form and kind, found by one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.data.hierarchy import Hierarchy
from sfumato.io import (
    layout_bucketed,
    layout_patterned,
    layout_perturbed_graph,
    layout_recoded,
    layout_recoded_sets,
    layout_redrawn,
    layout_uncertain_sets,
)
from sfumato.io.forms import Form
from sfumato.io.words import Extent
from sfumato.releases.release import Content, Release

Columns = Sequence[dict[str, Any]]


class Layout(Protocol):
    """The files of a form. `columns` are those of schema.json throughout.

    FILES are its data files and SOMETIMES those that depend on the columns; MAY_BE_EMPTY have no
    rows in some releases; GROUPS has a row for every group of records. SCHEMA is what schema.json
    may say, FACTS what may stand under `facts` in the manifest, and BESIDE has the JSON files of
    this form by name, such as a law, with what each may say.
    """

    @property
    def FILES(self) -> tuple[str, ...]: ...  # noqa: N802
    @property
    def SOMETIMES(self) -> tuple[str, ...]: ...  # noqa: N802
    @property
    def MAY_BE_EMPTY(self) -> tuple[str, ...]: ...  # noqa: N802
    @property
    def GROUPS(self) -> str: ...  # noqa: N802
    @property
    def SCHEMA(self) -> type[Form]: ...  # noqa: N802

    @property
    def FACTS(self) -> type[Form]: ...  # noqa: N802
    @property
    def BESIDE(self) -> dict[str, type[Form]]: ...  # noqa: N802

    def beside(self, release: Release, /) -> dict[str, dict[str, Any]]:
        """What the JSON files of this form say."""

    def files(self, columns: Columns, /) -> tuple[str, ...]:
        """The data files of a release with these columns."""

    def tables(self, release: Release) -> dict[str, pa.Table]:
        """Every data file as a table."""

    def schema_json(self, release: Release) -> list[dict[str, Any]]:
        """What every published column is, for machines."""

    def hierarchies(self, release: Release, /) -> dict[str, Hierarchy]:
        """The trees that the content is read with."""

    def check_columns(self, columns: Columns, where: str) -> None:
        """Refuse columns that do not fit together."""

    def members(self, part: Callable[[str], pa.Table], /) -> NDArray[np.int64]:
        """The group of every record; `part` reads a data file."""

    def with_tree(self, columns: Columns, /) -> tuple[set[str], set[str]]:
        """Columns that can't be read without a hierarchy, and those that a claim may need."""

    def types(self, part: str, columns: Columns) -> dict[str, pa.DataType]:
        """Every column of a data file with its type, dictionaries aside."""

    def read(
        self,
        part: Callable[[str], pa.Table],
        columns: list[dict[str, Any]],
        trees: dict[str, Hierarchy],
        beside: dict[str, Any],
        /,
    ) -> Content:
        """The content that was written; `part` reads a data file, `beside` is what the JSON files
        of this form say."""

    def guide(self, columns: Columns, extent: Extent, ending: str, /) -> list[str]:
        """What the data dictionary says of the files."""

    def explain(self, column: dict[str, Any]) -> tuple[str, str]:
        """The file that a column stands in, and what its values mean."""


LAYOUTS: dict[tuple[str, str], Layout] = {
    ("recoded", "table"): layout_recoded,
    ("bucketed", "table"): layout_bucketed,
    ("recoded", "sets"): layout_recoded_sets,
    ("patterned", "table"): layout_patterned,
    ("perturbed", "table"): layout_redrawn,
    ("perturbed", "graph"): layout_perturbed_graph,
    ("uncertain", "sets"): layout_uncertain_sets,
}


def layout_of(manifest: dict[str, Any]) -> Layout:
    """The layout of a release."""
    return LAYOUTS[manifest["form"], manifest["kind"]]


def parts_of(manifest: dict[str, Any]) -> tuple[str, ...]:
    """The data files that a release of this form has, with those of SOMETIMES that it lists."""
    layout, listed = layout_of(manifest), manifest["files"]
    some = (p for p in layout.SOMETIMES if any(name.startswith(f"data/{p}.") for name in listed))
    return (*layout.FILES, *some)
