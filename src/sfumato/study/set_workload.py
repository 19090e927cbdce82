"""Audience counts that analysts ask of sets: of one item, of two, and of one without another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.sets import Sets
from sfumato.query.writing import literal
from sfumato.releases.release import Release
from sfumato.releases.uncertain import Uncertain

SHAPES = {"one item": "{0}", "two items": "{0} AND {1}", "one without another": "{0} AND NOT {1}"}
AUDIENCE = "audience"


def draw_set_queries(
    release: Release, number: int, rng: np.random.Generator
) -> list[tuple[str, str]]:
    """Random questions (shape, SQL) on items that the release shows, frequent ones more often."""
    content = release.content
    sets = content.base if isinstance(content, Uncertain) else release.sets.sets
    mass = np.bincount(sets.items, np.repeat(content.sizes, sets.lengths), minlength=sets.domain)
    if isinstance(content, Uncertain):  # an item may be open everywhere, and in no base
        mass = mass + np.bincount(content.open.items, minlength=sets.domain)
    likely = np.sqrt(mass)
    return [
        _draw(sets, likely / likely.sum(), place, rng)
        for place in range(number if sets.domain else 0)
    ]


def _draw(
    sets: Sets, likely: NDArray[np.float64], place: int, rng: np.random.Generator
) -> tuple[str, str]:
    shape = list(SHAPES)[place % len(SHAPES)]
    some = rng.choice(sets.domain, 2, p=likely)
    held = [f"has({literal(sets.names[int(item)].as_py())})" for item in some]
    return shape, f"SELECT COUNT(*) FROM release WHERE {SHAPES[shape].format(*held)}"
