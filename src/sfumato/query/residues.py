"""What a condition still asks of the sensitive column, once the exact columns are settled."""

from __future__ import annotations

from typing import NamedTuple

from sfumato.core.errors import Refused
from sfumato.kernels.bitmaps import Words
from sfumato.query.bitsets import Bitsets
from sfumato.query.normal import EVERYBODY, Every, Known, Leaf, Some, Tree, is_known
from sfumato.query.regions import NOBODY, Region

EVERYTHING = Region(True, missing=True)
MOST_REGIONS = 256


class Residue(NamedTuple):
    """Records, and where their sensitive value must lie for them to be selected."""

    region: Region
    words: Words


def residues(tree: Tree, bits: Bitsets, known: Known) -> list[Residue]:
    """All records that may be selected; every one occurs once, regions differ."""
    if tree == EVERYBODY:
        return [Residue(EVERYTHING, bits.everybody)]
    if is_known(tree, known):
        return _merged([Residue(EVERYTHING, bits.of(tree))])
    if isinstance(tree, Leaf):
        return _merged([Residue(tree.region, bits.everybody)])
    parts = [residues(part, bits, known) for part in tree.parts]
    if isinstance(tree, Some):
        parts = [_with_others(part, bits) for part in parts]
    join = _both if isinstance(tree, Every) else _either
    found = parts[0] if parts else []
    for part in parts[1:]:
        found = _merged([join(one, two) for one in found for two in part])
    return [one for one in found if one.region != NOBODY]


def _with_others(found: list[Residue], bits: Bitsets) -> list[Residue]:
    """The same, and the records that cannot be selected."""
    others = bits.everybody
    for one in found:
        others = others ^ one.words
    return [*found, Residue(NOBODY, others)]


def _both(one: Residue, two: Residue) -> Residue:
    return Residue(one.region & two.region, one.words & two.words)


def _either(one: Residue, two: Residue) -> Residue:
    return Residue(one.region | two.region, one.words & two.words)


def _merged(found: list[Residue]) -> list[Residue]:
    """Records of equal regions together; regions without records left out."""
    merged: dict[Region, Words] = {}
    for region, words in found:
        if words.any():
            merged[region] = merged[region] | words if region in merged else words
    if len(merged) > MOST_REGIONS:
        raise Refused(
            f"the condition asks more than {MOST_REGIONS} different things of the sensitive column",
            "ask for its parts one by one",
        )
    return [Residue(region, words) for region, words in merged.items()]
