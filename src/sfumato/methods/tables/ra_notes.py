"""What the owner is told of a redrawn table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.data.table import Column
from sfumato.releases.redraw_law import RedrawLaw
from sfumato.releases.redraw_risk import Adversary

SHARES = (0.1, 0.2, 0.5, 0.9)


def risk_notes(adversary: Adversary, most: float | None) -> dict[str, Any]:
    """The distribution of what can be inferred, as numbers for the ledger."""
    found, own = adversary.inference, adversary.own
    limits = sorted({*SHARES, *([most] if most is not None else [])})
    above = {f"{limit:g}": float((found.best > limit).mean()) for limit in limits}
    return {
        "redraw": adversary.law.redraw,
        "perplexity": adversary.law.perplexity,
        "largest_belief": float(found.best.max(initial=0.0)),
        "mean_belief": float(found.best.mean()),
        "records_above": above,
        "best_guess_right": float(found.person.mean()),
        "belief_in_owner": float(own.mean()),
        "owner_above_half": float((own > 0.5).mean()),
    }


def advice(quasi: Sequence[Column], law: RedrawLaw, risk: dict[str, Any]) -> dict[str, str]:
    """What an owner should know of before the release goes out."""
    told = []
    constant = [column.name for column in quasi if np.count_nonzero(column.counts()) < 2]
    if constant:
        told.append(
            f"{', '.join(constant)}: one value only, so a redraw changes nothing; drop or keep it"
        )
    if risk and risk["best_guess_right"] > max(0.05, 2 / law.perplexity):
        told.append(
            "somebody who knows everybody's quasi-identifiers guesses the person behind "
            f"{risk['best_guess_right']:.0%} of the records, far more often than the "
            f"perplexity of {law.perplexity:.3g} suggests: redraw more columns, or set most"
        )
    return {"advice": "; ".join(told)} if told else {}
