"""The benchmarks still run and print what they promise; no time is asserted."""

from __future__ import annotations

import json

import numpy as np
import pytest
from bench.loss import Plain, label_loss, smallest, tight_loss
from bench.measure import fresh, growth, timed
from bench.page import page
from bench.run import SUBJECTS, main
from bench.tables import Table, shown, target


def test_the_loss_of_a_grouping_by_hand():
    age = Plain("age", np.array([20, 30, 50, 60]), True)
    sex = Plain("sex", np.array([0, 1, 1, 1]), False)
    group = np.array([0, 0, 1, 1])
    assert tight_loss([age], group) == pytest.approx(10 / 40)
    assert tight_loss([sex], group) == pytest.approx((1 + 1 + 0 + 0) / 4)
    assert tight_loss([age, sex], group) == pytest.approx((0.25 + 0.5) / 2)


def test_a_suppressed_record_loses_everything():
    age = Plain("age", np.array([20, 30, 50, 60]), True)
    assert tight_loss([age], np.array([0, 0, -1, -1])) == pytest.approx((2 * 0.25 + 2) / 4)
    assert smallest(np.array([0, 0, -1, 3, 3])) == 2


def test_many_categories_are_counted_like_few():
    rng = np.random.default_rng(1)
    codes, group = rng.integers(0, 60, 500), rng.integers(0, 40, 500)
    codes[0] = 59
    few = tight_loss([Plain("x", codes, False)], group)
    wide = np.append(codes, 0), np.append(group, 40)
    spread = {g: len(set(codes[group == g].tolist())) - 1 for g in range(40)}
    whole = len(set(codes.tolist())) - 1
    assert few == pytest.approx(sum(spread[g] for g in group.tolist()) / 500 / whole)
    relabelled = Plain("x", np.where(wide[0] == 59, 70, wide[0]), False)
    assert tight_loss([relabelled], wide[1]) == pytest.approx(few * 500 / 501)


def test_the_loss_of_labels_by_hand():
    tree = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]]
    assert label_loss(["a", "ab", "*", "*"], tree) == pytest.approx((0 + 1 / 3 + 1 + 1) / 4)
    assert label_loss(["a", "cd"], tree, {"a", "b", "c"}) == 0


def test_growth_is_the_slope_of_logarithms():
    assert growth([10, 100, 1000], [2.0, 20.0, 200.0]) == pytest.approx(1.0)


def test_timing_gives_the_result():
    result, timing = timed(lambda: 7, repeat=2)
    assert result == 7
    assert timing.wall >= 0


def test_a_case_runs_in_a_process_of_its_own():
    found = fresh("bench.synthetic:case", rows=1_000, workers=1)
    assert found["smallest"] >= 10


def test_a_missed_target_is_said():
    table = Table("t", [{"loss": 0.2} | target("0.1", (0.2, 0.1)), {"loss": 0.1}])
    assert shown(table).splitlines()[3].split() == ["0.2", "0.1", "NO"]


TABLES = ["adult", "adult-labels", "jittered", "queries", "peers", "start"]
BUCKETS = ["distribution", "bucketed-files", "bucketed-queries"]
SLOW = [
    "graph-attacks",
    "bucketed-errors",
    "sets-kernels",
    "sets-large",
    "sets-k1",
    "sets-files",
    "sets-queries",
]
CASES = [*TABLES, *BUCKETS, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]


@pytest.mark.parametrize("name", CASES)
def test_every_quick_subject_gives_tables(name, tmp_path, capsys):
    assert main([name, "--quick", "--results", str(tmp_path)]) == 0
    kept = json.loads((tmp_path / f"{name}.json").read_text())
    assert kept["name"] == name
    printed = capsys.readouterr().out
    for table in kept["tables"]:
        assert table["title"] in printed
        assert table["rows"] or "left out" in table["notes"][0]


def test_subjects_without_results_keep_their_section(monkeypatch, tmp_path):
    monkeypatch.setattr("bench.page.RESULTS", tmp_path)
    old = "# Benchmarks\n\nprinted on 1 core. Written by\n\n## adult\n\nold\n\n## start\n\nkept\n"
    facts = {"processor": "model", "cores": 2, "python": "3"}
    tables = [{"title": "t", "rows": [{"a": 1}], "notes": ["a note"]}]
    result = {"name": "adult", "quick": False, "machine": facts, "tables": tables}
    (tmp_path / "adult.json").write_text(json.dumps(result))
    found = page(old)
    assert "old" not in found
    assert found.endswith("A note.\n\n## start\n\nkept\n")
    assert "2 cores of an model with python 3; 1 core. Written by" in found
    assert page(found) == found


def test_an_unknown_subject_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["nonsense"])
    told = capsys.readouterr().err
    assert all(name in told for name in SUBJECTS)
