"""In Python: methods and models by name, and sets from their source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from sfumato.core import catalogue
from sfumato.core.errors import BadInput
from sfumato.core.parameters import build
from sfumato.core.run import Run
from sfumato.data.graph import Network
from sfumato.data.schema import Schema
from sfumato.data.sets import Holders
from sfumato.io.graph_sources import GraphFrom, load_graph
from sfumato.io.set_sources import SetsFrom, load_sets
from sfumato.methods.base import Method
from sfumato.models.base import Model, parse_model

How = TypeVar("How")


def method(name: str, *, kind: str = "table", **parameters: Any) -> Method:
    """A method by its name, as a job names it, for tables or for sets.

    Parameters are checked here; `sfumato methods NAME` on the command line explains them.

    >>> method("regroup", k=10)
    Regroup(k=10, effort=4, weights={})
    >>> method("two-phase", kind="sets", k=10).form
    'recoded'
    """
    made: Method = build(catalogue.method(kind, name), parameters, "method")
    return made


def model(name: str, **parameters: Any) -> Model:
    """A privacy model by its name, to be required of a release.

    >>> model("entropy-l-diversity", column="diagnosis", l=2).statement()
    'in every group diagnosis is at least as uncertain as 2 equally frequent values'
    """
    return parse_model(name, parameters, "model")


def read_sets(
    source: Any,
    *,
    roles: Mapping[str, Sequence[str]] | None = None,
    utility: Path | str | None = None,
    hierarchy: Path | str | None = None,
    **how: Any,
) -> Holders:
    """Read who has which items from a file or a frame.

    Say how the source tells it, with one of: `items`, a column of lists; `person` and `item`, two
    columns; `format`, "fimi", "one-hot" or "columns". `label` names a sensitive column, `utility` a
    file of what items are worth, `hierarchy` one of what items are kinds of. `roles` gives other
    columns theirs, such as {"drop": ["person"]}; each must have one.

    >>> people = read_sets(
    ...     {"who": ["ann", "ben"], "has": [["milk", "bread"], ["milk"]]},
    ...     items="has", roles={"identifier": ["who"]})
    >>> people.sets.names.to_pylist(), people.sets.counts.tolist()
    (['bread', 'milk'], [1, 2])
    """
    files = {"utility": utility, "hierarchy": hierarchy}
    paths = {key: Path(place) for key, place in files.items() if place is not None}
    stated = build_how(how | paths)
    schema = Schema.of(kinds=None, **(roles or {}))
    return load_sets(source, stated, schema, Run.secure().workers)


def read_graph(
    edges: Any,
    /,
    *,
    roles: Mapping[str, Sequence[str]] | None = None,
    **how: Any,
) -> Network:
    """Read who is connected to whom: a file or frame of edges, or a graph of NetworkX, igraph or
    SciPy.

    `source` and `target` name the columns of an edge list (by default those words), or `format` is
    "plain" for lines of two names. `nodes` and `node` name a file or frame with a row for every
    node and its column of names; `roles` says what its other columns are. `simplify` lists what to
    iron out: "loops", "repeats", "directions"; else such a source is refused.

    >>> friends = read_graph({"source": ["ann", "ben"], "target": ["ben", "cy"]})
    >>> friends.graph.nodes, friends.graph.edges
    (3, 2)
    """
    stated = _built(GraphFrom, how, "a graph")
    schema = Schema.of(kinds=None, **(roles or {}))
    return load_graph(edges, stated, schema, Run.secure().workers)


def build_how(stated: dict[str, Any]) -> SetsFrom:
    """A source's description from keywords, or an error that lists them."""
    return _built(SetsFrom, stated, "sets")


def _built(form: type[How], stated: dict[str, Any], of: str) -> How:
    known = list(form.__dataclass_fields__)  # type: ignore[attr-defined]
    for key in stated:
        if key not in known:
            raise BadInput(
                f"'{key}' says nothing about a source of {of}", f"known: {', '.join(known)}"
            )
    return form(**stated)
