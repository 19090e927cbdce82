"""The files of a published graph fit together, and their order says nothing."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.audit.clear import unclear
from sfumato.audit.files import Files
from sfumato.core.answers import Status, Verdict
from sfumato.releases.perturbed_graph import PerturbedGraph


def check_structure(files: Files) -> Iterator[Verdict]:
    """Nodes are numbered, edges ascend, each once: reading them has checked it."""
    content = files.content
    assert isinstance(content, PerturbedGraph)
    problems = list(unclear((files.table("nodes"),)))
    fine = f"{content.rows:,} nodes, {content.graph.edges:,} edges"
    status = Status.VIOLATED if problems else Status.VERIFIED
    yield Verdict("structure", status, problems[0] if problems else fine)
