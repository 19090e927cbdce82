"""The study of distribution-based publication: what is measured, and how."""

from __future__ import annotations

from sfumato.study.findings import Part, Study
from sfumato.study.papers import distribution_other as other
from sfumato.study.papers import distribution_ranges as ranges

ABOUT = """todo"""

STUDY = Study(
    "Distribution-based publication: the paper's experiments, repeated",
    "Koudas, Srivastava, Yu, Zhang, Distribution-based microdata anonymization, VLDB 2009",
    ABOUT,
    (
        Part("6.1 Generalization, on Adult", "", ranges.on_adult),
        Part("6.1 Generalization, on made-up tables", "", ranges.on_made_up),
        Part("6.2 Fakes, on Adult", "", ranges.fakes_on_adult),
        Part("6.2 Fakes, on made-up tables", "", ranges.fakes_on_made_up),
        Part("6.3 Targets apart from the data", "", other.targets),
        Part("6.3 Binary and ternary trees", "", other.hierarchies),
        Part("6.4 Parts of Adult", "", other.parts_of_adult),
        Part("6.4 Parts of a made-up table", "", other.parts_of_made_up),
        Part("6.5 Time", "", other.times),
    ),
)
