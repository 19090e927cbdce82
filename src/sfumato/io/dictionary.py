"""The data dictionary that lies beside the data, for people without sfumato."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sfumato.data.schema import PARTS, Role
from sfumato.releases.claims import Claim
from sfumato.releases.release import Release

FORMS = {
    "interval": "an interval: the person's value lies from {lower} to {upper}, inclusive",
    "set": "a set: the person's value is one of {values}",
    "node": "a node of a hierarchy: the person's value is a leaf below it; {level} is its "
    "level, 0 for an exact value, in the hierarchy file of this column",
    "exact": "exact, as in the original",
}
ENDS = {True: " Every listed value, or both ends, occur in the group.", False: ""}


@dataclass(frozen=True)
class Extent:
    """How much is published."""

    records: int
    groups: int
    dropped: int

    @classmethod
    def of(cls, release: Release) -> Extent:
        """The extent of a release."""
        return cls(release.content.rows, release.content.groups, release.dropped)


def dictionary_text(
    columns: list[dict[str, Any]], claims: Iterable[Claim], form: str, extent: Extent
) -> str:
    """What every file and column means, and how to read the release with any tool."""
    lines = [
        "# Data dictionary",
        "",
        f"{extent.records:,} records in {extent.groups:,} groups; {extent.dropped:,} records of "
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
    return "\n".join([*lines, "", "## Claims", "", *map(_claim_text, claims), ""])


def _column_text(column: dict[str, Any]) -> str:
    name = column["name"]
    text = FORMS[column["cells"]].format(**{part: code(f"{name}_{part}") for part in PARTS}) + "."
    text += ENDS[bool(column.get("tight"))]
    if column["missing"] and column["cells"] != "exact":
        text += " Missing is a value of its own."
    where = "records" if column["role"] in (Role.SENSITIVE, Role.KEEP) else "groups"
    return f"- {code(name)} ({column['role']}, {column['type']}, in {where}): {text}"


def _claim_text(claim: Claim) -> str:
    about = [claim.sensitive] if claim.sensitive is not None else claim.quasi
    return (
        f"- {claim.model} {code(str(claim.parameters))} on {', '.join(map(code, about))}; "
        f"against somebody who {claim.adversary}."
    )


def code(text: str) -> str:
    """Text as Markdown code on one line, whatever it holds: a name is no place for markup.

    >>> code("age"), code("a`b"), code("two\\nlines")
    ('`age`', '`` a`b ``', '`two�lines`')
    """
    line = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    if not longest:
        return f"`{line}`" if line else '""'
    fence = "`" * (longest + 1)
    return f"{fence} {line} {fence}"
