"""Privacy models as fast rules on counts: may a group of rows be published?

A rule looks at one group's counts of the values of one sensitive column. A missing value is a
value like any other. Every rule first computes the number that the group achieves, in the unit
of the rule's own parameter, and then compares it:

| kind | achieved number | holds when | extra |
| --- | --- | --- | --- |
| DISTINCT, PSENSITIVE | values present | at least `first` | none |
| ENTROPY | exp(entropy): how many equally frequent values would be as diverse | >= `first` | none |
| RECURSIVE | r1 / (r_l + ... + r_m), l = `second`; infinite below l values | < `first` | none |
| TCLOSE_EQUAL | half the sum of differences to the reference | <= `first` | reference |
| TCLOSE_ORDERED | sum of cumulative differences / (m - 1) | <= `first` | reference |
| TCLOSE_TREE | earth mover's distance over a hierarchy | <= `first` | reference, tree |
| PALPHA | categories present | at least `first` | category of each value |
| FREQUENCY | largest share of a listed value | <= `first` | 1 for listed values, else 0 |
| BELIEF | largest difference of a share to the reference | <= `first` | reference |

Counts are r1 >= r2 >= ... >= r_m over the m values of the domain. PALPHA takes the category form
of p+-sensitivity: every group holds at least p distinct categories; p distinct values follow,
because no value has two categories.

Comparisons allow for rounding: a tie is a tie within 1e-12 (relative for counts and ratios, so
1e-12 in the logarithm for ENTROPY; absolute for shares and distances). A tie passes wherever the
definition says "at least" or "at most", and fails in RECURSIVE, which says "less than".

The tree of TCLOSE_TREE has the m values as nodes 0..m-1 and its inner nodes after them, each after
all its children, the root last. `extra` holds the reference (m numbers), the parent of each node
(the root's is ignored) and each node's height / height of the tree. The distance is that of Li, Li
and Venkatasubramanian (ICDE 2007): a node costs its relative height times the smaller of the
surplus and the deficit that its children bring.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled, inlined, lean

DISTINCT, ENTROPY, RECURSIVE = 0, 1, 2
TCLOSE_EQUAL, TCLOSE_ORDERED, TCLOSE_TREE = 3, 4, 5
PALPHA, FREQUENCY, BELIEF = 6, 7, 8
PSENSITIVE = DISTINCT
TOLERANCE = 1e-12

Entry = tuple[int, int, float, float, NDArray[np.float64]]


class Rules(NamedTuple):
    """All rules that every group must obey; a plain tuple of arrays, for compiled loops."""

    kind: NDArray[np.int8]  # (rules,) one of the kinds above
    column: NDArray[np.int64]  # (rules,) the sensitive column that the rule reads
    first: NDArray[np.float64]  # (rules,) l, c, t, p or alpha
    second: NDArray[np.float64]  # (rules,) l of RECURSIVE; others: unused
    start: NDArray[np.int64]  # (rules + 1,) rule r owns extra[start[r]:start[r + 1]]
    extra: NDArray[np.float64]
    offset: NDArray[np.int64]  # (columns + 1,) column s owns counts[offset[s]:offset[s + 1]]


def stack(entries: Sequence[Entry], offset: NDArray[np.int64]) -> Rules:
    """Rules from tuples (kind, column, first, second, extra), in the order given."""
    extras = [np.ascontiguousarray(entry[4], dtype=np.float64) for entry in entries]
    start = np.zeros(len(entries) + 1, dtype=np.int64)
    start[1:] = np.cumsum([len(extra) for extra in extras])
    return Rules(
        np.array([entry[0] for entry in entries], dtype=np.int8),
        np.array([entry[1] for entry in entries], dtype=np.int64),
        np.array([entry[2] for entry in entries], dtype=np.float64),
        np.array([entry[3] for entry in entries], dtype=np.float64),
        start,
        np.concatenate([np.zeros(0), *extras]),
        np.ascontiguousarray(offset, dtype=np.int64),
    )


def empty_rules(offset: NDArray[np.int64]) -> Rules:
    """No rules at all: every group may be published."""
    return stack([], offset)


@inlined
def _distinct(counts: NDArray[Any]) -> float:
    """Values present. O(m)."""
    present = 0
    for count in counts:
        if count > 0:
            present += 1
    return float(present)


@inlined
def _diversity(counts: NDArray[Any], total: int) -> float:
    """exp(entropy), from one logarithm for each value present. O(m)."""
    mass = 0.0
    for count in counts:
        if count > 1:
            mass += count * np.log(count)
    return float(np.exp(np.log(total) - mass / total))


@compiled
def _dominance(counts: NDArray[Any], total: int, rank: int) -> float:
    """r1 / (r_rank + ... + r_m), infinite when that tail is empty. O(m rank), no sort.

    A sort in compiled code would cost a second of compile time; rank is small in practice.
    """
    top = np.zeros(min(max(rank - 1, 1), len(counts)), dtype=np.int64)
    last = len(top) - 1
    for count in counts:
        if count <= top[last]:
            continue
        place = last
        while place > 0 and top[place - 1] < count:
            top[place] = top[place - 1]
            place -= 1
        top[place] = count
    tail = total
    for place in range(min(rank - 1, len(top))):
        tail -= top[place]
    return top[0] / tail if tail > 0 else np.inf


@inlined
def _variation(counts: NDArray[Any], total: int, reference: NDArray[np.float64]) -> float:
    """Total variation distance to the reference. O(m)."""
    distance = 0.0
    for value in range(len(counts)):
        distance += abs(counts[value] / total - reference[value])
    return distance / 2


@inlined
def _ordered_distance(counts: NDArray[Any], total: int, reference: NDArray[np.float64]) -> float:
    """Earth mover's distance when values lie evenly on a line of length 1. O(m)."""
    surplus, distance = 0.0, 0.0
    for value in range(len(counts) - 1):
        surplus += counts[value] / total - reference[value]
        distance += abs(surplus)
    return distance / max(len(counts) - 1, 1)


