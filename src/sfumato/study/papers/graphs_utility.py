"""Figures 4.6 to 4.8, and more: properties of published graphs against those of the original."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import result_table
from sfumato.core.run import Run
from sfumato.core.words import several
from sfumato.data.graph import Graph
from sfumato.methods.graphs.flips import perturbed
from sfumato.query.graph_degrees import degree_distribution, degree_estimates
from sfumato.query.graph_edges import DENSITY
from sfumato.query.graph_found import found_groups, groups_of
from sfumato.query.graph_modularity import modularity
from sfumato.query.graph_paths import PATH_LENGTH, estimated_paths, path_figures, refusal
from sfumato.query.graph_triads import TRANSITIVITY
from sfumato.query.statistic import NO_ISOLATED_NODES, Published, Statistic
from sfumato.releases.edge_law import EdgeLaw
from sfumato.study.findings import Curves, Finding, Setting, Statement
from sfumato.study.papers import graphs_data as data
from sfumato.study.papers.graphs_runs import same

MUS, FEW_MUS = (1e-6, 1e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2), (1e-4, 1e-2)
SNAPSHOT = 1e-3  # the mu of Figure 4.8
PLAIN = EdgeLaw(0.0, 0.0)
CLOSE = {"density": 0.01, "transitivity": 0.05}  # relative: "accurately estimated"
ORIGINAL, SHOWN, ESTIMATED = "original", "published", "estimated"
THREE = (ORIGINAL, SHOWN, ESTIMATED)
BY_NODE, STATED = "node by node", "no isolated node known"
REPEATS, PATH_MUS = 3, (1e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3)
MODULARITY_MUS = (1e-5, 1e-4, 3e-4, 1e-3, 3e-3)
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Subject:
    """A graph whose properties are told; none is published above `most`, as it would be huge."""

    name: str
    title: str
    read: Callable[[Setting], Graph]
    most: float = 1.0


SUBJECTS = (
    Subject("enron", "Enron", partial(data.read, name=data.ENRON), 5e-3),
    Subject("wiki", "wiki-Vote", partial(data.read, name=data.WIKI)),
    Subject("twitter", "ego-Twitter", partial(data.read, name=data.TWITTER), 1e-3),
    Subject("made-up", "Made-up authors", data.made_up),
)


@dataclass(frozen=True, eq=False)
class Shown:
    """A graph, and what was published of it."""

    graph: Graph
    published: Published
    run: Run

    @classmethod
    def of(cls, graph: Graph, law: EdgeLaw, run: Run) -> Shown:
        """Publish it, nodes in their places, so that they can be compared."""
        own = Run(run.words(4, "shown", repr(law)).tobytes(), run.workers)
        facts = frozenset({NO_ISOLATED_NODES} if graph.degrees.all() else ())
        return cls(graph, Published(perturbed(graph, law, own).graph, law, facts), own)

    @cached_property
    def taken_as_is(self) -> Published:
        """What somebody sees who forgets the law."""
        return Published(self.published.graph, PLAIN)

    def raw(self, asked: Statistic) -> float:
        """A statistic of the published graph as it is."""
        return float(asked.exact(self.taken_as_is, self.run)[0])

    def estimated(self, asked: Statistic) -> float | None:
        """A statistic as estimated, none if refused."""
        value = asked.estimate(self.published, self.run)[0].value
        return None if value is None else float(value)


def true_value(graph: Graph, asked: Statistic, run: Run) -> float:
    """A statistic of the original."""
    return float(asked.exact(Published(graph, PLAIN), run)[0])


def findings(setting: Setting, subject: Subject) -> Iterator[Finding]:
    """Figures 4.6 to 4.8 of one graph."""
    graph = subject.read(setting)
    mus = [mu for mu in (FEW_MUS if setting.quick else MUS) if mu <= subject.most]
    shown = {mu: Shown.of(graph, same(mu), setting.run) for mu in mus}
    for name, asked in (("density", DENSITY), ("transitivity", TRANSITIVITY)):
        yield _against_mu(subject, name, asked, shown)
    yield _degrees(subject, Shown.of(graph, same(SNAPSHOT), setting.run))
    yield _distances(setting, subject, graph)


def _against_mu(
    subject: Subject, name: str, asked: Statistic, shown: dict[float, Shown]
) -> Finding:
    """Original, published, estimated."""
    lines = []
    for mu, one in shown.items():
        true, raw = true_value(one.graph, asked, one.run), one.raw(asked)
        lines.append({"mu": mu, ORIGINAL: true, SHOWN: raw, ESTIMATED: one.estimated(asked)})
    title = f"{subject.title}: {name}"
    table = result_table(title, lines)
    drawn = Curves("mu", THREE, "mu", name, log=name == "density", log_x=True)
    figure = "Figure 4.6." if name == "density" else "Figure 4.7."
    said = _resilient(subject.title, name, lines)
    return Finding(f"{name}-{subject.name}", title, figure, table, drawn, [said])


def _resilient(title: str, name: str, lines: Sequence[dict[str, float | None]]) -> Statement:
    """At mu = 0.001 the estimate is within a hundredth, of transitivity within a twentieth."""
    line = min(lines, key=lambda one: abs(math.log((one["mu"] or 1.0) / SNAPSHOT)))
    true, raw, found = (line[which] or math.nan for which in THREE)
    off = abs(found / true - 1), abs(raw / true - 1)
    text = f"estimated {off[0]:.2%} off, published {off[1]:.0%}, at {line['mu']:g}"
    paper = f"{title}: at mu = 0.001 {name} is still estimated accurately."
    return Statement(paper, bool(off[0] <= CLOSE[name]), text)


def exceeding(degrees: Floats) -> Floats:
    """Share of nodes with a degree above 0, 1, 2, ..., whatever numbers degrees are."""
    rounded = np.maximum(np.floor(degrees + 0.5), 0).astype(np.int64)
    return np.asarray(1 - np.cumsum(np.bincount(rounded)) / len(degrees))


def laws(one: Shown) -> dict[str, Floats]:
    """Shares of nodes above each degree, by how they are told."""
    told = {
        ORIGINAL: exceeding(one.graph.degrees.astype(float)),
        SHOWN: exceeding(one.published.graph.degrees.astype(float)),
        BY_NODE: exceeding(degree_estimates(one.published)[0]),
    }
    for name, facts in ((ESTIMATED, frozenset[str]()), (STATED, one.published.facts)):
        asked = Published(one.published.graph, one.published.law, facts)
        told[name] = 1 - np.cumsum(degree_distribution(asked, one.run).share)
    return told


def farthest(one: Floats, two: Floats) -> float:
    """The distance of Kolmogorov and Smirnov."""
    size = max(len(one), len(two))
    wide = [np.pad(np.maximum(law, 0), (0, size - len(law))) for law in (one, two)]
    return float(np.abs(wide[0] - wide[1]).max())


def _degrees(subject: Subject, one: Shown) -> Finding:
    """Figure 4.8, as shares of nodes above a degree."""
    told = laws(one)
    top = int(one.graph.degrees.max())
    places = np.unique(np.round(np.geomspace(1, top, 40)).astype(int))
    lines = [
        {"degree": int(at)}
        | {name: _at(law, int(at) - 1, 0.5 / one.graph.nodes) for name, law in told.items()}
        for at in places
    ]
    title = f"{subject.title}: degrees, mu = {SNAPSHOT:g}"
    drawn = Curves("degree", tuple(told), "degree", "share of nodes with it or more",
                   log=True, log_x=True)  # fmt: skip
    text = "Figure 4.8, summed up from the right."
    return Finding(f"degrees-{subject.name}", title, text, result_table(title, lines), drawn)


def _at(law: Floats, place: int, least: float) -> float | None:
    """None where less than half a node is left."""
    value = float(law[place]) if place < len(law) else 0.0
    return value if value > least else None


def _distances(setting: Setting, subject: Subject, graph: Graph) -> Finding:
    """How far told degree laws are from the true one, by mu."""
    title = f"{subject.title}: distance to the true degree law"
    mus = [
        mu for mu in (FEW_MUS if setting.quick else (1e-5, 1e-4, 1e-3, 1e-2)) if mu <= subject.most
    ]
    names = (SHOWN, BY_NODE, ESTIMATED, STATED)
    many = 1 if setting.quick or graph.edges > 10**6 else REPEATS
    lines = []
    for mu in mus:
        found = []
        for number in range(many):
            own = Run(setting.run.words(4, "laws", number).tobytes(), setting.run.workers)
            told = laws(Shown.of(graph, same(mu), own))
            found.append([farthest(told[ORIGINAL], told[name]) for name in names])
        means = np.mean(found, axis=0).tolist()
        lines.append({"mu": mu} | dict(zip(names, means, strict=True)))
    drawn = Curves("mu", names, "mu", "Kolmogorov-Smirnov distance", log=True, log_x=True)
    text = f"{several(many, 'publication')} a point."
    return Finding(f"distances-{subject.name}", title, text, result_table(title, lines), drawn,
                   [_shape(subject.title, lines)])  # fmt: skip


def _shape(title: str, lines: Sequence[dict[str, float]]) -> Statement:
    """The thesis's estimate, node by node, is within a twentieth at mu = 0.001."""
    line = min(lines, key=lambda one: abs(math.log(one["mu"] / SNAPSHOT)))
    text = f"{line[BY_NODE]:.3f} off at {line['mu']:g}; by deconvolution {line[ESTIMATED]:.3f}"
    paper = f"{title}: estimated degrees approximate the original distribution well."
    return Statement(paper, line[BY_NODE] <= 0.05, text)


