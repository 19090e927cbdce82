"""Terminal output: fits, keeps numbers whole, and lets no text act on the terminal."""

from __future__ import annotations

import io
import json
import math
import subprocess
import sys

import numpy as np
import pytest
from rich.console import Console

from sfumato.core.answers import ResultTable, Status, Verdict, result_table
from sfumato.report.terminal import json_text, print_table, print_verdicts


def printed(table: ResultTable, width: int = 80) -> str:
    """What a table looks like in a terminal of this width."""
    out = io.StringIO()
    print_table(table, Console(file=out, width=width))
    return out.getvalue()


def wide_table(columns: int) -> ResultTable:
    """Long labels and many numbers."""
    row = {f"column_{index}": index**9 * 1.234 for index in range(columns)}
    return result_table("Wide", [{"query": "count where education = Bachelors", **row}] * 3)


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("columns", [1, 5, 14])
def test_it_fits_and_no_number_is_cut(columns: int, width: int) -> None:
    table = wide_table(columns)
    text = printed(table, width)
    assert max(map(len, text.splitlines())) <= width
    for value in table.rows[0][1:]:
        shown = f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
        assert shown in text.split()
    whole = " ".join(text.split())
    assert "education" in whole


def test_numbers_are_aligned_at_the_point() -> None:
    table = result_table("t", [{"a": "x", "long_name_of_a_number": v} for v in (1.25, 300, -0.5)])
    lines = printed(table).splitlines()[-3:]
    assert lines[0].index(".") == lines[2].index(".") == lines[1].index("300") + 3


def test_notes_stand_below_and_an_empty_table_says_so() -> None:
    table = ResultTable("Title", ("a",), (), ("a note",))
    assert [line.strip() for line in printed(table).splitlines() if line.strip()] == [
        "Title",
        "a",
        "no rows",
        "a note",
    ]
    assert "no rows" in printed(ResultTable("t", (), ()))


def test_a_long_text_of_all_rows_is_said_once() -> None:
    text = "a reason that is the same for all of them"
    rows = [{"what": text, "why": text, "how": text + str(n)} for n in range(3)]
    shown = printed(result_table("t", rows), 200)
    assert shown.count(f"why: {text}") == 1
    assert shown.count(text) == 3 + 3 + 1
    assert "why" not in shown.splitlines()[2]


def test_texts_are_no_markup_and_no_commands() -> None:
    text = "[bold]x[/bold]\x1b[2J\n\u202e"
    shown = printed(ResultTable(text, (text,), ((text,),), (text,)))
    assert "[bold]x[/bold]" in shown
    assert "\x1b" not in shown and "\u202e" not in shown


def test_wide_letters_count_twice() -> None:
    table = result_table("t", [{"name": "漢字" * 30, "n": 1234567, "m": 0.5}])
    assert "1,234,567" in printed(table, 40)


def test_verdicts() -> None:
    out = io.StringIO()
    verdicts = [
        Verdict(f"claim [red]{s.value}[/red] " + "word " * 20, s, "found it", "class 3", "a note")
        for s in Status
    ]
    print_verdicts(verdicts, Console(file=out, width=80))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert [line[0] for line in lines if line[0] != " "] == ["✓", "✗", "~", "?"]
    assert "[red]violated[/red]" in out.getvalue() and "worst: class 3" in out.getvalue()


def test_json_round_trip() -> None:
    rows = [{"a": np.int64(1), "b": math.nan, "c": (1, math.inf), "d": "é<"}]
    found = json.loads(json_text([result_table("t", rows, ["n"]), ResultTable("u", ("x",), ())]))
    assert found == [
        {"title": "t", "rows": [{"a": 1, "b": None, "c": [1, None], "d": "é<"}], "notes": ["n"]},
        {"title": "u", "rows": [], "notes": []},
    ]


def test_rich_is_imported_only_to_print() -> None:
    code = "import sys, sfumato.report; sys.exit('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
