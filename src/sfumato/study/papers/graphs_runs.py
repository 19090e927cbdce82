"""Attacks repeated: nodes planted anew in every run, and all attacks on the same publication."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.graph_attack import GraphAttack
from sfumato.attacks.interval_walk import IntervalWalk, WalkBased
from sfumato.attacks.likelihood import LikelihoodBeam
from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.methods.graphs.flips import perturbed, renumbered
from sfumato.query.statistic import Published
from sfumato.releases.edge_law import EdgeLaw
from sfumato.study.trial import Attempt, Rate

WALK, BEAM = "walk-based", "beam"
WIDTHS = (3, 4, 5)
VICTIMS = {20: 100, 25: 157, 30: 225}  # by planted nodes, as in the thesis

Publish = Callable[[Graph, Run], tuple[Published, NDArray[np.int32]]]
Attacks = Mapping[str, tuple[GraphAttack, int]]  # by name, with how many runs


def interval(width: int) -> str:
    """The name of interval-walk with a width."""
    return f"w = {width}"


def walking(planted: int, victims: int, width: int, errors: int = 0) -> IntervalWalk:
    """Interval-walk with one width and one number of errors, as the thesis runs it."""
    return IntervalWalk(
        planted=planted,
        victims=victims,
        width=width,
        widest=width,
        errors=errors,
        most_errors=errors,
    )


def all_attacks(
    planted: int, victims: int, runs: int, beam_runs: int, *, quick: bool = False
) -> Attacks:
    """The attacks of the thesis, and the search by likelihood, a narrow one if in haste."""
    narrow: dict[str, Any] = {"beam": 100, "first": 500, "restarts": 1} if quick else {}
    return {
        WALK: (WalkBased(planted=planted, victims=victims), runs),
        **{interval(width): (walking(planted, victims, width), runs) for width in WIDTHS},
        BEAM: (LikelihoodBeam(planted=planted, victims=victims, **narrow), beam_runs),
    }


def by_law(law: EdgeLaw) -> Publish:
    """Random edge perturbation, nodes renumbered."""

    def publish(graph: Graph, run: Run) -> tuple[Published, NDArray[np.int32]]:
        shown, number = renumbered(perturbed(graph, law, run).graph, run)
        return Published(shown, law), number

    return publish


def same(mu: float) -> EdgeLaw:
    """The thesis's law: every pair is flipped with one probability."""
    return EdgeLaw(mu, mu)


def keeping(graph: Graph, delete: float) -> EdgeLaw:
    """The law that deletes edges and adds as many as are expected to go."""
    return EdgeLaw(delete, delete * graph.edges / (graph.pairs - graph.edges))


@dataclass(frozen=True, eq=False)
class Attacked:
    """All attempts of one attack on one setting."""

    attempts: Sequence[Attempt]

    @property
    def rate(self) -> Rate:
        """Successes."""
        return Rate(sum(one.score.success for one in self.attempts), len(self.attempts))

    @property
    def share(self) -> float | None:
        """Successes per attempt."""
        return self.rate.share

    @property
    def victims(self) -> float | None:
        """Share of victims found by the attempts that succeeded."""
        right = [one.score for one in self.attempts if one.score.success]
        return sum(s.found for s in right) / sum(s.of for s in right) if right else None

    @property
    def seconds(self) -> float:
        """Mean seconds of computing of an attempt."""
        return math.fsum(one.seconds for one in self.attempts) / max(len(self.attempts), 1)

    @property
    def cut(self) -> int:
        """Attempts whose search ended at its budget."""
        return sum(one.guess.capped for one in self.attempts)

    @property
    def told(self) -> str:
        """The rate with its interval, short.

        >>> Attacked([]).told
        '-'
        """
        rate = self.rate
        return "-" if rate.share is None else f"{rate.share:.2f} ({rate.low:.2f}-{rate.high:.2f})"


def attacked(graph: Graph, publish: Publish, attacks: Attacks, run: Run) -> dict[str, Attacked]:
    """Plant, publish, and let all attacks loose on what is published, again and again.

    All attacks of a call must plant alike. Nothing is attacked that was not planted: what false
    claims there are is said by the controls of a trial.
    """
    found: dict[str, list[Attempt]] = {name: [] for name in attacks}
    for number in range(max((runs for _, runs in attacks.values()), default=0)):
        own = Run(run.words(4, "attacked", number).tobytes(), run.workers)
        for name, attempt in _once(graph, publish, attacks, number, own):
            found[name].append(attempt)
    return {name: Attacked(attempts) for name, attempts in found.items()}


def _once(
    graph: Graph, publish: Publish, attacks: Attacks, number: int, run: Run
) -> Iterator[tuple[str, Attempt]]:
    first = next(iter(attacks.values()))[0]
    planted = first.plant(graph, run.rng("plant"))
    seen, links = publish(planted.data, run)
    [known] = planted.knowledge
    for name, (attack, runs) in attacks.items():
        if number < runs:
            begin = time.thread_time()
            guess = attack.guess(seen, known, run.rng("guess", name))
            seconds = time.thread_time() - begin
            yield name, Attempt(guess, attack.judge(guess, planted, known, links), seconds)


Grid = dict[tuple[str, int, float], Attacked]  # by attack, planted nodes, strength of the law


def grid(
    graph: Graph,
    laws: Mapping[float, EdgeLaw],
    planted: Mapping[int, Attacks],
    run: Run,
) -> Grid:
    """All attacks against laws of rising strength.

    An attack that never succeeded under a law is not tried against stronger ones.
    """
    found: Grid = {}
    for place, (k, attacks) in enumerate(planted.items()):
        left = dict(attacks)
        for number, (strength, law) in enumerate(laws.items()):
            own = Run(run.words(4, "grid", k, number).tobytes(), run.workers)
            for name, one in attacked(graph, by_law(law), left, own).items():
                found[name, k, strength] = one
                if not one.share:
                    del left[name]
            run.step(place * len(laws) + number + 1, len(planted) * len(laws))
    return found


def rate_at(found: Grid, name: str, k: int, strength: float) -> float:
    """The success of an attack; none where it was no longer tried."""
    one = found.get((name, k, strength))
    return (one.share or 0.0) if one is not None else 0.0
