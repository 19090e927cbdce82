"""`sfumato attack`: plans, tables, the page of several settings, and what goes wrong."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.cli.main import main
from sfumato.core.errors import BadJob
from sfumato.pipeline.attack_plan import make_plan, read_plan

METHOD = '[method]\nname = "edge-perturbation"\nmu = 0.0\n'
SMALL = '[attack]\nname = "walk-based"\nplanted = 8\nvictims = 4\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A ring of friends with some chords, and a plan."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(2)
    u = np.concatenate([np.arange(60), np.arange(30)])
    v = np.concatenate([(np.arange(60) + 1) % 60, 30 + rng.permutation(30)])
    pairs = {tuple(sorted(pair)) for pair in zip(u.tolist(), v.tolist(), strict=True)}
    ends = np.array(sorted(pairs))
    table = pa.table({"source": ends[:, 0], "target": ends[:, 1]})
    pq.write_table(table, tmp_path / "friends.parquet")
    (tmp_path / "attack.toml").write_text(f"runs = 3\n{METHOD}{SMALL}")
    return tmp_path


def test_a_success_is_a_finding_and_no_failure(folder, capsys):
    words = ["attack", "friends.parquet", "--plan", "attack.toml", "--seed", "1"]
    assert main([*words, "--json"]) == 0
    trial, risk = json.loads(capsys.readouterr().out)
    assert [row["attempts"] for row in trial["rows"]] == [3, 3, None]
    assert [row["success"] for row in trial["rows"][:2]] == [1.0, 0.0]
    assert any("does not stop this attack" in note for note in trial["notes"])
    chances = {row["what"]: row["probability"] for row in risk["rows"]}
    assert chances["the path of planted nodes survives"] == 1.0
    assert chances["a published edge was there"] == 1.0
    assert main(words) == 0
    assert "control: nothing was planted" in " ".join(capsys.readouterr().out.split())


def test_settings_side_by_side_on_a_page(folder, capsys):
    words = ["attack", "friends.parquet", "--plan", "attack.toml", "--seed", "1", "--json"]
    page = ["-o", "mu.html"]
    assert main([*words, "--against", "mu", "0.3", "0.001", *page]) == 0
    (table,) = json.loads(capsys.readouterr().out)
    assert [row["mu"] for row in table["rows"]] == [0.001, 0.3]
    low, high = table["rows"]
    assert low["success"] >= high["success"] == 0.0
    assert low["error of edges"] < high["error of edges"]
    assert low["true edges"] > high["true edges"]
    text = (folder / "mu.html").read_text()
    assert "Owner only" in text and text.count("<svg") >= 2 and "<script" not in text
    assert (folder / "mu.html").stat().st_mode & 0o077 == 0
    assert main([*words, "--against", "mu", "0.001", *page]) == 0  # a page may be made again


def test_what_keeps_the_density_is_attacked_too(folder, capsys):
    plan = METHOD.replace("mu = 0.0", 'delete = 0.1\nadd = "keep-density"')
    (folder / "attack.toml").write_text(f"runs = 2\n{plan}{SMALL}")
    words = ["attack", "friends.parquet", "--plan", "attack.toml", "--seed", "1"]
    assert main([*words, "--json", "--against", "delete", "0.1", "0.3"]) == 0
    (table,) = json.loads(capsys.readouterr().out)
    assert [row["edges published"] for row in table["rows"]] == pytest.approx([1.0, 1.0], abs=0.1)


def test_the_strongest_attack_is_the_default():
    plan = make_plan({"method": {"name": "edge-perturbation", "mu": 0.1}}, None)
    assert plan.attack.name == "likelihood-beam"
    assert (plan.often.runs, plan.often.level) == (20, 0.95)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "attack.toml: method is missing; say how"),
        ("[method]\nmu = 0.1\n", "line 1: method.name is missing"),
        ('[method]\nname = "edge-perturbation"\nmu = 0.7\n', "line 3: method.mu is 0.7, but"),
        (f"runs = 0\n{METHOD}", "line 1: runs is 0, but it should be greater than or equal to 1"),
        (f"level = 1.0\n{METHOD}", "line 1: level is 1.0, but it should be less than 1"),
        (f"run = 5\n{METHOD}", "line 1: run is not a parameter here; known: source, schema"),
        (f"attack = 5\n{METHOD}", "line 1: attack should be a table; write [attack]"),
        (f'{METHOD}[attack]\nname = "guess"\n', "line 5: attack.name is 'guess'; attacks on graph"),
        (f"{METHOD}[attack]\nwidth = 5\n", "line 5: attack.width is not a parameter here; known:"),
        (
            f'{METHOD}[attack]\nname = "interval-walk"\nwidth = 9\n',
            "attack: widest is 5, below width, which is 9",
        ),
        (f'{METHOD}[source]\nkind = "sets"\n', "source.kind is 'sets', but attacks are on graphs"),
        (f"{METHOD}[source]\nsourc = 5\n", "line 5: source.sourc is not a parameter here"),
    ],
)
def test_a_bad_plan_is_told_with_key_and_line(text, message, tmp_path):
    (tmp_path / "attack.toml").write_text(text)
    with pytest.raises(BadJob) as told:
        read_plan(tmp_path / "attack.toml")
    assert message in str(told.value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--against", "nu", "0.1"], "--against names 'nu'; known: mu, delete, add"),
        (["--against", "mu"], "--against mu has no values"),
        (["--against", "mu", "much"], "--against mu has 'much', which is no number"),
        (["--against", "mu", "0.9"], "method.mu is 0.9, but it should be less than 0.5"),
        (["-o", "page.html"], "--output goes with --against"),
        (["--against", "mu", "0.1", "-o", "attack.toml"], "attack.toml is not a report"),
        (["--against", "mu", "0.1", "-o", "no/page.html"], "the folder no does not exist"),
    ],
)
def test_bad_words_end_with_one_line(words, message, folder, capsys):
    assert main(["attack", "friends.parquet", "--plan", "attack.toml", *words]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1


def test_a_missing_plan_and_too_small_a_graph(folder, capsys):
    assert main(["attack", "friends.parquet", "--plan", "none.toml"]) == 2
    assert "no file none.toml; write a plan; see docs/attacks/graphs.md" in capsys.readouterr().err
    (folder / "attack.toml").write_text(METHOD)
    assert main(["attack", "friends.parquet", "--plan", "attack.toml"]) == 2
    assert "60 nodes can't hold 100 victims" in capsys.readouterr().err
    likely = '[attack]\nname = "likelihood"\nplanted = 8\n'
    (folder / "attack.toml").write_text(METHOD + likely)
    assert main(["attack", "friends.parquet", "--plan", "attack.toml"]) == 2
    assert "more than attack.cap" in capsys.readouterr().err


def test_attacks_are_listed_and_explained(capsys):
    assert main(["methods"]) == 0
    assert "likelihood-beam" in capsys.readouterr().out
    assert main(["methods", "interval-walk"]) == 0
    told = capsys.readouterr().out
    assert "most_errors" in told and "Algorithm 3" in told
