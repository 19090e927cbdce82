"""Claims: what a release says of itself, as plain data that an audit can check."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

KNOWS_QUASI = (
    "knows the quasi-identifiers of everyone, and who is in the data; not the kept columns"
)
KNOWS_ITEMS = "knows the items of everyone, and who is in the data; not the other columns"
K1 = "(k,1)-anonymity"  # what is shown of a record is held by k records, whatever they publish
HIDDEN_OWNER = "hidden-owner"  # of one set seen, no owner is likelier than 1 / candidates
KNOWS_ONE = "knows the items of one person; not those of others together with how sets are found"
SEES_ONE = "knows the items of everyone and how sets are found, but sees one published set only"
CANDIDATES = "k-candidates"  # a record is among the worlds of k published ones
DIVERSE = "l-diverse-candidates"  # and no sensitive value is on more than 1 / l of these
KNOWS_LAW = "knows how records were made, but not the quasi-identifiers of people together"
REPLACEMENT = "random-replacement"  # how many columns of a record are redrawn, and how freely
INFERENCE = "inference"  # no combination of original values is believed more than this
EDGE_ODDS = "edge-odds"  # of any edge, the odds that it was there change by a bounded factor
KNOWS_OTHERS = "knows all edges but one, and who every node is"
KEPT = "kept-properties"  # values are others, and true of them is what was true of the original
FREEDOM = "freedom"  # what is kept leaves every value a share of its range
KNOWS_PROPERTIES = (
    "knows all properties that were kept, and the least and largest value of every part"
)
ADVERSARIES = (
    KNOWS_QUASI,
    KNOWS_ITEMS,
    KNOWS_ONE,
    SEES_ONE,
    KNOWS_LAW,
    KNOWS_OTHERS,
    KNOWS_PROPERTIES,
)


@dataclass(frozen=True)
class Claim:
    """One promise: a privacy model with its parameters, and the columns and adversary it is about.

    `steered` says that sensitive values took part in choosing the groups, which an adversary who
    knows the algorithm may use.
    """

    model: str
    parameters: dict[str, Any]
    quasi: tuple[str, ...]
    sensitive: str | None = None
    adversary: str = KNOWS_QUASI
    steered: bool = False
    notes: tuple[str, ...] = field(default=())

    def as_json(self) -> dict[str, Any]:
        """A plain form for `claims.json`."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Claim:
        """The claim that `as_json` wrote."""
        known = {name: data[name] for name in cls.__dataclass_fields__ if name in data}
        return cls(**known | {"quasi": tuple(data["quasi"]), "notes": tuple(data["notes"])})


def promised_k(claims: Iterable[Claim]) -> int:
    """The largest k that any claim promises of groups, 0 if none does."""
    stated = [claim.parameters.get("k") for claim in claims if claim.model not in (K1, CANDIDATES)]
    return max((int(k) for k in stated if k), default=0)
