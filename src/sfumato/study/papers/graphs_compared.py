"""One way of publishing a graph: how far off its statistics are, and which attacks it stops."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.core.answers import result_table
from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.methods.graphs.flips import perturbed
from sfumato.query.graph_degrees import degree_distribution
from sfumato.query.graph_edges import DENSITY
from sfumato.query.graph_paths import estimated_paths, path_figures, refusal
from sfumato.query.graph_triads import TRANSITIVITY
from sfumato.query.statistic import NO_ISOLATED_NODES, Published
from sfumato.releases.edge_law import EdgeLaw
from sfumato.study.findings import Curves, Finding, Setting, Statement
from sfumato.study.papers import graphs_data as data
from sfumato.study.papers import graphs_runs as runs
from sfumato.study.papers.graphs_runs import BEAM, WALK, interval
from sfumato.study.papers.graphs_utility import exceeding, farthest, true_value

ERRORS = ("density", "transitivity", "degrees", "path length")
ATTACKS = (WALK, interval(5), BEAM)
REPEATS, WALKS, BEAMS = 2, 6, 4
MUS, DELETED = (1e-3, 5e-3, 1e-2, 2e-2), (0.05, 0.1, 0.2, 0.3)
FEW = 2  # settings of a quick study
NOTES = [
    "errors: relative, for degrees the Kolmogorov-Smirnov distance; means of "
    f"{REPEATS} publications; attacks: share of runs that succeed, k = 20",
    "path length: empty where a query refuses to estimate it",
]


@dataclass(frozen=True)
class Told:
    """What somebody takes the density, transitivity, degrees and path length for."""

    density: float
    transitivity: float
    above: np.ndarray
    length: float


Tell = Callable[[Graph, Run], Told]  # publish a graph, and tell


def as_it_is(graph: Graph, run: Run) -> Told:
    """Statistics of a graph as they are."""
    return Told(
        true_value(graph, DENSITY, run),
        true_value(graph, TRANSITIVITY, run),
        exceeding(graph.degrees.astype(float)),
        float(path_figures(graph, run)[0]),
    )


def estimates(law: EdgeLaw) -> Tell:
    """Statistics as estimated from a perturbed graph, as far as they are not refused."""

    def tell(graph: Graph, run: Run) -> Told:
        facts = frozenset({NO_ISOLATED_NODES} if graph.degrees.all() else ())
        seen = Published(perturbed(graph, law, run).graph, law, facts)
        found = [asked.estimate(seen, run)[0].value for asked in (DENSITY, TRANSITIVITY)]
        density, closed = (math.nan if value is None else float(value) for value in found)
        above = 1 - np.cumsum(degree_distribution(seen, run).share)
        length = math.nan if refusal(seen) else float(estimated_paths(seen, run)[0])
        return Told(density, closed, above, length)

    return tell


def errors_of(graph: Graph, tell: Tell, true: Told, setting: Setting) -> dict[str, float | None]:
    """Mean errors over some publications."""
    found = []
    for number in range(1 if setting.quick else REPEATS):
        own = Run(setting.run.words(4, "told", number).tobytes(), setting.run.workers)
        told = tell(graph, own)
        found.append([
            abs(told.density / true.density - 1),
            abs(told.transitivity / true.transitivity - 1),
            farthest(told.above, true.above),
            abs(told.length / true.length - 1),
        ])  # fmt: skip
    means = np.mean(found, axis=0).tolist()
    return {name: mean if math.isfinite(mean) else None
            for name, mean in zip(ERRORS, means, strict=True)}  # fmt: skip


def successes(graph: Graph, publish: runs.Publish, setting: Setting) -> dict[str, float | None]:
    """Shares of runs in which each attack succeeds."""
    planted, victims = 20, 20 if setting.quick else runs.VICTIMS[20]
    many, beams = (1, 1) if setting.quick else (WALKS, BEAMS)
    asked = runs.all_attacks(planted, victims, many, beams, quick=setting.quick)
    chosen = {name: asked[name] for name in ATTACKS}
    found = runs.attacked(graph, publish, chosen, setting.run)
    return {name: found[name].share for name in ATTACKS}


def two_laws(setting: Setting) -> Iterator[Finding]:
    """The thesis's law and the one that keeps the density, at equal resistance to attacks."""
    graph = data.enron_part(setting)
    flips = {mu: runs.same(mu) for mu in MUS[-FEW if setting.quick else 0 :]}
    kept = {a: runs.keeping(graph, a) for a in DELETED[-FEW if setting.quick else 0 :]}
    yield _by_law(setting, graph, ("flips", "Enron: errors, one mu", "mu"), flips)
    yield _by_law(setting, graph, ("keeping", "Enron: errors, density kept", "a"), kept)


def _by_law(
    setting: Setting, graph: Graph, heading: tuple[str, str, str], laws: Mapping[float, EdgeLaw]
) -> Finding:
    name, title, x = heading
    true, lines = as_it_is(graph, setting.run), []
    for strength, law in laws.items():
        line = {
            x: strength,
            "published edges": law.expected(graph.edges, graph.pairs) / graph.edges,
        }
        errors = errors_of(graph, estimates(law), true, setting)
        lines.append(line | errors | successes(graph, runs.by_law(law), setting))
    table = result_table(title, lines, ["published edges: as a multiple of the true ones", *NOTES])
    drawn = Curves(x, ERRORS, x, "error", log=True, log_x=True)
    said = [_possible(title.split(":")[0], lines)] if x == "mu" else []
    return Finding(name, title, "", table, drawn, said)


def _possible(title: str, lines: Sequence[Mapping[str, float | None]]) -> Statement:
    """Some mu stops both attacks of the thesis, density within 1 % and transitivity within 5 %."""
    stopped = [line for line in lines if not line[WALK] and not line[interval(5)]]
    fine = [line for line in stopped
            if (line["density"] or 0) <= 0.01 and (line["transitivity"] or 0) <= 0.05]  # fmt: skip
    text = "none" if not fine else f"mu = {fine[0]['mu']:g}; the beam succeeds with {fine[0][BEAM]}"
    paper = f"{title}: some mu prevents both attacks, and density and transitivity stay accurate."
    return Statement(paper, bool(fine), text)
