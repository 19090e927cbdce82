"""The study of sets of items: what is measured, and how."""

from __future__ import annotations

from sfumato.study.findings import Part, Study
from sfumato.study.papers import sets_adult as adult
from sfumato.study.papers import sets_made_up as made_up
from sfumato.study.papers import sets_real as real

ABOUT = """\
TODO"""

STUDY = Study(
    "Sets of items: the experiments of a thesis, repeated",
    "Podgursky, Practical k-anonymity on large datasets, thesis, Vanderbilt University 2011",
    ABOUT,
    (
        Part("Adult as sets of items", "T1", adult.encoding),
        Part("Clustering on Adult", "T2", adult.clustering),
        Part("Two cuts of Mondrian on Adult", "T3", adult.heuristics),
        Part("(k,1)-anonymity and all methods on Adult", "T4", adult.side_by_side),
        Part("Made-up segments, methods of the thesis", "T5", made_up.compared),
        Part("Made-up segments, with what is new", "T6", made_up.improved),
        Part("A long tail, in place of the targeting data", "T7", made_up.long_tail),
        Part("Real transactions", "T8", real.tables),
    ),
)
