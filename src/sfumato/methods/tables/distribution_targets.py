"""Target distributions: how they are stated, and what they come to as whole numbers per value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator

from sfumato.core.errors import BadJob, CannotBeMet
from sfumato.data.scales import Domain
from sfumato.data.schema import Kind
from sfumato.models.base import Model, Whole, parse_model

Ints = NDArray[np.int64]
UNITS = 1 << 40  # a density is dealt out in so many units before it is rounded
FINE = 1 << 16  # a mixture of two distributions is written in so many units
LARGEST = (1 << 31) - 1  # weights are published as numbers below this


class Part(BaseModel):
    """A part of a target's statement."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Normal(Part):
    """A normal distribution over the values."""

    mean: float = Field(description="its mean, in the unit of the column")
    sd: float = Field(gt=0, description="its standard deviation")


class Stated(Part):
    """A target that takes parameters; give exactly one."""

    weights: dict[str, int] | None = Field(
        None, description='value = whole number; "missing" stands for missing values'
    )
    normal: Normal | None = Field(None, description="mean and sd")
    zipf: float | None = Field(
        None, ge=0, description="the exponent s: the k-th value has mass 1 / k^s"
    )
    nearest: dict[str, Any] | None = Field(
        None,
        description="a privacy model with its parameters: the distribution nearest to the group's "
        'own that satisfies it; by = "separation" (the default) or "variation"',
    )

    @model_validator(mode="after")
    def _one(self) -> Stated:
        given = [name for name in type(self).model_fields if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError("a target states exactly one of weights, normal, zipf, nearest")
        return self


Target = Literal["uniform", "table", "group", "hierarchy"] | Stated


def needs_rounding(target: Target) -> bool:
    """Whether a target is no ratio of small whole numbers to begin with."""
    return isinstance(target, Stated) and (target.normal is not None or target.zipf is not None)


def masses(target: Target, domain: Domain, table: Ints, own: Ints) -> Ints:
    """Mass of every place of the domain, whole numbers, for a group with counts `own`."""
    if target == "uniform":
        return np.ones(domain.places, np.int64)
    if target == "table":
        return table
    if target == "group":
        return own
    assert isinstance(target, Stated)
    if target.weights is not None:
        return _weighted(target.weights, domain, own)
    if target.nearest is not None:
        return nearest(target.nearest, domain, table, own)
    return _dense(target, domain, table)


def _weighted(weights: dict[str, int], domain: Domain, own: Ints) -> Ints:
    texts = domain.texts
    bad = weights.keys() - set(texts)
    if bad:
        raise BadJob(
            f"method.target.weights has {len(bad)} values that are not in the domain",
            "write values as they stand in the data, or widen method.domain",
        )
    if any(not 0 <= weight <= LARGEST for weight in weights.values()) or not any(weights.values()):
        raise BadJob(
            "method.target.weights must be whole numbers from 0 to 2147483647, not all 0",
            "a value of weight 0 is published only in larger sets",
        )
    lacking = sum(text not in weights for text, count in zip(texts, own, strict=True) if count)
    if lacking:
        raise BadJob(
            f"method.target.weights lacks {lacking} values that occur in '{domain.name}'",
            "give each a weight; 0 is allowed",
        )
    return np.array([weights.get(text, 0) for text in texts], np.int64)


def _dense(target: Stated, domain: Domain, table: Ints) -> Ints:
    """A density over the present values; missing keeps its share of the table."""
    shape = _zipf(target.zipf, domain) if target.normal is None else _normal(target.normal, domain)
    missing = int(domain.has_missing)
    share = table[:missing] / table.sum()
    whole = shape / shape.sum() * (1 - share.sum())
    found: Ints = np.rint(np.concatenate([share, whole]) * UNITS).astype(np.int64)
    return found


def _zipf(exponent: float | None, domain: Domain) -> NDArray[np.float64]:
    rank = np.arange(1, len(domain.values) + 1, dtype=np.float64)
    found: NDArray[np.float64] = rank ** -float(exponent or 0.0)
    return found


def _normal(normal: Normal, domain: Domain) -> NDArray[np.float64]:
    if domain.kind is Kind.CATEGORY:
        raise BadJob("method.target.normal is for numbers", "use weights for categories")
    apart = (domain.numbers - normal.mean) / normal.sd
    found: NDArray[np.float64] = np.exp(-0.5 * (apart**2 - (apart**2).min()))
    return found


def whole_table(domain: Domain, counts: Ints) -> Whole:
    """The column as privacy models see it, over the places of the domain."""
    ordered = domain.kind is not Kind.CATEGORY
    return Whole(domain.name, tuple(domain.texts), tuple(map(int, counts)), ordered)


def nearest(stated: dict[str, Any], domain: Domain, table: Ints, own: Ints) -> Ints:
    """The distribution nearest to the group's own that satisfies a model.

    By separation: values keep their ratios, the most frequent are capped; nothing is as cheap to
    publish, because no value is asked for more often than the group has it. By variation: mass
    moves from the most frequent to the least frequent values that the group has. Where neither can
    satisfy the model, and for models that compare with the whole table, the mixture with the
    table's own distribution that is nearest to the group's.
    """
    values = dict(stated)
    by = values.pop("by", "separation")
    if by not in ("separation", "variation"):
        raise BadJob(f"method.target.nearest.by is '{by}'", 'use "separation" or "variation"')
    name = str(values.pop("model", ""))
    if name not in ("k-anonymity",):
        values["column"] = domain.name
    model = parse_model(name, values, "method.target.nearest")
    whole = whole_table(domain, table)
    if model.holds(tuple(map(int, own)), whole):
        return own
    if not model.holds(tuple(map(int, table)), whole):
        raise CannotBeMet(f"{model.name}: even the whole table does not satisfy it", "ask for less")
    shift = _capped if by == "separation" else _levelled
    for family in (shift(own), _mixed(own, table)):
        found = _first(family, model, whole)
        if found is not None:
            return found
    return table


Family = tuple[Callable[[int], Ints], int]


def _first(family: Family, model: Model, whole: Whole) -> Ints | None:
    """The first member of a family that satisfies a model, by halving: those after it do too."""
    member, last = family
    if last < 0 or not model.holds(tuple(map(int, member(last))), whole):
        return None
    low, high = -1, last
    while high - low > 1:
        middle = (low + high) // 2
        if model.holds(tuple(map(int, member(middle))), whole):
            high = middle
        else:
            low = middle
    return member(high)


def _capped(own: Ints) -> Family:
    """Counts above a cap are cut to it, the cap falling to 1."""
    most = int(own.max(initial=0))
    return (lambda step: np.minimum(own, most - step)), most - 1


def _levelled(own: Ints) -> Family:
    """Units move one by one from the most to the least frequent values that occur."""
    support = np.flatnonzero(own)
    whole = own * max(1, FINE // max(1, int(own.sum())))
    sorted_up = np.sort(whole[support])
    mean = sorted_up.mean()
    last = int(np.ceil(np.maximum(sorted_up - mean, 0).sum()))

    def member(moved: int) -> Ints:
        level = whole.copy()
        level[support] = _clamped(whole[support], moved)
        return level

    return member, last


def _clamped(counts: Ints, moved: int) -> Ints:
    """The most frequent lowered, and the least frequent raised, by `moved` in all."""
    lowered = _cut(counts, moved)
    return -_cut(-lowered, moved)


def _cut(counts: Ints, moved: int) -> Ints:
    """Take `moved` units from the largest counts, keeping them as equal as can be."""
    order = np.argsort(-counts, kind="stable")
    down = counts[order]
    saved = np.cumsum(down) - down * np.arange(1, len(down) + 1)
    many = int(np.searchsorted(saved, moved, side="right"))
    left = moved - int(saved[many - 1])
    level = np.full(many, down[many - 1]) - left // many
    level[: left % many] -= 1
    found = counts.copy()
    found[order[:many]] = level
    return found


def _mixed(own: Ints, table: Ints) -> Family:
    """From the group's distribution to the table's, in FINE steps."""
    mine, all_ = own / own.sum() * FINE, table / table.sum() * FINE

    def member(step: int) -> Ints:
        part = step / STEPS_OF_MIXTURE
        found: Ints = np.rint((1 - part) * mine + part * all_).astype(np.int64)
        return found if step < STEPS_OF_MIXTURE else table

    return member, STEPS_OF_MIXTURE


STEPS_OF_MIXTURE = 1 << 12


def asked_and_given(asked: Ints, given: Sequence[Fraction]) -> Fraction:
    """Total variation between the masses asked for and the distribution that was made of them."""
    whole = int(asked.sum())
    apart = sum(
        (abs(Fraction(int(a), whole) - g) for a, g in zip(asked, given, strict=True)), Fraction(0)
    )
    return apart / 2
