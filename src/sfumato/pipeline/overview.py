"""What there is: methods, privacy models and metrics, as tables."""

from __future__ import annotations

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
    return [
        result_table("methods", methods, ["explain one: sfumato methods NAME"]),
        result_table("privacy models", models),
        result_table("metrics", metrics),
    ]


def explain_one(name: str) -> list[ResultTable]:
    """Purpose, source and parameters of one method, model or metric."""
    places = {other: place for (_, other), place in catalogue.METHODS.items()}
    places |= catalogue.MODELS
    if name in places:
        kind = catalogue.load(places[name])
        facts = [
            {"about": line} for line in (kind.__doc__ or "").split("\n\n    >>>")[0].split("\n\n")
        ]
        cleaned = [{"about": " ".join(fact["about"].split())} for fact in facts]
        return [
            result_table(f"{name}: {kind.summary}", cleaned, [f"source: {kind.source}"]),
            result_table("parameters", describe(kind)),
        ]
    metrics = {other: place for (_, other), place in catalogue.METRICS.items()}
    if name in metrics:
        metric = catalogue.load(metrics[name])
        return [result_table(name, [{"about": metric.meaning}], [f"source: {metric.source}"])]
    known = ", ".join([*places, *metrics])
    raise BadJob(f"nothing is called '{name}'", f"known: {known}")
