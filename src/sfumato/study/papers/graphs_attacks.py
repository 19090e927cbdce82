"""Figures 4.4 and 4.5: which attacks succeed under which law, and what they find."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from sfumato.attacks.base import Shown
from sfumato.core.answers import result_table
from sfumato.data.graph import Graph
from sfumato.releases.edge_law import EdgeLaw
from sfumato.study.findings import Curves, Finding, Setting, Statement
from sfumato.study.papers import graphs_data as data
from sfumato.study.papers import graphs_runs as runs
from sfumato.study.papers.graphs_runs import BEAM, WALK, WIDTHS, Grid, interval
from sfumato.study.trial import Publish, trial

MUS = (1e-7, 1e-6, 3e-6, 1e-5, 1e-4, 2e-4, 4e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2)
WALKS_FROM, BEAM_FROM = 1e-4, 1e-3  # below, interval-walk and the beam have yet to fail
DELETED = (0.05, 0.1, 0.2, 0.3)
FEW_MUS, FEW_DELETED = (1e-6, 1e-4, 1e-2), (0.05, 0.3)
NAMES = (WALK, *(interval(width) for width in WIDTHS), BEAM)
SURE, DROPPED = 0.95, 0.2  # "almost 100 %" is this and more, "very low" this and less
WAYS, CONTROLS = {1e-3: "mu = 0.001", 0.2: "a = 0.2"}, 3


@dataclass(frozen=True)
class Target:
    """A graph that is attacked; `repeats` are runs of walks, then runs of the beam by nodes.

    The beam is not tried above `most`, where a run would take a minute.
    """

    name: str
    title: str
    graph: Graph
    repeats: tuple[int, dict[int, int]]
    most: float = 1.0


def enron(setting: Setting) -> Iterator[Finding]:
    """Figure 4.5."""
    repeats = (40, {20: 10, 25: 3, 30: 3})
    target = Target("enron", "Enron", data.enron_part(setting), repeats)
    yield from _findings(setting, target)
    yield _controls(setting, target, planted(setting, target)[20])


def coauthors(setting: Setting) -> Iterator[Finding]:
    """Figure 4.4, on real co-authors."""
    target = Target("coauthors", "Co-authors", data.coauthors(setting), (20, {20: 5}), 1e-2)
    yield from _findings(setting, target)


def made_up(setting: Setting) -> Iterator[Finding]:
    """Figure 4.4, on a graph made up with the degrees of DBLP."""
    target = Target("made-up", "Made-up authors", data.made_up(setting), (20, {20: 5}), 1e-2)
    yield from _findings(setting, target)


def planted(setting: Setting, target: Target) -> dict[int, runs.Attacks]:
    """The attacks by number of planted nodes."""
    if setting.quick:
        return {k: runs.all_attacks(k, 20, 2, 1, quick=True) for k in (20, 25, 30)}
    many, beam = target.repeats
    return {k: runs.all_attacks(k, q, many, beam.get(k, 0)) for k, q in runs.VICTIMS.items()}


def _findings(setting: Setting, target: Target) -> Iterator[Finding]:
    asked = planted(setting, target)
    mus = FEW_MUS if setting.quick else MUS
    found = _flipped(setting, target, asked, mus)
    none = runs.grid(target.graph, {0.0: runs.same(0.0)}, _walks(asked, 20), setting.run)
    said = [replace(one, paper=f"{target.title}. {one.paper}") for one in _said(found, none, mus)]
    yield _by_attack(target, found, mus, said)
    yield _by_planted(target, found, mus)
    yield _intervals(target, found, mus)
    deleted = FEW_DELETED if setting.quick else DELETED
    laws = {share: runs.keeping(target.graph, share) for share in deleted}
    kept = runs.grid(target.graph, laws, {20: asked[20]}, setting.run)
    yield _kept(target, kept, deleted)


def _walks(asked: Mapping[int, runs.Attacks], most: int) -> dict[int, runs.Attacks]:
    """The attacks of the thesis alone, fewer times."""
    return {
        k: {name: (one, min(many, most)) for name, (one, many) in attacks.items() if name != BEAM}
        for k, attacks in asked.items()
    }


def _flipped(
    setting: Setting, target: Target, asked: Mapping[int, runs.Attacks], mus: Sequence[float]
) -> Grid:
    """The walk by exact degrees at every mu, the others from where they begin to fail."""
    found: Grid = {}
    for names, least in (((WALK,), 0.0), (NAMES[1:-1], WALKS_FROM), ((BEAM,), BEAM_FROM)):
        most = target.most if BEAM in names else 1.0
        laws = {mu: runs.same(mu) for mu in mus if least <= mu <= most}
        some = {k: {name: attacks[name] for name in names} for k, attacks in asked.items()}
        found |= runs.grid(target.graph, laws, some, setting.run)
    return found


def _line(found: Grid, names: Mapping[str, tuple[str, int]], x: float) -> dict[str, float | None]:
    """Successes at one strength by column, empty where an attack was not tried."""
    tried = {column: found.get((*key, x)) for column, key in names.items()}
    return {column: None if one is None else one.share for column, one in tried.items()}


def _by_attack(
    target: Target, found: Grid, mus: Sequence[float], said: Sequence[Statement]
) -> Finding:
    title = f"{target.title}, {target.graph.nodes:,} nodes: success of attacks, k = 20"
    keys = {name: (name, 20) for name in NAMES}
    table = result_table(title, [{"mu": mu} | _line(found, keys, mu) for mu in mus])
    drawn = Curves("mu", NAMES, "mu", "share of runs that succeed", log_x=True)
    return Finding(f"attacks-{target.name}", title, _runs_told(target), table, drawn, said)


def _runs_told(target: Target) -> str:
    many, beam = target.repeats
    return f"{many} runs a point, {beam[20]} of the beam."


def _by_planted(target: Target, found: Grid, mus: Sequence[float]) -> Finding:
    title = f"{target.title}: success by planted nodes"
    names = {WALK: WALK, interval(5): interval(5)}
    keys = {f"{told}, k = {k}": (name, k) for name, told in names.items() for k in runs.VICTIMS}
    table = result_table(title, [{"mu": mu} | _line(found, keys, mu) for mu in mus])
    drawn = Curves("mu", tuple(keys), "mu", "share of runs that succeed", log_x=True)
    text = "Intervals of all points are in a table."
    return Finding(f"planted-{target.name}", title, text, table, drawn)


def _intervals(target: Target, found: Grid, mus: Sequence[float]) -> Finding:
    """All points with their intervals, a column each mu that any attack was tried at."""
    title = f"{target.title}: success, with 95 % intervals"
    lines: list[dict[str, object]] = []
    for name in NAMES:
        for k in runs.VICTIMS:
            tried = {mu: found.get((name, k, mu)) for mu in mus}
            if not any(one and one.attempts for one in tried.values()):
                continue
            [runs_of] = {len(one.attempts) for one in tried.values() if one} or {0}
            line: dict[str, object] = {"attack": name, "k": k, "runs": runs_of}
            lines.append(line | {f"{mu:g}": one.told if one else "" for mu, one in tried.items()})
    notes = [
        "columns: mu; empty: not tried, as it did not succeed under a weaker law, or as mu is "
        "too small for it to fail, or so large that a run of the beam takes a minute"
    ]
    return Finding(f"intervals-{target.name}", title, "", result_table(title, lines, notes))


def _said(found: Grid, none: Grid, mus: Sequence[float]) -> list[Statement]:
    walks = [interval(width) for width in WIDTHS]
    untouched = min(one.share or 0.0 for one in none.values())
    near, far = (mu_near(mus, mu) for mu in (1e-6, 1e-4))
    low = {k: runs.rate_at(found, WALK, k, near) for k in runs.VICTIMS}
    high = {(w, k): runs.rate_at(found, w, k, far) for w in walks for k in runs.VICTIMS}
    least = min(high, key=lambda key: high[key])
    last = [runs.rate_at(found, name, k, mus[-1]) for name in NAMES[:-1] for k in runs.VICTIMS]
    return [
        Statement("With mu = 0 all attacks succeed always.", untouched == 1.0,
                  f"the least success is {untouched:.2f}"),
        Statement("Walk-based: at mu = 1e-7 to 1e-6 success drops to very low values.",
                  max(low.values()) <= DROPPED, f"at {near:g}: {_told(low)}"),
        _fewer("Walk-based: the larger k, the less success.", found, [WALK], mus),
        _fewer("Interval-walk: the larger k, the less success.", found, walks, mus),
        _wider(found, walks, mus),
        Statement("Interval-walk succeeds almost always at mu = 1e-4.", high[least] >= SURE,
                  f"at {far:g} from {high[least]:.2f} ({least[0]}, k = {least[1]}) "
                  f"to {max(high.values()):.2f}"),
        Statement("A large enough mu prevents both.", max(last) == 0.0,
                  f"at {mus[-1]:g}, at most {max(last):.2f}"),
    ]  # fmt: skip


def mu_near(mus: Sequence[float], wanted: float) -> float:
    """The mu that was tried nearest to one."""
    return min(mus, key=lambda mu: abs(mu - wanted))


def _told(rates: Mapping[int, float]) -> str:
    return ", ".join(f"{rate:.2f} (k = {k})" for k, rate in rates.items())


def _mean(found: Grid, names: Sequence[str], k: int, mus: Sequence[float]) -> float:
    """The mean success over all mu, a number for where a curve falls."""
    return sum(runs.rate_at(found, name, k, mu) for name in names for mu in mus) / (
        len(names) * len(mus)
    )


def _fewer(paper: str, found: Grid, names: Sequence[str], mus: Sequence[float]) -> Statement:
    """Success, averaged over mu, falls from k = 20 to 25 to 30."""
    means = {k: _mean(found, names, k, mus) for k in runs.VICTIMS}
    falling = list(means.values())
    agrees = all(one > two for one, two in pairwise(falling))
    return Statement(paper, agrees, f"mean over mu: {_told(means)}")


def _wider(found: Grid, walks: Sequence[str], mus: Sequence[float]) -> Statement:
    """Success, averaged over mu and k, rises with the width."""
    means = {w: sum(_mean(found, [w], k, mus) for k in runs.VICTIMS) / 3 for w in walks}
    rising = list(means.values())
    agrees = all(one < two for one, two in pairwise(rising))
    text = ", ".join(f"{mean:.3f} ({w})" for w, mean in means.items())
    return Statement("Interval-walk: success rises with w.", agrees, f"mean over mu: {text}")


def _kept(target: Target, found: Grid, deleted: Sequence[float]) -> Finding:
    """Success against the law that keeps the density, and victims that the beam finds."""
    title = f"{target.title}: success where density is kept, k = 20"
    keys = {name: (name, 20) for name in NAMES}
    lines: list[dict[str, object]] = []
    for share in deleted:
        beam = found.get((BEAM, 20, share))
        told = {"beam, 95 %": beam.told if beam else "", "victims": beam.victims if beam else None}
        lines.append({"a": share, **_line(found, keys, share), **told})
    notes = ["victims: share found by runs of the beam that succeeded"]
    table = result_table(title, lines, notes)
    drawn = Curves("a", NAMES, "share of edges deleted, a", "share of runs that succeed")
    return Finding(f"kept-{target.name}", title, _runs_told(target), table, drawn)


def _controls(setting: Setting, target: Target, attacks: runs.Attacks) -> Finding:
    """The same attacks where nothing was planted: claims there are false."""
    title = f"{target.title}: claims where nothing was planted, k = 20"
    laws = {1e-3: runs.same(1e-3), 0.2: runs.keeping(target.graph, 0.2)}
    lines = []
    for strength, law in laws.items():
        for name in (interval(5), BEAM):
            attack = attacks[name][0]
            many = 2 if setting.quick else CONTROLS
            tried = trial(attack, _shown(law), target.graph, many, setting.run)
            row = tried.as_row()
            line = {"law": WAYS[strength], "attack": name}
            kept = ("attempts", "success", "false claims", "targets found", "seconds", "cut")
            lines.append(line | {key: row[key] for key in kept} | {"concludes": tried.concludes})
    notes = ["concludes: success is above that of chance and above the false claims"]
    return Finding(f"controls-{target.name}", title, "", result_table(title, lines, notes))


def _shown(law: EdgeLaw) -> Publish:
    publish = runs.by_law(law)
    return lambda graph, run: Shown(*publish(graph, run))
