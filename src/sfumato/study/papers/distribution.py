"""The study of distribution-based publication: what is measured, and how."""

from __future__ import annotations

from sfumato.study.findings import Part, Study
from sfumato.study.papers import distribution_other as other
from sfumato.study.papers import distribution_ranges as ranges

ABOUT = """\
The error of an answer is (u - l) / r: l and u are the hard bounds on the average loss of people \
whose age lies in a range, r is the true average. For each width R = 2, 5, 10, 20, 30, 40, 50, 60 \
years, 100 ranges [X, X + R] are drawn uniformly inside the ages that occur; a query that selects \
nobody is skipped. A point of a curve is the mean over the queries of five runs. Every run has \
its own queries, the same for all curves, and its own table where that is made up. Tables are \
published by the method distribution and asked in SQL, as any release is. A bound that missed the \
truth would stop the study.

Adult: the 1,427 rows of the training part that lack no value and whose capital loss is not 0. \
They have 89 different losses from 155 to 4,356 (the paper prints 155 to 3,900) and 66 ages. \
Made-up tables have 10,000 rows, ages uniform from 17 to 79, and losses on a grid of 64 values \
from 1,024 to 3,040; the paper leaves open how many values, and the parameters of its normal \
distributions. Unrelated: losses are normal around the middle, with a sixth of the span as \
deviation. Related: the mean rises with age over six tenths of the span, the deviation is a \
twelfth of it. Zipf, related: people in order of age, jittered by a tenth of the span of ages, \
take the losses in ascending order.

SA-only publishes a table as one bucket, QI-SA has one bucket for every age. Both generalize \
along a balanced binary tree. Exact: siblings have weights in the ratio of the table's counts. \
Few people can't have values in a ratio such as 713 : 714, so all entries of QI-SA go to the root \
and say nothing. The curves of the paper are not of that kind; its weights must have been \
rounded, which it does not mention. Rounded: the weights of siblings sum to at most 12, which \
moves the target by the distance shown. The other three are this project's: strata (QI-SA, a tree \
of intervals of equal mass, so that every ratio is 1 : 1), within 0.1 (QI-SA, beliefs may be 0.1 \
from the table in total variation), and similar (the same tolerance, for buckets of neighbouring \
ages chosen by dynamic programming for a workload of all widths). The belief is what definition \
3.2 lets one conclude of a person; its distance from the table's distribution is the price in \
privacy.

A statement agrees if the numbers show it by a rule stated in the code: "drops" ends below half \
of where it began, "hardly changes" stays within a factor of 1.25, "more" and "less" of fakes, \
parts and trees compare means over all widths, and "linear" is a power of growth below 1.2."""

ADULT = """\
The paper describes a steep fall for SA-only, a nearly level curve for QI-SA, and SA-only ahead \
once queries are wide. The fall is found again. QI-SA with rounded ratios is behind SA-only at \
every width, since many entries of its small buckets lie at the root, and none of the roundings \
tried puts it ahead for the narrowest queries; it improves somewhat with the width instead of \
staying level. Strata, whose target is exactly the table's own, bring the crossing: ahead of \
SA-only for the narrowest queries, behind for wide ones."""

MADE_UP = """\
The paper describes QI-SA as accurate at all widths where age says nothing about the loss, \
SA-only as better only when nearly everybody is selected, and SA-only as better throughout where \
the loss rises with age. All of it is found again with rounded ratios; with exact ones QI-SA is \
the worst everywhere. How far the ratios are rounded decides the level of QI-SA; the paper gives \
no number for it. Buckets of similar people are fitted to all widths at once: on the related \
table one bucket is better for the widest queries."""

FAKES_ADULT = """\
The paper allows fakes up to a share of every bucket: a few reduce the error, 20 % are too many. \
SA-only is tried on nine tenths of the records, because on the whole table its target is met \
without any generalization. QI-SA on Adult does not turn within 20 % here: so many entries lie at \
the root that fakes go on paying."""

FAKES_MADE_UP = """\
The paper describes a gain at 5 % and a loss beyond it on the unrelated table, and a steady gain \
on the related one, for SA-only as for QI-SA. Fakes are chosen for the least sum of ranges, as in \
the paper, and not for the error, so more of them can make answers worse. Where the turn comes \
depends on how much there is to repair: QI-SA on the unrelated table gains up to 10 %, and \
SA-only, which has little to repair on either table, turns at 5 % on both. For the widest queries \
SA-only loses with any fakes: nearly all entries are selected, and each fake is one that may not \
be."""

TARGETS = """\
The paper describes errors that grow as the target leaves the distribution of the data: normal \
targets with less and less variance on uniform losses, and Zipf targets on losses with s = 0.1. \
Targets are rounded to sums of at most 12. Where the loss is related to age, SA-only is better \
than QI-SA for all targets, and QI-SA is so far off that its target hardly matters."""

TREES = """\
The paper finds less error with a binary tree than with a ternary one and explains it by the \
number of subdomains. Whether a tree fits the number of values matters too: 64 and 2,048 halve \
evenly, 81 divides evenly by three. QI-SA is better with the binary tree in all three cases; the \
trees differ little for SA-only."""

PARTS = """\
The paper cuts the table by age into 2 and 10 parts, gives every part a target of its own, and \
finds less error the more parts there are, because a query selects a larger share of each. Parts \
here hold about equally many records; parts of 1 are the whole table."""

PARTS_ADULT = f"{PARTS} SA-only meets a part's own distribution exactly and generalizes nothing."
PARTS_MADE_UP = f"""\
{PARTS} For the widest queries SA-only does not gain from two parts: nearly all of a single \
bucket is selected as well."""

TIME = """\
CPU time of publishing alone, without reading and writing, on unrelated tables with rounded \
ratios. The times of the page are those of the machine it was made on."""

STUDY = Study(
    "Distribution-based publication: the paper's experiments, repeated",
    "Koudas, Srivastava, Yu, Zhang, Distribution-based microdata anonymization, VLDB 2009",
    ABOUT,
    (
        Part("6.1 Generalization, on Adult", ADULT, ranges.on_adult),
        Part("6.1 Generalization, on made-up tables", MADE_UP, ranges.on_made_up),
        Part("6.2 Fakes, on Adult", FAKES_ADULT, ranges.fakes_on_adult),
        Part("6.2 Fakes, on made-up tables", FAKES_MADE_UP, ranges.fakes_on_made_up),
        Part("6.3 Targets apart from the data", TARGETS, other.targets),
        Part("6.3 Binary and ternary trees", TREES, other.hierarchies),
        Part("6.4 Parts of Adult", PARTS_ADULT, other.parts_of_adult),
        Part("6.4 Parts of a made-up table", PARTS_MADE_UP, other.parts_of_made_up),
        Part("6.5 Time", TIME, other.times),
    ),
)
