"""What a job says of a source of a graph, checked before anything is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sfumato.data.schema import Schema
from sfumato.io.graph_sources import GraphFrom, check_roles


def graph_from(source: Any, folder: Path) -> GraphFrom:
    """How the source of a job tells who is connected to whom, with paths resolved."""
    stated = source.model_dump(exclude={"kind", "path"})
    if stated["nodes"] is not None:
        stated["nodes"] = folder / stated["nodes"]
    return GraphFrom(**stated)


def check_graph(source: Any, folder: Path, schema: Schema) -> None:
    """Refuse ways that contradict themselves, and roles that nodes do not know."""
    how = graph_from(source, folder)
    how.check()
    check_roles(schema, how)
