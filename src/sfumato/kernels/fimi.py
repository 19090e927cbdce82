"""Rows of whole numbers from text: one row a line, numbers apart by blanks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

NEWLINE, RETURN, BLANK, TAB, ZERO = 10, 13, 32, 9, 48
DIGITS = 9  # of the largest number that is read


@compiled
def parsed_lines(
    text: NDArray[np.uint8],
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """(numbers per line, numbers, first line that is not of whole numbers, or -1). O(bytes).

    The text ends with a line break. Lines from a bad one on are not read.
    """
    lines = 0
    for byte in text:
        lines += byte == NEWLINE
    length = np.zeros(lines, np.int64)
    numbers = np.empty(len(text) // 2 + 1, np.int64)
    found, line, value, digits = 0, 0, np.int64(0), 0
    for byte in text:
        if ZERO <= byte < ZERO + 10:
            value = value * 10 + (byte - ZERO)
            digits += 1
            if digits > DIGITS:
                return length[:line], numbers[:found], line
        elif byte in (BLANK, NEWLINE, TAB, RETURN):
            if digits:
                numbers[found] = value
                found += 1
                length[line] += 1
                value, digits = np.int64(0), 0
            line += byte == NEWLINE
        else:
            return length[:line], numbers[:found], line
    return length, numbers[:found].copy(), -1
