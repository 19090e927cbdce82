"""Data of the study of nonreciprocal publication: Chess, pumsb, data of pumsb's shape, labels."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from sfumato.data.schema import Schema
from sfumato.data.sets import Holders, Sets
from sfumato.data.table import table_from_arrow
from sfumato.io.set_sources import SetsFrom, load_sets
from sfumato.study.findings import Setting

ROWS, ATTRIBUTES, USED, CLASSES = 49_046, 74, 2_113, 40
LABELS, HEAD = 470, 8  # occupations, of which number r is as frequent as 1 / (r + HEAD)
QUICK_ROWS = 600
SEED = 1


def real(setting: Setting, file: str) -> Sets:
    """Real transactions; a quick study takes the first few."""
    sets = load_sets(setting.file(file), SetsFrom(format="fimi"), Schema.of()).sets
    return sets.take(np.arange(min(QUICK_ROWS, sets.rows))) if setting.quick else sets


def like_pumsb(rows: int = ROWS, seed: int = SEED) -> Sets:
    """Answers to 74 questions by people of 40 kinds: as many records and items as pumsb has.

    Each kind answers every question by a distribution of its own around one of few frequent
    answers, so that items are strongly correlated. Answers that nobody gives make way for those of
    the question with most of them until 2,113 are used (fewer with few rows).
    """
    rng = np.random.default_rng(seed)
    kind = rng.choice(CLASSES, rows, p=rng.dirichlet(np.full(CLASSES, 0.5)))
    values = np.minimum(np.maximum(2, rng.pareto(1.2, ATTRIBUTES) * 6 + 2), 300).astype(int)
    columns, offset = [], 0
    for number in np.maximum(2, values * 2 * USED // values.sum()):
        likely = (np.arange(number) + 1.0) ** -1.5
        shares = rng.dirichlet(2 * likely / likely.sum() + 1e-3, CLASSES)
        shares = 0.97 * shares + 0.03 * likely / likely.sum()
        drawn = (rng.random(rows)[:, None] > shares.cumsum(axis=1)[kind]).sum(axis=1)
        columns.append(offset + np.minimum(drawn, number - 1))
        offset += number
    answers = _thinned(np.array(columns).T, USED)
    names, items = np.unique(answers, return_inverse=True)
    start = np.arange(rows + 1, dtype=np.int64) * ATTRIBUTES
    held = np.sort(items.reshape(answers.shape), axis=1).astype(np.uint16)
    labels = pa.array([f"answer {int(name):05}" for name in names])
    return Sets(start, held.ravel(), labels, np.ones(len(names)))


def _thinned(answers: np.ndarray, wanted: int) -> np.ndarray:
    """The rarest answers given as the most frequent one of their question, until few are left."""
    found, counts = np.unique(answers, return_counts=True)
    question = {int(a): q for q in range(answers.shape[1]) for a in np.unique(answers[:, q])}
    first = [int(np.bincount(answers[:, q]).argmax()) for q in range(answers.shape[1])]
    rare = found[np.argsort(counts, kind="stable")[: max(0, len(found) - wanted)]]
    for answer in rare.tolist():
        column = answers[:, question[answer]]
        column[column == answer] = first[question[answer]]
    return answers


def with_labels(sets: Sets, seed: int = SEED) -> Holders:
    """People with one of 470 occupations each, drawn at random, as in the thesis."""
    likely = 1.0 / (np.arange(LABELS) + 1 + HEAD)
    drawn = np.random.default_rng(seed).choice(LABELS, sets.rows, p=likely / likely.sum())
    column = pa.array([f"occupation {number:03}" for number in drawn])
    table = table_from_arrow(pa.table({"occupation": column}))
    return Holders(sets, Schema.of(quasi=["items"], sensitive=["occupation"]), table)


def times(sets: Sets, many: int, seed: int = SEED) -> Sets:
    """Every record `many` times; in copies one item of each is exchanged for another."""
    rng = np.random.default_rng(seed)
    lists = [sets.items]
    for _ in range(many - 1):
        items = sets.items.copy()
        at = sets.indptr[:-1] + rng.integers(0, np.maximum(sets.lengths, 1))
        items[at] = rng.integers(0, sets.domain, len(at))
        lists.append(items)
    start = np.concatenate([[0], np.cumsum(np.tile(sets.lengths, many))]).astype(np.int64)
    return _tidy(start, np.concatenate(lists), sets)


def _tidy(start: np.ndarray, items: np.ndarray, like: Sets) -> Sets:
    """Rows ascending, each item once."""
    row = np.repeat(np.arange(len(start) - 1), np.diff(start))
    pairs = np.unique(row.astype(np.int64) * like.domain + items)
    lengths = np.bincount(pairs // like.domain, minlength=len(start) - 1)
    begin = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Sets(begin, (pairs % like.domain).astype(items.dtype), like.names, like.utility)
