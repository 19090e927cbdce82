"""A first look at a table: facts about every column, and what part each might play.

Nothing here shows a cell value, and nothing decides that a column is harmless because it looks so:
only identifiers and columns without content are decided, all else is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core.answers import ResultTable, result_table
from sfumato.core.words import several
from sfumato.data.schema import Kind, Role
from sfumato.data.table import Column, Table
from sfumato.study.vocabulary import (
    DELICATE,
    DELICATE_VALUES,
    DEMOGRAPHIC,
    NAMING,
    NUMBERING,
    PERSONAL,
)

FEW_ROWS = 50  # below this, values that all differ or all agree say little
NEARLY_ALL = 0.95
FEW_VALUES = 20
MANY_VALUES = 1000  # more are not looked through for words


@dataclass(frozen=True)
class Proposal:
    """What is proposed for one column.

    `role` is decided, or None: ask the owner. `suggestion` is what to offer as an answer, if
    there is a reason for one; it is never to be taken without asking.
    """

    column: str
    role: Role | None
    suggestion: Role | None
    kind: Kind
    type: str
    reason: str


def facts(table: Table) -> ResultTable:
    """What can be said of each column alone, without showing a value.

    `distinct` counts present values; `missing`, `nan` and `empty text` what was read as such.
    For `commonest share` and `unique rows` a missing value counts as a value, as it does in groups.

    >>> from sfumato.data.table import table_from_arrow
    >>> facts(table_from_arrow(pa.table({"age": [30, 30, 41, None]}))).rows
    (('age', 'whole number', 2, 1, 0, 0, 0.5, 2),)
    """
    rows = tuple(_fact(column) for column in table.columns.values())
    return ResultTable("columns", _HEAD, rows, (several(table.rows, "row"),))


_HEAD = (
    *("column", "type", "distinct", "missing", "nan", "empty text"),
    *("commonest share", "unique rows"),
)


def _fact(column: Column) -> tuple[str | int | float | None, ...]:
    counts = column.counts()
    rows = int(counts.sum())
    return (
        column.name,
        type_of(column),
        int((counts[int(column.has_missing) :] > 0).sum()),
        column.found.null,
        column.found.nan,
        column.found.empty,
        float(counts.max() / rows) if rows else None,
        int((counts == 1).sum()),
    )


def type_of(column: Column) -> str:
    """The type of a column's values in plain words."""
    kind = column.values.type
    if pa.types.is_integer(kind):
        return "whole number"
    if pa.types.is_floating(kind):
        return "number"
    if pa.types.is_boolean(kind):
        return "true or false"
    return "date" if column.kind is Kind.DATE or pa.types.is_temporal(kind) else "text"


def propose(table: Table) -> list[Proposal]:
    """A role for each column where one is certain, otherwise a suggestion or nothing, and why.

    Decided are identifiers (by name, or because nearly every row has its own text or running
    number) and columns without content (kept). A column is never decided to be quasi-identifying
    or sensitive; what is only likely stands under `suggestion`.

    >>> from sfumato.data.table import table_from_arrow
    >>> table = table_from_arrow(pa.table({"e-mail": ["a", "b"], "age": [30, 41]}))
    >>> [(p.column, p.role, p.suggestion) for p in propose(table)]
    [('e-mail', <Role.IDENTIFIER: 'identifier'>, None), ('age', None, <Role.QUASI: 'quasi'>)]
    """
    return [_propose(_Look.at(column)) for column in table.columns.values()]


def proposals_table(proposals: Sequence[Proposal]) -> ResultTable:
    """Proposals as a table to print."""
    rows = [
        {
            "column": p.column,
            "type": p.type,
            "role": p.role.value if p.role else "ask",
            "suggestion": p.suggestion.value if p.suggestion else "",
            "reason": p.reason,
        }
        for p in proposals
    ]
    return result_table("proposed roles", rows)


