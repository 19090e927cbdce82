"""Whether the rules on sensitive values allow a cut.

Every function takes `secret`, which is None where there are no rules: the compiler then drops the
whole check, so a table without rules pays nothing for them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import inlined, lean
from sfumato.kernels.mondrian_node import GOES_LEFT, Node, Rows, Secret
from sfumato.kernels.rules import rules_hold

WHOLE, PART, REST = 0, 1, 2


@lean
def count_whole(secret: Secret | None, rows: Rows, node: Node) -> None:
    """Counts of all sensitive values in the node. O(n s + values)."""
    if secret is None:
        return
    side, start, end = node
    whole, offset, sensitive = secret.counts[WHOLE], secret.rules.offset, secret.sensitive
    whole[:] = 0
    for place in range(start, end):
        row = rows.ids[side, place]
        for column in range(sensitive.shape[1]):
            whole[offset[column] + sensitive[row, column]] += 1


@lean
def parts_hold(secret: Secret | None, left: int, right: int) -> bool:
    """Whether the part counted in PART, of `left` rows, and the rest obey every rule."""
    if secret is None:
        return True
    counts = secret.counts
    for value in range(counts.shape[1]):
        counts[REST, value] = counts[WHOLE, value] - counts[PART, value]
    rules = secret.rules
    return rules_hold(rules, counts[PART], left) and rules_hold(rules, counts[REST], right)


@lean
def marked_parts_hold(secret: Secret | None, rows: Rows, node: Node, left: int) -> bool:
    """Whether both sides of the marked cut obey every rule. O(n s + values)."""
    if secret is None:
        return True
    side, start, end = node
    part, offset, sensitive = secret.counts[PART], secret.rules.offset, secret.sensitive
    part[:] = 0
    for place in range(start, end):
        row = rows.ids[side, place]
        for column in range(sensitive.shape[1]):
            value = offset[column] + sensitive[row, column]
            part[value] += rows.flags[GOES_LEFT, place]
    return parts_hold(secret, left, end - start - left)


@inlined
def _mass(counts: NDArray[np.int64]) -> float:
    """Rows times the entropy of a distribution given by counts."""
    mass, total = 0.0, 0
    for count in counts:
        total += count
        if count > 1:
            mass -= count * np.log(count)
    return float(mass + total * np.log(total))


@lean
def entropy_left(secret: Secret | None, target: int) -> float:
    """Rows times the entropy of the target column that remains on both sides of the cut."""
    if secret is None:
        return 0.0
    first, last = secret.rules.offset[target], secret.rules.offset[target + 1]
    return _mass(secret.counts[PART, first:last]) + _mass(secret.counts[REST, first:last])
