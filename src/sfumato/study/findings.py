"""What a study is: parts that each make findings, a finding being a table, what it says, a chart.

A study draws nothing: a chart is said by naming the columns of its table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sfumato.core.answers import ResultTable
from sfumato.core.errors import SfumatoError
from sfumato.core.run import Run


class Absent(SfumatoError):
    """Data that a part of a study needs and that is not here."""


@dataclass(frozen=True)
class Curves:
    """Lines over a common x: columns of the finding's table, six of them at most."""

    x: str
    y: Sequence[str]
    x_name: str
    y_name: str
    log: bool = False
    log_x: bool = False


@dataclass(frozen=True)
class Statement:
    """Something that a paper says of its curves, and whether the numbers found here say it too."""

    paper: str
    agrees: bool
    found: str


@dataclass(frozen=True)
class Finding:
    """One result. `name` is unique in its study, and short: figures are filed under it.

    A chart may be drawn from a table without being shown in full, so tables may be wide.
    """

    name: str
    title: str
    text: str
    table: ResultTable
    chart: Curves | None = None
    statements: Sequence[Statement] = ()


@dataclass(frozen=True)
class Setting:
    """The surroundings of a study: its randomness, where real data lies, how long it may take."""

    run: Run
    data: Path | None = None
    quick: bool = False

    def file(self, name: str) -> Path:
        """A file of real data.

        >>> Setting(Run.seeded(1)).file("adult.parquet")
        Traceback (most recent call last):
        sfumato.study.findings.Absent: no adult.parquet; name its folder: --data, or SFUMATO_DATA
        """
        path = self.data / name if self.data is not None else None
        if path is None or not path.is_file():
            raise Absent(f"no {name}", "name its folder: --data, or SFUMATO_DATA")
        return path


@dataclass(frozen=True)
class Part:
    """A part of a study; what it needs and is not there makes it fail with `Absent`."""

    title: str
    text: str
    make: Callable[[Setting], Iterable[Finding]]


@dataclass(frozen=True)
class Study:
    """The experiments of one paper. `about` says what is measured and how, in paragraphs."""

    title: str
    source: str
    about: str
    parts: Sequence[Part]


@dataclass(frozen=True)
class Outcome:
    """What came of one part: findings, or the reason why there are none."""

    title: str
    text: str = ""
    findings: Sequence[Finding] = ()
    left_out: str = ""


def conduct(study: Study, setting: Setting) -> Iterator[Outcome]:
    """Carry out every part; those without data are left out, with the reason."""
    for part in study.parts:
        with setting.run.phase(part.title):
            try:
                yield Outcome(part.title, part.text, tuple(part.make(setting)))
            except Absent as absent:
                yield Outcome(part.title, left_out=str(absent))
