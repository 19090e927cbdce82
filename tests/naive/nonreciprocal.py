"""Nonreciprocal publication, slow and obvious: strings of bits, all permutations, all worlds."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise, permutations

Assignment = list[int]  # the place of every record


def gray_code(number: int, bits: int) -> str:
    """The reflected binary code of a number."""
    return format(number ^ (number >> 1), f"0{bits}b")


def gray_rank(vector: str) -> int:
    """Where a vector stands in Gray order: undo the code bit by bit."""
    rank, bit = 0, 0
    for letter in vector:
        bit ^= int(letter)
        rank = 2 * rank + bit
    return rank


def distance(one: str, other: str) -> int:
    """Bits that differ."""
    return sum(a != b for a, b in zip(one, other, strict=True))


def length(rows: Sequence[str], order: Sequence[int], cyclic: bool = False) -> int:
    """The sum of distances of neighbours."""
    ring = [*order, order[0]] if cyclic else list(order)
    return sum(distance(rows[a], rows[b]) for a, b in pairwise(ring))


def best_segments(step: Sequence[int], least: int, most: int) -> int | None:
    """The smallest sum of cut steps over all ways to cut; None if there is none."""
    rows = len(step)
    best: list[int | None] = [0] + [None] * rows
    for end in range(1, rows + 1):
        for begin in range(max(0, end - most), end - least + 1):
            if (before := best[begin]) is not None:
                cost = before + (step[begin - 1] if begin else 0)
                best[end] = cost if best[end] is None else min(cost, best[end] or 0)
    return best[rows]


def best_inside(rows: Sequence[str], order: Sequence[int]) -> int:
    """The shortest way through some rows with both ends fixed."""
    first, *middle, last = order
    return min(length(rows, (first, *way, last)) for way in permutations(middle))


def ring(order: Sequence[int], k: int) -> dict[int, set[int]]:
    """Every record linked to its own place and its k - 1 successors'."""
    n = len(order)
    return {order[p]: {order[(p + s) % n] for s in range(k)} for p in range(n)}


def publish(candidates: Sequence[str]) -> tuple[str, str, int]:
    """(base, bitmap, threshold) of some candidates; a tie of votes is 0."""
    columns = list(zip(*candidates, strict=True))
    base = "".join("1" if 2 * column.count("1") > len(column) else "0" for column in columns)
    bitmap = "".join("1" if len(set(column)) > 1 else "0" for column in columns)
    return base, bitmap, max(distance(base, one) for one in candidates)


def worlds(base: str, bitmap: str, threshold: int) -> set[str]:
    """All vectors that differ from the base in at most `threshold` of the marked bits."""
    marked = [place for place, bit in enumerate(bitmap) if bit == "1"]
    found = set()
    for many in range(threshold + 1):
        for some in combinations(marked, many):
            bits = [str(int(bit) ^ (place in some)) for place, bit in enumerate(base)]
            found.add("".join(bits))
    return found


def matchings(links: dict[int, set[int]], records: Sequence[int]) -> Iterator[Assignment]:
    """Every way to give each record a linked place of its own."""
    if not records:
        yield []
        return
    for place in links[records[0]]:
        left = {record: places - {place} for record, places in links.items()}
        for rest in matchings(left, records[1:]):
            yield [place, *rest]


def is_decomposition(found: Iterable[Assignment], links: dict[int, set[int]]) -> bool:
    """Whether assignments are permutations, disjoint, and use every link."""
    found = list(found)
    places = set(range(len(links)))
    whole = all(set(one) == places for one in found)
    used = {record: {one[record] for one in found} for record in links}
    return whole and used == links and all(len(used[r]) == len(found) for r in links)


def closed_walks(links: dict[int, set[int]], rng: random.Random) -> list[Assignment]:
    """Algorithm 1 with errata S5: all assignments of a regular graph by closed walks."""
    unused = {record: set(places) for record, places in links.items()}
    found = []
    while any(unused.values()):
        one = _one_assignment(unused, rng)
        found.append(one)
        for record, place in enumerate(one):
            unused[record].discard(place)
    return found


def _one_assignment(unused: dict[int, set[int]], rng: random.Random) -> Assignment:
    place = {record: record for record in unused}
    holder = dict(place)
    left = set(unused)
    while left:
        start = rng.choice(sorted(left))
        goal, at, seen = place[start], start, {place[start]}
        spent: dict[int, set[int]] = {record: set() for record in unused}
        exits = {}
        while True:
            open_to = sorted(unused[at] - spent[at])
            fresh = [p for p in open_to if p == goal or p not in seen]
            step = rng.choice(fresh or open_to)
            spent[at].add(step)
            exits[at] = step
            seen.add(step)
            if step == goal:
                break
            at = holder[step]
        at, before = start, dict(holder)
        while True:
            place[at] = exits[at]
            holder[exits[at]] = at
            left.discard(at)
            if exits[at] == goal:
                break
            at = before[exits[at]]
    return [place[record] for record in sorted(place)]


def diverse(found: Sequence[Assignment], label: Sequence[str], drawn: int) -> int:
    """Fewest different labels that one record's places show once an assignment is drawn."""
    holder = {place: record for record, place in enumerate(found[drawn])}
    shown = ({label[holder[one[record]]] for one in found} for record in range(len(label)))
    return min(map(len, shown))


def shifts(label: Sequence[str], share: int) -> list[Assignment]:
    """Records sorted by label, assigned to the place floor(n / l) further on, and so on."""
    order = sorted(range(len(label)), key=lambda record: label[record])
    n, step = len(order), len(order) // share
    found = []
    for number in range(share):
        one = [0] * n
        for place, record in enumerate(order):
            one[record] = order[(place + number * step) % n]
        found.append(one)
    return found


def extendable(label: Sequence[str], before: Sequence[Assignment]) -> bool:
    """Whether one more assignment keeps identity labels different (the source's own test)."""
    n = len(label)
    free = {
        record: {
            place for place in range(n) if all(label[place] != label[one[record]] for one in before)
        }
        for record in range(n)
    }
    return next(matchings(free, range(n)), None) is not None


def greedy(label: Sequence[str], share: int, tries: int = 200) -> list[Assignment] | None:
    """The source's greedy extraction without distances: identity first, then the nearest place of
    the order that shows a new label in its own place; None if a walk cannot go on."""
    n = len(label)
    found = [list(range(n))]
    while len(found) < share:
        one = _greedy_assignment(label, found, tries)
        if one is None:
            return None
        found.append(one)
    return found


def _greedy_assignment(
    label: Sequence[str], found: list[Assignment], tries: int
) -> Assignment | None:
    n = len(label)
    place, holder = list(range(n)), list(range(n))
    left = set(range(n))
    near = [0] + [s * d for d in range(1, n // 2 + 1) for s in (1, -1)]
    while left:
        start = min(left)
        goal, at, used, exits = place[start], start, set(), {}
        for _ in range(tries * n):
            taken = {label[one[at]] for one in found}
            step = next(
                (
                    p
                    for p in ((at + d) % n for d in near)
                    if label[p] not in taken and (at, p) not in used
                ),
                None,
            )
            if step is None:
                return None
            used.add((at, step))
            exits[at] = step
            if step == goal:
                break
            at = holder[step]
        else:
            return None
        at, before = start, list(holder)
        while True:
            place[at], holder[exits[at]] = exits[at], at
            left.discard(at)
            if exits[at] == goal:
                break
            at = before[exits[at]]
    return place
