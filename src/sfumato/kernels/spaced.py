"""Rings on which a label comes again only after some other records, and cuts where none can be."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bitmaps import Words
from sfumato.kernels.compiled import compiled, inlined, lean
from sfumato.kernels.gray import apart

Ints = NDArray[np.int64]
Labels = NDArray[np.int32]
GAPS = 4096  # places on the ring that are tried first for a record that is left over


class Ring(NamedTuple):
    """A ring of records: who comes next, who came before."""

    next: Ints
    before: Ints


@compiled
def spaced_ring(bits: Words, order: Ints, label: Labels, spacing: int) -> Ints:
    """An order in which equal labels are `spacing` places apart or more, also around its end.

    Follows `order`; who stands too near to an equal label waits for the first place that will do,
    and is put where it costs least if none comes. Empty where somebody found no place at all.
    O(rows labels that wait), and GAPS for everybody who is left over.
    """
    line, rest = _lined_up(order, label, spacing)
    cut = _closing(line, label, spacing)
    ring = Ring(np.full(len(label), -1, np.int64), np.full(len(label), -1, np.int64))
    for place in range(cut):
        ring.next[line[place]] = line[(place + 1) % cut]
        ring.before[line[place]] = line[(place - 1) % cut]
    left = np.concatenate((line[cut:], rest))
    for number in range(len(left)):
        if not _insert(bits, ring, order, label, spacing, left[number]):
            return np.empty(0, np.int64)
    found = np.empty(len(order), np.int64)
    record = order[0]
    for place in range(len(found)):
        found[place] = record
        record = ring.next[record]
    return found


@compiled
def _lined_up(order: Ints, label: Labels, spacing: int) -> tuple[Ints, Ints]:
    """Records in a line, and those for whom it had no place."""
    labels = np.int64(0)
    for record in order:
        labels = max(labels, label[record] + 1)
    last = np.full(labels, -spacing, np.int64)
    first_waiting = np.full(labels, -1, np.int64)  # queues by label, in places of the order
    last_waiting = np.full(labels, -1, np.int64)
    behind = np.full(len(order), -1, np.int64)
    kinds = np.empty(labels, np.int64)  # labels that wait
    many, size, place = 0, 0, 0
    line = np.empty(len(order), np.int64)
    while True:
        best = -1
        for number in range(many):
            kind = kinds[number]
            if size - last[kind] >= spacing and (
                best < 0 or first_waiting[kind] < first_waiting[kinds[best]]
            ):
                best = number
        if best >= 0:
            kind = kinds[best]
            line[size] = order[first_waiting[kind]]
            first_waiting[kind] = behind[first_waiting[kind]]
            if first_waiting[kind] < 0:
                many -= 1
                kinds[best] = kinds[many]
        else:
            while place < len(order) and size - last[label[order[place]]] < spacing:
                kind = label[order[place]]
                if first_waiting[kind] < 0:
                    first_waiting[kind] = place
                    kinds[many] = kind
                    many += 1
                else:
                    behind[last_waiting[kind]] = place
                last_waiting[kind] = place
                place += 1
            if place == len(order):
                break
            line[size] = order[place]
            place += 1
        last[label[line[size]]] = size
        size += 1
    rest = np.empty(len(order) - size, np.int64)
    many_left = 0
    for number in range(many):
        at = first_waiting[kinds[number]]
        while at >= 0:
            rest[many_left] = order[at]
            many_left += 1
            at = behind[at]
    return line[:size].copy(), rest


@lean
def _closing(line: Ints, label: Labels, spacing: int) -> int:
    """How many of a line can be bent to a ring: from its end, who is too near to the front goes."""
    size = len(line)
    while size > 1:
        fine = True
        for back in range(1, min(spacing, size)):
            for front in range(min(spacing - back, size - back)):
                fine = fine and label[line[size - back]] != label[line[front]]
        if fine:
            return size
        size -= 1
    return size


@inlined
def _fits(ring: Ring, label: Labels, spacing: int, record: int, gap: int) -> bool:
    """Whether a record may stand after `gap`."""
    back, ahead = gap, ring.next[gap]
    for _ in range(spacing - 1):
        if label[back] == label[record] or label[ahead] == label[record]:
            return False
        back, ahead = ring.before[back], ring.next[ahead]
    return True


@lean
def _insert(bits: Words, ring: Ring, order: Ints, label: Labels, spacing: int, record: int) -> bool:
    """Put a record where the ring becomes longest by least: among GAPS places, else among all."""
    stride = max(1, len(order) // GAPS)
    best, least = np.int64(-1), np.int64(1) << 60
    for step in (stride, 1):
        for place in range(0, len(order), step):
            gap = order[place]
            if ring.next[gap] < 0 or not _fits(ring, label, spacing, record, gap):
                continue
            more = apart(bits, gap, record) + apart(bits, record, ring.next[gap])
            more -= apart(bits, gap, ring.next[gap])
            if more < least:
                best, least = gap, more
        if best >= 0 or stride == 1:
            break
    if best < 0:
        return False
    after = ring.next[best]
    ring.next[best], ring.before[record] = record, best
    ring.next[record], ring.before[after] = after, record
    return True


@compiled
def chunk_ends(label: Labels, share: int, least: int) -> Ints:
    """Cut a line of labels into chunks of `least` records or more, none longer than it has to be.

    In every chunk no label is on more than 1 / share of the records; the last has what is left. The
    whole line must be so. O(labels + records).
    """
    rows, labels = len(label), np.int64(0)
    for record in label:
        labels = max(labels, record + 1)
    rest = np.zeros(labels, np.int64)
    for record in label:
        rest[record] += 1
    many = np.zeros(rows + 1, np.int64)  # labels by how many of the rest have them
    for count in rest:
        many[count] += 1
    most_rest = np.max(rest) if labels else np.int64(0)
    here = np.zeros(labels, np.int64)
    ends, begin, most = [0], 0, np.int64(0)
    for place in range(rows):
        kind = label[place]
        many[rest[kind]] -= 1
        rest[kind] -= 1
        many[rest[kind]] += 1
        while most_rest > 0 and many[most_rest] == 0:
            most_rest -= 1
        here[kind] += 1
        most = max(most, here[kind])
        size, left = place + 1 - begin, rows - place - 1
        if size < least or most * share > size or 0 < left < least or most_rest * share > left:
            continue
        ends.append(place + 1)
        for at in range(begin, place + 1):
            here[label[at]] = 0
        begin, most = place + 1, np.int64(0)
    return np.array(ends)
