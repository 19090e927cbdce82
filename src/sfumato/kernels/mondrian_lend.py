"""Arrays lent to a kernel without counting references.

numba counts references to every array that a function receives or slices, with atomic operations.
Nodes of twenty rows are so small that this took more than half of the time (choosing a cut: 0.70
microseconds counted, 0.26 lent), and two threads count the same arrays. A lent array has no owner
to count, so whoever calls the kernel must hold the array until the kernel returns; Python does so
for the arguments of a call.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, cast

from numba.extending import intrinsic
from numpy.typing import NDArray

from sfumato.kernels.compiled import inlined, lean
from sfumato.kernels.mondrian_node import Rows, Secret, Table
from sfumato.kernels.rules import Rules


def _same(array: NDArray[Any]) -> NDArray[Any]:
    """For runs without compilation: the array itself."""
    return array


def _without_owner(_: Any, array: Any) -> Any:
    """For the compiler: the same memory as an array without an owner."""

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        view = context.make_array(array)(context, builder, arguments[0])
        view.meminfo = view.meminfo.type(None)
        return view._getvalue()

    return array(array), generate


lent: Callable[[NDArray[Any]], NDArray[Any]] = _same
if os.environ.get("NUMBA_DISABLE_JIT", "0") == "0":
    lent = cast(Callable[[NDArray[Any]], NDArray[Any]], intrinsic(_without_owner))


@inlined
def lend_table(table: Table) -> Table:
    """A table of lent arrays."""
    return Table(lent(table.facts), lent(table.position), lent(table.node), lent(table.node_loss))


@inlined
def lend_rows(rows: Rows) -> Rows:
    """Rows of lent arrays."""
    return Rows(lent(rows.cells), lent(rows.words), lent(rows.ids), lent(rows.flags))


@lean
def lend_secret(secret: Secret | None) -> Secret | None:
    """A secret of lent arrays, if there is one."""
    if secret is None:
        return None
    rules = secret.rules
    lent_rules = Rules(
        lent(rules.kind),
        lent(rules.column),
        lent(rules.first),
        lent(rules.second),
        lent(rules.start),
        lent(rules.extra),
        lent(rules.offset),
    )
    return Secret(lent(secret.sensitive), lent_rules, lent(secret.counts))
