"""Roles of columns, and the names that a release keeps for itself."""

from __future__ import annotations

import pytest

from sfumato.core.errors import BadJob
from sfumato.data.schema import Kind, Role, Schema


def test_roles() -> None:
    schema = Schema.of(
        identifier=["name"], quasi=["age"], sensitive=["ill"], keep=["x"], drop=["y"]
    )
    assert schema.published == ("age", "ill", "x")
    assert schema.with_role(Role.DROP, Role.IDENTIFIER) == ("name", "y")
    schema.cover(["y", "x", "ill", "age", "name"])


@pytest.mark.parametrize(
    ("roles", "says"),
    [
        ({"quasi": ["a"], "keep": ["a"]}, "column 'a' is listed twice"),
        ({"quasi": ["a"], "kinds": {"b": "number"}}, "schema.types: column 'b' has no role"),
        ({"quasi": ["group"]}, "column 'group' of its own"),
        ({"quasi": ["a"], "sensitive": ["group"]}, "column 'group' of its own"),
        ({"quasi": ["a"], "keep": ["group_size"]}, "column 'group_size' of its own"),
        ({"quasi": ["age", "age_lower"]}, "column 'age_lower' of its own"),
        ({"quasi": ["age"], "sensitive": ["age_values"]}, "column 'age_values' of its own"),
        ({"quasi": ["age"], "keep": ["age_level"]}, "column 'age_level' of its own"),
        ({"quasi": ["age", "age_missing"]}, "column 'age_missing' of its own"),
    ],
)
def test_bad_roles(roles: dict, says: str) -> None:
    with pytest.raises(BadJob, match=says):
        Schema.of(**roles)


def test_names_that_are_not_published_collide_with_nothing() -> None:
    Schema.of(quasi=["age"], drop=["group", "age_lower"], identifier=["group_size"])
    Schema.of(sensitive=["age", "age_lower"])  # exact columns have no parts


def test_columns_must_be_covered() -> None:
    schema = Schema.of(quasi=["a"], kinds={"a": Kind.NUMBER})
    with pytest.raises(BadJob, match="column 'a' is not in the data; the data has 'b'"):
        schema.cover(["b"])
    with pytest.raises(BadJob, match="column 'b' has no role"):
        schema.cover(["a", "b"])
    assert schema.kind("a") is Kind.NUMBER


def test_long_lists_of_names_are_cut() -> None:
    with pytest.raises(BadJob, match="and 3 more"):
        Schema.of(quasi=["a"]).cover(["a", *map(str, range(15))])


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ({"quasi": "age"}, r"quasi is the text 'age'; give a list: quasi=\[\"age\"\]"),
        ({"quazi": ["age"]}, "there is no role 'quazi'; roles: identifier, quasi, sensitive, keep"),
    ],
)
def test_roles_given_in_a_wrong_way(roles, message):
    with pytest.raises(BadJob, match=message):
        Schema.of(**roles)
