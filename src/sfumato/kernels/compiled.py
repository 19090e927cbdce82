"""The one place where compiler flags are set.

No fast-math anywhere: a guarantee may hang on the last bit of a comparison.
Every kernel releases the interpreter lock, so plain threads run them side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

FIRST_RUN = 18.0  # seconds that compiling took in the tour; measured by `make bench`

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a loop over arrays on its first call and keep the machine code on disk."""
    return cast(Function, numba.njit(cache=True, nogil=True)(function))


def inlined(function: Function) -> Function:
    """Compile a small helper into its callers, where a call would cost more than its body."""
    return cast(Function, numba.njit(cache=True, nogil=True)(function))


def compiled_before(name: str) -> bool:
    """Whether machine code of a kernel module is on disk, as far as the usual place tells."""
    folder = Path(getattr(numba.config, "CACHE_DIR", "") or Path(__file__).parent)
    return any(folder.rglob(f"{name}*.nbi"))
