"""Keep modules, functions and argument lists small; prints the figures, fails on a breach."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from statistics import median, quantiles

MODULE, BODY_MEDIAN, BODY_90, ARGUMENTS, KERNEL_ARGUMENTS = 500, 8, 30, 6, 8
SOURCE = Path(__file__).parents[1] / "src" / "sfumato"
Function = ast.FunctionDef | ast.AsyncFunctionDef


def body_lines(function: Function) -> int:
    """Lines of a function after its docstring."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return 1 + (body[-1].end_lineno or 0) - body[0].lineno if body else 0


def arguments(function: Function) -> int:
    """Arguments a caller sees."""
    listed = function.args.args + function.args.kwonlyargs + function.args.posonlyargs
    return sum(argument.arg not in ("self", "cls") for argument in listed)


def main() -> int:
    """Measure every module."""
    modules, bodies, breaches = [], [], []
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        lines = text.count("\n")
        modules.append(lines)
        if lines > MODULE:
            breaches.append(f"{path.name} has {lines} lines, at most {MODULE}")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, Function):
                bodies.append(body_lines(node))
                most = KERNEL_ARGUMENTS if "kernels" in path.parts else ARGUMENTS
                public = not node.name.startswith("_")
                if public and arguments(node) > most:
                    breaches.append(f"{path.name}: {node.name} has more than {most} arguments")
    middle, ninetieth = median(bodies), quantiles(bodies, n=10)[-1]
    print(
        f"sizes: {len(modules)} modules, median {median(modules):.0f}, longest {max(modules)}; "
        f"{len(bodies)} functions, bodies median {middle:.0f}, 90th percentile {ninetieth:.0f}"
    )
    if middle > BODY_MEDIAN or ninetieth > BODY_90:
        breaches.append(f"bodies: median {middle}, 90th percentile {ninetieth}")
    print("\n".join(breaches), end="\n" if breaches else "")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
