"""Errors a user can act on: one line that says what is wrong and what to do next.

A message may name parameters, columns, files, counts and row numbers. It never shows a cell value.
"""

from __future__ import annotations


class SfumatoError(Exception):
    """The base of every error a user can mend; `exit_code` is what the command returns."""

    exit_code = 2

    def __init__(self, what: str, hint: str = "") -> None:
        self.what = what
        self.hint = hint
        super().__init__(f"{what}; {hint}" if hint else what)


class BadInput(SfumatoError):
    """A file, frame or hierarchy that cannot be used as it is."""


class BadJob(SfumatoError):
    """A job file or a parameter that is wrong; the message names the key, and the line if known."""


class CannotBeMet(SfumatoError):
    """A requirement that no release of this data can meet."""


class BadRelease(SfumatoError):
    """A folder that is not a release, is damaged, or is newer than this version can read."""


class OutputExists(SfumatoError):
    """The output is there already and may not be overwritten without being told so."""


class Refused(SfumatoError):
    """A question outside what is supported; the message lists what is."""


class ClaimFails(SfumatoError):
    """A release does not keep its own claim; nothing was published."""

    exit_code = 1
