"""What formulas say of structural attacks on a graph, before anything is published."""

from __future__ import annotations

import math

from sfumato.attacks.graph_attack import GraphAttack
from sfumato.attacks.graph_risk import (
    interval_success,
    lambda_background,
    least_deletion,
    link_risk,
    path_survival,
)
from sfumato.core.answers import ResultTable, result_table
from sfumato.data.graph import Graph
from sfumato.releases.edge_law import EdgeLaw

STOPPED = 0.05  # survival of the path at which its attack is called stopped
WIDTH = 5


def risk_table(graph: Graph, law: EdgeLaw, attack: GraphAttack) -> ResultTable:
    """Steps of attacks, and links of people who are known to be there, as probabilities."""
    nodes, planted = graph.nodes + attack.planted, attack.planted
    edges = planted - 1 + (planted - 1) * (planted - 2) / 4
    pairs = planted * (planted - 1) / 2
    met = attack.victims * (attack.links + attack.design.most) / 2 / planted
    degree = round(2 * edges / planted + met + attack.outside)
    passing = [
        interval_success(nodes, [degree] * planted, round(edges), law, width)
        for width in (0, WIDTH)
    ]
    told, untold = link_risk(graph.pairs, graph.edges, law)
    lost = round(edges * law.delete), round((pairs - edges) * law.add)
    kept = round(edges) - lost[0], round(pairs - edges) - lost[1]
    density = graph.edges / graph.pairs
    placed = lambda_background(nodes, density, law, kept, lost)
    rows = [
        ("the path of planted nodes survives", path_survival(planted, law)),
        (f"delete at which it survives with {STOPPED}", least_deletion(planted, STOPPED)),
        ("degrees and edges pass with width 0", passing[0]),
        (f"degrees and edges pass with width {WIDTH}", passing[1]),
        ("the right placement, all being weighed", 10.0**placed if placed > -300 else 0.0),
        ("a published edge was there", told),
        ("a pair without a published edge was connected", untold),
    ]
    notes = [
        "for typical planted nodes; width: of degree intervals, without errors",
        "the right placement: its probability with as many changed pairs as are expected, against "
        "all placements in a graph of this density; real graphs are denser in places",
        "the last two: for somebody who knows who both nodes are, and else the density alone",
    ]
    return result_table(
        "what formulas say of this setting",
        [{"what": what, "probability": chance} for what, chance in rows if math.isfinite(chance)],
        notes,
    )
