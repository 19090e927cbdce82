"""A release (public), its ledger (the owner's), and the two together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.core.errors import Refused, SfumatoError
from sfumato.data.graph import Network
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Schema
from sfumato.data.sets import Holders
from sfumato.data.table import Table
from sfumato.releases import (
    bucketed,
    patterned,
    perturbed_graph,
    recoded,
    recoded_sets,
    redrawn_table,
    uncertain,
)
from sfumato.releases.bucketed import Bucketed
from sfumato.releases.claims import Claim
from sfumato.releases.patterned import Patterned
from sfumato.releases.perturbed_graph import PerturbedGraph
from sfumato.releases.properties import Properties, sealed_properties
from sfumato.releases.recoded import Recoded
from sfumato.releases.recoded_sets import RecodedSets
from sfumato.releases.redrawn_table import RedrawnTable
from sfumato.releases.uncertain import Uncertain

FORMAT = "sfumato/1"
Content = Recoded | Bucketed | RecodedSets | PerturbedGraph | RedrawnTable | Uncertain | Patterned


@dataclass(frozen=True, eq=False)
class Release:
    """The public half: what everyone may see, and what it claims.

    `hierarchies` are those of sensitive columns that a claim needs; a quasi column's lies with its
    cells. `facts` are what the owner chose to publish besides the data. `release_id` is random and
    ties the two halves together; it is empty until the release is written.
    """

    kind: str
    form: str
    schema: Schema
    content: Content
    claims: tuple[Claim, ...]
    dropped: int = 0
    facts: dict[str, Any] = field(default_factory=dict)
    hierarchies: dict[str, Hierarchy] = field(default_factory=dict)
    release_id: str = ""

    @property
    def sizes(self) -> dict[str, int]:
        """How many there are of what is published, by the word for one of them."""
        content = self.content
        if isinstance(content, PerturbedGraph):
            return {"node": content.rows, "edge": content.graph.edges}
        if isinstance(content, RedrawnTable | Uncertain | Patterned):
            return {"record": content.rows}
        return {"record": content.rows, "group": content.groups}

    @property
    def recoded(self) -> Recoded:
        """The content of a release of form Recoded."""
        if isinstance(self.content, Recoded):
            return self.content
        raise Refused("this is about cells, and the release has none", f"its form is {self.form}")

    @property
    def bucketed(self) -> Bucketed:
        """The content of a release of form Bucketed."""
        if isinstance(self.content, Bucketed):
            return self.content
        raise Refused("this is about buckets, and the release has none", f"its form is {self.form}")

    @property
    def sets(self) -> RecodedSets:
        """The content of a release of form Recoded that is about sets."""
        if isinstance(self.content, RecodedSets):
            return self.content
        raise Refused("this is about sets of items, and the release has none", f"of {self.kind}")

    @property
    def worlds(self) -> Uncertain:
        """The content of a release of form Uncertain."""
        if isinstance(self.content, Uncertain):
            return self.content
        raise Refused("this is about possible worlds, and the release has none", f"of {self.kind}")

    @property
    def patterned(self) -> Patterned:
        """The content of a release of form Patterned."""
        if isinstance(self.content, Patterned):
            return self.content
        raise Refused("this is about properties, and the release has none", f"form {self.form}")

    @property
    def redrawn(self) -> RedrawnTable:
        """The content of a release of form Perturbed that is about a table."""
        if isinstance(self.content, RedrawnTable):
            return self.content
        what = "this is about redrawn columns, and the release has none"
        raise Refused(what, f"its form is {self.form}")

    @property
    def network(self) -> PerturbedGraph:
        """The content of a release of form Perturbed that is a graph."""
        if isinstance(self.content, PerturbedGraph):
            return self.content
        raise Refused("this is about a graph, and the release has none", f"it is of {self.kind}")


@dataclass(frozen=True, eq=False)
class Ledger:
    """The owner's half: which input row each published record was, and how the release was made.

    `key` repeats the run. `notes` hold numbers computed while publishing that must not leave the
    owner's hands. `fakes` lists entries that stand for nobody: bucket, value, count. `matches` has
    a row for every published record whose worlds were made of several originals: these, in the
    order of the assignments, and the original whose own place it took (`own`). `kept`
    are properties that a release keeps and does not disclose, about published records.
    """

    rows: NDArray[np.int64]
    key: str = ""
    job: dict[str, Any] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)
    release_id: str = ""
    fakes: pa.Table | None = None
    matches: pa.Table | None = None
    kept: Properties | None = None


@dataclass(frozen=True, eq=False)
class Publication:
    """What a method gives: a release and its ledger."""

    release: Release
    ledger: Ledger

    def sealed(self) -> Publication:
        """The same publication in canonical order; the ledger's links follow."""
        content, order = _seal(self.release.content)
        ledger = replace(self.ledger, rows=self.ledger.rows[order])
        if ledger.fakes is not None:
            sealed = replace(self.release, content=content).bucketed
            fakes = _renumbered(ledger.fakes, self.release.bucketed, sealed.bucket, order)
            ledger = replace(ledger, fakes=fakes)
        if ledger.matches is not None:
            ledger = replace(ledger, matches=ledger.matches.take(pa.array(order)))
        if ledger.kept is not None:
            place = np.empty(len(order), np.int64)
            place[order] = np.arange(len(order))
            ledger = replace(ledger, kept=sealed_properties(ledger.kept, place))
        return Publication(replace(self.release, content=content), ledger)


def _renumbered(
    fakes: pa.Table, before: Bucketed, after: NDArray[np.int32], order: NDArray[np.int64]
) -> pa.Table:
    """The fakes with the numbers that their buckets have after sealing."""
    number = np.empty(before.groups, np.int32)
    number[before.bucket[order]] = after
    column = pa.array(number[np.asarray(fakes.column("bucket"))])
    return fakes.set_column(0, "bucket", column).sort_by("bucket")


def _seal(content: Content) -> tuple[Content, NDArray[np.int64]]:
    if isinstance(content, Patterned):
        return patterned.seal(content)
    if isinstance(content, PerturbedGraph):
        return perturbed_graph.seal(content)
    if isinstance(content, Bucketed):
        return bucketed.seal(content)
    if isinstance(content, RecodedSets):
        return recoded_sets.seal(content)
    if isinstance(content, Uncertain):
        return uncertain.seal(content)
    if isinstance(content, RedrawnTable):
        return redrawn_table.seal(content)
    return recoded.seal(content)


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is at hand to judge a release: always the public half, more for the owner."""

    release: Release
    original: Table | Holders | Network | None = None
    ledger: Ledger | None = None

    def need(self, what: str) -> Any:
        """One of the owner's pieces, or an error that says which option supplies it."""
        value = getattr(self, what)
        if value is None:
            option = {"original": "--against", "ledger": "--ledger"}[what]
            raise SfumatoError(f"this needs the {what}", f"give {option}")
        return value

    def published_original(self) -> Any:
        """The original rows that were published: without a ledger all of them, if none was dropped.

        None without the original.
        """
        if isinstance(self.original, Network) or self.release.dropped == 0:
            return self.original  # a graph is published whole
        if self.original is None:
            return None
        return self.original.take(self.need("ledger").rows)
