"""The study of pattern-preserving publication: what is measured, and how."""

from __future__ import annotations

from sfumato.study.findings import Part, Study
from sfumato.study.papers import patterns_parts as parts

ABOUT = """\
Numbers are drawn anew in parts of 100 records dealt at random (20 for the queries and the \
vicinity, as in the thesis). Kept are the order inside each part, a share of its complete set of \
localities, and its ends: a value stays between the least and the largest of its part. The walk \
is this project's, until it is worth 20 effective draws (10 for parts of 20), which the thesis \
replaces by 4,000 one-sided steps in random directions; those do not reach a uniform law, and are \
timed only.

Census: age, birth place and occupation of 800 people of the American Community Survey of 2018, \
categories by number, in place of the sample of 2008 that the thesis uses. Synthetic: three \
independent uniform columns of 800 values with four digits. Adult: age, weight, years of \
education and occupation of 800 complete rows. The thesis has 75,000, 10,000 and 30,000 rows; \
parts are drawn by themselves, so rows add precision only, and eight hundred give little: \
differences of a tenth say nothing here.

Distortion is the mean relative error of an entry, entries of 0 left out. Noise is uniform or \
normal, in proportion to the range of each column, scaled to the same distortion. A clustering \
error is the share of records in another cluster under the best matching of labels, k-means on \
columns scaled to their ranges, best of 4 starts.

One run each, one seed. A statement agrees if the numbers show it by a rule stated in the code; \
"consistently" means at every point. Times are CPU times of the machine the page was made on."""

EXTRACTION = """\
The thesis needs up to 90 seconds for 900 values. One pointer for each middle value makes it a \
few milliseconds; ages have ties, which are left in here."""

SUBSTITUTION = """\
Per part and column. Both include finding and checking properties; the second also the middle of \
the polytope, by a linear program, and the measurement of what adversaries know."""

DISTORTION = """\
More properties, less change. The last columns ask how many of the localities of 400 records \
hold after publication, order included, most of which reach across parts: those were not kept, so \
what holds of them holds by nearness alone, and for noise of the same distortion nearly as often."""

CLUSTERING = """\
Numbers of clusters in the thesis are not printed in the text at hand; 2 and 4 are tried. That \
patterns are consistently better was not found again: they are better at about half of the points \
and worse at the others. Errors of a third and more on the synthetic table, which has no clusters, \
come from k-means itself, whose best solutions are near ties there. What noise can't do is keep \
any single property with certainty."""

QUERIES = """\
Four sorts of queries: a count with three ranges, and the average of each column under ranges on \
the others and a random set of occupations. Groups are Mondrian's with l different occupations \
each. The share of localities is the least of those tried (.02, .1, .4) whose \
distortion is not above the groups'; where none is, the largest is shown. What is compared thus \
has less distortion than the groups, which helps it. Answers are better than the groups' at 10 \
of 12 points, counts at all; averages of education at l = 4 and of weight at l = 12 are worse."""

VICINITY = """\
Somebody who knows true values looks at the published records nearest to them and guesses the \
occupation of the k-th. The chance that two random records have the same occupation is the \
yardstick: only what is above it was learned from the position. It is more than twice as likely \
here that the nearest record has the same occupation, more than the thesis's 15 %: with so many \
properties in parts of 20, values hardly move."""

STUDY = Study(
    "Pattern-preserving publication: the paper's experiments, repeated",
    "Xue, Karras, Raissi, Pung, Utility-driven anonymization in data publishing, CIKM 2011, and "
    "chapter 5 of Xue's thesis, Singapore 2012",
    ABOUT,
    (
        Part("Time to find localities", EXTRACTION, parts.extraction),
        Part("Time to draw values anew", SUBSTITUTION, parts.substitution),
        Part("Distortion and localities", DISTORTION, parts.distortions),
        Part("Clustering against noise", CLUSTERING, parts.clustering),
        Part("Aggregate queries against diverse groups", QUERIES, parts.aggregates),
        Part("What neighbours tell", VICINITY, parts.vicinity),
    ),
)
