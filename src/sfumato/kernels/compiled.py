"""The one place where compiler flags are set.

No fast-math anywhere: a guarantee may hang on the last bit of a comparison.
Every kernel releases the interpreter lock, so plain threads run them side by side.

Three kinds of loops. `compiled` ones may do anything. `lean` ones make no arrays, and do not count
references to those they are given: in nests of small functions over many arrays the counting took
three quarters of the time. `inlined` ones are lean, and pasted into the loops that call them; they
have no way in from Python, which saves a quarter of the compiling: calling one there crashes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

FIRST_RUN = 15.0  # seconds that compiling took in the tour; measured by `make bench`
# Every flag is set for every loop: one that is not would be the caller's.
DOOR = {"no_cpython_wrapper": False, "no_cfunc_wrapper": False}
NO_DOOR = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
COMPILED: dict[str, Any] = {"nogil": True, "cache": True, "_nrt": True, **DOOR}
LEAN: dict[str, Any] = {"nogil": True, "cache": True, "_nrt": False, **DOOR}
INLINED: dict[str, Any] = {"nogil": True, "forceinline": True, "_nrt": False, **NO_DOOR}

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a loop over arrays on its first call and keep the machine code on disk."""
    return cast(Function, numba.njit(**COMPILED)(function))


def lean(function: Function) -> Function:
    """Compile a loop that makes no arrays."""
    return cast(Function, numba.njit(**LEAN)(function))


def inlined(function: Function) -> Function:
    """Compile a loop that makes no arrays into the compiled loops that call it."""
    return cast(Function, numba.njit(**INLINED)(function))


def _forget_stale(folder: Path) -> None:
    """Remove machine code that is older than any kernel: it may hold pieces of another file."""
    newest = max(path.stat().st_mtime for path in folder.glob("*.py"))
    with suppress(OSError):
        for path in (folder / "__pycache__").glob("*.nbi"):
            if path.stat().st_mtime < newest:
                path.unlink(missing_ok=True)


_forget_stale(Path(__file__).parent)
