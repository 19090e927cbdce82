"""Answers kept for the next question: the first always, of others the latest few."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

FEW = 4
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Kept(Generic[Key, Value]):
    """What `make` makes of a key, made once as long as it is asked for."""

    def __init__(self, make: Callable[[Key], Value], always: Key | None = None) -> None:
        self._make, self._always = make, always
        self._held: dict[Key, Value] = {}

    def __getitem__(self, key: Key) -> Value:
        if key in self._held:
            self._held[key] = self._held.pop(key)  # the latest stands last
            return self._held[key]
        others = [held for held in self._held if held != self._always]
        if len(others) >= FEW:
            del self._held[others[0]]
        self._held[key] = self._make(key)
        return self._held[key]
