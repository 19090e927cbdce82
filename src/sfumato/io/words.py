"""Words that a data dictionary is made of."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sfumato.releases.release import Release


@dataclass(frozen=True)
class Extent:
    """How much is published; groups are the buckets of a release in buckets."""

    records: int
    groups: int
    dropped: int

    @classmethod
    def of(cls, release: Release) -> Extent:
        """The extent of a release."""
        return cls(release.content.rows, release.content.groups, release.dropped)


def code(text: str) -> str:
    """Text as Markdown code on one line, whatever it holds: a name is no place for markup.

    >>> code("age"), code("a`b"), code("two\\nlines")
    ('`age`', '`` a`b ``', '`two\ufffdlines`')
    """
    line = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    if not longest:
        return f"`{line}`" if line else '""'
    fence = "`" * (longest + 1)
    return f"{fence} {line} {fence}"
