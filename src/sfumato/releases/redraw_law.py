"""The law of random anonymization, and the numbers that follow from it alone.

Of every record a set of columns is redrawn, each from the distribution that it had in the original
table, whatever the record had before; a new value may equal the old one. A set of `redraw` columns
has a probability in proportion to the product of their weights: for redraw = 1 the weights are the
probabilities of the columns, for equal weights all sets are alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.redraw import symmetric_sums

Floats = NDArray[np.float64]
MOST_COLUMNS = 60  # sets of columns are bits of a word


@dataclass(frozen=True, eq=False)
class RedrawLaw:
    """Which columns are redrawn how often, and from what.

    `counts[i]` says how many original records had each value of column names[i], missing first
    where it occurs. `weights` add up to 1.

    >>> law = RedrawLaw(("a", "b"), (0.5, 0.5), 1, (np.array([3, 1]), np.array([2, 2])))
    >>> law.kept([0]), law.transition([0.75, 0.5], [True, True])
    (0.5, 0.625)
    """

    names: tuple[str, ...]
    weights: tuple[float, ...]
    redraw: int
    counts: tuple[NDArray[np.int64], ...]

    @property
    def rows(self) -> int:
        """Records of the original table."""
        return int(self.counts[0].sum())

    @cached_property
    def shares(self) -> tuple[Floats, ...]:
        """The distribution of every column."""
        return tuple(count / max(1, self.rows) for count in self.counts)

    @cached_property
    def scaled(self) -> Floats:
        """Weights of which the largest is 1, so that equal ones give whole numbers of sets."""
        weights = np.array(self.weights)
        return np.asarray(weights / weights.max())

    @property
    def even(self) -> bool:
        """Whether all sets of columns are alike."""
        return bool((self.scaled == 1.0).all())

    @cached_property
    def sums(self) -> Floats:
        """Elementary symmetric sums of the weights from each column on."""
        return symmetric_sums(self.scaled, self.redraw)

    @cached_property
    def sets(self) -> float:
        """The sum over all sets of columns of the product of weights."""
        return float(self.sums[0, self.redraw])

    def kept(self, columns: Iterable[int]) -> float:
        """How likely none of some columns is redrawn; 0 if one of them surely is."""
        rest = np.delete(self.scaled, list(columns))
        return float(symmetric_sums(rest, self.redraw)[0, self.redraw]) / self.sets

    @cached_property
    def inclusion(self) -> Floats:
        """How likely each column is redrawn."""
        return np.array([1.0 - self.kept([place]) for place in range(len(self.names))])

    def transition(self, shares: Sequence[float], agree: Sequence[bool | None]) -> float:
        """How likely values become others: shares[i] is the share of the new value of column i, and
        agree[i] whether the old one was the same; None where column i is not asked about."""
        ways = np.zeros(self.redraw + 1)
        ways[0] = 1.0
        for weight, share, same in zip(self.scaled, shares, agree, strict=True):
            drawn = np.concatenate([[0.0], ways[:-1]]) * weight
            drawn *= 1.0 if same is None else share
            ways = drawn if same is False else ways + drawn
        return float(ways[self.redraw]) / self.sets

    @property
    def perplexity(self) -> float:
        """Among how many equally likely outcomes (columns chosen, new values) a record's would be.

        For redraw = 1 this is what the source calls probabilistic anonymity. It is no bound on what
        somebody can find out.
        """
        some = self.scaled > 0
        sets = np.log(self.sets) - float(self.inclusion[some] @ np.log(self.scaled[some]))
        return float(np.exp(sets + self.inclusion @ [entropy(share) for share in self.shares]))


def entropy(shares: Floats) -> float:
    """Of a distribution, in nats."""
    some = shares[shares > 0]
    return float(-(some @ np.log(some)))


def optimal_weights(counts: Iterable[NDArray[np.int64]]) -> tuple[float, ...]:
    """The probabilities of the largest perplexity for redraw = 1: by the exponential of entropy."""
    spread = np.exp([entropy(count / max(1, count.sum())) for count in counts])
    return tuple(float(part) for part in spread / spread.sum())
