"""The data dictionary that lies beside the data, for people without sfumato."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sfumato.io.layouts import Layout
from sfumato.io.words import Extent, code
from sfumato.releases.claims import Claim


def dictionary_text(
    layout: Layout,
    columns: list[dict[str, Any]],
    claims: Iterable[Claim],
    ending: str,
    extent: Extent,
) -> str:
    """What every file and column means, and how to read the release with any tool."""
    lines = ["# Data dictionary", "", *layout.guide(columns, extent, ending), "", "## Columns", ""]
    lines += [_column_text(layout, column) for column in columns]
    return "\n".join([*lines, "", "## Claims", "", *map(_claim_text, claims), ""])


def _column_text(layout: Layout, column: dict[str, Any]) -> str:
    where, text = layout.explain(column)
    return f"- {code(column['name'])} ({column['role']}, {column['type']}, in {where}): {text}"


def _claim_text(claim: Claim) -> str:
    about = [claim.sensitive] if claim.sensitive is not None else claim.quasi
    return (
        f"- {claim.model} {code(str(claim.parameters))} on {', '.join(map(code, about))}; "
        f"against somebody who {claim.adversary}."
    )
