"""The data dictionary that lies beside the data, for people without sfumato."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
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
    facts: Mapping[str, Any],
) -> str:
    """What every file and column means, and how to read the release with any tool."""
    lines = ["# Data dictionary", "", *layout.guide(columns, extent, ending), "", "## Columns", ""]
    lines += [_column_text(layout, column) for column in columns]
    lines += ["", "## Claims", "", *map(_claim_text, claims), ""]
    if facts:
        lines += ["## Facts", "", "What the owner says of the original besides.", ""]
        lines += [f"- {name}: {code(json.dumps(told))}" for name, told in facts.items()]
        lines.append("")
    return "\n".join(lines)


def _column_text(layout: Layout, column: dict[str, Any]) -> str:
    where, text = layout.explain(column)
    return f"- {code(column['name'])} ({column['role']}, {column['type']}, in {where}): {text}"


def _claim_text(claim: Claim) -> str:
    about = [claim.sensitive] if claim.sensitive is not None else claim.quasi
    return (
        f"- {claim.model} {code(str(claim.parameters))} on {', '.join(map(code, about))}; "
        f"against somebody who {claim.adversary}."
    )
