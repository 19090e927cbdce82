"""The one place where compiler flags are set.

No fast-math anywhere: a guarantee may hang on the last bit of a comparison.
Every kernel releases the interpreter lock, so plain threads run them side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a loop over arrays on its first call and keep the machine code on disk."""
    return cast(Function, numba.njit(cache=True, nogil=True)(function))


def inlined(function: Function) -> Function:
    """Compile a small helper into its callers, where a call would cost more than its body."""
    return cast(Function, numba.njit(cache=True, nogil=True)(function))
