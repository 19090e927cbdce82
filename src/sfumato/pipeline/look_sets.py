"""Inspecting a source of sets before anything is decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from sfumato.core.answers import ResultTable
from sfumato.core.errors import BadInput, BadJob
from sfumato.data.schema import Kind, Role, Schema
from sfumato.data.table import Table
from sfumato.io.set_look import guess_way
from sfumato.io.set_sources import SetsFrom, load_sets
from sfumato.io.sources import at_hand, column_names, load_columns
from sfumato.pipeline.look import Look, decided, text_of
from sfumato.pipeline.named import build_how
from sfumato.study.inspect import Proposal, facts, proposals_table, propose
from sfumato.study.set_risk import frequencies, risk_of_sets, set_facts, singled_by_items

ASIDE = "of sets, the items are what people know: publish this as it is, or drop it"
LABEL = "the label that nobody should learn"


def way_of(source: Any, told: Mapping[str, str | None]) -> SetsFrom | None:
    """How a source of sets is read: as told, else as it seems; None if it seems to be a table."""
    how = build_how({key: value for key, value in told.items() if value is not None})
    if how == SetsFrom(label=how.label, delimiter=how.delimiter):
        found = guess_way(source)
        if found is not None:
            return replace(found.how, label=how.label, delimiter=how.delimiter)
        if how.label is None:
            return None
    how.check()
    return how


def inspect_sets(
    source: Any, how: SetsFrom, given: Mapping[Role, Sequence[str]] | None = None
) -> Look:
    """Facts of sets and of the other columns, proposed roles, and how easily people are found."""
    source = at_hand(source)
    rest, roles = _rest(source, how, given or {})
    sets = load_sets(source, how, Schema.of(drop=[n for n in rest if n != how.label])).sets
    others = load_columns(source, rest, {}, delimiter=how.delimiter) if rest else Table({}, 0)
    proposals = [_for_sets(one, how.label) for one in propose(others)]
    chosen = {one.column: roles.get(one.column, one.role) for one in proposals}
    about = "for somebody who knows all items of a person"
    known = risk_of_sets(sets)
    tables: list[ResultTable] = [set_facts(sets), frequencies(sets)]
    if rest:
        tables += [
            facts(others),
            proposals_table([decided(p, chosen[p.column]) for p in proposals]),
        ]
    tables += [replace(known, notes=(about, *known.notes)), singled_by_items(sets)]
    suggestions = {one.column: one.suggestion for one in proposals}
    kinds: dict[str, Kind] = {name: column.kind for name, column in others.columns.items()}
    return Look(tuple(tables), chosen, suggestions, kinds, {}, _stated(how), "mondrian")


def _rest(
    source: Any, how: SetsFrom, given: Mapping[Role, Sequence[str]]
) -> tuple[list[str], dict[str, Role]]:
    """Columns that do not tell of items, and the roles given to some of them."""
    if given.get(Role.QUASI):
        raise BadJob("--quasi is for tables", "of sets, the items are what people know")
    roles = {name: role for role, names in given.items() for name in names}
    if how.label is not None:
        roles[how.label] = Role.SENSITIVE
    if how.format == "fimi":
        rest = []
    elif how.format is not None:
        rest = list(roles)
    else:
        own = (how.items, how.person, how.item)
        rest = [name for name in column_names(source, how.delimiter) if name not in own]
    for name in roles:
        if name not in rest:
            raise BadInput(f"'{name}' is given a role, but is no column of people", "leave it out")
    return rest, roles


def _for_sets(one: Proposal, label: str | None) -> Proposal:
    """The same where no column can be quasi."""
    if one.column == label:
        return replace(one, role=Role.SENSITIVE, suggestion=None, reason=LABEL)
    if one.suggestion is Role.QUASI:
        return replace(one, suggestion=Role.DROP, reason=f"{one.reason}; {ASIDE}")
    return one


def _stated(how: SetsFrom) -> tuple[str, ...]:
    """The lines of a job that say how the source is read."""
    lines = ['kind = "sets"']
    for part in fields(how):
        value = getattr(how, part.name)
        if isinstance(value, str):
            lines.append(f"{part.name} = {text_of(value)}")
    return tuple(lines)
