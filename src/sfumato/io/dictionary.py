"""The data dictionary that lies beside the data, for people without sfumato."""

from __future__ import annotations

from typing import Any

from sfumato.data.schema import Role
from sfumato.releases.release import Release

FORMS = {
    "interval": "an interval: the person's value lies from `{n}_lower` to `{n}_upper`, inclusive",
    "set": "a set: the person's value is one of `{n}_values`",
    "node": "a node of a hierarchy: the person's value is a leaf below it; `{n}_level` is its "
    "level, 0 for an exact value, in the hierarchy file of this column",
    "exact": "exact, as in the original",
}
ENDS = {True: " Every listed value, or both ends, occur in the group.", False: ""}


def dictionary_text(release: Release, columns: list[dict[str, Any]], form: str) -> str:
    """What every file and column means, and how to read the release with any tool."""
    content = release.content
    lines = [
        "# Data dictionary",
        "",
        f"{content.rows:,} records in {content.groups:,} groups; {release.dropped:,} records of "
        "the original were left out.",
        "",
        f"- `data/groups.{form}`: one row per group; `group_size` is the number of its records.",
        f"- `data/records.{form}`: one row per record; `group` says which group it belongs to.",
        f"- `data/flat.{form}`: both joined, with labels only, for a first look.",
        "- `hierarchies/`: one file per column published as nodes, from values to the top.",
        "- `claims.json`: what this release promises, for which columns, against whom.",
        "",
        "Join groups and records on `group`. The order of groups and records follows from their",
        "published values alone.",
        "",
        "## Columns",
        "",
    ]
    lines += [_column_text(column) for column in columns]
    return "\n".join([*lines, "", "## Claims", "", *_claims(release), ""])


def _column_text(column: dict[str, Any]) -> str:
    text = FORMS[column["cells"]].format(n=column["name"]) + "."
    text += ENDS[bool(column.get("tight"))]
    if column["missing"] and column["cells"] != "exact":
        text += " Missing is a value of its own."
    where = "records" if column["role"] in (Role.SENSITIVE, Role.KEEP) else "groups"
    return f"- `{column['name']}` ({column['role']}, {column['type']}, in {where}): {text}"


def _claims(release: Release) -> list[str]:
    return [
        f"- {claim.model} {claim.parameters} on {claim.sensitive or ', '.join(claim.quasi)}; "
        f"against somebody who {claim.adversary}."
        for claim in release.claims
    ]
