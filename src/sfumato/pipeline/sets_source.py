"""What a job says of a source of sets, checked before anything is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sfumato.data.schema import Schema
from sfumato.io.set_sources import SetsFrom, with_label


def sets_from(source: Any, folder: Path) -> SetsFrom:
    """How the source of a job says who has what, with paths resolved."""
    stated = source.model_dump(exclude={"kind", "path", "utility", "hierarchy"})
    files = {"utility": source.utility, "hierarchy": source.hierarchy}
    places: dict[str, Any] = {key: folder / name for key, name in files.items() if name}
    return SetsFrom(**stated, **places)


def check_sets(source: Any, folder: Path, schema: Schema) -> None:
    """Refuse none or several ways to say who has what, and roles that sets do not know."""
    sets_from(source, folder).check()
    with_label(schema, source.label)