@compiled
def _tree_distance(counts: NDArray[Any], total: int, extra: NDArray[np.float64]) -> float:
    """Earth mover's distance over a hierarchy. O(nodes) time and scratch."""
    values = len(counts)
    nodes = (len(extra) - values) // 2
    surplus, deficit = np.zeros(nodes), np.zeros(nodes)
    distance = 0.0
    for node in range(nodes):
        if node < values:
            brought = counts[node] / total - extra[node]
        else:
            brought = surplus[node] - deficit[node]
            distance += extra[values + nodes + node] * min(surplus[node], deficit[node])
        parent = int(extra[values + node])
        if node < nodes - 1 and brought > 0:
            surplus[parent] += brought
        elif node < nodes - 1:
            deficit[parent] -= brought
    return distance


@compiled
def _categories(counts: NDArray[Any], category: NDArray[np.float64]) -> float:
    """Categories present; ids lie in 0..m-1. O(m) time and scratch."""
    seen = np.zeros(len(counts), dtype=np.int8)
    present = 0
    for value in range(len(counts)):
        name = int(category[value])
        if counts[value] > 0 and seen[name] == 0:
            seen[name] = 1
            present += 1
    return float(present)


@inlined
def _largest_share(counts: NDArray[Any], total: int, listed: NDArray[np.float64]) -> float:
    """Largest share of a listed value. O(m)."""
    largest = 0
    for value in range(len(counts)):
        if listed[value] > 0 and counts[value] > largest:
            largest = counts[value]
    return largest / total


@inlined
def _largest_change(counts: NDArray[Any], total: int, reference: NDArray[np.float64]) -> float:
    """Largest difference between a value's share and its share in the reference. O(m)."""
    largest = 0.0
    for value in range(len(counts)):
        largest = max(largest, abs(counts[value] / total - reference[value]))
    return largest


@lean
def _reading(rules: Rules, rule: int, counts: NDArray[Any], total: int) -> float:
    """The achieved number from the counts of the rule's own column."""
    kind = rules.kind[rule]
    extra = rules.extra[rules.start[rule] : rules.start[rule + 1]]
    if kind == DISTINCT:
        return _distinct(counts)
    if kind == ENTROPY:
        return _diversity(counts, total)
    if kind == RECURSIVE:
        return _dominance(counts, total, int(rules.second[rule]))
    if kind == TCLOSE_EQUAL:
        return _variation(counts, total, extra)
    if kind == TCLOSE_ORDERED:
        return _ordered_distance(counts, total, extra)
    if kind == TCLOSE_TREE:
        return _tree_distance(counts, total, extra)
    if kind == PALPHA:
        return _categories(counts, extra)
    if kind == BELIEF:
        return _largest_change(counts, total, extra)
    return _largest_share(counts, total, extra)


@lean
def rule_value(rules: Rules, rule: int, counts: NDArray[Any], total: int) -> float:
    """The number that a group of total >= 1 rows achieves under one rule.

    counts: integers (values of all sensitive columns,), laid out by `rules.offset`; the counts of
    each column sum to total. O(m) for most kinds, see the kernels above.
    """
    column = rules.column[rule]
    return _reading(rules, rule, counts[rules.offset[column] : rules.offset[column + 1]], total)


@lean
def rule_holds(rules: Rules, rule: int, counts: NDArray[Any], total: int) -> bool:
    """Whether a group of total >= 1 rows obeys one rule. Cost as `rule_value`."""
    kind = rules.kind[rule]
    bound = rules.first[rule]
    value = rule_value(rules, rule, counts, total)
    if kind in (DISTINCT, ENTROPY, PALPHA):
        return bool(value >= bound * (1 - TOLERANCE))
    if kind == RECURSIVE:
        return bool(value < bound * (1 - TOLERANCE))
    return bool(value <= bound + TOLERANCE)


@lean
def rules_hold(rules: Rules, counts: NDArray[Any], total: int) -> bool:
    """Whether a group of total rows obeys every rule; an empty group does.

    counts: integers (values of all sensitive columns,), laid out by `rules.offset`.
    O(sum of m over the rules) at most; stops at the first rule that fails.
    """
    if total == 0:
        return True
    for rule in range(len(rules.kind)):  # noqa: SIM110, compiled code has no all()
        if not rule_holds(rules, rule, counts, total):
            return False
    return True


@compiled
def groups_hold(rules: Rules, sizes: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each group obeys every rule: bool (groups,).

    sizes: integers (groups,). counts: integers (groups, values of all sensitive columns).
    """
    holds = np.empty(len(sizes), dtype=np.bool_)
    for group in range(len(sizes)):
        holds[group] = rules_hold(rules, counts[group], sizes[group])
    return holds
