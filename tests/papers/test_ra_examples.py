"""The worked examples of the source of random anonymization, and what is wrong in it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from tests.naive import ra as naive
from tests.papers.known_answers import KnownAnswer, known, number, of_kind

from sfumato.data.table import Table, table_from_arrow
from sfumato.releases.redraw_law import RedrawLaw, entropy, optimal_weights
from sfumato.releases.redraw_risk import Adversary


def table_of(case: KnownAnswer) -> Table:
    """The table of a worked example."""
    columns = zip(*case.input["table"], strict=True)
    return table_from_arrow(pa.table({str(i): list(column) for i, column in enumerate(columns)}))


def law_of(table: Table, redraw: int = 1, optimal: bool = False) -> RedrawLaw:
    """The law of a table, with equal or optimal weights."""
    counts = tuple(table[name].counts() for name in table.names)
    even = (1 / len(counts),) * len(counts)
    return RedrawLaw(table.names, optimal_weights(counts) if optimal else even, redraw, counts)


def codes(table: Table, row: list[str]) -> list[np.ndarray]:
    """One combination of values as codes."""
    pairs = zip(table.columns.values(), row, strict=True)
    return [np.array([column.values.to_pylist().index(value)]) for column, value in pairs]


def transition(case: KnownAnswer) -> float:
    """How likely one combination becomes another, by the law."""
    table = table_of(case)
    law = law_of(table, case.input.get("lambda", 1))
    before, after = (codes(table, case.input[end]) for end in ("from", "to"))
    shares = [float(share[code[0]]) for share, code in zip(law.shares, after, strict=True)]
    agree = [bool(a[0] == b[0]) for a, b in zip(before, after, strict=True)]
    return law.transition(shares, agree)


def test_distributions():
    case = known("RA-dist")
    table = table_of(case)
    for share, column, wanted in zip(
        law_of(table).shares, table.columns.values(), case.expected, strict=True
    ):
        found = dict(zip(column.values.to_pylist(), share.tolist(), strict=True))
        assert found == {value: float(Fraction(part)) for value, part in wanted.items()}


def test_perplexity_of_figure_1():
    case = known("RA-pa-fig1-uniform")
    assert law_of(table_of(case)).perplexity == pytest.approx(case.expected, abs=case.tolerance)
    case = known("RA-pa-fig1-optimal")
    law = law_of(table_of(case), optimal=True)
    assert law.perplexity == pytest.approx(case.expected["pa"], abs=case.tolerance)
    assert law.weights == pytest.approx(case.expected["p"], abs=case.tolerance)


def test_perplexity_of_adult(real_data):
    """34 is the value of equal weights; the optimum of proposition 7 is 75."""
    case = known("RA-pa-adult")
    names = [n.replace("salary", "income") for n in case.input["attributes"]]
    data = pq.read_table(real_data / "adult.parquet")
    keep = pc.equal(data["split"], "train")
    for name in ("workclass", "occupation", "native-country"):
        keep = pc.and_(keep, pc.not_equal(data[name], "?"))
    table = table_from_arrow(data.filter(keep).select(names))
    assert table.rows == 30_162
    law = law_of(table)
    assert law.perplexity == pytest.approx(case.expected["uniform"], abs=case.tolerance)
    best = law_of(table, optimal=True).perplexity
    assert best == pytest.approx(case.expected["optimal"], abs=case.tolerance)
    spread = [np.exp(entropy(share)) for share in law.shares]
    assert spread == pytest.approx(case.expected["diversities"], abs=case.tolerance)


def test_diversity_of_figure_3():
    case = known("RA-fig3-div")
    for group, wanted in zip(case.input["groups"], case.expected, strict=True):
        counts = np.unique(group, return_counts=True)[1]
        assert np.exp(entropy(counts / counts.sum())) == pytest.approx(wanted, abs=case.tolerance)


@pytest.mark.parametrize("case", of_kind("confidence"), ids=lambda case: case.id)
def test_confidences(case):
    rows = [
        row
        for row in case.input["table"]
        if all(row[int(i)] == value for i, value in case.input["antecedent"].items())
    ]
    right = sum(row[-1] == case.input["consequent"] for row in rows)
    assert Fraction(right, len(rows)) == number(case.expected)


def test_records_of_figure_5_differ_in_one_column_at_most():
    case = known("RA-fig5")
    pairs = zip(case.input["original"], case.input["anonymized"], strict=True)
    changed = [sum(a != b for a, b in zip(*pair, strict=True)) for pair in pairs]
    assert changed == case.expected and max(changed) == 1


@pytest.mark.parametrize(
    "case", of_kind("transition") + of_kind("transition_enhanced"), ids=lambda case: case.id
)
def test_transitions(case):
    assert transition(case) == pytest.approx(float(number(case.expected)), abs=1e-15)
    rows = [tuple(row) for row in case.input["table"]]
    ends = tuple(case.input["from"]), tuple(case.input["to"])
    found = naive.transition(rows, *ends, naive.even(3), case.input.get("lambda", 1))
    assert found == number(case.expected)


def test_more_redraws_may_make_a_transition_rarer():
    """Proposition 13 fails."""
    case, model = known("RA-prop13"), known("RA-trans-one-l1")
    found = []
    for redraw in (1, 2, 3):
        given = model.input | case.input | {"lambda": redraw}
        found.append(transition(KnownAnswer("", "", "", "", "", given, None)))
    assert found == pytest.approx([float(Fraction(x)) for x in case.expected["lambda_1_2_3"]])
    assert found[2] < found[1]


@pytest.mark.parametrize("name", ["RA-eq6", "RA-sec6-alpha", "RA-prop10"])
def test_largest_beliefs(name):
    """Equation 6 is exact; the source's limit on it is not one, ours is."""
    case = known(name)
    table = table_of(case)
    adversary = Adversary(
        law_of(table),
        [column.codes for column in table.columns.values()],
        codes(table, case.input["q_prime"]),
    )
    wanted = float(number(case.expected["max"]))
    found = adversary.inference
    assert found.best[0] == pytest.approx(wanted, abs=1e-12)
    assert found.bound is not None and found.bound[0] >= wanted - 1e-12
    if name == "RA-prop10":
        assert float(number(case.expected["printed_bound"])) < wanted
        assert found.bound[0] == pytest.approx(float(number(case.expected["valid_bound"])))
    if "gamma" in case.expected:
        gamma = adversary.amplification(0)
        assert gamma == pytest.approx(float(number(case.expected["gamma"])))


