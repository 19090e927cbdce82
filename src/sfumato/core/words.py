"""Numbers of things in words."""

from __future__ import annotations


def several(number: int, thing: str) -> str:
    """A number of things; the last word is put in the plural.

    >>> several(1, "row"), several(12000, "row"), several(2, "class"), several(2, "query")
    ('1 row', '12,000 rows', '2 classes', '2 queries')
    """
    if number == 1:
        return f"1 {thing}"
    if thing.endswith("y") and thing[-2] not in "aeiou":
        return f"{number:,} {thing[:-1]}ies"
    return f"{number:,} {thing}{'es' if thing.endswith('s') else 's'}"


def ordinal(number: int) -> str:
    """A place in an order.

    >>> [ordinal(place) for place in (1, 2, 3, 4, 11, 22)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd']
    """
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"
