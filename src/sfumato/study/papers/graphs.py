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
A graph is published with every pair of nodes drawn anew: an edge goes with one probability, a \
pair that is not connected becomes one with another. In the thesis both are mu. The law that \
keeps the density deletes the share a of the edges and adds as many as are expected to go. \
Whoever reads the published graph knows the law.

An attacker plants k nodes before publication (a path; all other pairs by a coin), joins them to \
victims by sets of edges that tell the victims apart, and looks for them in what is published: by \
exact degrees (walk-based), by degrees within w of what is expected and at most m wrong pairs \
(interval-walk), or by likelihood (beam: this project's, and the attack by which it judges a \
setting). A run plants and publishes anew; attacks of the same kind meet the same publications. \
It succeeds if at least half of the planted nodes are placed rightly and a victim is named \
rightly. Shares have 95 % intervals of Wilson, in the tables; they are wide where runs are few, \
and the runs here are fewer than the 200 of the thesis. An attack that did not succeed once under \
a law is not tried against stronger ones. Success of 0 says that this attack with this budget \
failed, never that a setting is safe.

The graphs of the thesis can't be had. For its 4,644 accounts of Enron stands a snowball of as \
many nodes in the whole Enron graph; for its 20,000 authors of DBLP stand two co-author graphs \
side by side, HepPh and HepTh, cut to 20,000 nodes, and as many made-up authors. These have \
degrees d with chances proportional to (d + 11.36)^-3.94, up to 343: fitted to the mean degree \
and the two-paths per node of com-DBLP (SNAP, as counted by KONECT), who write papers of such \
sizes that transitivity is .30, as there. Properties are told of the whole Enron graph, \
wiki-Vote, ego-Twitter and the made-up authors.

Where formulas of the thesis are wrong, the right ones are used. A statement agrees if the \
numbers show it by a rule stated in the code: "almost always" is .95 and more, "very low" .2 and \
less, "accurately" within 1 % for density and 5 % for transitivity, and curves that are said to \
rise or fall do so in their means. Seconds are CPU time on the machine the page was made on."""

STUDY = Study(
    "Social graphs: the experiments of a thesis, repeated",
    "Xue, Privacy protection via anonymization for publishing multi-type data, thesis, "
    "National University of Singapore 2012, chapter 4",
    ABOUT,
    (
        Part("Attacks on a part of Enron", "", attacks.enron),
        Part("Attacks on co-authors", "", attacks.coauthors),
        Part("Attacks on made-up authors", "", attacks.made_up),
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