@pytest.mark.parametrize(
    "case",
    of_kind("relative_bias") + of_kind("relative_variance"),
    ids=lambda case: case.id,
)
def test_bias_and_variance_of_one_redraw(case):
    """Equation 10 is right; equation 11 lacks 1/n and takes terms of one record as independent."""
    mean, variance = moments(case, 1)
    law = law_of(table_of(case))
    support = support_of(case, law)
    if case.kind == "relative_bias":
        assert mean == number(case.expected)
        assert support.bias == pytest.approx(float(mean), abs=1e-12)
    else:
        assert variance == number(case.expected) != number(case.claimed)
        assert support.variance == pytest.approx(float(variance), abs=1e-12)


@pytest.mark.parametrize(
    "case", of_kind("relative_bias_variance_enhanced"), ids=lambda case: case.id
)
def test_bias_and_variance_of_several_redraws(case):
    redraw = case.input["lambda"]
    mean, variance = moments(case, redraw)
    assert mean == number(case.expected["bias"])
    assert variance == number(case.expected["variance"])
    support = support_of(case, law_of(table_of(case), redraw))
    assert support.bias == pytest.approx(float(mean), abs=1e-12)
    assert support.variance == pytest.approx(float(variance), abs=1e-12)


def support_of(case: KnownAnswer, law: RedrawLaw):
    """The moments of a support by the formula."""
    from sfumato.releases.redraw_support import relative_support

    table = table_of(case)
    held = {int(place): value for place, value in case.input["q"].items()}
    wanted = {
        place: table[str(place)].values.to_pylist().index(value) for place, value in held.items()
    }
    return relative_support(law, [c.codes for c in table.columns.values()], wanted)


def moments(case: KnownAnswer, redraw: int) -> tuple[Fraction, Fraction]:
    """By enumeration."""
    rows = [tuple(row) for row in case.input["table"]]
    q = {int(place): value for place, value in case.input["q"].items()}
    return naive.relative_moments(rows, q, naive.even(3), redraw)
