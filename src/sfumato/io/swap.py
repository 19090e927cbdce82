"""Exchange two folders in one step, where the system has a call for it."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

AT_FDCWD_LINUX, AT_FDCWD_MAC = -100, -2
ASIDE = "-old"
EXCHANGE = 2  # RENAME_EXCHANGE on Linux, RENAME_SWAP on macOS


def exchange(one: Path, other: Path) -> None:
    """Let two existing folders swap names.

    Without such a system call the old folder is renamed aside first; killed between the two
    renames, the output is absent and the old one stands beside it under the staging name.
    """
    if not _in_one_step(os.fsencode(one), os.fsencode(other)):
        aside = one.with_name(one.name + ASIDE)
        other.rename(aside)
        try:
            one.rename(other)
            aside.rename(one)
        except OSError:
            if other.exists():
                other.rename(one)
            aside.rename(other)
            raise


def _in_one_step(one: bytes, other: bytes) -> bool:
    names = {"linux": ("renameat2", AT_FDCWD_LINUX), "darwin": ("renameatx_np", AT_FDCWD_MAC)}
    if sys.platform not in names:
        return False
    name, here = names[sys.platform]
    call = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    return call is not None and call(here, one, here, other, EXCHANGE) == 0
