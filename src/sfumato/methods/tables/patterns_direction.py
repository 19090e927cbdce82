"""The paper's walk brought to published decimals: in doubles, then to the nearest whole point."""

from __future__ import annotations

import numpy as np

from sfumato.core.errors import CannotBeMet
from sfumato.kernels.direction_walk import walk_directions
from sfumato.kernels.lattice_rows import slack_of
from sfumato.methods.tables.patterns_equal import Reduced
from sfumato.methods.tables.patterns_walk import Drawn, Words

TRIES = 2_000  # steps more, until the nearest whole point keeps all properties
AT_ONCE = 256  # steps that words are asked for at once


def directed(system: Reduced, words: Words, steps: int, *, one_sided: bool) -> Drawn:
    """So many steps, and as many more as it takes to stand near a whole point that is allowed."""
    n = len(system.y)
    x, first = system.y.copy(), system.y
    asked, left = 0, steps
    while left:
        now = min(left, AT_ONCE)
        drawn = words(now * (n + 2), asked)
        walk_directions(system.rows, x, system.lower, system.upper, now, drawn, one_sided)
        asked, left = asked + 1, left - now
    for more in range(TRIES):
        near = np.rint(x)
        if (slack_of(system.rows, near) >= 0).all():
            return Drawn(near, np.nan, steps + more, near == first)
        drawn = words(n + 2, asked + more)
        walk_directions(system.rows, x, system.lower, system.upper, 1, drawn, one_sided)
    raise CannotBeMet(
        "cannot be met, because no whole point near the walk keeps all properties",
        'ask for more method.digits, or use walk = "mixed", which walks on whole points',
    )