@dataclass(frozen=True)
class _Look:
    """A column with what its name and its values say."""

    column: Column
    words: frozenset[str]
    rows: int
    present: int
    distinct: int

    @classmethod
    def at(cls, column: Column) -> _Look:
        counts = column.counts()
        here = counts[int(column.has_missing) :]
        words = words_of(column.name)
        return cls(column, words, int(counts.sum()), int(here.sum()), int((here > 0).sum()))

    @property
    def differs(self) -> bool:
        """Nearly every present row has its own value."""
        return self.distinct >= NEARLY_ALL * self.present

    def named(self, vocabulary: frozenset[str]) -> bool:
        return bool(self.words & vocabulary)


def words_of(name: str) -> frozenset[str]:
    """The words of a column name, as they stand and in the singular, and neighbours joined.

    >>> sorted(words_of("patientID"))
    ['id', 'patient', 'patientid']
    """
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    words = re.findall(r"[a-z]+", split.lower())
    joined = ["".join(words[i : i + n]) for n in (2, 3) for i in range(len(words) - n + 1)]
    return frozenset(word for text in (*words, *joined) for word in (text, text.removesuffix("s")))


_MAIL = r"^[^@\s]+@[^@\s]+\.[A-Za-z]{2,}$"
_PHONE = r"^\+?[0-9][0-9 ()/.-]{5,}[0-9]$"
# Of the form of a telephone number, but more likely something else: plain digits, digits in
# threes, dates with the day or the year first.
_NO_PHONE = (
    r"^([0-9]+|[0-9]{1,3}(\.[0-9]{3})+|[0-9]{1,2}[ ./-][0-9]{1,2}[ ./-]([0-9]{2}|[0-9]{4})"
    r"|[0-9]{4}[ ./-][0-9]{1,2}[ ./-][0-9]{1,2})$"
)
_ICD = r"^[A-TV-Z][0-9][0-9A-Z](\.[0-9A-Z]{1,4})?$"


def _decide(look: _Look, role: Role, reason: str) -> Proposal:
    column = look.column
    return Proposal(column.name, role, None, column.kind, type_of(column), reason)


def _suggest(look: _Look, role: Role | None, reason: str) -> Proposal:
    column = look.column
    return Proposal(column.name, None, role, column.kind, type_of(column), reason)


def _propose(look: _Look) -> Proposal:
    """The first rule that has something to say. Order matters: names before numbers of values."""
    answers = (rule(look) for rule in _RULES)
    return next(answer for answer in answers if answer is not None)


def _empty(look: _Look) -> Proposal | None:
    if look.rows and not look.present:
        return _decide(look, Role.KEEP, "every value is missing")
    return None


def _personal_name(look: _Look) -> Proposal | None:
    if not look.named(PERSONAL):
        return None
    reason = "named like something that belongs to one person"
    if look.rows >= FEW_ROWS and look.distinct <= FEW_VALUES:
        reason += f", but with {several(look.distinct, 'different value')} only"
        return _suggest(look, Role.IDENTIFIER, reason)
    return _decide(look, Role.IDENTIFIER, reason)


def _personal_values(look: _Look) -> Proposal | None:
    if _matching(look, _MAIL) >= 0.8:
        return _decide(look, Role.IDENTIFIER, "most values have the form of an e-mail address")
    return None


def _delicate(look: _Look) -> Proposal | None:
    """Sensitive by name or by values; whether it is remains to be asked."""
    if look.named(DELICATE):
        reason = "named like health, money, belief or another private matter"
    elif _delicate_words(look):
        reason = "some values are words for an illness, a belief or another private matter"
    elif _matching(look, _ICD) >= 0.8:
        reason = "most values have the form of a diagnosis code"
    else:
        return None
    if look.distinct == 1 and look.present == look.rows:
        reason += "; every row has the same value, so whoever is in the table has it"
    if look.differs and look.rows >= FEW_ROWS and type_of(look.column) == "text":
        reason += "; nearly every row has its own text, which may name people: then drop it"
    return _suggest(look, Role.SENSITIVE, reason)


