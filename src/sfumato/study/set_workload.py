"""Audience counts that analysts ask of sets: of one item, of two, and of one without another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.sets import Sets
from sfumato.query.writing import literal
from sfumato.releases.release import Release

SHAPES = {"one item": "{0}", "two items": "{0} AND {1}", "one without another": "{0} AND NOT {1}"}
AUDIENCE = "audience"


def draw_set_queries(
    release: Release, number: int, rng: np.random.Generator
) -> list[tuple[str, str]]:
    """Random questions (shape, SQL) on items that the release shows, frequent ones more often."""
    content = release.sets
    sets = content.sets
    mass = np.bincount(sets.items, np.repeat(content.sizes, sets.lengths), minlength=sets.domain)
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
