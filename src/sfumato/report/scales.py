"""From numbers to places on paper: linear and logarithmic scales with round ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sfumato.report.numbers import tick_texts

Value = float | None
FARTHEST, NEAREST = 1e300, 1e-290  # beyond these, differences and steps leave the range of floats


def known(value: Value) -> bool:
    """Whether a value can be drawn: present and not NaN."""
    return value is not None and not math.isnan(value)


def finite(values: Iterable[Value]) -> list[float]:
    """The values that can be placed; infinite ones and gaps are left out."""
    return [_tame(v) for v in values if v is not None and math.isfinite(v)]


def _tame(value: float) -> float:
    value = max(-FARTHEST, min(FARTHEST, float(value)))
    return 0.0 if abs(value) < NEAREST else value


@dataclass(frozen=True)
class Scale:
    """Values from `low` to `high` onto places from `start` to `end`; what is beyond is clamped."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]
    log: bool = False
    unit: str = ""  # written behind every tick

    def place(self, value: float) -> float:
        """The place of a value.

        >>> linear([0, 10], 100, 200).place(5)
        150.0
        """
        low, high = self._measure(self.low), self._measure(self.high)
        share = (self._measure(value) - low) / (high - low)
        return self.start + (self.end - self.start) * max(0.0, min(1.0, share))

    def _measure(self, value: float) -> float:
        if not self.log:
            return max(-FARTHEST, min(FARTHEST, float(value)))
        return math.log10(max(NEAREST, min(FARTHEST, float(value))))

    def marks(self) -> list[tuple[float, str]]:
        """Place and text of every tick."""
        if self.log:
            texts = [tick_texts([tick])[0] for tick in self.ticks]
        else:
            texts = tick_texts(self.ticks)
        places = zip(self.ticks, texts, strict=True)
        return [(self.place(tick), f"{text}{self.unit}") for tick, text in places]

    def in_unit(self, unit: str) -> Scale:
        """The scale with a percent sign behind its ticks; other units are too long for that."""
        return replace(self, unit=unit if unit == "%" else "")


def linear(
    values: Iterable[Value], start: float, end: float, zero: bool = True, snug: bool = False
) -> Scale:
    """A scale over the values, widened to round ticks, or `snug` with the ticks that lie inside."""
    placed = finite(values) + ([0.0] if zero else [])
    low, high = (min(placed), max(placed)) if placed else (0.0, 1.0)
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        low, high = _widen(low, high, zero)
    step = _round_step(high - low)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = [index * step for index in range(first, last + 1)]
    if snug:
        ticks = [tick for tick in ticks if low - step * 1e-6 <= tick <= high + step * 1e-6]
        return Scale(low, high, start, end, tuple(ticks))
    return Scale(ticks[0], ticks[-1], start, end, tuple(ticks))


def _widen(low: float, high: float, zero: bool) -> tuple[float, float]:
    """Room around values that are all equal."""
    room = max(abs(low), abs(high)) * 0.1
    return (low - room, high + room) if room and not zero else (0.0, 1.0)


def _round_step(span: float) -> float:
    """The roundest step that gives four to seven ticks."""
    power = 10.0 ** math.floor(math.log10(span / 4))
    return next((power * f for f in (5, 2.5, 2) if power * f <= span / 4 * (1 + 1e-9)), power)


def logarithmic(values: Iterable[Value], start: float, end: float) -> Scale:
    """A scale by powers of ten; its low end lies below the least value, so that this one shows."""
    placed = [value for value in finite(values) if value > 0]
    low, high = (min(placed), max(placed)) if placed else (1.0, 10.0)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high) - 1e-9)
    last = max(last, first + 1)
    stride = max(1, math.ceil((last - first) / 6))
    ticks = tuple(10.0**power for power in range(first, last + 1, stride))
    return Scale(10.0**first / 2, 10.0**last, start, end, ticks, log=True)


def snug_logarithmic(values: Iterable[Value], start: float, end: float) -> Scale:
    """A logarithmic scale from the least to the greatest value, with the round ticks inside.

    >>> snug_logarithmic([2, 30], 0, 100).ticks
    (2.0, 5.0, 10.0, 20.0)
    """
    placed = [value for value in finite(values) if value > 0]
    low, high = (min(placed), max(placed)) if placed else (1.0, 10.0)
    if high < low * 2:
        return logarithmic(placed, start, end)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    round_ones = [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
    if len(powers) > 4:
        round_ones = round_ones[::3]
    ticks = tuple(tick for tick in round_ones if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9))
    return Scale(low, high, start, end, ticks, log=True)


def scale(
    values: Sequence[Value], start: float, end: float, log: bool = False, zero: bool = True
) -> Scale:
    """The scale a chart asked for; a logarithmic one needs a value above zero."""
    if log and any(value > 0 for value in finite(values)):
        return logarithmic(values, start, end)
    return linear(values, start, end, zero)
