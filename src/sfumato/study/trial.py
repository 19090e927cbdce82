"""Attacks as experiments: repeated runs, each with a control, held against a guess by chance."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from sfumato.attacks.base import Attack, Guess, Planted, Score, Shown
from sfumato.core.answers import ResultTable, result_table
from sfumato.core.run import Run
from sfumato.core.words import several

Publish = Callable[[Any, Run], Shown]


@dataclass(frozen=True)
class Attempt:
    """One guess, what it was worth, and the seconds of computing it took."""

    guess: Guess
    score: Score
    seconds: float


@dataclass(frozen=True)
class Rate:
    """Some successes of some attempts, and the interval in which the true rate lies.

    >>> Rate(9, 10).low > 0.5, Rate(0, 0).share
    (True, None)
    """

    hits: int
    of: int
    level: float = 0.95

    @property
    def share(self) -> float | None:
        """Successes per attempt."""
        return self.hits / self.of if self.of else None

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return wilson(self.hits, self.of, self.level)[0]

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return wilson(self.hits, self.of, self.level)[1]


def wilson(hits: int, of: int, level: float) -> tuple[float, float]:
    """The interval of Wilson (1927) for a share; it stays inside 0 to 1 and is never empty.

    >>> [round(end, 4) for end in wilson(0, 10, 0.95)]
    [0.0, 0.2775]
    """
    if not of:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, weight = hits / of, z * z / of
    middle = (share + weight / 2) / (1 + weight)
    reach = math.sqrt(share * (1 - share) * weight + weight * weight / 4) / (1 + weight)
    low = 0.0 if hits == 0 else middle - reach
    return low, 1.0 if hits == of else middle + reach


@dataclass(frozen=True, eq=False)
class Trial:
    """What came of an attack: attempts where there was something to find, and where there was not.

    An attempt of the control counts as a success when the attacker claims one.
    """

    attack: Attack
    runs: int
    main: Sequence[Attempt]
    control: Sequence[Attempt]
    chance: float
    level: float = 0.95

    @property
    def success(self) -> Rate:
        """Right guesses."""
        return Rate(sum(one.score.success for one in self.main), len(self.main), self.level)

    @property
    def claimed(self) -> Rate:
        """Guesses that the attacker took for right, where there was something to find."""
        return Rate(sum(one.guess.claimed for one in self.main), len(self.main), self.level)

    @property
    def false_claims(self) -> Rate:
        """Guesses that the attacker took for right, where there was nothing to find."""
        return Rate(sum(one.guess.claimed for one in self.control), len(self.control), self.level)

    @property
    def found(self) -> float:
        """Share of the targets that were found."""
        of = sum(one.score.of for one in self.main)
        return sum(one.score.found for one in self.main) / of if of else 0.0

    @property
    def concludes(self) -> bool:
        """Whether the attack did better than chance, and than it does where nothing is."""
        return self.success.low > max(self.chance, self.false_claims.share or 0.0)

    @property
    def conclusion(self) -> str:
        """What may be said, and no more."""
        rate = self.success
        told = f"{rate.hits} of {several(rate.of, 'attempt')} by {self.attack.name} succeeded"
        if self.concludes:
            return (
                f"{told} ({self.level:.0%} interval {rate.low:.3f} to {rate.high:.3f}): "
                "this setting does not stop this attack with this budget"
            )
        return (
            f"no conclusion: {told}, no more than chance or the control allow; this attack with "
            "this budget says nothing of other attacks or larger budgets"
        )

    def as_row(self) -> dict[str, Any]:
        """The whole trial in a line, for tables of several."""
        rate = self.success
        return {
            "attack": self.attack.name,
            "attempts": rate.of,
            "success": rate.share,
            "low": rate.low,
            "high": rate.high,
            "targets found": self.found,
            "false claims": self.false_claims.share,
            "seconds": _mean([one.seconds for one in self.main]),
            "cut": sum(one.guess.capped for one in self.main),
            "concludes": self.concludes,
        }

    @property
    def table(self) -> ResultTable:
        """Main, control and baseline, a row each."""
        rows = [
            {"": "main"} | self._row(self.main, self.success) | _more(self.main),
            {"": "control"} | self._row(self.control, self.false_claims),
            {"": "chance", "success": self.chance},
        ]
        return result_table(f"attack: {self.attack.name}", rows, self._notes())

    def _row(self, attempts: Sequence[Attempt], rate: Rate) -> dict[str, Any]:
        claims = sum(one.guess.claimed for one in attempts)
        return {
            "attempts": rate.of,
            "success": rate.share,
            "low": rate.low,
            "high": rate.high,
            "claimed": claims,
            "cut": sum(one.guess.capped for one in attempts),
            "seconds": _mean([one.seconds for one in attempts]),
        }

    def _notes(self) -> list[str]:
        notes = [
            self.conclusion,
            "control: nothing was planted; a success there is a claim, and false",
            f"low and high: the {self.level:.0%} interval of Wilson; seconds of computing, mean; "
            "cut: searches that ended at their budget",
        ]
        if len(self.main) > self.runs:
            notes.append(
                f"{several(self.runs, 'publication')} were attacked more than once each: attempts "
                "on the same one are not independent, and the interval is too narrow"
            )
        return notes


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _more(attempts: Sequence[Attempt]) -> dict[str, float | None]:
    """Means of what the attack itself counts."""
    names = dict.fromkeys(name for one in attempts for name in one.score.more)
    of = sum(one.score.of for one in attempts)
    found = {"targets found": sum(one.score.found for one in attempts) / of if of else None}
    return found | {name: _mean([one.score.more[name] for one in attempts]) for name in names}


def trial(
    attack: Attack, publish: Publish, data: Any, runs: int, run: Run, level: float = 0.95
) -> Trial:
    """Plant, publish and guess `runs` times; in each run also where there is nothing to find.

    A seeded run repeats the whole trial, for any number of workers.
    """
    done = 0
    mains: list[Attempt] = []
    controls: list[Attempt] = []
    chance = 0.0
    with ThreadPoolExecutor(run.workers) as pool:
        for main, control, lucky in pool.map(
            lambda number: _once(attack, publish, data, _own_run(run, number)), range(runs)
        ):
            mains += main
            controls += control
            chance = max(chance, lucky)
            done += 1
            run.step(done, runs)
    return Trial(attack, runs, mains, controls, chance, level)


def _own_run(run: Run, number: int) -> Run:
    """The randomness of one run of the trial."""
    return Run(run.words(4, "trial", number).tobytes())


def _once(
    attack: Attack, publish: Publish, data: Any, run: Run
) -> tuple[list[Attempt], list[Attempt], float]:
    planted = attack.plant(data, run.rng("plant"))
    published = publish(planted.data, _own_run(run, 0))
    main = list(_attempts(attack, planted, published, planted.knowledge, run, "main"))
    other = published if planted.control is None else publish(planted.control, _own_run(run, 1))
    known = planted.knowledge if planted.false_knowledge is None else planted.false_knowledge
    control = list(_attempts(attack, planted, other, known, run, "control"))
    return main, control, attack.chance(planted)


def _attempts(
    attack: Attack,
    planted: Planted,
    published: Shown,
    knowledge: Sequence[Any],
    run: Run,
    where: str,
) -> Iterator[Attempt]:
    """One guess for everything the attacker, or one of several, knows."""
    for place, known in enumerate(knowledge):
        begin = time.thread_time()
        guess = attack.guess(published.seen, known, run.rng(where, place))
        seconds = time.thread_time() - begin
        score = Score(guess.claimed)
        if where == "main":
            score = attack.judge(guess, planted, known, published.links)
        yield Attempt(guess, score, seconds)
