"""How numbers and other values are written, in one place for pages, charts and terminals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from decimal import Decimal
from enum import Enum
from itertools import pairwise
from typing import Any

NOTHING = "–"
HUGE, TINY = 1e15, 1e-4


def plain(value: Any) -> Any:
    """The value in types that JSON knows; what is not a finite number becomes None.

    >>> plain((1, float("nan"), {"a": {2}}))
    [1, None, {'a': [2]}]
    """
    if isinstance(value, Enum):
        return plain(value.value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return _plain_whole(value)


def _plain_whole(value: Any) -> Any:
    """Containers, dataclasses, and the scalars and arrays of other libraries."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    for convert in ("tolist", "item"):
        if hasattr(value, convert):
            return plain(getattr(value, convert)())
    if isinstance(value, Iterable):
        return [plain(inner) for inner in value]
    return str(value)


def is_number(value: Any) -> bool:
    """Whether a value is a real number; a yes or no is not one."""
    value = _scalar(value)
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def is_numeric(values: Sequence[Any]) -> bool:
    """Whether a column holds numbers and at most gaps besides."""
    present = [value for value in values if value is not None]
    return bool(present) and all(is_number(value) for value in present)


def _scalar(value: Any) -> Any:
    """A scalar of another library as a Python one."""
    if isinstance(value, int | float | str) or not hasattr(value, "item"):
        return value
    return value.item() if getattr(value, "shape", None) == () else value


def number(value: Any, digits: int = 4) -> str:
    """A number with thousands separators and at least `digits` significant digits.

    Counts are written in full, very large and very small numbers with an exponent.

    >>> [number(v) for v in (1234567, 1234.567, 0.123456, 2.5, 0.00001234, float("inf"))]
    ['1,234,567', '1,235', '0.1235', '2.5', '1.234e-5', '∞']
    """
    value = _scalar(value)
    if value is None or value != value:
        return NOTHING
    if value in (math.inf, -math.inf):
        return "∞" if value > 0 else "-∞"
    size = abs(value)
    if size >= HUGE or 0 < size < TINY:
        return _exponent(f"{Decimal(value):.{digits - 1}e}")
    if isinstance(value, int) or size == 0:
        return f"{int(value):,}"
    decimals = max(0, digits - 1 - math.floor(math.log10(size)))
    return _trim(f"{value:,.{decimals}f}")


def _trim(text: str) -> str:
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def _exponent(text: str) -> str:
    mantissa, _, power = text.partition("e")
    return f"{_trim(mantissa)}e{int(power)}"


def with_unit(value: Any, unit: str) -> str:
    """A number and its unit; a percent sign stands close.

    >>> with_unit(12.5, "%"), with_unit(1200, "rows"), with_unit(3, "")
    ('12.5%', '1,200 rows', '3')
    """
    text = number(value)
    if not unit or text == NOTHING:
        return text
    return f"{text}{unit}" if unit == "%" else f"{text} {unit}"


def cell(value: Any) -> str:
    """Any value of a table as text; two numbers are a range, None leaves it open.

    >>> cell(None), cell(True), cell((1, 2.5)), cell((5, None)), cell(["a", "b"])
    ('–', 'yes', '1 to 2.5', 'from 5', 'a, b')
    """
    value = _scalar(value)
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if is_number(value):
        return number(value)
    if isinstance(value, list | tuple | set | frozenset):
        return _several(list(value))
    return str(value.value if isinstance(value, Enum) else value)


def _several(values: list[Any]) -> str:
    known = [value for value in values if value is not None]
    texts = [cell(value) for value in known]
    if len(values) != 2 or not is_numeric(values):
        return ", ".join(map(cell, values))
    if len(known) == 2:
        return " to ".join(texts)
    return f"from {texts[0]}" if values[1] is None else f"up to {texts[0]}"


def after_point(text: str) -> int:
    """Places from the decimal point to the end, the point counted; 0 without one.

    >>> after_point("1.25"), after_point("1,250")
    (3, 0)
    """
    return len(text) - text.index(".") if "." in text and "e" not in text else 0


def aligned(texts: Sequence[str]) -> list[str]:
    """Texts of one width with their decimal points under each other; no value stands at the right.

    >>> aligned(["1.25", "300", "-0.5", NOTHING])
    ['  1.25', '300   ', ' -0.5 ', '     –']
    """
    most = max(map(after_point, texts), default=0)
    lacks = [0 if text == NOTHING else most - after_point(text) for text in texts]
    padded = [text + " " * lack for text, lack in zip(texts, lacks, strict=True)]
    width = max(map(len, padded), default=0)
    return [text.rjust(width) for text in padded]


def tick_texts(ticks: Sequence[float]) -> list[str]:
    """The texts of an axis: short, and with as many decimals as the step needs.

    >>> tick_texts([0, 0.5, 1]), tick_texts([0, 20_000, 40_000]), tick_texts([0, 2e-7])
    (['0', '0.5', '1.0'], ['0', '20k', '40k'], ['0', '2e-7'])
    """
    top = max(map(abs, ticks), default=0.0)
    if top and not 1e-3 <= top < 1e12:
        return _power_texts(ticks)
    scale, suffix = next(
        (pair for pair in ((1e9, "bn"), (1e6, "M"), (1e4, "k")) if top >= pair[0]), (1.0, "")
    )
    scale = 1e3 if suffix == "k" else scale
    gap = min((high - low for low, high in pairwise(ticks)), default=top) / scale
    decimals = _decimals([tick / scale for tick in ticks], gap)
    if suffix and decimals > 2:
        scale, suffix, decimals = 1.0, "", _decimals(ticks, gap * scale)
    return [f"{tick / scale:,.{decimals}f}{suffix}" if tick else "0" for tick in ticks]


def _decimals(values: Sequence[float], gap: float) -> int:
    """Fewest decimals that show each value to within a hundredth of the gap."""
    fits = (d for d in range(7) if all(abs(round(v, d) - v) <= abs(gap) / 100 for v in values))
    return next(fits, 7)


def _power_texts(ticks: Sequence[float]) -> list[str]:
    """Texts with an exponent, longer until no two are equal."""
    for digits in (2, 5, 8, 11, 16):
        texts = [_exponent(f"{tick:.{digits}e}") if tick else "0" for tick in ticks]
        if len(set(texts)) == len(set(ticks)):
            break
    return texts
