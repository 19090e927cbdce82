"""Claims of a release of sets, derived again from its files.

Who publishes the same set is in one group, so models judge groups here as they do of tables. That a
set is held by k people of the original, though fewer publish it, only the owner can see.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sfumato.audit.claims import check_one, choice_of_groups
from sfumato.audit.files import Files
from sfumato.core.answers import Status, Verdict
from sfumato.releases.claims import HIDDEN_OWNER, K1, Claim


def check_claims(files: Files) -> Iterator[Verdict]:
    """One verdict for every claim that the files can decide."""
    if not files.claims:
        yield Verdict("claims", Status.VIOLATED, "no claims", note="the release promises nothing")
    for claim in files.claims:
        if claim.model == K1:
            yield _contained(claim, files)
        elif claim.model == HIDDEN_OWNER:
            yield _owner(claim)
        else:
            yield from check_one(claim, files)
    yield choice_of_groups(files)


def _contained(claim: Claim, files: Files) -> Verdict:
    """Groups of k are hidden by one another; of smaller ones the files show too little."""
    wanted = asked(claim)
    if wanted is None:
        return Verdict(K1, Status.VIOLATED, "its parameters are not k, a whole number from 1 up")
    sizes = files.sizes
    small = int(sizes[sizes < wanted].sum())
    found = f"{small:,} of {int(sizes.sum()):,} records publish what fewer than {wanted} publish"
    if not small:
        return Verdict(f"{K1} k = {wanted}", Status.VERIFIED, found)
    worst = f"group {int(np.argmin(sizes))}, {int(sizes.min())} records"
    note = "others who have those items publish something else: the owner can count them"
    return Verdict(f"{K1} k = {wanted}", Status.NEEDS_OWNER, found, worst, note)


def _owner(claim: Claim) -> Verdict:
    """The lists that sets were drawn from are not published, so the files can't show this."""
    most = stated(claim, "candidates")
    if most is None:
        what = "its parameters are not candidates, a whole number from 1 up"
        return Verdict(HIDDEN_OWNER, Status.VIOLATED, what)
    note = (
        "somebody who sees one published set names its owner at most with that probability; it "
        "follows from lists of admissible sets, which are not published"
    )
    return Verdict(
        f"{HIDDEN_OWNER} candidates = {most}", Status.ARGUED, f"at most {1 / most:.3g}", "", note
    )


def asked(claim: Claim) -> int | None:
    """The k of a claim, None if that is not what it states."""
    return stated(claim, "k")


def stated(claim: Claim, name: str) -> int | None:
    """The only parameter of a claim, a whole number from 1 up."""
    number = claim.parameters.get(name)
    plain = isinstance(number, int) and not isinstance(number, bool) and number >= 1
    return number if plain and set(claim.parameters) == {name} and not claim.sensitive else None
