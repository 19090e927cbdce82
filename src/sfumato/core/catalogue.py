"""Everything that can be asked for by name: one literal table, loaded an entry at a time."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sfumato.core.errors import BadInput, BadJob, Refused

METHODS = {
    ("table", "mondrian"): "sfumato.methods.tables.mondrian:Mondrian",
    ("table", "regroup"): "sfumato.methods.tables.regroup:Regroup",
    ("table", "distribution"): "sfumato.methods.tables.distribution:Distribution",
    ("table", "patterns"): "sfumato.methods.tables.patterns:Patterns",
    ("table", "permutation"): "sfumato.methods.tables.permutation:Permutation",
    ("table", "ra"): "sfumato.methods.tables.ra:RA",
    ("sets", "mondrian"): "sfumato.methods.sets.mondrian:SetsMondrian",
    ("sets", "cluster"): "sfumato.methods.sets.cluster:Cluster",
    ("sets", "iterative-cluster"): "sfumato.methods.sets.iterative_cluster:IterativeCluster",
    ("sets", "two-phase"): "sfumato.methods.sets.two_phase:TwoPhase",
    ("sets", "k1"): "sfumato.methods.sets.k1:KOne",
    ("sets", "nonreciprocal"): "sfumato.methods.sets.nonreciprocal:Nonreciprocal",
    ("sets", "cahd"): "sfumato.methods.sets.cahd:Cahd",
    ("graph", "edge-perturbation"): "sfumato.methods.graphs.edge_perturbation:EdgePerturbation",
}

MODELS = {
    "k-anonymity": "sfumato.models.k_anonymity:KAnonymity",
    "distinct-l-diversity": "sfumato.models.l_diversity:DistinctLDiversity",
    "entropy-l-diversity": "sfumato.models.l_diversity:EntropyLDiversity",
    "recursive-cl-diversity": "sfumato.models.l_diversity:RecursiveCLDiversity",
    "t-closeness": "sfumato.models.t_closeness:TCloseness",
    "p-sensitive-k-anonymity": "sfumato.models.p_sensitive:PSensitive",
    "p-alpha-anonymity": "sfumato.models.p_sensitive:PAlpha",
    "alpha-k-anonymity": "sfumato.models.alpha_k:AlphaK",
    "belief-change": "sfumato.models.belief:BeliefChange",
}

METRICS = {
    ("table", "ncp"): "sfumato.metrics.loss:ncp",
    ("table", "ncp-columns"): "sfumato.metrics.loss:ncp_columns",
    ("table", "loss"): "sfumato.metrics.loss:loss_metric",
    ("table", "suppressed"): "sfumato.metrics.loss:suppressed",
    ("table", "hierarchy-distance"): "sfumato.metrics.climb:hierarchy_distance",
    ("table", "hierarchy-levels"): "sfumato.metrics.climb:hierarchy_levels",
    ("table", "groups"): "sfumato.metrics.classes:groups",
    ("table", "smallest-group"): "sfumato.metrics.classes:smallest_group",
    ("table", "class-size"): "sfumato.metrics.classes:class_size",
    ("table", "average-class-size"): "sfumato.metrics.classes:average_class_size",
    ("table", "discernibility"): "sfumato.metrics.classes:discernibility",
    ("table", "classification"): "sfumato.metrics.classes:classification",
    ("table", "ambiguity"): "sfumato.metrics.ambiguity:ambiguity",
    ("table", "diameter"): "sfumato.metrics.diameter:diameter",
    ("table", "entropy"): "sfumato.metrics.entropy:entropy",
    ("table", "distortion"): "sfumato.metrics.distortion:distortion",
    ("table", "shift"): "sfumato.metrics.replaced:shift",
    ("table", "nearest-alike"): "sfumato.metrics.replaced:nearest_alike",
    ("table", "replacement-perplexity"): "sfumato.metrics.redrawn:perplexity",
    ("table", "kept-links"): "sfumato.metrics.redrawn:kept_links",
    ("table", "inference"): "sfumato.metrics.redrawn:inference",
    ("table", "associations"): "sfumato.metrics.associations:kept_associations",
    ("sets", "utility"): "sfumato.metrics.set_utility:utility",
    ("sets", "instances"): "sfumato.metrics.set_utility:instances",
    ("sets", "items-shown"): "sfumato.metrics.set_utility:items_shown",
    ("sets", "mean-items"): "sfumato.metrics.set_utility:mean_items",
    ("sets", "nothing-shown"): "sfumato.metrics.set_utility:nothing_shown",
    ("sets", "reach"): "sfumato.metrics.set_utility:reach",
    ("sets", "groups"): "sfumato.metrics.classes:groups",
    ("sets", "smallest-group"): "sfumato.metrics.classes:smallest_group",
    ("sets", "class-size"): "sfumato.metrics.classes:class_size",
    ("sets", "average-class-size"): "sfumato.metrics.classes:average_class_size",
    ("sets", "discernibility"): "sfumato.metrics.classes:discernibility",
    ("sets", "bit-error-rate"): "sfumato.metrics.worlds:bit_error_rate",
    ("sets", "own-bit-error-rate"): "sfumato.metrics.worlds:own_bit_error_rate",
    ("sets", "open-items"): "sfumato.metrics.worlds:open_items",
    ("sets", "threshold"): "sfumato.metrics.worlds:threshold",
    ("sets", "worlds"): "sfumato.metrics.worlds:worlds",
    ("sets", "certain-records"): "sfumato.metrics.worlds:certain_records",
    ("sets", "hamming-sums"): "sfumato.metrics.worlds:hamming_sums",
    ("sets", "query-error"): "sfumato.metrics.worlds:query_error",
    ("graph", "published-edges"): "sfumato.metrics.graph_links:published_edges",
    ("graph", "true-edges"): "sfumato.metrics.graph_links:true_edges",
    ("graph", "kept-edges"): "sfumato.metrics.graph_links:kept_edges",
    ("graph", "edge-odds"): "sfumato.metrics.graph_links:edge_odds",
    ("graph", "degree-noise"): "sfumato.metrics.graph_links:degree_noise",
}

ATTACKS = {
    ("table", "original-values"): "sfumato.attacks.original_values:OriginalValues",
    ("graph", "likelihood-beam"): "sfumato.attacks.likelihood:LikelihoodBeam",
    ("graph", "interval-walk"): "sfumato.attacks.interval_walk:IntervalWalk",
    ("graph", "walk-based"): "sfumato.attacks.interval_walk:WalkBased",
    ("graph", "likelihood"): "sfumato.attacks.likelihood:Likelihood",
}

STATISTICS = {
    "edges": "sfumato.query.graph_edges:EDGES",
    "density": "sfumato.query.graph_edges:DENSITY",
    "degree-distribution": "sfumato.query.graph_degrees:DEGREES",
    "triads": "sfumato.query.graph_triads:TRIADS",
    "triangles": "sfumato.query.graph_triads:TRIANGLES",
    "transitivity": "sfumato.query.graph_triads:TRANSITIVITY",
    "patterns-4": "sfumato.query.graph_patterns:PATTERNS",
    "modularity": "sfumato.query.graph_modularity:MODULARITY",
    "found-modularity": "sfumato.query.graph_found:FOUND_MODULARITY",
    "path-length": "sfumato.query.graph_paths:PATH_LENGTH",
    "effective-diameter": "sfumato.query.graph_paths:EFFECTIVE_DIAMETER",
    "reachable": "sfumato.query.graph_paths:REACHABLE",
    "hubs": "sfumato.query.graph_hubs:HUBS_STATISTIC",
}

STUDIES = {
    "distribution": "sfumato.study.papers.distribution:STUDY",
    "graphs": "sfumato.study.papers.graphs:STUDY",
    "sets": "sfumato.study.papers.sets:STUDY",
    "nonreciprocal": "sfumato.study.papers.nonreciprocal:STUDY",
    "patterns": "sfumato.study.papers.patterns:STUDY",
    "ra": "sfumato.study.papers.ra:STUDY",
}


def load(place: str) -> Any:
    """The object at "module:name"."""
    module, name = place.split(":")
    return getattr(import_module(module), name)


def method(kind: str, name: str) -> Any:
    """The class of a method, or an error that lists the methods of this kind of data."""
    if (kind, name) in METHODS:
        return load(METHODS[kind, name])
    known = [other for of, other in METHODS if of == kind]
    raise BadJob(f"method.name is '{name}'", f"methods for {kind}: {', '.join(known)}")


def attack(kind: str, name: str) -> Any:
    """The class of an attack, or an error that lists the attacks on this kind of data."""
    if (kind, name) in ATTACKS:
        return load(ATTACKS[kind, name])
    known = [other for of, other in ATTACKS if of == kind]
    raise BadJob(f"attack.name is '{name}'", f"attacks on {kind}: {', '.join(known)}")


def metrics(kind: str) -> list[Any]:
    """All metrics for a kind of data."""
    return [load(place) for (of, _), place in METRICS.items() if of == kind]


def model(name: str, where: str = "require") -> Any:
    """The class of a privacy model, or an error that lists the models."""
    if name in MODELS:
        return load(MODELS[name])
    raise BadJob(f"{where}.model is '{name}'", f"models: {', '.join(MODELS)}")


def statistic(name: str) -> Any:
    """A statistic of graphs, or an error that lists them."""
    if name in STATISTICS:
        return load(STATISTICS[name])
    raise Refused(f"no statistic is called '{name}'", f"statistics: {', '.join(STATISTICS)}")


def study(name: str) -> Any:
    """A study, or an error that lists the studies."""
    if name in STUDIES:
        return load(STUDIES[name])
    raise BadInput(f"no study is called '{name}'", f"studies: {', '.join(STUDIES)}")
