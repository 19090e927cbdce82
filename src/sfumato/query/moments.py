"""Dates and times as people read them, from the numbers that answers hold."""

from __future__ import annotations

from datetime import date, timedelta

from sfumato.query.readings import EPOCH, UNITS


def shown(number: float, unit: str) -> str:
    """A number of days or ticks as a date, a date with time, or a time.

    >>> shown(18993.0, "days since 1970-01-01"), shown(45000.0, "s since midnight")
    ('2022-01-01', '12:30:00')
    """
    name, _, since = unit.partition(" since ")
    if name == "days":
        return str(date(1970, 1, 1) + timedelta(days=round(number)))
    moment = EPOCH + timedelta(microseconds=round(number * UNITS[name] / 1000))
    return str(moment.time()) if since == "midnight" else str(moment.replace(tzinfo=None))