def _demographic(look: _Look) -> Proposal | None:
    if not look.named(DEMOGRAPHIC) or look.words & {"id", "identifier"}:
        return None
    reason = "likely quasi: named like something that others know of a person"
    if look.differs and look.rows >= FEW_ROWS:
        reason += "; nearly every row has its own value"
    return _suggest(look, Role.QUASI, reason)


def _constant(look: _Look) -> Proposal | None:
    if look.distinct != 1 or look.present < look.rows:
        return None
    if look.rows < FEW_ROWS:
        return _suggest(look, Role.KEEP, "every row has the same value, but there are few rows")
    return _decide(look, Role.KEEP, "every row has the same value")


def _numbering_name(look: _Look) -> Proposal | None:
    """Named like an id or a name: certain if values differ, else it may number something else."""
    if not look.named(NAMING | NUMBERING) or "of" in look.words:  # a number of things
        return None
    if look.differs and type_of(look.column) in ("text", "whole number"):
        return _decide(look, Role.IDENTIFIER, "named like an id or a name, and nearly all differ")
    if not look.named(NAMING):
        return None
    reason = "named like an id or a name, but values repeat: of something that persons share?"
    return _suggest(look, Role.IDENTIFIER, reason)


def _own_value(look: _Look) -> Proposal | None:
    """Nearly every row has its own value, though the name says nothing."""
    if not look.differs or look.rows < FEW_ROWS:
        return None
    kind = type_of(look.column)
    if kind == "text":
        return _decide(look, Role.IDENTIFIER, "nearly every row has its own text")
    if kind == "whole number" and _running(look):
        return _decide(look, Role.IDENTIFIER, "a running number: nearly every row has its own")
    if kind == "whole number" and _same_length(look):
        reason = "nearly every row has its own number, all of the same length"
        return _suggest(look, Role.IDENTIFIER, reason)
    return _suggest(look, None, "nearly every row has its own value, though its name gives no hint")


def _phone_values(look: _Look) -> Proposal | None:
    share = _matching(look, _PHONE) - _matching(look, _NO_PHONE)
    if look.distinct > 0.5 * look.present and share >= 0.8:
        return _suggest(look, Role.IDENTIFIER, "most values have the form of a telephone number")
    return None


def _moderate(look: _Look) -> Proposal | None:
    if 2 <= look.distinct <= max(FEW_VALUES, look.present // 10) and look.rows >= FEW_ROWS:
        reason = f"likely quasi: {look.distinct} different values that somebody may know"
        return _suggest(look, Role.QUASI, reason)
    return None


def _silent(look: _Look) -> Proposal | None:
    return _suggest(look, None, "neither its name nor its values give a hint")


_RULES: tuple[Callable[[_Look], Proposal | None], ...] = (
    *(_empty, _personal_name, _personal_values, _delicate, _constant, _demographic),
    *(_numbering_name, _phone_values, _own_value, _moderate, _silent),
)


def _matching(look: _Look, pattern: str) -> float:
    """Share of the (first many) distinct texts that have a form."""
    if not pa.types.is_string(look.column.values.type) or not look.distinct:
        return 0.0
    texts = look.column.values.slice(0, MANY_VALUES)
    return float(pc.mean(pc.match_substring_regex(texts, pattern)).as_py())


def _delicate_words(look: _Look) -> bool:
    """Whether at least two values hold a word from the list of private matters."""
    values = look.column.values
    if not pa.types.is_string(values.type) or not 2 <= len(values) <= MANY_VALUES:
        return False
    return sum(bool(words_of(text) & DELICATE_VALUES) for text in values.to_pylist()) >= 2


def _running(look: _Look) -> bool:
    """Whether whole numbers fill their range, as numbers given one after the other do."""
    low, high = pc.min_max(look.column.values).as_py().values()
    return bool(high - low < 1.2 * look.distinct)


def _same_length(look: _Look) -> bool:
    """Whether whole numbers have five digits or more, and all equally many."""
    low, high = pc.min_max(look.column.values).as_py().values()
    return low >= 10_000 and len(str(low)) == len(str(high))
