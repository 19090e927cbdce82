"""The files of a release with replaced values fit together: decimals, ends, order, properties."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sfumato.audit.clear import in_order, unclear
from sfumato.audit.files import Files
from sfumato.audit.pattern_exact import Counted
from sfumato.core.answers import Status, Verdict
from sfumato.releases.patterned import Patterned
from sfumato.releases.properties import Properties, sealed_properties


def patterned_of(files: Files) -> Patterned:
    """What the data files hold."""
    content = files.content
    assert isinstance(content, Patterned)
    return content


def check_structure(files: Files) -> Iterator[Verdict]:
    """Values are such decimals as are announced, and no order says anything."""
    problems = [problem for check in CHECKS for problem in check(files)]
    content = patterned_of(files)
    fine = f"{content.rows:,} records, {len(content.replaced)} columns drawn anew"
    status = Status.VIOLATED if problems else Status.VERIFIED
    yield Verdict("structure", status, problems[0] if problems else fine)


def _missing(files: Files) -> Iterator[str]:
    for column in files.columns:
        if column["missing"] != (files.records.column(column["name"]).null_count > 0):
            yield f"'{column['name']}' has another idea of missing than schema.json"


def _numbers(files: Files) -> Iterator[str]:
    yield from unclear([files.records])


def _decimals(files: Files) -> Iterator[str]:
    """No value has more digits, or lies outside the ends, where these are disclosed."""
    content = patterned_of(files)
    for name, told in content.replaced.items():
        counted = Counted(content.records[name])
        if not counted.decimals_within(told.digits):
            yield f"'{name}' has values of more digits than schema.json says"
            continue
        low, high = counted.ends(told.digits)
        present = not counted.lacking.all()
        if present and told.lower is not None and (low < told.lower or high > (told.upper or 0)):
            yield f"'{name}' has values outside its ends"


def _order(files: Files) -> Iterator[str]:
    """Records stand in the order of their values, and properties in the order of theirs."""
    content = patterned_of(files)
    columns = content.records.columns.values()
    if not in_order(column.codes for column in columns):
        yield "records do not stand in the order of their published values"
    if content.properties is not None:
        number = np.asarray(files.records.column("record").to_numpy())
        if not np.array_equal(number, np.arange(content.rows)):
            yield "records are not numbered from 0 on"
        elif not _sealed(content.properties, content.rows):
            yield "properties do not stand in an order that follows from them"


def _sealed(properties: Properties, rows: int) -> bool:
    again = sealed_properties(properties, np.arange(rows))
    parts = ("kind", "relation", "constant", "start", "column", "record", "coefficient")
    return all(np.array_equal(getattr(again, p), getattr(properties, p)) for p in parts)


# each takes for granted what those before it have found to hold
CHECKS = (_missing, _numbers, _decimals, _order)
