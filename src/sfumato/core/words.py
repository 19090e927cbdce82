"""Numbers of things in words."""

from __future__ import annotations


def several(number: int, thing: str) -> str:
    """A number of things; the last word is put in the plural.

    >>> several(1, "row"), several(12000, "row"), several(2, "class")
    ('1 row', '12,000 rows', '2 classes')
    """
    if number == 1:
        return f"1 {thing}"
    return f"{number:,} {thing}{'es' if thing.endswith('s') else 's'}"
