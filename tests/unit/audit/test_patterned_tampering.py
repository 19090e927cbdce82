"""A release of drawn values that was altered does not pass its audit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from sfumato.audit.audit import audit, failed
from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.data.schema import Schema
from sfumato.data.table import encode, table_from_arrow
from sfumato.io.opening import open_ledger
from sfumato.io.store import write_ledger, write_release
from sfumato.methods.tables.patterns import Patterns
from sfumato.releases.release import Publication

VALUES = np.random.default_rng(3).integers(0, 500, 40)


def publication(disclose: str = "full") -> Publication:
    table = table_from_arrow(pa.table({"a": VALUES, "ill": VALUES % 3}))
    data = People(table, Schema.of(quasi=["a"], sensitive=["ill"]))
    method = Patterns(size=20, disclose=disclose, steps=50, least_shift=0.0)
    return method.publish(data, [], Run.seeded(1)).sealed()


def judged(made: Publication, folder) -> list[str]:
    """The claims that an audit by the owner finds violated."""
    write_release(made.release, folder / "release")
    write_ledger(made.ledger, folder / "ledger")
    table = table_from_arrow(pa.table({"a": VALUES, "ill": VALUES % 3}))
    found = audit(folder / "release", open_ledger(folder / "ledger"), table)
    return [verdict.claim for verdict in found if failed([verdict])]


def with_values(made: Publication, values: np.ndarray) -> Publication:
    content = made.release.patterned
    column = encode("a", pa.chunked_array([pa.array(values)]))
    records = replace(content.records, columns=content.records.columns | {"a": column})
    return replace(made, release=replace(made.release, content=replace(content, records=records)))


def test_as_it_was_made_it_passes(tmp_path):
    assert judged(publication(), tmp_path) == []


def test_values_that_break_properties(tmp_path):
    made = publication()
    values = np.sort(np.random.default_rng(9).integers(0, 500, 40))
    assert "kept-properties" in judged(with_values(made, values), tmp_path)


def test_values_outside_the_ends(tmp_path):
    made = publication()
    values = made.release.patterned.units("a") + 10_000
    assert "structure" in judged(with_values(made, values), tmp_path)


@pytest.mark.parametrize("disclose", ["full", "kind"])
def test_a_property_that_is_not_true_of_the_original(disclose, tmp_path):
    made = publication(disclose)
    kept = made.release.patterned.properties if disclose == "full" else made.ledger.kept
    false = replace(kept, constant=kept.constant - 1_000)
    if disclose == "full":
        content = replace(made.release.patterned, properties=false)
        made = replace(made, release=replace(made.release, content=content))
        assert "kept-properties" in judged(made, tmp_path)
    else:
        made = replace(made, ledger=replace(made.ledger, kept=false))
        assert "properties are true of the original" in judged(made, tmp_path)
