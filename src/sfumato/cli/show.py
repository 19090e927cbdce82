"""What every verb prints with: tables or JSON on standard output, progress on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from sfumato.core.answers import ResultTable, Verdict
    from sfumato.core.run import Progress


def show_tables(tables: Sequence[ResultTable], as_json: bool) -> None:
    """Print tables for people or for machines."""
    from sfumato.report.terminal import json_text, print_table

    if as_json:
        print(json_text(tables))
        return
    for table in tables:
        print_table(table, _console())


def show_verdicts(verdicts: Sequence[Verdict], as_json: bool, title: str = "audit") -> None:
    """Print verdicts for people or for machines."""
    from sfumato.core.answers import verdict_table
    from sfumato.report.terminal import json_text, print_verdicts

    if as_json:
        print(json_text([verdict_table(title, verdicts)]))
    else:
        print_verdicts(verdicts, _console())


def show_json(title: str, facts: dict[str, Any], as_json: bool) -> None:
    """Print for machines, as a table of one row, what people were told in a line."""
    if as_json:
        from sfumato.core.answers import result_table

        show_tables([result_table(title, [facts])], as_json)


def say(text: str, as_json: bool = False) -> None:
    """A line for people; kept off standard output when that carries JSON."""
    print(text, file=sys.stderr if as_json else sys.stdout, flush=True)


def _console() -> Console:
    from rich.console import Console

    wide = sys.stdout.isatty()
    return Console(highlight=False, soft_wrap=False, width=None if wide else 100)


@contextmanager
def progress() -> Iterator[Progress]:
    """A bar with the time left on a terminal; nothing where there is none."""
    if not sys.stderr.isatty():
        yield lambda phase, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description:>16}"),
        BarColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=1.0)

        def tell(phase: str, done: int, total: int) -> None:
            bar.update(task, description=phase, completed=done, total=max(1, total))

        yield tell
