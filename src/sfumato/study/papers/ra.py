"""The study of random anonymization: what is measured, and how."""

from __future__ import annotations

from sfumato.study.findings import Part, Study
from sfumato.study.papers import ra_queries as queries
from sfumato.study.papers import ra_risk as risk
from sfumato.study.papers import ra_rules as rules

ABOUT = """\
Adult: the 30,162 rows of the training part that lack no value, with the nine quasi-identifiers of \
the paper (education, race, sex, workclass, marital status, age in years, relationship, native \
country, and salary, called income there) and occupation as the sensitive column.

A question names j quasi columns drawn at random and, for each of them and for occupation, a \
random number of random values; 1,000 questions for every j from 1 to 8. The relative error is \
|estimate - truth| / truth. It is undefined where the truth is 0, and means over all other \
questions are ruled by those that select one or two records; so errors are compared over \
questions that select at least 30 records, and once over all that select any.

By frequency, l = 10 is impossible on Adult: one occupation has 13.4 % of the records. Both \
baselines use the entropy form of l-diversity, as the paper says of itself: groups of Mondrian \
with equation 12 (values taken to be evenly spread over the published cell; as printed, the \
equation uses the share inside the group, which is not published), and permutation within \
buckets with equation 13.

"RA" is the paper's reading: records are counted as they stand. "Undone" is this project's: the \
law inverted, unbiased as long as the question's columns can all be kept together. "Answer" is \
what `sfumato query` gives: undone, but shrunk where undoing enlarges a part more than five \
times and the standard error is above a tenth. Statements that begin with "Ours" are targets of \
this project and not the paper's."""

INFERRED = """\
The paper computes Pa, the perplexity of a redraw, and takes 1/Pa for the probability that an \
adversary links a person to a record. The number is found again. It is not that probability: here \
the posterior of somebody who holds everybody's quasi-identifiers is computed exactly, for all \
30,162 records against all 30,162 people, and so is what it teaches of the occupation, with and \
without a person's own record. What remains without it is what the others teach."""

LENGTHS = """\
The paper finds RA ahead of both others at every length, the error of permuted data the least \
affected by it, and that of RA rising more and more slowly."""

DIVERSITY = """\
The paper lowers l to 8 and 5, for questions about five columns, and finds both others improve \
and RA still ahead. RA does not depend on l."""

UNDONE = """\
What undoing the redraw gains over counting records as they stand, and what it costs. The bias of \
records as they stand grows with the length of the question, and that of the unbiased estimate \
vanishes; in exchange its variance grows, the faster the more columns are redrawn, which is why \
answers are shrunk where it would amplify noise. Where length and columns redrawn together exceed \
nine, no estimate is unbiased and no interval is shown. Two releases for every number of columns."""

RULES = """\
Associations are combinations of quasi values and an occupation with a support of 8 %, and a \
confidence of 15 %, mined by efficient-apriori. The paper reads records as they stand; "undone" \
estimates every support from the law."""

SUPPORTS = """\
How far the support of a combination of values moves when one column of every record is redrawn: \
formulas of this project, which agree with enumeration on small tables, and of the paper, against \
simulation. Equation 11 has no 1/n: it says the same of a table and of ten copies of it."""

STUDY = Study(
    "Random anonymization: the paper's experiments, repeated",
    "Yang, Qiao, A novel anonymization algorithm: privacy protection and knowledge preservation, "
    "Expert Systems with Applications 37, 2010",
    ABOUT,
    (
        Part("What can be inferred", INFERRED, risk.inferred),
        Part("Figure 6a: counts by columns asked about", LENGTHS, queries.by_length),
        Part("Figure 6b: counts by diversity", DIVERSITY, queries.by_diversity),
        Part("The redraw undone", UNDONE, queries.undone),
        Part("Figure 7: associations, against permutation", RULES, rules.against_permutation),
        Part("Figure 8a: associations by columns redrawn", RULES, rules.by_redraw),
        Part("Figure 8b: combinations by length", RULES, rules.by_length),
        Part("Bias and variance of supports", SUPPORTS, risk.supports),
    ),
)
