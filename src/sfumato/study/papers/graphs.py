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

ENRON = """\
A snowball of 4,644 nodes with 49,808 edges. The curves have the shapes of the thesis: exact \
degrees fail first, intervals later; wider intervals and fewer planted nodes succeed more. Their \
place is another. At mu = 1e-6 the walk by exact degrees still succeeds in nine of ten runs; half \
of them fail near 1e-5, where the formula (ln 2 over planted nodes times nodes) has it. The \
thesis has it fail from 1e-7 on. Interval-walk at 1e-4 succeeds in 93 to 98 % of the runs, \
whatever the width: what is left is a changed pair among the planted nodes, against which no \
interval helps. It is at an end at 0.005.

What stops both attacks does not stop the beam. It succeeds in all runs up to mu = 0.01 and in 8 \
of 10 at 0.02; against the law that keeps the density in all runs up to a = 0.2 and in 7 of 10 at \
0.3, where interval-walk ends at 0.1. Where nothing was planted, it claimed nothing."""

COAUTHORS = """\
135,694 edges, many of them in cliques of authors of one paper. More nodes mean more new edges at \
every planted node, so all attacks end earlier than on Enron: the walk by exact degrees fails in \
four of ten runs at 1e-6, interval-walk is far from sure at 1e-4 and at an end at 0.001. Dense \
places cost a wide search its budget: with w = 5 one of 20 was cut at mu = 0 already, which is why \
success is not quite sure there."""

MADE_UP = """\
As many nodes, fewer edges (66,986), and triangles by papers. It is the easier one of the two \
large graphs for the beam: planted nodes look like little else in it. The walk by exact \
degrees dies out between 1e-7 and 1e-5, interval-walk by 0.001; at 1e-4 w = 3 is not enough. That \
fewer planted nodes succeed more can't be told from 20 runs of the walk by exact degrees. The beam \
succeeds in all 5 runs up to mu = 0.005, in 2 of 5 at 0.01, and in all 5 up to a = 0.3, where it \
names four in five victims."""

TIMES = """\
As many planted nodes and victims as in the thesis, 4 log N and log(N) squared. A search takes a \
tenth of a second at most, as it is cut after 20 million nodes looked at. That cut is why more \
errors do not help for long: one wrong pair allowed raises success on Enron, two or three let the \
search drown in false paths. Attacks that succeed find all victims, not 92 to 98 %, since victims \
are named by likelihood and not by exact sets of links.

The right half of Table 4.4 can't belong to mu = 0.04: no degree stays within its interval there, \
and a path of 34 nodes would break in three of four cases, not in 6 of 100. Near mu = 0.001 about \
as many attacks succeed as are printed; changed pairs are then as common a cause of failure as \
degrees. Broken paths hardly ever are: degrees stop the attack long before."""

PROPERTIES = {
    "enron": """\
All 36,692 nodes and 183,831 edges. At mu = 0.001 nearly five times as many edges are published \
as there were, and density and transitivity are estimated to a quarter of a percent. Degrees \
estimated node by node, as in the thesis, are unbiased one by one, but spread by the noise: their \
law is .32 off, with low degrees piled up at 0. The law estimated as \
a whole is .07 off, .05 where the owner states that no node is isolated.""",
    "wiki": """\
7,115 nodes, 100,762 edges without direction. Denser than Enron, so the noise weighs less.""",
    "twitter": """\
81,306 nodes and 1,342,296 edges, the largest graph here; for mu above 0.001 it is left out, as \
millions of edges come with every step. It stands for the size of DBLP.""",
    "made-up": """\
20,000 nodes. The sparsest graph: at mu = 0.01 there are 31 times as many edges as there were, and \
transitivity is estimated a tenth too high, in one publication.""",
}

GROUPS = """\
The thesis corrects modularity for groups that are given. Groups must be found first, and on the \
published graph as it is they are poor: on Enron at mu = 0.001 they seem to have .19 and have .29 \
in truth, while .61 can be found on the original. With edges weighed by how likely they are true, \
groups of .59 are found, and estimated to .003. Path lengths are estimated within 2 % wherever a \
query gives an estimate; on Enron it refuses from mu = 0.0003 on, where more edges were added \
than there were."""

LAWS = """\
The part of Enron with 4,644 nodes, published under both laws. The conclusion of the thesis, that \
some mu prevents both of its attacks while density and transitivity stay accurate, is found again: \
mu = 0.005 does. But it stops these two attacks only: the beam succeeds in all runs there, and up \
to the largest mu that was tried, and against the law that keeps the density up to a = 0.2. A \
fifth of the edges deleted has the density and the degrees told about as well as mu = 0.02, with \
a fifth of the edges published, and a path length within 1.5 % where with mu = 0.005 and more \
none can be told; transitivity is told better by one mu. The price is not in this table: \
whoever knows who two nodes are finds a published edge true with probability 1 - a, a weaker \
protection of links than with mu = 0.02, where most published edges are false."""

HUBS = """\
The ten hubs of wiki-Vote and 200 nodes that are joined to four of them or more, drawn at random. \
With one mu, estimated distances are the published ones, shifted and stretched alike, so that the \
classes are those of the published patterns. Most nodes are in the right class up to the largest \
mu that was tried, by a little. The law that keeps the density does worse here, as links to hubs \
are what it deletes: with a = 0.05 a tenth of the nodes is in a wrong class, with mu = 0.01 one \
in 25. Sizes of classes are estimated without bias; counts of guesses are not."""

OTHERS = """\
The part of Enron again. k-degree anonymity (Liu and Terzi: the least degrees such that every one \
is had by k nodes, by dynamic programming, then edges added) is meant against somebody who knows \
a degree, not against planted nodes. Those have middling degrees, which many share, so that few \
of their edges change: the beam finds them at every k that was tried, and interval-walk up to \
k = 5. What is told of the graph suffers more than under perturbation, and can't be corrected, as \
no law is known: with k = 20 transitivity is .53 off.

Deleting and adding a fixed number of edges is nearly the law that keeps the density, and stops \
the same attacks. Taken as it is, what it publishes has transitivity .07 to .40 off, where the \
estimates from a published law are .01 off at most. The number of edges it publishes exactly."""

STUDY = Study(
    "Social graphs: the experiments of a thesis, repeated",
    "Xue, Privacy protection via anonymization for publishing multi-type data, thesis, "
    "National University of Singapore 2012, chapter 4",
    ABOUT,
    (
        Part("Attacks on a part of Enron", ENRON, attacks.enron),
        Part("Attacks on co-authors", COAUTHORS, attacks.coauthors),
        Part("Attacks on made-up authors", MADE_UP, attacks.made_up),
        Part("Time, victims, and causes of failure", TIMES, times.findings),
        *(
            Part(
                f"Properties: {one.title}",
                PROPERTIES[one.name],
                partial(utility.findings, subject=one),
            )
            for one in utility.SUBJECTS
        ),
        Part("Groups and path lengths", GROUPS, utility.extra),
        Part("Two laws, side by side", LAWS, compared.two_laws),
        Part("Classification by hubs", HUBS, classification.findings),
        Part("k-degree anonymity, and a fixed number of changes", OTHERS, others.findings),
    ),
)
