"""Runs: streams by purpose, progress by phase."""

from __future__ import annotations

import pytest

from sfumato.core.run import Run, cores


def test_a_seed_repeats_every_stream() -> None:
    one, two = Run.seeded(7, workers=1), Run.seeded(7, workers=2)
    assert one.rng("a", 1).random(5).tolist() == two.rng("a", 1).random(5).tolist()
    assert one.word("a") == two.word("a")
    assert (one.workers, two.workers, Run.seeded(7).workers) == (1, 2, cores())


def test_purposes_seeds_and_keys_give_different_streams() -> None:
    run = Run.seeded(7)
    words = {int(run.word(*path)) for path in (("a",), ("b",), ("a", 1), ("a", 2), ("a", "b"))}
    words |= {
        int(Run.seeded(8).word("a")),
        int(Run.secure().word("a")),
        int(Run.secure().word("a")),
    }
    assert len(words) == 8


def test_progress_is_told_by_phase() -> None:
    told: list[tuple[str, int, int]] = []
    run = Run.seeded(1, progress=lambda *what: told.append(what))
    with run.phase("cut"):
        run.step(1, 3)
        with run.phase("inner"):
            run.step(5, 9)
        run.step(2, 3)
    assert told == [
        ("cut", 0, 1),
        ("cut", 1, 3),
        ("inner", 0, 1),
        ("inner", 5, 9),
        ("inner", 1, 1),
        ("cut", 2, 3),
        ("cut", 1, 1),
    ]


def test_a_phase_that_fails_ends_all_the_same() -> None:
    told: list[str] = []
    run = Run.seeded(1, progress=lambda name, *_: told.append(name))
    with pytest.raises(ValueError, match="no"), run.phase("cut"):
        raise ValueError("no")
    run.step(1, 2)
    assert told == ["cut", ""]
