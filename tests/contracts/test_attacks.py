"""What every attack of the catalogue must do, whatever it is."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.core import catalogue
from sfumato.core.errors import BadJob
from sfumato.core.parameters import describe
from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.methods.graphs.edge_perturbation import EdgePerturbation
from sfumato.pipeline.attack import publisher
from sfumato.pipeline.attack_plan import make_attack
from sfumato.study.trial import trial

NAMES = [name for kind, name in catalogue.ATTACKS if kind == "graph"]
SMALL = {
    "walk-based": {"planted": 10, "victims": 8},
    "interval-walk": {"planted": 10, "victims": 8, "most_errors": 0},
    "likelihood-beam": {"planted": 10, "victims": 8, "first": 2_000, "beam": 200},
    "likelihood": {"planted": 5, "victims": 3},
}


def attack(name, **other):
    return make_attack({"name": name} | SMALL[name] | other)


def graph(nodes=60, edges=120, seed=5):
    """A sparse graph; small enough to go through all placements."""
    rng = np.random.default_rng(seed)
    u, v = np.triu_indices(nodes, 1)
    picked = rng.permutation(len(u))[:edges]
    return Graph.of(nodes, u[picked], v[picked])


def few(name):
    return graph(22, 30) if name == "likelihood" else graph()


def tried(name, mu=0.0, runs=8, workers=1, seed=3):
    method = EdgePerturbation(mu=mu)
    run = Run.seeded(seed, workers)
    return trial(attack(name), publisher(method), few(name), runs, run)


@pytest.mark.parametrize("name", NAMES)
def test_it_finds_what_was_planted_where_nothing_was_flipped(name):
    found = tried(name)
    assert found.success.hits >= (3 if name == "likelihood" else 6)
    assert found.concludes
    assert "does not stop this attack with this budget" in found.conclusion
    assert found.chance < 1e-3


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_repeats_it_for_any_number_of_workers(name):
    one, two = (tried(name, mu=0.02, runs=4, workers=workers) for workers in (1, 2))
    assert [a.score for a in one.main] == [a.score for a in two.main]
    assert [a.guess.work for a in one.control] == [a.guess.work for a in two.control]
    other = tried(name, mu=0.02, runs=4, seed=4)
    assert [a.score for a in one.main] != [a.score for a in other.main] or one.success.hits == 0


@pytest.mark.parametrize("name", NAMES)
def test_where_nothing_was_planted_little_is_claimed(name):
    assert tried(name, mu=0.01).false_claims.hits <= 1


@pytest.mark.parametrize("name", NAMES)
def test_without_success_it_draws_no_conclusion(name):
    found = tried(name, mu=0.4, runs=3)
    assert found.success.hits == 0
    assert not found.concludes
    assert found.conclusion.startswith("no conclusion")
    assert all("safe" not in note for note in found.table.notes)


@pytest.mark.parametrize("name", NAMES)
def test_the_data_is_left_as_it_was(name):
    data = few(name)
    before = data.targets.copy()
    attack(name).plant(data, np.random.default_rng(1))
    assert (data.targets == before).all()


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_is(name):
    made = attack(name)
    assert 10 < len(made.summary) < 100
    assert made.source and made.__doc__
    assert all(one["meaning"] for one in describe(type(made)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"planted": 1}, r"attack.planted is 1, but it should be greater than or equal to 2"),
        ({"planted": "9"}, r"attack.planted is '9', but it should be a whole number"),
        ({"victim": 3}, r"attack.victim is not a parameter here; known: planted, victims"),
    ],
)
def test_bad_parameters_give_the_standard_message(name, values, message):
    with pytest.raises(BadJob, match=message):
        make_attack({"name": name} | values)


def test_an_unknown_attack_is_answered_with_those_there_are():
    with pytest.raises(BadJob, match=r"attack.name is 'guess'; attacks on graph: likelihood-beam"):
        make_attack({"name": "guess"})
