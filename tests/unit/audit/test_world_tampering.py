"""An audit of worlds finds what was changed, in the files or in the ledger."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.contracts.variants import contained, holders

from sfumato.audit.audit import audit
from sfumato.core.answers import Status
from sfumato.core.run import Run
from sfumato.data.sets import Sets
from sfumato.io.store import write_release
from sfumato.kernels.rows import Rows
from sfumato.methods.sets.nonreciprocal import Nonreciprocal
from sfumato.models.l_diversity import DistinctLDiversity
from sfumato.releases.claims import Claim
from sfumato.releases.release import Publication

DATA = holders(contained().sensitive, 120)


@pytest.fixture(scope="module")
def publication() -> Publication:
    require = [DistinctLDiversity(column="illness", l=2)]
    return Nonreciprocal(k=4).publish(DATA, require, Run.seeded(4)).sealed()


def judged(publication: Publication, folder: Path) -> dict[str, Any]:
    """Verdicts by claim, with everything the owner has."""
    write_release(publication.release, folder)
    return {v.claim: v for v in audit(folder, publication.ledger, DATA)}


def violated(found: dict[str, Any]) -> list[str]:
    return [claim for claim, verdict in found.items() if verdict.status is Status.VIOLATED]


def test_an_honest_release_is_verified(publication, tmp_path):
    found = judged(publication, tmp_path / "r")
    assert not violated(found)
    counted = [claim for claim in found if claim.endswith("counted")]
    assert len(counted) == 2
    assert all(found[claim].status is Status.VERIFIED for claim in counted)
    assert found["disjoint assignments"].status is Status.VERIFIED
    assert found["equally likely candidates"].status is Status.ARGUED


def test_the_public_half_alone_leaves_it_to_the_owner(publication, tmp_path):
    write_release(publication.release, tmp_path / "r")
    found = {v.claim: v.status for v in audit(tmp_path / "r")}
    assert found["k-candidates k = 4"] is Status.NEEDS_OWNER
    assert found["l-diverse-candidates l = 2 on illness"] is Status.NEEDS_OWNER


def with_content(publication: Publication, **changes: Any) -> Publication:
    content = replace(publication.release.worlds, **changes)
    return replace(publication, release=replace(publication.release, content=content))


def with_ledger(publication: Publication, **changes: Any) -> Publication:
    return replace(publication, ledger=replace(publication.ledger, **changes))


def test_a_threshold_that_is_too_small(publication, tmp_path):
    content = publication.release.worlds
    lower = np.where(content.threshold > 1, content.threshold - 1, content.threshold)
    found = judged(with_content(publication, threshold=lower.astype(np.int32)), tmp_path / "r")
    assert "originals are among their worlds" in violated(found)
    assert "k-candidates k = 4, counted" in violated(found)


def test_a_base_with_another_item(publication, tmp_path):
    content = publication.release.worlds
    row = int(np.flatnonzero(content.opened == 0)[0]) if (content.opened == 0).any() else 0
    start, items = content.base.indptr, content.base.items
    line = items[start[row] : start[row + 1]]
    other = next(i for i in range(content.base.domain) if i not in line)
    moved = np.sort(np.append(line, other)).astype(items.dtype)
    cut = np.concatenate([items[: start[row]], moved, items[start[row + 1] :]])
    ends = start + (np.arange(len(start)) > row)
    base = Sets(ends, cut, content.base.names, content.base.utility)
    found = judged(with_content(publication, base=base), tmp_path / "r")
    assert violated(found)


def test_items_opened_without_need(publication, tmp_path):
    content = publication.release.worlds
    width = content.base.domain
    some = np.where(content.threshold > 0, width, 0)
    items = np.tile(np.arange(width), int((some > 0).sum())).astype(np.uint16)
    every = Rows(np.concatenate([[0], np.cumsum(some)]), items)
    wider = with_content(publication, open=every).sealed()
    found = judged(wider, tmp_path / "r")
    assert "originals are among their worlds" in violated(found)


def test_another_order(publication, tmp_path):
    content = publication.release.worlds.take(np.arange(120)[::-1].copy())
    turned = replace(publication, release=replace(publication.release, content=content))
    assert violated(judged(turned, tmp_path / "r")) == ["structure"]


def test_labels_that_follow_no_assignment(publication, tmp_path):
    content = publication.release.worlds
    same = content.records.take(np.zeros(120, np.int64))
    found = judged(with_content(publication, records=same), tmp_path / "r")
    assert violated(found)


def test_a_ledger_whose_matches_are_no_assignments(publication, tmp_path):
    matches = publication.ledger.matches
    lists = [list(one) for one in matches.column("candidates").to_pylist()]
    for one in lists:
        one[0] = lists[0][0]
    changed = matches.set_column(0, "candidates", pa.array(lists, pa.list_(pa.int32())))
    found = judged(with_ledger(publication, matches=changed), tmp_path / "r")
    assert "disjoint assignments" in violated(found)
    lost = judged(with_ledger(publication, matches=None), tmp_path / "s")
    assert "originals are among their worlds" in violated(lost)


def test_true_records_that_are_no_candidates(publication, tmp_path):
    rows = publication.ledger.rows
    found = judged(with_ledger(publication, rows=np.roll(rows, 60)), tmp_path / "r")
    assert "disjoint assignments" in violated(found)


@pytest.mark.parametrize(
    "claim",
    [
        Claim("k-candidates", {"k": 5}, ("items",)),
        Claim("k-candidates", {"k": "many"}, ("items",)),
        Claim("k-candidates", {"k": 121}, ("items",)),
        Claim("l-diverse-candidates", {"l": 3}, ("items",), "illness"),
        Claim("l-diverse-candidates", {"l": 2}, ("items",)),
        Claim("k-anonymity", {"k": 4}, ("items",)),
    ],
    ids=lambda c: f"{c.model} {c.parameters}",
)
def test_claims_that_do_not_hold(publication, claim, tmp_path):
    adversary = publication.release.claims[0].adversary
    stated = (replace(claim, adversary=adversary),)
    wrong = replace(publication, release=replace(publication.release, claims=stated))
    assert violated(judged(wrong, tmp_path / "r"))