def extra(setting: Setting) -> Iterator[Finding]:
    """Modularity and path lengths, which the thesis leaves out of its figures."""
    for name, reading in (("Enron", data.ENRON), ("wiki-Vote", data.WIKI)):
        graph = data.read(setting, reading)
        yield _modularity(setting, name, graph)
        yield _paths(setting, name, graph)


def _modularity(setting: Setting, name: str, graph: Graph) -> Finding:
    """Groups found on the published graph: how good they seem, are, and are estimated to be."""
    best = modularity(graph, groups_of(graph, PLAIN, setting.run))
    lines = []
    for mu in FEW_MUS if setting.quick else MODULARITY_MUS:
        one = Shown.of(graph, same(mu), setting.run)
        naive = groups_of(one.published.graph, PLAIN, one.run)
        found = found_groups(one.published, one.run)
        value = found.judged.value
        lines.append({
            "mu": mu, "original": best, "taken as it is": modularity(one.published.graph, naive),
            "its groups, truly": modularity(graph, naive),
            "ours, estimated": value if math.isfinite(value) else None,
            "ours, truly": modularity(graph, found.groups),
        })  # fmt: skip
    title = f"{name}: modularity of groups that were found"
    table = result_table(title, lines)
    drawn = Curves("mu", table.columns[1:], "mu", "modularity", log_x=True)
    text = "Truly: of the same groups, on the original."
    return Finding(f"modularity-{name.lower()}", title, text, table, drawn)


def _paths(setting: Setting, name: str, graph: Graph) -> Finding:
    """Average path lengths; estimates that a query refuses stand in a column of their own."""
    true = float(path_figures(graph, setting.run)[0])
    lines: list[dict[str, object]] = []
    for mu in FEW_MUS if setting.quick else PATH_MUS:
        one = Shown.of(graph, same(mu), setting.run)
        why = refusal(one.published)
        value = None if why else float(estimated_paths(one.published, one.run)[0])
        lines.append({
            "mu": mu, ORIGINAL: true, SHOWN: one.raw(PATH_LENGTH), ESTIMATED: value,
            "refused": why.split(":")[0],
        })  # fmt: skip
    title = f"{name}: average path length"
    drawn = Curves("mu", THREE, "mu", "steps between connected nodes", log_x=True)
    return Finding(f"paths-{name.lower()}", title, "No estimate where one is refused.",
                   result_table(title, lines), drawn)  # fmt: skip
