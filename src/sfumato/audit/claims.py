"""Every claim derived again from the files, with its worst group."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.files import Files
from sfumato.audit.numbers import different_counts, group_numbers
from sfumato.core.answers import Status, Verdict
from sfumato.core.errors import BadJob, BadRelease, SfumatoError
from sfumato.data.hierarchy import Hierarchy, spell
from sfumato.data.schema import Kind
from sfumato.models.base import Model, Whole, parse_model
from sfumato.models.k_anonymity import KAnonymity
from sfumato.releases.claims import Claim

CLOSE = 1e-9


def check_claims(files: Files) -> Iterator[Verdict]:
    """One verdict for every claim, and one for what the claim leaves aside."""
    if not files.claims:
        yield Verdict("claims", Status.VIOLATED, "no claims", note="the release promises nothing")
    for claim in files.claims:
        yield from check_one(claim, files)
    yield choice_of_groups(files)


def check_one(claim: Claim, files: Files) -> Iterator[Verdict]:
    """One claim of a privacy model."""
    try:
        yield from _check_claim(claimed_model(claim), files)
    except BadRelease:
        raise
    except SfumatoError as error:
        yield Verdict(claim.model, Status.VIOLATED, error.what)


def _check_claim(model: Model, files: Files) -> Iterator[Verdict]:
    """By what the model is about, whatever the claim beside it says."""
    if model.about is None:
        yield _check_sizes(model, files)
        yield from _check_kept(model, files)
    else:
        yield _check_values(model, model.about, files)


def claimed_model(claim: Claim) -> Model:
    """The model of a claim; its column stands under `sensitive` and nowhere else."""
    if "column" in claim.parameters:
        raise BadJob("claims.json: a column stands among the parameters", "it is no parameter")
    values = dict(claim.parameters)
    if claim.sensitive is not None:
        values["column"] = claim.sensitive
    return parse_model(claim.model, values, "claims.json")


def _check_sizes(model: Model, files: Files) -> Verdict:
    smallest = int(files.sizes.min()) if len(files.sizes) else 0
    return Verdict(
        f"{model.name} {parameters(model)}",
        status(smallest >= model.smallest_group),
        f"smallest group {smallest}",
        _shape(files, int(files.sizes.argmin())),
        model.statement(),
    )


def _check_values(model: Model, name: str, files: Files) -> Verdict:
    codes, values = files.values(name)
    whole = _whole(files, name, codes, values)
    model.check_possible(whole, len(codes))
    numbers = group_numbers(model, files.group, codes, len(files.sizes), whole)
    worst = int(numbers.argmin() if model.higher_is_safer else numbers.argmax())
    holds = bool(files.sizes.min() >= model.smallest_group) and _all_hold(
        model, numbers, files.group, codes, whole
    )
    return Verdict(
        f"{model.name} {parameters(model)} on {name}",
        status(holds),
        f"worst group {numbers[worst]:.4g}, asked {model.limit()}",
        _shape(files, worst),
        model.statement(),
    )


def _all_hold(
    model: Model,
    numbers: NDArray[np.float64],
    group: NDArray[np.int64],
    codes: NDArray[np.int64],
    whole: Whole,
) -> bool:
    """Exact for the groups near the worst; a group with a clearly better number can't fail."""
    worst = numbers.min() if model.higher_is_safer else numbers.max()
    if not np.isfinite(worst):
        return False
    near = np.abs(numbers - worst) <= CLOSE * max(1.0, abs(worst))
    return all(model.holds(counts, whole) for counts in different_counts(group, codes, near, whole))


def _whole(files: Files, name: str, codes: NDArray[np.int64], values: list[Any]) -> Whole:
    texts = tuple(spell(values))
    counts = tuple(int(n) for n in np.bincount(codes, minlength=len(values)))
    ordered = files.kind(name) is not Kind.CATEGORY
    tree: Hierarchy | None = files.trees.get(name)
    if tree is None:
        return Whole(name, texts, counts, ordered)
    if values and values[0] is None:
        tree = tree.with_missing()
    leaf = tuple(0 if v is None else tree.leaf_of[t] for v, t in zip(values, texts, strict=True))
    return Whole(name, texts, counts, ordered, tree, leaf)


def _check_kept(model: Model, files: Files) -> Iterator[Verdict]:
    """What remains of k if the adversary also knows the kept columns."""
    kept = files.named("keep")
    if not kept or not isinstance(model, KAnonymity):
        return
    cell = files.group.copy()
    for name in kept:
        codes = files.values(name)[0]
        cell = np.unique(cell * (codes.max(initial=0) + 1) + codes, return_inverse=True)[1]
    sizes = np.bincount(cell)
    smallest, alone = int(sizes.min()), float((sizes == 1).sum() / len(cell))
    holds = smallest >= model.k
    yield Verdict(
        f"{model.name} {parameters(model)} if kept columns are known",
        Status.VERIFIED if holds else Status.ARGUED,
        f"smallest class {smallest}, {alone:.1%} of records alone",
        note="" if holds else f"holds only against somebody who does not know {', '.join(kept)}",
    )


def choice_of_groups(files: Files) -> Verdict:
    """Whether the groups themselves may tell of sensitive values: no file can show that."""
    steered = any(claim.steered for claim in files.claims)
    text = (
        "sensitive values decided which groups were allowed: see known limits"
        if steered
        else "groups would follow from quasi-identifiers alone; the files can't show it"
    )
    says = f"the release says: {'steered' if steered else 'not steered'}"
    return Verdict("choice of groups", Status.ARGUED, says, "", text)


def _shape(files: Files, group: int) -> str:
    """Where a group is and how large: its number, size, and the number of wide cells, no value."""
    return f"group {group}, {int(files.sizes[group])} records"


def parameters(model: Model) -> str:
    """The parameters of a model on one line."""
    parts = []
    for key, value in model.parameters.items():
        if isinstance(value, str):
            parts.append(f"{key} = {value}")
        elif isinstance(value, int | float):
            parts.append(f"{key} = {value:g}")
        elif value is not None:
            parts.append(f"{key} = {len(value)} listed")
    return ", ".join(parts)


def status(holds: bool) -> Status:
    """What a check that can decide says."""
    return Status.VERIFIED if holds else Status.VIOLATED
