"""What every metric of the catalogue must do, whatever it is."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.contracts.variants import coarse, people, spread

from sfumato.core import catalogue
from sfumato.core.answers import Answer
from sfumato.core.errors import SfumatoError
from sfumato.core.run import Run
from sfumato.io.opening import open_release
from sfumato.io.store import write_release
from sfumato.methods.tables.distribution import Distribution
from sfumato.methods.tables.mondrian import Mondrian
from sfumato.releases.release import Evidence
from sfumato.report.numbers import plain

METRICS = catalogue.metrics("table")


def evidence(rows: int = 300, **case: bool) -> Evidence:
    """A release with everything an owner has."""
    data = people(coarse().schema, rows, **case)
    publication = Mondrian(k=4).publish(data, [], Run.seeded(2)).sealed()
    return Evidence(publication.release, data.table, publication.ledger)


def in_buckets() -> Evidence:
    """The same of a release in buckets."""
    data = people(spread(on="cost").schema)
    method = Distribution(groups="town", tolerance=0.2)
    publication = method.publish(data, [], Run.seeded(2)).sealed()
    return Evidence(publication.release, data.table, publication.ledger)


@pytest.fixture(scope="module", params=["mixed", "uniform", "tiny", "buckets"])
def whole(request) -> Evidence:
    cases = {"mixed": evidence(), "uniform": evidence(equal=True), "tiny": evidence(4)}
    cases["buckets"] = in_buckets()
    return cases[request.param]


@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.name)
def test_gives_a_finite_number_a_table_or_a_reason(metric, whole):
    result = metric.compute(whole)
    if isinstance(result, Answer):
        assert result.name == metric.name
        assert result.refused == (result.value is None)
        assert result.basis if result.refused else np.isfinite(result.value)
    else:
        json.dumps([plain(row) for row in result], allow_nan=False)


@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.name)
def test_public_metrics_need_the_public_half_alone(metric, whole, tmp_path):
    if not metric.public:
        with pytest.raises(SfumatoError, match="give --"):
            metric.compute(Evidence(whole.release))
        return
    write_release(whole.release, tmp_path / "release")
    opened = Evidence(open_release(tmp_path / "release"))
    assert metric.compute(opened) == metric.compute(whole)


@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.name)
def test_says_what_it_means_and_where_it_comes_from(metric):
    assert 10 < len(metric.meaning) < 100
    assert metric.source
    assert metric.lower_is_better in (True, False, None)
