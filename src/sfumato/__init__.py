"""sfumato: publish data about people without publishing people.

Everything public is named here and loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_PLACES = {
    "Schema": "sfumato.data.schema",
    "SfumatoError": "sfumato.core.errors",
    "attack_graph": "sfumato.pipeline.attack",
    "audit_release": "sfumato.pipeline.judge",
    "inspect_table": "sfumato.pipeline.look",
    "measure_release": "sfumato.pipeline.measure",
    "method": "sfumato.pipeline.named",
    "model": "sfumato.pipeline.named",
    "open_release": "sfumato.io.opening",
    "publish": "sfumato.pipeline.publish",
    "query_release": "sfumato.pipeline.ask",
    "read_graph": "sfumato.pipeline.named",
    "read_sets": "sfumato.pipeline.named",
    "report_release": "sfumato.pipeline.report",
    "run_job": "sfumato.pipeline.publish",
    "sample": "sfumato.pipeline.sample",
    "save": "sfumato.pipeline.publish",
}

__all__ = [*_PLACES, "__version__"]

if TYPE_CHECKING:
    from sfumato.core.errors import SfumatoError as SfumatoError
    from sfumato.data.schema import Schema as Schema
    from sfumato.io.opening import open_release as open_release
    from sfumato.pipeline.ask import query_release as query_release
    from sfumato.pipeline.attack import attack_graph as attack_graph
    from sfumato.pipeline.judge import audit_release as audit_release
    from sfumato.pipeline.look import inspect_table as inspect_table
    from sfumato.pipeline.measure import measure_release as measure_release
    from sfumato.pipeline.named import method as method
    from sfumato.pipeline.named import model as model
    from sfumato.pipeline.named import read_graph as read_graph
    from sfumato.pipeline.named import read_sets as read_sets
    from sfumato.pipeline.publish import publish as publish
    from sfumato.pipeline.publish import run_job as run_job
    from sfumato.pipeline.publish import save as save
    from sfumato.pipeline.report import report_release as report_release
    from sfumato.pipeline.sample import sample as sample


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from sfumato.version import VERSION

        return VERSION
    if name not in _PLACES:
        raise AttributeError(f"module 'sfumato' has no attribute '{name}'")
    found = globals()[name] = getattr(import_module(_PLACES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
