"""Associations between quasi-identifiers and a sensitive column: which a release still shows.

An association is a combination of quasi values and one sensitive value that occurs often enough
together (support), and often enough among those with the quasi values (confidence).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

from sfumato.core.answers import ResultTable, result_table
from sfumato.core.errors import Refused
from sfumato.data.table import Table
from sfumato.metrics.base import Metric
from sfumato.query.normal import Leaf
from sfumato.query.redrawn import unbiased_count
from sfumato.query.redrawn_scope import RedrawnView, Scope
from sfumato.releases.release import Evidence, Release

Item = tuple[str, Any]
Association = tuple[frozenset[Item], Item]  # quasi values, and the sensitive one
Counts = Mapping[frozenset[Item], float]
SUPPORT, CONFIDENCE = 0.08, 0.15  # as in section 7.3 of the source
LONGEST = 9
MOST = 20_000  # combinations estimated of one length
MINER = "efficient-apriori is not installed"


def mined(table: Table, support: float) -> Counts:
    """Every combination of values that at least a share of the records have, with its count."""
    try:
        from efficient_apriori import itemsets_from_transactions
    except ImportError:
        raise Refused(MINER, 'pip install "sfumato[mining]"') from None
    columns = [[(name, value) for value in _values(table, name)] for name in table.names]
    rows = [
        tuple(items[code] for items, code in zip(columns, codes, strict=True))
        for codes in zip(*(table[name].codes.tolist() for name in table.names), strict=True)
    ]
    found, _ = itemsets_from_transactions(rows, support, max_length=len(columns))
    return {
        frozenset(items): float(count) for part in found.values() for items, count in part.items()
    }


def _values(table: Table, name: str) -> list[Any]:
    column = table[name]
    return [*[None] * column.has_missing, *column.values.to_pylist()]


def associations(counts: Counts, sensitive: str, confidence: float) -> set[Association]:
    """The associations among frequent combinations."""
    found = set()
    for items, count in counts.items():
        own = [item for item in items if item[0] == sensitive]
        rest = items - set(own)
        if own and rest and count >= confidence * counts[rest]:
            found.add((rest, own[0]))
    return found


def direct(table: Table, sensitive: str, support: float, confidence: float) -> set[Association]:
    """The associations that records show as they stand."""
    return associations(mined(table, support), sensitive, confidence)


def undone(release: Release, sensitive: str, support: float, confidence: float) -> set[Association]:
    """The associations of a redrawn table with the redraw undone, up to the length that is kept.

    Undone supports do not fall with every value that is added, so a combination is built upon as
    long as it may be frequent: within one standard error of the support that is asked for.
    """
    search = _Search(RedrawnView(release), sensitive, support * release.content.rows, confidence)
    law = release.redrawn.law
    longest = min(LONGEST, sum(law.kept(range(k)) > 0 for k in range(1, len(law.names) + 1)))
    found: set[Association] = set()
    kept: set[Association] = set()
    for length in range(1, longest + 1):
        asked = search.start() if length == 1 else _longer(kept, search.items)
        if len(asked) > MOST:
            break
        hopeful, shown = search.weigh(asked)
        found |= shown
        kept = hopeful
    return found


class _Search:
    """Estimates of combinations, each made once."""

    def __init__(self, view: RedrawnView, sensitive: str, least: float, confidence: float) -> None:
        self.view, self.sensitive = view, sensitive
        self.least, self.confidence = least, confidence
        self._supports: dict[frozenset[Item], float] = {}
        self.items = [
            (name, code) for name in view.law.names for code in range(view.column(name).column.size)
        ]

    def start(self) -> set[Association]:
        """Single values beside every sensitive one."""
        size = self.view.column(self.sensitive).column.size
        own = [(self.sensitive, code) for code in range(size)]
        return {(frozenset([item]), value) for item in self.items for value in own}

    def weigh(self, asked: Iterable[Association]) -> tuple[set[Association], set[Association]]:
        """Those that may be frequent, and those that are associations."""
        hopeful, shown = set(), set()
        for items, own in asked:
            together, error = self._count(items | {own})
            if together + error < self.least:
                continue
            hopeful.add((items, own))
            if together >= self.least and together >= self.confidence * self._support(items):
                shown.add((self._named(items), next(iter(self._named([own])))))
        return hopeful, shown

    def _support(self, items: frozenset[Item]) -> float:
        if items not in self._supports:
            self._supports[items] = self._count(items)[0]
        return self._supports[items]

    def _count(self, items: Iterable[Item]) -> tuple[float, float]:
        leaves = []
        for name, code in items:
            column = self.view.column(name)
            leaves.append(Leaf(name, column.values.region(code, column.reading)))
        return unbiased_count(Scope(self.view, self.view.joined(*leaves)))

    def _named(self, items: Iterable[Item]) -> frozenset[Item]:
        """Values in place of codes."""
        tables = self.view.content.records
        return frozenset((name, _values(tables, name)[code]) for name, code in items)


def _longer(kept: set[Association], items: list[Item]) -> set[Association]:
    """One value more, where all shorter combinations were kept."""
    found = set()
    for shorter, own in kept:
        names = {name for name, _ in shorter}
        last = max(name for name in names)
        for item in items:
            if item[0] in names or item[0] < last:
                continue
            longer = shorter | {item}
            parts = combinations(longer, len(longer) - 1)
            if all((frozenset(part), own) in kept for part in parts):
                found.add((longer, own))
    return found


def _associations(evidence: Evidence) -> ResultTable:
    release, original = evidence.release, evidence.published_original()
    if release.redrawn.bins:
        raise Refused("numbers were put into bins, so values of the original can't be compared")
    if not release.schema.sensitive:
        raise Refused("the release has no sensitive column")
    sensitive = release.schema.sensitive[0]
    names = (*release.redrawn.law.names, sensitive)
    truth = direct(original.select(names), sensitive, SUPPORT, CONFIDENCE)
    shown = release.redrawn.records.select(names)
    ways = {
        "as the records stand": direct(shown, sensitive, SUPPORT, CONFIDENCE),
        "with the redraw undone": undone(release, sensitive, SUPPORT, CONFIDENCE),
    }
    rows = [{"read": way} | compared(truth, found) for way, found in ways.items()]
    note = f"support {SUPPORT:.0%}, confidence {CONFIDENCE:.0%}, with '{sensitive}'"
    return result_table("associations", rows, [note])


def compared(truth: set[Association], found: set[Association]) -> dict[str, Any]:
    """How many were recovered, and how many are artificial."""
    both = len(truth & found)
    return {
        "in the original": len(truth),
        "found": len(found),
        "recovered, %": 100 * both / len(truth) if truth else None,
        "artificial": len(found - truth),
        "right, %": 100 * both / len(found) if found else None,
    }


kept_associations = Metric(
    "associations",
    "which associations of quasi-identifiers and the sensitive column a redrawn table shows",
    "Yang, Qiao, Expert Systems with Applications 37, 2010, section 7.3",
    _associations,
    lower_is_better=None,
    needs=("original", "ledger"),
)
