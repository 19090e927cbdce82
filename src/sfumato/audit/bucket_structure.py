"""The files of a release in buckets fit together: sizes, labels, targets, order, and bounds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from sfumato.audit.bucket_bounds import check_bounds
from sfumato.audit.buckets import Buckets, buckets_of
from sfumato.audit.clear import in_order, unclear
from sfumato.audit.files import Files
from sfumato.core.answers import Status, Verdict
from sfumato.data.plain import spell
from sfumato.data.scale import MISSING
from sfumato.data.schema import Kind
from sfumato.releases.bucketed import bucket_order

MOST = float(1 << 62)


def check_structure(files: Files) -> Iterator[Verdict]:
    """Rows, sizes, nodes, targets and bounds agree with one another."""
    buckets = buckets_of(files)
    found_by = (list(check(buckets)) for check in CHECKS)
    problems = next((problems for problems in found_by if problems), [])
    status = Status.VIOLATED if problems else Status.VERIFIED
    content = buckets.content
    fine = (
        f"{content.rows:,} records in {content.groups:,} buckets, {content.entries.sum():,} entries"
    )
    yield Verdict("structure", status, problems[0] if problems else fine)


def _sizes(buckets: Buckets) -> Iterator[str]:
    content, table = buckets.content, buckets.files.table("buckets")
    if not content.sizes.all():
        yield "a bucket has no records"
    elif not np.array_equal(np.asarray(table.column("records")), content.sizes):
        yield "buckets state other records than counted"
    elif not np.array_equal(np.asarray(table.column("entries")), content.entries):
        yield "buckets state other entries than counted"
    elif (content.entries < content.sizes).any():
        yield "a bucket has fewer entries than records"


def _missing(buckets: Buckets) -> Iterator[str]:
    """Whether values are missing is stated as it is."""
    records = buckets.files.table("records")
    for column in buckets.files.columns:
        stated = column["missing"]
        if column["cells"] == "exact" and stated != (records.column(column["name"]).null_count > 0):
            yield f"'{column['name']}' has another idea of missing than schema.json"


def _numbers(buckets: Buckets) -> Iterator[str]:
    yield from unclear(map(buckets.files.table, ("records", "nodes")))


def _labels(buckets: Buckets) -> Iterator[str]:
    """A value's label is the value; other nodes are named, or labelled by their values."""
    scale = buckets.scale
    texts = ([MISSING] if scale.has_missing else []) + spell(scale.values.to_pylist())
    ordered = scale.kind is not Kind.CATEGORY
    spans = list(zip(scale.low.tolist(), scale.high.tolist(), strict=True))
    own = [_says(texts, first, last, ordered, scale.has_missing) for first, last in spans]
    of = dict(zip(own, spans, strict=True))
    for label, says, span in zip(scale.labels, own, spans, strict=True):
        missing = scale.has_missing and span == (0, 0)
        plain = label.strip("()") == MISSING if missing else label == says
        if not plain and (span[0] == span[1] or of.get(label, span) != span):
            yield "labels of nodes differ from the values beside them"
            return


def _says(texts: list[str], first: int, last: int, ordered: bool, has_missing: bool) -> str:
    """What the values of a node say by themselves."""
    bare = first + (has_missing and first == 0 < last)
    if bare == last:
        says = texts[last]
    elif ordered:
        says = f"[{texts[bare]}, {texts[last]}]"
    elif last - bare < 4:
        says = " or ".join(texts[bare : last + 1])
    else:
        says = f"{texts[bare]} .. {texts[last]}"
    missing = MISSING
    while missing in texts[1:]:
        missing = f"({missing})"
    return says if bare == first else f"{says} or {missing}"


def _targets(buckets: Buckets) -> Iterator[str]:
    """Weights are in lowest terms, and reach down to the leaves."""
    weights, scale = buckets.weights, buckets.scale
    begins = np.flatnonzero(np.diff(weights.parent_key, prepend=-1))
    if len(begins):
        if (np.add.reduceat(weights.weight.astype(np.float64), begins) >= MOST).any():
            yield "weights of a target are too large"
        elif (np.gcd.reduceat(weights.weight, begins) != 1).any():
            yield "weights of a target are not in lowest terms"
    number = np.arange(len(buckets.content.targets))
    roots = number if scale.children[0] else number[:0]
    inner = weights.reached & ~scale.is_leaf[weights.key % len(scale)]
    parents = np.concatenate([roots * len(scale), weights.key[inner]])
    if not np.isin(parents, weights.parent_key).all():
        yield "a target does not reach the leaves"


def _order(buckets: Buckets) -> Iterator[str]:
    """Everything stands in the order of its published content, so the order carries nothing."""
    content = buckets.content
    columns = content.records.columns.values()
    if not in_order([content.bucket, *(column.codes for column in columns)]):
        yield "records do not stand in the order of their published values"
    elif not np.array_equal(
        bucket_order(content, np.arange(content.rows)), np.arange(content.groups)
    ):
        yield "buckets do not stand in the order of their published values"
    targets = content.targets
    used, first = np.unique(content.target, return_index=True)
    numbered = np.array_equal(used, np.arange(len(targets))) and (np.diff(first) > 0).all()
    ends = pairwise(targets.start.tolist())
    texts = {targets.node[a:b].tobytes() + targets.weight[a:b].tobytes() for a, b in ends}
    if not numbered or len(texts) < len(targets):
        yield "targets are not those of the buckets, each once and in their order"


# each takes for granted what those before it have found to hold
CHECKS = (_sizes, _missing, _numbers, _labels, _targets, _order, check_bounds)
