"""What each column is and what may happen to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sfumato.core.errors import BadJob


class Role(StrEnum):
    """What a column is to somebody who wants to find a person."""

    IDENTIFIER = "identifier"
    QUASI = "quasi"
    SENSITIVE = "sensitive"
    KEEP = "keep"
    DROP = "drop"


class Kind(StrEnum):
    """How the values of a column compare: ordered numbers and dates, or unordered categories."""

    NUMBER = "number"
    DATE = "date"
    CATEGORY = "category"


PUBLISHED = (Role.QUASI, Role.SENSITIVE, Role.KEEP)

# What a release adds beside the columns themselves: the group of every record and its size, and
# for a quasi-identifier the parts of its cells.
GROUP, SIZE = "group", "group_size"
PARTS = ("lower", "upper", "missing", "values", "level")


@dataclass(frozen=True)
class Field:
    """One column: its name and role, and its kind where the owner fixed it."""

    name: str
    role: Role
    kind: Kind | None = None


@dataclass(frozen=True)
class Schema:
    """The columns of a table, each with exactly one role.

    >>> schema = Schema.of(quasi=["age", "sex"], sensitive=["diagnosis"])
    >>> schema.quasi
    ('age', 'sex')
    """

    fields: tuple[Field, ...]

    @classmethod
    def of(
        cls,
        *,
        kinds: dict[str, Kind | str] | None = None,
        **roles: Sequence[str],
    ) -> Schema:
        """A schema from lists of column names by role."""
        for role, names in roles.items():
            if role not in set(Role):
                raise BadJob(f"there is no role '{role}'", f"roles: {', '.join(Role)}")
            if isinstance(names, str):
                raise BadJob(f"{role} is the text '{names}'", f'give a list: {role}=["{names}"]')
        fixed = {name: Kind(kind) for name, kind in (kinds or {}).items()}
        fields = tuple(
            Field(name, Role(role), fixed.get(name))
            for role, names in roles.items()
            for name in names
        )
        schema = cls(fields)
        schema._check(fixed)
        return schema

    def _check(self, fixed: Iterable[str]) -> None:
        seen: set[str] = set()
        for field in self.fields:
            if field.name in seen:
                raise BadJob(f"schema: column '{field.name}' is listed twice", "give it one role")
            seen.add(field.name)
        for name in fixed:
            if name not in seen:
                raise BadJob(f"schema.types: column '{name}' has no role", "list it under a role")
        self._check_added()

    def _check_added(self) -> None:
        """Refuse columns whose names a release needs for what it adds."""
        added = {GROUP, SIZE, *(f"{name}_{part}" for name in self.quasi for part in PARTS)}
        for name in self.published:
            if name in added:
                raise BadJob(
                    f"schema: a release has a column '{name}' of its own",
                    "rename yours, or drop it",
                )

    def with_role(self, *roles: Role) -> tuple[str, ...]:
        """Names of the columns that have one of these roles, in schema order."""
        return tuple(field.name for field in self.fields if field.role in roles)

    @property
    def quasi(self) -> tuple[str, ...]:
        """Columns that an adversary may know, made coarser before publication."""
        return self.with_role(Role.QUASI)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Columns that nobody should be able to tell of a person."""
        return self.with_role(Role.SENSITIVE)

    @property
    def keep(self) -> tuple[str, ...]:
        """Columns published as they are."""
        return self.with_role(Role.KEEP)

    @property
    def published(self) -> tuple[str, ...]:
        """Every column of which something is published."""
        return self.with_role(*PUBLISHED)

    def kind(self, name: str) -> Kind | None:
        """The kind the owner fixed for a column, if any."""
        return next(field.kind for field in self.fields if field.name == name)

    def with_kinds(self, kinds: Mapping[str, Kind]) -> Schema:
        """The same roles with the kinds that the columns were found to have."""
        fields = (Field(f.name, f.role, kinds.get(f.name, f.kind)) for f in self.fields)
        return Schema(tuple(fields))

    def cover(self, names: Sequence[str]) -> None:
        """Refuse a table whose columns are not exactly those of the schema."""
        listed = {field.name for field in self.fields}
        if missing := sorted(listed - set(names)):
            alone = len(names) == 1
            raise BadJob(
                f"schema: {_columns(missing, 'is', 'are')} not in the data",
                f"the data has {_quoted(names)}{' alone: is it the delimiter?' if alone else ''}",
            )
        if unlisted := sorted(set(names) - listed):
            raise BadJob(
                f"schema: {_columns(unlisted, 'has', 'have')} no role",
                "list each as identifier, quasi, sensitive, keep or drop",
            )


def _columns(names: Sequence[str], one: str, many: str) -> str:
    return (
        f"column {_quoted(names)} {one}" if len(names) == 1 else f"columns {_quoted(names)} {many}"
    )


def _quoted(names: Sequence[str], most: int = 12) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
