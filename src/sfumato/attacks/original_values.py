"""Guessing the original values behind a redrawn record, from supports or from a few rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from sfumato.attacks.base import Attack, Guess, Planted, Score
from sfumato.data.people import People
from sfumato.data.table import Column, Table
from sfumato.releases.redraw_law import RedrawLaw
from sfumato.releases.redrawn_table import RedrawnTable

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
LOOKED_AT = 30  # records by which an attacker tells whether what is known fits
TINY = 1e-300


class Rule(BaseModel):
    """Something known of people: those with `given` have `then` in a share of the cases."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    given: dict[str, Any] = Field(description="values of some quasi columns")
    then: dict[str, Any] = Field(description="a value of one other column")
    share: float = Field(gt=0, lt=1, description="of the people with the former, who have it")


@dataclass(frozen=True, eq=False)
class Known:
    """What the attacker has: who has which combination of values, if anything, and the rules."""

    combinations: Ints  # (combinations, columns) codes; none if only rules are known
    people: Ints  # how many have each


class OriginalValues(Attack):
    """Somebody takes a published record and says what its quasi-identifiers were.

    With `knows = "supports"` he knows how many people have each combination of original values, and
    guesses the likeliest one by Bayes' rule: nobody does better from one record. With "rules" he
    knows the published law and marginals, and some rules such as "clerks in the USA are 30 to 40,
    half of them"; columns are else taken to be independent, and one to have changed at most. A
    guess is claimed if it is believed enough, and what is known explains the publication better
    than its marginals do. The control is the table with every column shuffled: what is known is of
    no use there.

    >>> OriginalValues(targets=5).knows
    'supports'
    """

    kind = "table"
    name = "original-values"
    summary = "guess the original values of redrawn records"
    source = "Yang, Qiao, Expert Systems with Applications 37, 2010, sections 4.2.2 and 6"

    knows: Literal["supports", "rules"] = Field(
        "supports", description="how many people have each combination, or rules alone"
    )
    rules: list[Rule] = Field([], description="with rules: given, then and share of each")
    targets: int = Field(20, ge=1, description="records of every publication that are guessed")
    claim: float = Field(
        0.5, gt=0, le=1, description="the attacker claims a guess that he believes this much"
    )

    def plant(self, data: People, rng: np.random.Generator) -> Planted:
        combinations, people = np.unique(_codes(data), axis=0, return_counts=True)
        if self.knows == "rules":
            combinations, people = combinations[:0], people[:0]
        known = Known(combinations, people.astype(np.int64))
        return Planted(data, [known] * self.targets, _shuffled(data, rng))

    def guess(self, seen: RedrawnTable, knowledge: Known, rng: np.random.Generator) -> Guess:
        record = int(rng.integers(seen.rows))
        after = _published(seen, record)
        candidates, weight = self._weighed(seen, knowledge, after)
        whole = float(weight.sum())
        if whole <= 0:
            return Guess((record, after, 0.0, seen.law.perplexity), False, len(candidates))
        best = int(weight.argmax())
        belief = float(weight[best]) / whole
        found = (record, candidates[best], belief, seen.law.perplexity)
        claimed = belief >= self.claim and self._fits(seen, knowledge, rng)
        return Guess(found, claimed, len(candidates))

    def _weighed(self, seen: RedrawnTable, knowledge: Known, after: Ints) -> tuple[Ints, Floats]:
        """Original combinations, and what each weighs: how likely it is, times what it became."""
        if self.knows == "supports":
            candidates = knowledge.combinations
            prior = knowledge.people / knowledge.people.sum()
        else:
            candidates = _near(seen.law, after)
            prior = _product(seen.law, candidates) * self._factor(seen, candidates)
        return candidates, prior * likelihood_of(seen.law, candidates, after)

    def _fits(self, seen: RedrawnTable, knowledge: Known, rng: np.random.Generator) -> bool:
        """Whether what is known explains the publication better than marginals alone do."""
        total = 0.0
        for record in rng.integers(seen.rows, size=LOOKED_AT):
            after = _published(seen, int(record))
            known = float(self._weighed(seen, knowledge, after)[1].sum())
            near = _near(seen.law, after) if self.knows == "rules" else after[None]
            alone = _product(seen.law, near)
            if self.knows == "rules":
                alone = alone * likelihood_of(seen.law, near, after)
            total += np.log(max(known, TINY)) - np.log(max(float(alone.sum()), TINY))
        return bool(total > 0)

    def _factor(self, seen: RedrawnTable, candidates: Ints) -> Floats:
        """How much the rules change what independent columns would say."""
        prior = np.ones(len(candidates))
        for rule in self.rules:
            held = _holds(seen, candidates, rule.given)
            then = _holds(seen, candidates, rule.then)
            [(name, value)] = rule.then.items()
            share = seen.law.shares[seen.law.names.index(name)]
            usual = float(share[_code(seen, name, value)])
            prior[held & then] *= rule.share / usual
            prior[held & ~then] *= (1 - rule.share) / max(1 - usual, 1e-300)
        return prior

    def judge(self, guess: Guess, planted: Planted, knowledge: Known, links: Any) -> Score:
        record, values, belief, perplexity = guess.found
        truth = _codes(planted.data)[int(links.rows[record])]
        right = bool((truth == values).all())
        unchanged = bool((truth == links.after[record]).all())
        more = {"belief": belief, "as published": float(unchanged), "1 / Pa": 1 / perplexity}
        return Score(right, int(right), 1, more)

    def chance(self, planted: Planted) -> float:
        """The most frequent combination, whatever is published."""
        people = np.unique(_codes(planted.data), axis=0, return_counts=True)[1]
        return float(people.max() / people.sum())


