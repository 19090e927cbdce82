"""Inspecting a source before anything is decided: facts, risk, and a job file to start from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.core.answers import ResultTable
from sfumato.core.errors import BadInput
from sfumato.core.run import Run
from sfumato.data.schema import Kind, Role
from sfumato.data.table import Table, table_from_arrow
from sfumato.io.sources import column_names, read, typed_table
from sfumato.study.inspect import Proposal, facts, proposals_table, propose, words_of
from sfumato.study.risk import risk, singling_out

CODES = {"zip", "zipcode", "postcode", "postal", "plz", "code", "icd", "region", "area"}


@dataclass(frozen=True)
class Look:
    """What was found: tables to show, and the role of each column as far as it is decided."""

    tables: tuple[ResultTable, ...]
    roles: dict[str, Role | None]
    suggestions: dict[str, Role | None]
    kinds: dict[str, Kind]


def inspect_table(
    source: Any,
    given: Mapping[Role, Sequence[str]] | None = None,
    population: str | int | None = None,
    delimiter: str | None = None,
) -> Look:
    """Facts of every column, proposed roles, and how easily people are singled out.

    Roles given by the owner win over proposals. Risk is computed over the columns given as quasi,
    or else over all that may be (decided identifiers, dropped and sensitive ones left out), and
    says so.
    """
    table = load_any(source, delimiter)
    proposals = propose(table)
    roles = _roles(proposals, given or {}, table.names)
    suggestions = {p.column: p.suggestion for p in proposals}
    known, about = _known_columns(roles, suggestions)
    tables = [facts(table), proposals_table([_decided(p, roles[p.column]) for p in proposals])]
    if known and table.rows:
        crowd = _population(population, known, delimiter)
        tables += [_told(risk(table, known, crowd), about), singling_out(table, known)]
    kinds = {name: column.kind for name, column in table.columns.items()}
    return Look(tuple(tables), roles, suggestions, kinds)


def load_any(source: Any, delimiter: str | None = None) -> Table:
    """Every column of a source, typed where its values allow it."""
    column_names(source, delimiter)
    data = read(source, None, delimiter)
    if data.num_rows == 0:
        raise BadInput(f"{Path(str(source)).name} has no rows", "there is nothing to inspect")
    return table_from_arrow(typed_table(data, {}, strict=False), workers=Run.secure().workers)


def _roles(
    proposals: Sequence[Proposal], given: Mapping[Role, Sequence[str]], names: Sequence[str]
) -> dict[str, Role | None]:
    roles = {p.column: p.role for p in proposals}
    for role, columns in given.items():
        for name in columns:
            if name not in roles:
                raise BadInput(
                    f"--{role.value} names '{name}', which is not a column",
                    f"columns: {', '.join(names)}",
                )
            roles[name] = role
    return roles


def _decided(proposal: Proposal, role: Role | None) -> Proposal:
    if role == proposal.role:
        return proposal
    return Proposal(proposal.column, role, None, proposal.kind, proposal.type, "given by you")


def _known_columns(
    roles: dict[str, Role | None], suggestions: dict[str, Role | None]
) -> tuple[list[str], str]:
    quasi = [name for name, role in roles.items() if role is Role.QUASI]
    if quasi:
        known = quasi + [name for name, role in roles.items() if role is Role.KEEP]
        return known, f"for somebody who knows {', '.join(known)}"
    likely = [name for name, role in roles.items() if role is None]
    likely = [name for name in likely if suggestions[name] is not Role.SENSITIVE]
    return likely, f"no column is quasi yet; for somebody who knew {', '.join(likely)}"


def _told(table: ResultTable, about: str) -> ResultTable:
    return ResultTable(table.title, table.columns, table.rows, (about, *table.notes))


def _population(
    given: str | int | None, known: Sequence[str], delimiter: str | None
) -> Table | int | None:
    if given is None or isinstance(given, int):
        return given
    if given.isdigit():
        return int(given)
    data = read(given, known, delimiter)
    return table_from_arrow(typed_table(data, {}, strict=False))


def starter_job(found: Look, path: str) -> str:
    """A job file with what is decided, and a question for every column that is not."""
    undecided = [name for name, role in found.roles.items() if role is None]
    lines = [
        "# A job for sfumato: say what each column is, then run: sfumato publish job.toml",
        "",
        "[source]",
        'kind = "table"',
        f"path = {_text(path)}",
        "",
        "[schema]",
    ]
    comments = {
        Role.IDENTIFIER: "never published",
        Role.QUASI: "may be known to somebody; made coarser",
        Role.SENSITIVE: "nobody should learn it of a person",
        Role.KEEP: "published as it is; counts as known",
        Role.DROP: "not published",
    }
    for role, comment in comments.items():
        names = [name for name, decided in found.roles.items() if decided is role]
        lines.append(f"{role.value} = {_list(names)}  # {comment}")
    if undecided:
        lines += ["# Decide these and delete the line; suggestions:"]
        lines += [f"#   {name}: {found.suggestions[name] or 'unsure'}" for name in undecided]
        lines.append(f"undecided = {_list(undecided)}")
    codes = [n for n, k in found.kinds.items() if k is Kind.NUMBER and words_of(n) & CODES]
    if codes:
        lines += ["", "[schema.types]  # numbers that name something rather than count it"]
        lines += [f'{_text(name)} = "category"' for name in codes]
    return "\n".join([*lines, "", *_rest(found)])


def _rest(found: Look) -> list[str]:
    sensitive = [name for name, role in found.roles.items() if role is Role.SENSITIVE]
    lines = ["[method]", 'name = "regroup"  # see: sfumato methods', "k = 10", ""]
    for name in sensitive[:1]:
        lines += [
            "[[require]]",
            'model = "entropy-l-diversity"',
            f"column = {_text(name)}",
            "l = 2",
            "",
        ]
    return [*lines, "[output]", 'path = "release"', 'ledger = "release-ledger"', ""]


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _list(names: Sequence[str]) -> str:
    return f"[{', '.join(_text(name) for name in names)}]"
