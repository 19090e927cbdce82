"""Parameters are declared once, on the class that uses them; here they are checked and told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from sfumato.core.errors import BadJob

Kind = TypeVar("Kind", bound=BaseModel)
# Words of the checking library, in those of a job file.
PLAIN = {
    "input should be": "it should be",
    "a valid integer": "a whole number",
    "a valid number": "a number",
    "a valid string": "text in quotes",
    "a valid list": 'a list, such as ["a", "b"]',
    "a valid dictionary": "a table of keys, such as { a = 1 }",
}


def build(kind: type[Kind], values: Mapping[str, Any], where: str) -> Kind:
    """Make an object of checked parameters, or say in one line which one is wrong and why."""
    try:
        return kind(**values)
    except ValidationError as error:
        raise BadJob(*explain(error, kind, where)) from None


def explain(error: ValidationError, kind: type[BaseModel], where: str) -> tuple[str, str]:
    """The first problem as (what, hint)."""
    problem = first_problem(error)
    path = _path(problem, kind)
    what = told(problem, ".".join([where, *path] if where else path))
    if problem["type"] == "extra_forbidden":
        return what, known(kind)
    return what, _text(kind, path)


def first_problem(error: ValidationError) -> ErrorDetails:
    """The problem to name: a misspelt key before the one that is therefore missing, and of a choice
    of types the one that was meant."""
    problems = error.errors(include_url=False)
    return min(problems, key=lambda one: (one["type"] != "extra_forbidden", _elsewhere(one)))


def _elsewhere(problem: ErrorDetails) -> bool:
    """Whether a table was taken for something plain, or the other way round."""
    plain = ("literal_error", "string_type", "int_type")
    return problem["type"] in (plain if isinstance(problem["input"], dict) else ("model_type",))


def _path(problem: ErrorDetails, kind: type[BaseModel]) -> list[str]:
    """The keys that lead to a problem, without pydantic's names for alternatives; keys that may be
    cell values are left out with them."""
    tagged = [str(part) for part in problem["loc"]]
    path = [part for part in tagged if not part.startswith("function-")]
    defined = kind.model_json_schema().get("$defs", {})
    if any("[" in part or part in defined for part in tagged):
        parts = [part.get("properties", {}) for part in defined.values()]
        named = {name for properties in parts for name in properties} | {*kind.model_fields}
        return [part for part in path if part in named]
    return path[:1] + [part for part in path[1:] if part not in ("int", "str", "float", "bool")]


def told(problem: ErrorDetails, key: str) -> str:
    """What is wrong with a key; the items of a list may be cell values and are not shown."""
    if problem["type"] == "missing":
        return f"{key} is missing"
    if problem["type"] == "extra_forbidden":
        return f"{key} is not a parameter here"
    message = problem["msg"].removeprefix("Value error, ")
    message = message[0].lower() + message[1:]
    for theirs, ours in PLAIN.items():
        message = message.replace(theirs, ours)
    given, in_list = problem["input"], any(isinstance(part, int) for part in problem["loc"])
    shown = f" is {given!r}" if isinstance(given, str | int | float) and not in_list else ""
    return f"{key}{shown}, but {message}" if shown else f"{key}: {message}"


def known(kind: type[BaseModel]) -> str:
    """The keys there are, as they are written."""
    names = [field.alias or name for name, field in kind.model_fields.items()]
    return f"known: {', '.join(names)}"


def _text(kind: type[BaseModel], path: list[str]) -> str:
    field = kind.model_fields.get(path[0]) if path else None
    return field.description or "" if field else ""


def describe(kind: type[BaseModel]) -> list[dict[str, Any]]:
    """Name, type, default and meaning of every parameter, for help and docs."""
    properties = kind.model_json_schema()["properties"]
    required = {name for name, field in kind.model_fields.items() if field.is_required()}
    return [
        {
            "parameter": name,
            "type": _type(part),
            "default": "required" if name in required else part.get("default"),
            "meaning": part.get("description", ""),
        }
        for name, part in properties.items()
    ]


def _type(part: Mapping[str, Any]) -> str:
    if "enum" in part:
        return " | ".join(map(str, part["enum"]))
    if "anyOf" in part:
        return " | ".join(_type(option) for option in part["anyOf"])
    bounds = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
    limits = [f"{sign} {part[key]}" for key, sign in bounds.items() if key in part]
    return " ".join([part.get("type", "value"), *limits])
