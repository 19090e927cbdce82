"""Linear programs over rows: the middle of a polytope, and how far a sum can go in it.

Solved by HiGHS, which is an extra of the installation. Results are doubles and serve to start a
walk, to bound and to measure; nothing that is promised rests on their last digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.errors import SfumatoError
from sfumato.kernels.lattice_rows import Rows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def need_solver(what: str) -> Any:
    """The solver, or an error that says how to get it."""
    try:
        import highspy
    except ImportError:
        raise SfumatoError(
            f"{what} needs a solver of linear programs, which is not installed",
            "pip install 'sfumato[patterns]'",
        ) from None
    return highspy


class Program:
    """A polytope of rows and boxes, over which one objective after the other is optimised.

    Everything is scaled by the widest box, so that tolerances mean the same whatever the unit.
    """

    def __init__(
        self, rows: Rows, lower: Floats, upper: Floats, equal: NDArray[np.bool_] | None = None
    ) -> None:
        self._highs = need_solver("this")
        self.scale = max(1.0, float(np.max(upper - lower, initial=0.0)))
        self._lower, self._upper, self._rows = lower, upper, rows
        floor = np.full(rows.number, -np.inf)
        if equal is not None:
            floor[equal] = rows.limit[equal]
        self._solver = self._highs.Highs()
        self._solver.setOptionValue("output_flag", False)
        self._solver.setOptionValue("threads", 1)
        self._pass(rows, floor, rows.limit, (lower, upper), np.zeros(len(lower)))
        self._last: Ints = np.empty(0, np.int64)

    def _pass(
        self, rows: Rows, low: Floats, high: Floats, box: tuple[Floats, Floats], cost: Floats
    ) -> None:
        problem = self._highs.HighsLp()
        problem.num_col_, problem.num_row_ = len(cost), len(high)
        problem.col_cost_ = cost
        problem.col_lower_, problem.col_upper_ = box[0] / self.scale, box[1] / self.scale
        problem.row_lower_, problem.row_upper_ = low / self.scale, high / self.scale
        problem.a_matrix_.format_ = self._highs.MatrixFormat.kRowwise
        problem.a_matrix_.start_ = rows.start
        problem.a_matrix_.index_ = rows.variable
        problem.a_matrix_.value_ = rows.coefficient
        self._solver.passModel(problem)

    def extreme(self, variable: Ints, coefficient: Floats, largest: bool) -> float | None:
        """The least or largest value of a sum; None if the solver found no optimum."""
        self._solver.changeColsCost(len(self._last), self._last, np.zeros(len(self._last)))
        self._last = variable
        sign = -1.0 if largest else 1.0
        self._solver.changeColsCost(len(variable), variable, sign * coefficient)
        self._solver.run()
        if self._solver.getModelStatus() != self._highs.HighsModelStatus.kOptimal:
            return None
        return float(sign * self._solver.getInfo().objective_function_value * self.scale)

    def duals(self) -> Floats:
        """By how much the last objective, as it was minimised, would change with each limit."""
        return np.array(self._solver.getSolution().row_dual)

    def fix(self, variable: int, value: float) -> None:
        """Hold a variable at a value."""
        self._solver.changeColBounds(variable, value / self.scale, value / self.scale)

    def free(self, row: int) -> None:
        """Take a row out."""
        self._solver.changeRowBounds(row, -np.inf, np.inf)

    def centre(self) -> tuple[Floats, float]:
        """The point farthest from all rows and ends, in sums of sizes of coefficients, and how far.

        The program itself is left as it was.
        """
        rows, n = self._rows, len(self._lower)
        sizes = np.diff(rows.start)
        norm = np.bincount(np.repeat(np.arange(rows.number), sizes), np.abs(rows.coefficient))
        entries = np.concatenate([np.column_stack([np.arange(n), np.full(n, n)]).ravel()] * 2)
        where = np.insert(rows.variable.astype(np.int64), rows.start[1:], n)
        values = np.insert(rows.coefficient, rows.start[1:], norm[: rows.number])
        signs = np.concatenate([np.tile([1.0, 1.0], n), np.tile([-1.0, 1.0], n)])
        counts = np.concatenate([sizes + 1, np.full(2 * n, 2)])
        wide = Rows(
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            np.concatenate([where, entries]).astype(np.int32),
            np.concatenate([values, signs]),
            np.concatenate([rows.limit, self._upper, -self._lower]),
        )
        inner = Program(wide, np.append(self._lower, 0.0), np.append(self._upper, self.scale))
        far = inner.extreme(np.array([n]), np.ones(1), largest=True)
        if far is None:
            return (self._lower + self._upper) / 2, 0.0
        point = np.array(inner._solver.getSolution().col_value)[:n] * self.scale
        return point, far
