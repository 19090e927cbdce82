"""The files of a redrawn table fit together: records, marginals, and an order that says nothing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sfumato.audit.clear import in_order, unclear
from sfumato.audit.files import Files
from sfumato.core.answers import Status, Verdict
from sfumato.io.layout_redrawn import redrawn
from sfumato.releases.redrawn_table import RedrawnTable


def check_structure(files: Files) -> Iterator[Verdict]:
    """Rows, marginals and law agree with one another."""
    found_by = (list(check(files)) for check in CHECKS)
    problems = next((problems for problems in found_by if problems), [])
    status = Status.VIOLATED if problems else Status.VERIFIED
    law = content_of(files).law
    which = f"{law.redraw} of {len(law.names)} columns redrawn in each"
    fine = f"{files.records.num_rows:,} records, {which}"
    yield Verdict("structure", status, problems[0] if problems else fine)


def content_of(files: Files) -> RedrawnTable:
    """Records and law."""
    content = files.content
    assert isinstance(content, RedrawnTable)
    return content


def _missing(files: Files) -> Iterator[str]:
    """Whether values are missing is stated as it is."""
    for column in files.columns:
        found = files.records.column(column["name"]).null_count > 0
        if column["cells"] == "exact" and column["missing"] != found:
            yield f"'{column['name']}' has another idea of missing than schema.json"


def _numbers(files: Files) -> Iterator[str]:
    yield from unclear(map(files.table, ("records", "marginals")))


def _rows(files: Files) -> Iterator[str]:
    """The marginals are about the records and those that were left out."""
    stated = files.records.num_rows + files.manifest["dropped"]
    if content_of(files).law.rows != stated:
        yield "the marginals are about other records than were published or dropped"


def _bins(files: Files) -> Iterator[str]:
    """Numbers in bins are middles of bins."""
    content = content_of(files)
    for column in redrawn(files.columns):
        if column["bin"] is not None:
            place = content.records[column["name"]].numbers / column["bin"] - 0.5
            if not np.allclose(place, np.rint(place)):
                yield f"'{column['name']}' holds numbers that are no middles of its bins"


def _order(files: Files) -> Iterator[str]:
    """Records stand in the order of their published values, so the order carries nothing."""
    columns = content_of(files).records.columns.values()
    if not in_order(column.codes for column in columns):
        yield "records do not stand in the order of their published values"


# each takes for granted what those before it have found to hold
CHECKS = (_missing, _numbers, _rows, _bins, _order)
