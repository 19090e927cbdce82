"""The study of sets of items: what is measured, and how."""

from __future__ import annotations

from sfumato.study.findings import Part, Study
from sfumato.study.papers import sets_adult as adult
from sfumato.study.papers import sets_made_up as made_up
from sfumato.study.papers import sets_real as real

ABOUT = """\
Every record is a set of items, and an item is worth something: 1 in real data, 1 to 100 in made- \
up segments. A k-anonymous method makes groups of k or more, and everybody publishes what all of \
their group have; a (k,1)-anonymous one publishes of every record items that k records have. What \
is measured is the share of the utility of all records that is shown, and the CPU time of \
publishing, summed over threads, without reading, writing and compiling. Every release is \
checked: groups hold k records, and every set that is shown lies in k records or more, counted by \
the code of the audit; anything else would stop the study.

Mondrian cuts by the item that divides a group most evenly (even), that leaves the most alike \
sides (entropy), or that keeps most utility for the information given up (gain, this project's); \
effort 1 and 2 try several ways and improve the best. Clustering grows groups from records drawn \
at random, from records that share a hash bucket (hashed, with c = 50 and 5 tables), or from all; \
iterative breaks up bad groups and places their records anew. Two-phase merges by giving up \
items, then splits. (k,1) is bottom up with hashed or all records as candidates, as in the \
thesis; top down is this project's. Both publish the best set that is found of every record. The \
thesis also asks for a choice that can't be foreseen: drawn draws each set from a list, such that \
who knows all records and lists names the owner of a set with probability 1 / k at most. Where \
the pseudo-code of the thesis does not end or contradicts itself, the methods are mended; their \
pages say how.

The thesis has its results as curves, which are not printed as numbers, and some figures in the \
text. A statement agrees if the numbers show it by a rule stated in the code: more and less mean \
at every k that was tried, a printed gain is found again within a third of itself, "nearly the \
same" is within 2 %, "close" within 5 or 10 %, "far longer" is five times, "orders of magnitude" \
100 times. One run each, with one seed; times are those of the machine the page was made on."""

ENCODING = """\
Categories are items by value, age is cut into ranges of 5 years and hours a week into ranges of \
10, as in the thesis; a missing value is no item. It counts 123 items. There are 125 in this \
encoding, and 123 can't be reached with those widths wherever ranges begin: the values alone are \
99, ages need at least 15 ranges and hours 10. The thesis calls the frequencies of Adult longer- \
tailed; that is so for the rarest third of its items, while the others are more frequent than \
those of the made-up segments."""

CLUSTERING = """\
All 48,842 records. The order of the curves is the one of the thesis: hashed candidates show more \
than random ones, nearly as much as all candidates, and the lead shrinks as k grows. Its size is \
not: it is two to three times the one printed, at k = 10 as at the highest k. The thesis does not \
say how many records random sampling draws; here they are c ln(records), anew for every member. \
The full search takes six to seven times as long as the hashed one here, not fifty times and more.

Iterating is better here than in the thesis. It places records anew by the group where the \
release loses least and keeps the best solution seen, so it leads from k = 5 on with hashed \
candidates and at every k that was tried with all. At k = 180 and hashed candidates the lead is \
near the one printed; with all candidates at k = 150 it is far larger. All candidates are tried \
from k = 5 on, iterating with all from k = 20: below, a point takes half a minute or more."""

CUTS = """\
The thesis finds the two cuts to show almost the same and entropy to take far longer. Neither is \
so here: cutting by entropy shows less at every k, by nearly a quarter at k = 195. The thesis \
does not say how it weighs the entropy of the two sides; here they count by their records. Counts \
of pairs of items are kept up to date from cut to cut, which makes entropy a few times slower, \
not hundreds of times."""

SIDE_BY_SIDE = """\
Search among all records takes long for (k,1), so the curves that are compared come from a \
sample; with fewer records, less is shown at the same k. (k,1) shows more than k-anonymity \
throughout, as in the thesis. Its hashed search is much better here than there, within 3 % of the \
full one. The search from the top down passes both bottom-up ones from k = 5 on, in a fraction of \
their time. The draw that the model asks for costs 4 % of the utility shown at k = 2 and 16 % at \
k = 180; without it, nearly every owner can be named by somebody who knows all records.

Two-phase and Mondrian are ahead of clustering, as in the thesis, but two-phase does not merely \
match Mondrian on Adult, it shows more at high k. On all of Adult effort 2 of Mondrian shows more \
than two-phase at every k, by up to 1.4 %."""

COMPARED = """\
The generator follows the frequencies, sizes and utilities that the thesis states; items are \
independent given how eager a person is, which the thesis leaves open. Two-phase is ahead of \
Mondrian, as it weighs utility. Clustering with hashed candidates is the best of the k-anonymous \
methods at k = 2 and close to Mondrian, even, at high k. (k,1) with hashed candidates falls \
behind as k grows, but later than in the thesis: behind two-phase at k = 40 and behind Mondrian \
at k = 100, not soon after 5. The search from the top down, which the thesis asks for in its \
conclusion, shows more than twice as much as any k-anonymous method from k = 5 on."""

IMPROVED = """\
Effort 1 and 2 of Mondrian against the two methods that the thesis recommends, each as it is \
built here. One cut by gain, at the time of the even cut, shows slightly more than two-phase. \
Effort 1 shows 8 to 17 % more than two-phase and effort 2 10 to 34 %; over the even cut the gain \
is 43 to 69 %. Top down (k,1) is tried for k = 10 only."""

LONG_TAIL = """\
The targeting data of the thesis can't be had. Made-up segments with a long tail stand in for it: \
as many items (1,987), 100,000 records in place of 20.6 million. Levels can't be compared, and \
with more records more would be shown at the same k; what can be compared is which method shows \
more. Two-phase shows more utility and fewer (record, item) pairs, as in Tables 13 and 14. Its \
printed utility at k = 40 (.320) exceeds the one at k = 20 (.255), which no consistent method \
does: a 40-anonymous release is 20-anonymous as well. It is taken for a misprint. Times of the \
thesis have no unit."""

REAL = """\
Utility is 1 for every item, so what is shown is a share of (record, item) pairs. pumsb and \
kosarak are prefixes, and no numbers for the whole data. The better of the two efforts is ahead \
of the better of Mondrian, even, and two-phase, or equal, everywhere. No method wins everywhere: \
clustering is best on chess and pumsb for the smallest k, and far behind on sparse data. (k,1) \
shows most, except on mushroom: from k = 10 on its search finds less than groups do, though the \
model allows at least as much."""

STUDY = Study(
    "Sets of items: the experiments of a thesis, repeated",
    "Podgursky, Practical k-anonymity on large datasets, thesis, Vanderbilt University 2011",
    ABOUT,
    (
        Part("Adult as sets of items", ENCODING, adult.encoding),
        Part("Clustering on Adult", CLUSTERING, adult.clustering),
        Part("Two cuts of Mondrian on Adult", CUTS, adult.heuristics),
        Part("(k,1)-anonymity and all methods on Adult", SIDE_BY_SIDE, adult.side_by_side),
        Part("Made-up segments, methods of the thesis", COMPARED, made_up.compared),
        Part("Made-up segments, with what is new", IMPROVED, made_up.improved),
        Part("A long tail, in place of the targeting data", LONG_TAIL, made_up.long_tail),
        Part("Real transactions", REAL, real.tables),
    ),
)
