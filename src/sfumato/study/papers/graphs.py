"""The study of graphs: what is measured, and how."""

from __future__ import annotations

from functools import partial

from sfumato.study.findings import Part, Study
from sfumato.study.papers import graphs_attacks as attacks
from sfumato.study.papers import graphs_classification as classification
from sfumato.study.papers import graphs_compared as compared
from sfumato.study.papers import graphs_others as others
from sfumato.study.papers import graphs_times as times
from sfumato.study.papers import graphs_utility as utility

ABOUT = """\
ABOUT"""

STUDY = Study(
    "Social graphs: the experiments of a thesis, repeated",
    "Xue, thesis, chapter 4",
    ABOUT,
    (
        Part("Attacks on a part of Enron", "", attacks.enron),
        Part("Attacks on co-authors", "", attacks.coauthors),
        Part("Attacks on a made-up graph with the degrees of DBLP", "", attacks.made_up),
        Part("Time, victims, and causes of failure", "", times.findings),
        *(
            Part(f"Properties: {one.title}", "", partial(utility.findings, subject=one))
            for one in utility.SUBJECTS
        ),
        Part("Groups and path lengths", "", utility.extra),
        Part("Two laws, side by side", "", compared.two_laws),
        Part("Classification by hubs", "", classification.findings),
        Part("k-degree anonymity, and a fixed number of changes", "", others.findings),
    ),
)
