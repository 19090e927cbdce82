"""What there is: methods, privacy models, metrics, attacks and statistics, as tables."""

from __future__ import annotations

from typing import Any

from sfumato.core import catalogue
from sfumato.core.answers import ResultTable, result_table
from sfumato.core.errors import BadJob
from sfumato.core.parameters import describe


def overview() -> list[ResultTable]:
    """Everything that can be asked for by name."""
    methods = [
        {"method": name, "for a": kind, "form": found.form, "what it does": found.summary}
        for (kind, name), place in catalogue.METHODS.items()
        for found in [catalogue.load(place)]
    ]
    models = [
        {"model": name, "what it asks": catalogue.load(place).summary}
        for name, place in catalogue.MODELS.items()
    ]
    metrics = [
        {"metric": name, "for a": kind, "what it says": catalogue.load(place).meaning}
        for (kind, name), place in catalogue.METRICS.items()
    ]
    attacks = [
        {"attack": name, "on a": kind, "what it does": catalogue.load(place).summary}
        for (kind, name), place in catalogue.ATTACKS.items()
    ]
    statistics = [
        {"statistic": name, "for a": "graph", "what it answers": catalogue.load(place).meaning}
        for name, place in catalogue.STATISTICS.items()
    ]
    return [
        result_table("methods", methods, ["explain one: sfumato methods NAME"]),
        result_table("privacy models", models),
        result_table("metrics", metrics),
        result_table("attacks", attacks, ["carry one out: sfumato attack --help"]),
        result_table("statistics", statistics, ["ask for one: sfumato query RELEASE NAME"]),
    ]


def explain_one(name: str) -> list[ResultTable]:
    """Purpose, source and parameters of everything that is called so."""
    places = [place for (_, other), place in catalogue.METHODS.items() if other == name]
    places += [place for other, place in catalogue.MODELS.items() if other == name]
    places += [place for (_, other), place in catalogue.ATTACKS.items() if other == name]
    metrics = {place: None for (_, other), place in catalogue.METRICS.items() if other == name}
    tables = [table for place in places for table in _with_parameters(catalogue.load(place))]
    tables += [_of_metric(catalogue.load(place)) for place in metrics]
    tables += [_of_statistic(catalogue.statistic(name))] if name in catalogue.STATISTICS else []
    if not tables:
        parts = (catalogue.METHODS, catalogue.METRICS, catalogue.ATTACKS)
        methods, measured, attacks = ([name for _, name in part] for part in parts)
        others = [*catalogue.MODELS, *measured, *attacks, *catalogue.STATISTICS]
        known = ", ".join(dict.fromkeys([*methods, *others]))
        raise BadJob(f"nothing is called '{name}'", f"known: {known}")
    return tables


def _with_parameters(kind: Any) -> list[ResultTable]:
    """A method, a model or an attack."""
    parts = (kind.__doc__ or "").split("\n\n    >>>")[0].split("\n\n")
    facts = [{"about": " ".join(part.split())} for part in parts]
    what = f", for {kind.kind}" if hasattr(kind, "kind") else ""
    return [
        result_table(f"{kind.name}{what}: {kind.summary}", facts, [f"source: {kind.source}"]),
        result_table("parameters", describe(kind)),
    ]


def _of_metric(metric: Any) -> ResultTable:
    return result_table(metric.name, [{"about": metric.meaning}], [f"source: {metric.source}"])


def _of_statistic(found: Any) -> ResultTable:
    facts = [{"about": found.meaning}, {"about": f"unbiased: {found.unbiased}"}]
    if found.truth:
        facts.append({"about": f"truth: {found.truth}"})
    return result_table(found.name, facts, [f"source: {found.source or 'ours'}"])
