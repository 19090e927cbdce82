"""Inspecting a source before anything is decided: facts, risk, and a job file to start from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.core.answers import ResultTable
from sfumato.core.errors import BadInput
from sfumato.core.run import Run
from sfumato.data.plain import finite
from sfumato.data.schema import Kind, Role
from sfumato.data.table import Table, table_from_arrow
from sfumato.io.sources import at_hand, column_names, is_text, read, typed_table
from sfumato.io.typing import typed
from sfumato.study.inspect import Proposal, facts, proposals_table, propose, words_of
from sfumato.study.risk import risk, singling_out

UNREAD = (Role.IDENTIFIER, Role.DROP)
TABLE = 'kind = "table"'
STARTS = {"edge-perturbation": "mu = 0.001  # what that resists: sfumato attack --help"}
CODES = {"zip", "zipcode", "postcode", "postal", "plz", "code", "icd", "region", "area"}


@dataclass(frozen=True)
class Look:
    """What was found: tables to show, and the role of each column as far as it is decided."""

    tables: tuple[ResultTable, ...]
    roles: dict[str, Role | None]
    suggestions: dict[str, Role | None]
    kinds: dict[str, Kind]
    refused: dict[str, str]  # columns that `publish` refuses as they are, and why
    source: tuple[str, ...] = (TABLE,)  # lines of the job on how it is read
    method: str = "regroup"


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
    table, complaints = load_any(source, delimiter)
    proposals = propose(table)
    roles = _roles(proposals, given or {}, table.names)
    suggestions = {p.column: p.suggestion for p in proposals}
    known, about = _known_columns(roles, suggestions)
    refused = {name: why for name, why in complaints.items() if roles[name] not in UNREAD}
    tables = [
        _told(facts(table), *(f"publish will refuse this: {why}" for why in refused.values())),
        proposals_table([decided(p, roles[p.column]) for p in proposals]),
    ]
    if known:
        crowd = _population(population, known, delimiter)
        tables += _risks(risk(table, known, crowd), singling_out(table, known), about)
    kinds = {name: column.kind for name, column in table.columns.items()}
    return Look(tuple(tables), roles, suggestions, kinds, refused)


def _risks(found: ResultTable, singled: ResultTable, about: str) -> list[ResultTable]:
    """Both tables; the second one only if anybody is singled out."""
    if singled.rows:
        return [_told(found, about), singled]
    return [_told(found, about, "no combination of up to 3 columns singles anybody out")]


def load_any(source: Any, delimiter: str | None = None) -> tuple[Table, dict[str, str]]:
    """Every column of a source, typed where its values allow it, and what is wrong with others."""
    source = at_hand(source)
    column_names(source, delimiter)
    data = read(source, None, delimiter)
    if data.num_rows == 0:
        raise BadInput(f"{Path(str(source)).name} has no rows", "there is nothing to inspect")
    columns, complaints = dict(zip(data.column_names, data.columns, strict=True)), {}
    for name, values in columns.items() if is_text(source) else ():
        try:
            columns[name] = finite(name, typed(name, values))
        except BadInput as error:
            complaints[name] = error.what
    return table_from_arrow(pa.table(columns), workers=Run.secure().workers), complaints


def check_folder(job: Path) -> None:
    """Refuse a job file that can't be written, before any work is done."""
    if not job.resolve().parent.is_dir():
        raise BadInput(f"the folder {job.parent} does not exist", "create it")
    if job.is_dir():
        raise BadInput(f"{job} is a folder", "name a job file")


def _roles(
    proposals: Sequence[Proposal], given: Mapping[Role, Sequence[str]], names: Sequence[str]
) -> dict[str, Role | None]:
    named = [(name, role) for role, columns in given.items() for name in columns]
    chosen: dict[str, Role | None] = {}
    for name, role in named:
        if name not in names:
            raise BadInput(
                f"--{role.value} names '{name}', which is not a column",
                f"columns: {', '.join(names)}",
            )
        if chosen.setdefault(name, role) is not role:
            raise BadInput(f"column '{name}' is given two roles", "give it one")
    return {p.column: p.role for p in proposals} | chosen


def decided(proposal: Proposal, role: Role | None) -> Proposal:
    """A proposal with the role that the owner gave."""
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


def _told(table: ResultTable, *notes: str) -> ResultTable:
    return replace(table, notes=(*notes, *table.notes))


def _population(
    given: str | int | None, known: Sequence[str], delimiter: str | None
) -> Table | int | None:
    if given is None or isinstance(given, int):
        return given
    if given.isdigit():
        return int(given)
    lacking = sorted(set(known) - set(column_names(given, delimiter)))
    if lacking:
        raise BadInput(f"the population {given} has no column '{lacking[0]}'", "it needs the same")
    data = read(given, known, delimiter)
    return table_from_arrow(typed_table(data, {}, strict=False))


def starter_job(found: Look, path: str, name: str = "job.toml") -> str:
    """A job file with what is decided, and a question for every column that is not."""
    undecided = [name for name, role in found.roles.items() if role is None]
    lines = [
        f"# A job for sfumato: say what each column is, then run: sfumato publish {name}",
        "",
        "[source]",
        *found.source[:1],
        f"path = {text_of(path)}",
        *found.source[1:],
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
        names = [name for name, given in found.roles.items() if given is role]
        if role is Role.QUASI and found.source[0] != TABLE:
            continue
        lines.append(f"{role.value} = {_list(names)}  # {comment}")
    if undecided:
        lines += ["# Decide these and delete the line; suggestions:"]
        lines += [f"#   {name}: {found.suggestions[name] or 'unsure'}" for name in undecided]
        lines.append(f"undecided = {_list(undecided)}")
    return "\n".join([*lines, "", *_types(found), *_rest(found)])


def _types(found: Look) -> list[str]:
    """Columns to publish as categories, because their numbers are none or are refused."""
    codes = [n for n, k in found.kinds.items() if k is Kind.NUMBER and words_of(n) & CODES]
    if not codes and not found.refused:
        return []
    lines = ["[schema.types]"]
    lines += [f'{text_of(name)} = "category"  # numbers that name something' for name in codes]
    lines += [
        f'{text_of(name)} = "category"  # or clean it: {found.refused[name]}'
        for name in found.refused
    ]
    return [*lines, ""]


def _rest(found: Look) -> list[str]:
    sensitive = [name for name, role in found.roles.items() if role is Role.SENSITIVE]
    named = f'name = "{found.method}"  # see: sfumato methods'
    lines = ["[method]", named, STARTS.get(found.method, "k = 10"), ""]
    for name in sensitive[:1]:
        lines += [
            "[[require]]",
            'model = "entropy-l-diversity"',
            f"column = {text_of(name)}",
            "l = 2",
            "",
        ]
    return [*lines, "[output]", 'path = "release"', 'ledger = "release-ledger"', ""]


def text_of(text: str) -> str:
    """A text as TOML writes it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _list(names: Sequence[str]) -> str:
    return f"[{', '.join(text_of(name) for name in names)}]"
