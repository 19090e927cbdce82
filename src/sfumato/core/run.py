"""One run: where its randomness comes from, how many threads it may use, whom it tells of progress.

Streams are named by what they are for, never by the thread that draws from them. The same code is
therefore secure (the key comes from the operating system) and repeatable (the key comes from a
seed), and a part that is tried again repeats its own draws.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.core.stream import key_stream

Progress = Callable[[str, int, int], None]


def _silent(phase: str, done: int, total: int) -> None:
    """Tell nobody."""


@dataclass
class Run:
    """The surroundings of one computation.

    >>> Run.seeded(7).word("shuffle", 3) == Run.seeded(7).word("shuffle", 3)
    np.True_
    """

    key: bytes
    workers: int = 1
    progress: Progress = _silent
    _phase: list[str] = field(default_factory=lambda: [""])

    @classmethod
    def secure(cls, workers: int | None = None, progress: Progress = _silent) -> Run:
        """A run keyed by the operating system: nobody can repeat it without the key."""
        return cls(secrets.token_bytes(32), workers or cores(), progress)

    @classmethod
    def seeded(cls, seed: int, workers: int | None = None, progress: Progress = _silent) -> Run:
        """A run that a seed repeats bit for bit, for any number of workers."""
        key = hashlib.blake2b(str(int(seed)).encode(), person=b"sfumato-seed").digest()[:32]
        return cls(key, workers or cores(), progress)

    def rng(self, *path: str | int) -> np.random.Generator:
        """The stream for one purpose and one part of the data.

        The key is derived cryptographically; the stream itself (Philox) is a statistical one. It
        steers searches, samples and test workloads; what is drawn to be published comes from
        `words`.
        """
        return np.random.Generator(np.random.Philox(key=self._number(path, 128)))

    def word(self, *path: str | int) -> np.uint64:
        """A 64-bit seed for a compiled loop, by purpose and part of the data."""
        return np.uint64(self._number(path, 64))

    def words(self, count: int, *path: str | int) -> NDArray[np.uint64]:
        """Random words by purpose and part of the data, fit to be published: AES-256.

        >>> len(Run.seeded(7).words(3, "flips", 0))
        3
        """
        return key_stream(self._digest(path, 256), count)

    def _number(self, path: tuple[str | int, ...], bits: int) -> int:
        return int.from_bytes(self._digest(path, bits), "little")

    def _digest(self, path: tuple[str | int, ...], bits: int) -> bytes:
        text = "/".join(str(part) for part in path).encode()
        return hashlib.blake2b(text, key=self.key, digest_size=bits // 8).digest()

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Name what the steps inside belong to."""
        self._phase.append(name)
        self.progress(name, 0, 1)
        try:
            yield
            self.progress(name, 1, 1)
        finally:
            self._phase.pop()

    def step(self, done: int, total: int) -> None:
        """Say how far the current phase has come."""
        self.progress(self._phase[-1], done, total)


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
