"""Figure 4.9: nodes classified by the hubs that they are joined to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import result_table
from sfumato.core.run import Run
from sfumato.data.graph import Graph
from sfumato.methods.graphs.flips import perturbed
from sfumato.query.graph_classification import classified, hub_patterns, top_hubs
from sfumato.releases.edge_law import EdgeLaw
from sfumato.study.findings import Curves, Finding, Setting, Statement
from sfumato.study.papers import graphs_data as data
from sfumato.study.papers.graphs_runs import keeping, same

HUBS, NODES, FEW_NODES, LINKS, REPEATS, FEW = 10, 200, 20, 4, 40, 2
PRINTED_DEGREES = (482, 1_053)
TARGETS = np.array([[0] * HUBS, [0, 1] * (HUBS // 2), [1] * HUBS, [1, 0] * (HUBS // 2)])
MUS, DELETED = (1e-4, 1e-3, 1e-2, 3e-2, 0.1, 0.2), (0.05, 0.1, 0.2, 0.3, 0.5)
SHOWN_AT = (1e-3, 1e-2, 0.1)  # as many publications as the picture has
Classes = NDArray[np.int64]


def findings(setting: Setting) -> Iterator[Finding]:
    """Classes of nodes, how many are right, how large classes are told to be."""
    graph = data.read(setting, data.WIKI)
    hubs = top_hubs(graph, HUBS)
    nodes = chosen(graph, hubs, setting)
    truth = classified(graph, hubs, nodes, TARGETS)
    order = np.argsort(truth.classes, kind="stable")
    for mu in SHOWN_AT:
        yield _picture(setting, graph, hubs, nodes[order], mu)
    yield _right(setting, graph, hubs, nodes)
    yield _right_where_kept(setting, graph, hubs, nodes)
    yield _sizes(setting, graph, hubs, nodes)


def chosen(graph: Graph, hubs: Classes, setting: Setting) -> Classes:
    """Nodes drawn from those that are joined to enough hubs."""
    others = np.setdiff1d(np.arange(graph.nodes), hubs)
    joined = others[hub_patterns(graph, hubs, others).sum(1) >= LINKS]
    wanted = min(FEW_NODES if setting.quick else NODES, len(joined))
    return np.sort(setting.run.rng("classified").choice(joined, wanted, replace=False))


def around(graph: Graph, hubs: Classes, nodes: Classes) -> tuple[Graph, Classes, Classes]:
    """The nodes and hubs alone: pairs are perturbed by themselves, so no others matter."""
    kept = np.sort(np.concatenate([hubs, nodes]))
    return data.induced(graph, kept), np.searchsorted(kept, hubs), np.searchsorted(kept, nodes)


def published(
    graph: Graph, hubs: Classes, nodes: Classes, law: EdgeLaw, run: Run
) -> tuple[Graph, Classes, Classes]:
    """What is published of the nodes and hubs."""
    small, hub, node = around(graph, hubs, nodes)
    return perturbed(small, law, run).graph, hub, node


def _picture(setting: Setting, graph: Graph, hubs: Classes, nodes: Classes, mu: float) -> Finding:
    """Nodes in the order of their true classes, and the class that each seems to have."""
    true = classified(graph, hubs, nodes, TARGETS).classes
    own = Run(setting.run.words(4, "picture").tobytes())
    found = classified(*published(graph, hubs, nodes, same(mu), own), TARGETS, same(mu)).classes
    seen = f"mu = {mu:g}"
    lines = [
        {"node": place + 1, "original": int(one) + 1, seen: int(two) + 1}
        for place, (one, two) in enumerate(zip(true, found, strict=True))
    ]
    title = f"wiki-Vote: class of each node, {seen}"
    drawn = Curves("node", ("original", seen), "node, in the order of true classes", "class")
    wrong = int((true != found).sum())
    text = f"Figure 4.9. {wrong} of {len(nodes)} nodes are in a wrong class."
    table = result_table(title, lines)
    said = _printed_hubs(graph, hubs) if mu == SHOWN_AT[0] else []
    return Finding(f"classes-{mu:g}".replace(".", "-"), title, text, table, drawn, said)


def _printed_hubs(graph: Graph, hubs: Classes) -> list[Statement]:
    """Degrees as counted by the thesis, to within a twentieth."""
    degrees = np.sort(graph.degrees[hubs])[[0, -1]]
    printed = f"{PRINTED_DEGREES[0]} to {PRINTED_DEGREES[1]:,}"
    near = np.allclose(degrees, PRINTED_DEGREES, rtol=0.05)
    return [
        Statement(
            f"The ten hubs have {printed} edges.", bool(near), f"{degrees[0]} to {degrees[1]:,}"
        )
    ]


def _share_right(
    setting: Setting, graph: Graph, hubs: Classes, nodes: Classes, law: EdgeLaw, blind: bool
) -> float:
    """Share of nodes in their true class, over repeated publications."""
    truth = classified(graph, hubs, nodes, TARGETS).classes
    right = []
    for number in range(FEW if setting.quick else REPEATS):
        own = Run(setting.run.words(4, "classes", number).tobytes())
        seen = published(graph, hubs, nodes, law, own)
        found = classified(*seen, TARGETS, None if blind else law)
        right.append(float((found.classes == truth).mean()))
    return float(np.mean(right))


def _right(setting: Setting, graph: Graph, hubs: Classes, nodes: Classes) -> Finding:
    title = "wiki-Vote: share of nodes in the right class"
    lines = [
        {"mu": mu, "right": _share_right(setting, graph, hubs, nodes, same(mu), False)}
        for mu in MUS
    ]
    drawn = Curves("mu", ("right",), "mu", "share of nodes", log_x=True)
    worst = min(lines, key=lambda line: line["right"])
    said = Statement(
        "Most nodes are still classified correctly.",
        worst["right"] > 0.5,
        f"at least {worst['right']:.0%}, at {worst['mu']:g}",
    )
    text = f"Mean of {REPEATS} publications."
    return Finding("classes-right", title, text, result_table(title, lines), drawn, [said])


def _right_where_kept(setting: Setting, graph: Graph, hubs: Classes, nodes: Classes) -> Finding:
    """Where deletions outnumber additions, published distances are biased, and law matters."""
    title = "wiki-Vote: share of nodes in the right class, density kept"
    lines = []
    for share in DELETED:
        law = keeping(graph, share)
        told = {
            name: _share_right(setting, graph, hubs, nodes, law, blind)
            for name, blind in (("by published patterns", True), ("by estimated distances", False))
        }
        lines.append({"a": share} | told)
    table = result_table(title, lines)
    drawn = Curves("a", table.columns[1:], "share of edges deleted, a", "share of nodes")
    return Finding("classes-kept", title, "", table, drawn)


def _sizes(setting: Setting, graph: Graph, hubs: Classes, nodes: Classes) -> Finding:
    """How large a class is: counted from single guesses, and estimated without bias."""
    title = "wiki-Vote: size of the classes, counted and estimated"
    true = classified(graph, hubs, nodes, TARGETS).sizes
    lines = [{"mu": 0.0} | _named("true", true)]
    for mu in SHOWN_AT:
        counted, estimated = [], []
        for number in range(FEW if setting.quick else REPEATS):
            own = Run(setting.run.words(4, "classes", number).tobytes())
            found = classified(*published(graph, hubs, nodes, same(mu), own), TARGETS, same(mu))
            counted.append(np.bincount(found.classes, minlength=len(TARGETS)))
            estimated.append(found.sizes)
        for name, values in (("counted", counted), ("estimated", estimated)):
            lines.append({"mu": mu} | _named(name, np.mean(values, axis=0)))
    return Finding("class-sizes", title, "", result_table(title, lines))


def _named(how: str, sizes: Iterable[float]) -> dict[str, object]:
    return {"how": how} | {f"class {place + 1}": float(size) for place, size in enumerate(sizes)}
