"""What the source's numbers of privacy are worth on Adult, and its formulas against simulation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sfumato.core.answers import result_table
from sfumato.core.run import Run
from sfumato.data.people import People
from sfumato.methods.tables.ra import RA
from sfumato.methods.tables.ra_draw import redrawn as draw
from sfumato.releases.redraw_law import RedrawLaw
from sfumato.releases.redraw_risk import Adversary
from sfumato.releases.redraw_support import relative_support
from sfumato.study.findings import Curves, Finding, Setting, Statement
from sfumato.study.papers.ra_data import QUASI, SENSITIVE, adult

SIMULATED, FEW = 300, 20
COMBINATIONS = 12


def law_of(people: People, redraw: int, choose: str = "uniform") -> RedrawLaw:
    """The law of a redraw."""
    method = RA(redraw=redraw, choose=choose)  # type: ignore[arg-type]
    return method.law([people.table[name] for name in QUASI], redraw)


def _adversary(people: People, redraw: int, setting: Setting) -> Adversary:
    law = law_of(people, redraw)
    before = [people.table[name].codes for name in QUASI]
    return Adversary(law, before, draw(before, law, setting.run), setting.run.workers)


def inferred(setting: Setting) -> Iterator[Finding]:
    """Who is found, by columns redrawn."""
    people = adult(setting)
    own = people.table[SENSITIVE]
    lines: list[dict[str, Any]] = []
    for redraw in (1, 3, 5) if setting.quick else range(1, len(QUASI) + 1):
        adversary = _adversary(people, redraw, setting)
        belief = adversary.belief(own.codes, own.size)
        best = adversary.inference.best
        lines.append(
            {
                "redrawn": redraw,
                "perplexity (Pa)": adversary.law.perplexity,
                "1 / Pa": 1 / adversary.law.perplexity,
                "person guessed right": float(adversary.inference.person.mean()),
                "owner believed above 1/2": float((adversary.own > 0.5).mean()),
                "largest belief": float(best.max()),
                "records above 1/2": float((best > 0.5).mean()),
                "occupation guessed right": float(belief.right.mean()),
                "without the own record": float(belief.right_without.mean()),
            }
        )
    title = "What somebody who knows all quasi-identifiers infers"
    table = result_table(title, lines, [_best_perplexity(people)])
    names = ["1 / Pa", "person guessed right", "occupation guessed right", "without the own record"]
    drawn = Curves("redrawn", names, "columns redrawn (lambda)", "share")
    yield Finding("inferred", title, "", table, drawn, _inferred_said(lines, own.counts()))


def _best_perplexity(people: People) -> str:
    best = law_of(people, 1, "optimal").perplexity
    return f"with optimal probabilities (proposition 7) the perplexity of one redraw is {best:.2f}"


def _inferred_said(lines: list[dict[str, Any]], counts: Any) -> list[Statement]:
    first = lines[0]
    frequent = float(counts.max() / counts.sum())
    return [
        Statement(
            "Pa reached 34.",
            round(first["perplexity (Pa)"]) == 34,
            f"{first['perplexity (Pa)']:.3f}",
        ),
        Statement(
            "So the average probability of a correct link is 1/34.",
            first["person guessed right"] <= 1.5 * first["1 / Pa"],
            f"the best guess is right for {first['person guessed right']:.1%} of the records; the "
            f"occupation for {first['occupation guessed right']:.1%} of the people, "
            f"{first['without the own record']:.1%} without their own record, {frequent:.1%} by "
            "frequency alone",
        ),
    ]


def supports(setting: Setting) -> Iterator[Finding]:
    """Bias and variance of supports: formulas against simulation."""
    people, run = adult(setting), setting.run
    law = law_of(people, 1)
    before = [people.table[name].codes for name in QUASI]
    rng = run.rng("combinations")
    wanted = [_combination(people, length, rng) for length in range(1, COMBINATIONS + 1)]
    found = _simulated(before, law, wanted, setting)
    lines = []
    for held, simulated in zip(wanted, found.T, strict=True):
        exact = relative_support(law, before, held)
        lines.append(
            {
                "columns": len(held),
                "records": _support(before, held),
                "bias": exact.bias,
                "simulated": float(simulated.mean()),
                "deviation": float(np.sqrt(exact.variance)),
                "deviation, simulated": float(simulated.std(ddof=1)),
                "deviation, equation 11": _printed(law, before, held),
            }
        )
    title = "Supports of combinations: formulas and simulation"
    notes = [f"{len(found)} redraws of one column"]
    yield Finding(
        "supports", title, "", result_table(title, lines, notes), None, _said(lines, found)
    )


def _combination(people: People, length: int, rng: np.random.Generator) -> dict[int, int]:
    """The values of some columns that a random record has."""
    row = int(rng.integers(people.table.rows))
    chosen = rng.choice(len(QUASI), 1 + length % 4, replace=False)
    return {int(place): int(people.table[QUASI[place]].codes[row]) for place in chosen}


def _support(columns: Any, held: dict[int, int]) -> int:
    found = np.ones(len(columns[0]), np.bool_)
    for place, code in held.items():
        found &= columns[place] == code
    return int(found.sum())


def _simulated(before: Any, law: RedrawLaw, wanted: Any, setting: Setting) -> Any:
    supports = np.array([_support(before, held) for held in wanted])
    number = FEW if setting.quick else SIMULATED
    rows = []
    for again in range(number):
        after = draw(before, law, Run.seeded(1_000 + again, setting.run.workers))
        rows.append([_support(after, held) for held in wanted])
    return (np.array(rows) - supports) / supports


def _printed(law: RedrawLaw, columns: Any, held: dict[int, int]) -> float:
    """The root of equation 11 as it is printed."""
    own, total = _support(columns, held), 0.0
    for place, code in held.items():
        rest = _support(columns, {p: c for p, c in held.items() if p != place})
        share = float(law.shares[place][code])
        total += (rest / own) ** 2 * share * (1 - share)
    return float(np.sqrt(total)) / len(law.names)


def _said(lines: list[dict[str, Any]], found: Any) -> list[Statement]:
    spread = [line["deviation"] / np.sqrt(len(found)) for line in lines]
    near = [
        abs(line["bias"] - line["simulated"]) <= 4 * off
        for line, off in zip(lines, spread, strict=True)
    ]
    ours = [line["deviation, simulated"] / line["deviation"] for line in lines]
    theirs = [line["deviation, simulated"] / line["deviation, equation 11"] for line in lines]
    limit = 4.5 / np.sqrt(2 * len(found))
    return [
        Statement("The bias is that of equation 10.", all(near), f"{sum(near)} of {len(near)}"),
        Statement(
            "The variance is that of equation 11.",
            all(abs(ratio - 1) < limit for ratio in theirs),
            f"deviations are {min(theirs):.3g} to {max(theirs):.3g} of it; {min(ours):.2f} to "
            f"{max(ours):.2f} of the corrected formula",
        ),
    ]