@dataclass(frozen=True, eq=False)
class Links:
    """Of every published record: which person's it is, and what is published of it."""

    rows: Ints
    after: Ints


def likelihood_of(law: RedrawLaw, candidates: Ints, after: Ints) -> Floats:
    """How likely each combination became the published one."""
    bits = (candidates == after) @ (1 << np.arange(len(after)))
    kinds, which = np.unique(bits, return_inverse=True)
    shares = [float(share[code]) for share, code in zip(law.shares, after, strict=True)]
    agree = [[bool(kind >> place & 1) for place in range(len(after))] for kind in kinds.tolist()]
    return np.array([law.transition(shares, one) for one in agree])[which]


def _published(seen: RedrawnTable, record: int) -> Ints:
    """The quasi-identifiers of a record."""
    return np.array([seen.records[name].codes[record] for name in seen.law.names], np.int64)


def _product(law: RedrawLaw, candidates: Ints) -> Floats:
    """How likely combinations were if columns were independent."""
    found = np.ones(len(candidates))
    for place, share in enumerate(law.shares):
        found *= share[candidates[:, place]]
    return found


def _near(law: RedrawLaw, after: Ints) -> Ints:
    """The published combination, and all that differ from it in one column."""
    found = [after[None]]
    for place, share in enumerate(law.shares):
        others = np.delete(np.arange(len(share)), after[place])
        rows = np.tile(after, (len(others), 1))
        rows[:, place] = others
        found.append(rows)
    return np.concatenate(found)


def _code(seen: RedrawnTable, name: str, value: Any) -> int:
    column = seen.records[name]
    place: int = column.values.to_pylist().index(value)
    return place + column.has_missing


def _holds(seen: RedrawnTable, candidates: Ints, values: Mapping[str, Any]) -> NDArray[np.bool_]:
    held = np.ones(len(candidates), np.bool_)
    for name, value in values.items():
        held &= candidates[:, seen.law.names.index(name)] == _code(seen, name, value)
    return held


def _codes(people: People) -> Ints:
    """Quasi-identifiers as codes, (records, columns)."""
    names: Sequence[str] = people.schema.quasi
    return np.stack([people.table[name].codes.astype(np.int64) for name in names], axis=1)


def _shuffled(people: People, rng: np.random.Generator) -> People:
    """Every quasi column in an order of its own."""
    columns: dict[str, Column] = dict(people.table.columns)
    for name in people.schema.quasi:
        columns[name] = columns[name].take(rng.permutation(people.table.rows))
    return replace(people, table=Table(columns, people.table.rows))
