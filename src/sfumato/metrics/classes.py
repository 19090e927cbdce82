"""Metrics of the groups as such: how many, how large, how mixed.

A class is a published group. Two groups whose cells are equal stay two classes, because the group
number is published with every record.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import Answer, ResultTable, result_table
from sfumato.core.errors import Refused
from sfumato.metrics.base import Metric, found, scope, scope_published
from sfumato.releases.claims import promised_k
from sfumato.releases.redrawn_table import RedrawnTable
from sfumato.releases.release import Evidence, Release


def discernibility_cost(sizes: NDArray[np.int64], dropped: int = 0) -> float:
    """C_DM: the sum of squared class sizes, plus n (all records) for every dropped record."""
    large = sizes.astype(np.float64)
    return float(large @ large + dropped * (large.sum() + dropped))


def classification_cost(
    sizes: NDArray[np.int64], majority: NDArray[np.int64], dropped: int = 0
) -> float:
    """C_CM: the share of records outside their class's majority, or dropped."""
    return float(((sizes - majority).sum() + dropped) / (sizes.sum() + dropped))


def average_size_ratio(records: int, classes: int, k: int) -> float:
    """C_avg: (records / classes) / k, 1 at best for a k-anonymous release."""
    return records / classes / k


def majority_counts(
    codes: NDArray[Any], group: NDArray[np.int32], groups: int
) -> NDArray[np.int64]:
    """How often the most frequent code occurs in each group."""
    width = int(codes.max()) + 1
    pairs, counts = np.unique(group.astype(np.int64) * width + codes, return_counts=True)
    most = np.zeros(groups, np.int64)
    np.maximum.at(most, pairs // width, counts)
    return most


def claimed_k(release: Release) -> int:
    """The largest k that any claim of the release promises of its groups."""
    promised = promised_k(release.claims)
    if not promised:
        raise Refused("the release claims no k")
    return promised


def _sizes(release: Release) -> NDArray[np.int64]:
    """Records per group."""
    if isinstance(release.content, RedrawnTable):
        raise Refused("this is about groups, and every record of the release stands for itself")
    return release.content.sizes


def _classes(release: Release) -> int:
    return int(np.count_nonzero(_sizes(release)))


def _groups(evidence: Evidence) -> Answer:
    return found(_classes(evidence.release), scope_published(evidence.release))


def _smallest(evidence: Evidence) -> Answer:
    sizes = _sizes(evidence.release)
    return found(int(sizes[sizes > 0].min()), scope_published(evidence.release))


def _mean_size(evidence: Evidence) -> Answer:
    release = evidence.release
    return found(release.content.rows / _classes(release), scope_published(release))


def _average_size(evidence: Evidence) -> Answer:
    release = evidence.release
    k = claimed_k(release)
    value = average_size_ratio(release.content.rows, _classes(release), k)
    return found(value, f"claimed k = {k}; {scope_published(release)}")


def _discernibility(evidence: Evidence) -> Answer:
    release = evidence.release
    return found(discernibility_cost(_sizes(release), release.dropped), scope(release))


def _classification(release: Release, column: str) -> float:
    content = release.recoded
    if column not in release.schema.sensitive or column not in content.records.columns:
        raise Refused(f"'{column}' is not a published sensitive column")
    codes = content.records[column].codes
    majority = majority_counts(codes, content.group, content.groups)
    return classification_cost(content.sizes, majority, release.dropped)


def _classification_answer(evidence: Evidence, column: str) -> Answer:
    value = _classification(evidence.release, column)
    return found(value, f"class '{column}'; {scope(evidence.release)}")


def _classification_table(evidence: Evidence) -> ResultTable:
    release = evidence.release
    if not release.schema.sensitive:
        raise Refused("the release has no sensitive column to use as a class")
    rows = [
        {"class": column, "classification": _classification(release, column)}
        for column in release.schema.sensitive
    ]
    return result_table("Classification metric", rows, [scope(release)])


def classification_of(column: str) -> Metric:
    """The classification metric of one sensitive column, as a single number to compare by."""
    return Metric(
        name="classification",
        meaning=f"share of records whose '{column}' is not the majority's in their group",
        source="Iyengar, KDD 2002",
        calculate=partial(_classification_answer, column=column),
    )


groups = Metric(
    name="groups",
    meaning="number of groups",
    source="-",
    calculate=_groups,
    lower_is_better=False,
    unit="groups",
)
"""How many groups were published: more groups keep more detail, if they are not mere duplicates."""

smallest_group = Metric(
    name="smallest-group",
    meaning="records in the smallest group",
    source="-",
    calculate=_smallest,
    lower_is_better=None,
    unit="records",
)
"""The k that the release reaches: large is safe, small is detailed, so neither is better.

It is no proof of k-anonymity by itself: kept columns may tell members of a group apart.
"""

class_size = Metric(
    name="class-size",
    meaning="records per group, on average",
    source="LeFevre, DeWitt, Ramakrishnan, ICDE 2006",
    calculate=_mean_size,
    unit="records",
)
"""records / groups. Says nothing about how wide the groups are, or how unequal in size."""

average_class_size = Metric(
    name="average-class-size",
    meaning="records per group over the claimed k, 1 at best",
    source="LeFevre, DeWitt, Ramakrishnan, ICDE 2006 (C_avg)",
    calculate=_average_size,
)
"""C_avg = (records / groups) / k for the largest k claimed; refused where none is claimed.

It misleads like `class_size`, and when another claim, such as diversity, forces larger groups.
"""

discernibility = Metric(
    name="discernibility",
    meaning="records that each record cannot be told from, summed over all records",
    source="Bayardo, Agrawal, ICDE 2005 (C_DM)",
    calculate=_discernibility,
    unit="pairs of records",
)
"""C_DM = sum over groups of size squared + dropped x all records.

It prices group sizes only: cutting a group in two random halves improves it as much as a good cut.
"""

classification = Metric(
    name="classification",
    meaning="share of records whose sensitive value is not the majority's in their group",
    source="Iyengar, KDD 2002 (C_CM)",
    calculate=_classification_table,
)
"""C_CM per sensitive column: records outside the majority of their group, or dropped, over all.

A missing class is a class. It misleads for columns of many values (nearly everything is outside),
and it rewards uniform groups, which is what diversity models forbid: low may mean disclosed.
"""
