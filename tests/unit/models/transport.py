"""The cheapest way to move one distribution onto another, by shortest augmenting paths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

Arcs = dict[tuple[str, str], Fraction]


def cheapest_transport(
    have: Sequence[Fraction], want: Sequence[Fraction], distance: Callable[[int, int], Fraction]
) -> Fraction:
    """The earth mover's distance from its definition: least cost of moving `have` onto `want`."""
    places = range(len(have))
    room: Arcs = {(f"from{i}", f"to{j}"): Fraction(1) for i in places for j in places}
    cost: Arcs = {(f"from{i}", f"to{j}"): distance(i, j) for i in places for j in places}
    for i in places:
        room["start", f"from{i}"], room[f"to{i}", "end"] = have[i], want[i]
        cost["start", f"from{i}"] = cost[f"to{i}", "end"] = Fraction(0)
    total = Fraction(0)
    while path := _cheapest_path(room, cost):
        moved = min(room[arc] for arc in path)
        for one, other in path:
            total += moved * cost[one, other]
            room[one, other] -= moved
            room[other, one] = room.get((other, one), Fraction(0)) + moved
            cost[other, one] = -cost[one, other]
    return total


def _cheapest_path(room: Arcs, cost: Arcs) -> list[tuple[str, str]]:
    """The arcs of the cheapest path from start to end that has room (Bellman and Ford)."""
    reached: dict[str, tuple[Fraction, list[tuple[str, str]]]] = {"start": (Fraction(0), [])}
    changed = True
    while changed:
        changed = False
        for (one, other), free in room.items():
            if free > 0 and one in reached:
                price = reached[one][0] + cost[one, other]
                if other not in reached or price < reached[other][0]:
                    reached[other] = (price, [*reached[one][1], (one, other)])
                    changed = True
    return reached.get("end", (Fraction(0), []))[1]
