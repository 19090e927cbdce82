"""Attacks that walk along the planted path: by exact degrees, and by degree intervals."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from sfumato.attacks.base import Guess
from sfumato.attacks.degree_law import centre
from sfumato.attacks.evidence import as_words
from sfumato.attacks.graph_attack import GraphAttack
from sfumato.attacks.graph_plant import Embedded
from sfumato.kernels.walk_search import find_path
from sfumato.query.statistic import Published

Ints = NDArray[np.int64]


class WalkBased(GraphAttack):
    """Look for a path of nodes that have exactly the degrees and edges that were planted.

    It knows nothing of perturbation: one edge more or less at any planted node ends it. Half of
    all attacks fail from about ln 2 / (planted x nodes) on, which is 1.7e-6 for 20 among 20,000.

    >>> WalkBased(planted=25, victims=157).links
    3
    """

    name: ClassVar[str] = "walk-based"
    summary: ClassVar[str] = "walk along planted nodes with exact degrees and edges"
    source: ClassVar[str] = (
        "Backstrom, Dwork and Kleinberg, Wherefore art thou R3579X?, WWW 2007; thesis, 4.6.1"
    )

    cap: int = Field(20_000_000, ge=1, description="nodes looked at before the search is cut")

    def find(self, seen: Published, planted: Embedded) -> Guess:
        """Exact degrees, no error."""
        return _walk(seen, planted, planted.degrees, (0, 0), self.cap)


class IntervalWalk(GraphAttack):
    """Look for the path by intervals of degrees, tolerating some wrong pairs (Algorithm 3).

    A node may stand for a planted one if its degree is within `width` of what perturbation makes
    of the planted degree. When nothing is found, the search begins again with wider intervals up
    to `widest`, then with more errors up to `most_errors`. The first full path is taken.

    It ends where new edges spread degrees further than the intervals reach: for 20,000 nodes near
    mu = 1e-3. Errors help in sparse graphs; in graphs with large cliques they make the search
    hit its cap.

    >>> IntervalWalk(width=5, widest=5).most_errors
    1
    """

    name: ClassVar[str] = "interval-walk"
    summary: ClassVar[str] = "walk along planted nodes with intervals of degrees and some errors"
    source: ClassVar[str] = "thesis, section 4.4, Algorithm 3, with its errata"

    width: int = Field(5, ge=0, description="how far a degree may lie from what is expected")
    widest: int = Field(5, ge=0, description="the width tried last")
    errors: int = Field(0, ge=0, description="wrong pairs allowed on the path")
    most_errors: int = Field(1, ge=0, description="wrong pairs allowed last")
    cap: int = Field(20_000_000, ge=1, description="nodes looked at before the search is cut")

    @model_validator(mode="after")
    def _ordered(self) -> IntervalWalk:
        if self.widest < self.width:
            raise ValueError(f"widest is {self.widest}, below width, which is {self.width}")
        if self.most_errors < self.errors:
            raise ValueError(
                f"most_errors is {self.most_errors}, below errors, which is {self.errors}"
            )
        return self

    def find(self, seen: Published, planted: Embedded) -> Guess:
        """Widen the intervals, then allow more errors, until a path is found."""
        nodes = seen.graph.nodes
        middle = np.array([centre(nodes, int(degree), seen.law) for degree in planted.degrees])
        width, errors, work = self.width, self.errors, 0
        while True:
            found = _walk(seen, planted, middle, (width, errors), self.cap - work)
            work += found.work
            found = Guess(found.found, found.claimed, work, found.capped)
            if found.claimed or found.capped or (width, errors) == (self.widest, self.most_errors):
                return found
            width, errors = (width + 1, errors) if width < self.widest else (width, errors + 1)


def _walk(
    seen: Published, planted: Embedded, middle: Ints, allowed: tuple[int, int], cap: int
) -> Guess:
    graph, (width, errors) = seen.graph, allowed
    path, looked = find_path(
        graph.indptr,
        graph.targets,
        middle - width,
        middle + width,
        as_words(planted.inside),
        errors,
        cap,
    )
    return Guess(path, len(path) > 0, looked, len(path) == 0 and looked >= cap)
