"""The study of nonreciprocal publication: what is measured, and how."""

from __future__ import annotations

from sfumato.study.findings import Part, Study
from sfumato.study.papers import nonreciprocal_figures as figures

ABOUT = """\
Every record is published as the majority of k candidates, with the items in which they differ. \
What is measured is the bit error rate, the bits of that majority that are wrong over the items \
of a person; the query error, the distance of true and published counts over all records, for 500 \
random queries on items that are all present (Type I) or all absent (Type II); and CPU time, \
summed over threads, without reading, writing and compiling. Rates are given twice: against the \
person whose own place a record took, as the thesis has it, and against the person who is \
behind it, by which an analyst is wrong. \
Queries are answered from the majorities alone, as in the thesis.

Gray is Gray order alone, Gray-TSP the order of the thesis with segments of 300 to 350 records, \
linked and near links are this project's. By k nobody has labels. By l every person has one of \
470 made-up occupations, drawn at random; the histogram of the thesis can't be had, so number r is \
as frequent as 1 / (r + 8). All schemes keep diversity of labels as published, which the scheme \
of the thesis does not; a comparison with CAHD is one of orders and of rings against groups. \
CAHD is the thesis's reading of it, in Gray order, and once more in the linked order.

The thesis has its results as curves, without numbers in the text. A statement agrees if it \
holds at every k or l that was tried. One run each, with one seed; times are those of the machine \
the page was made on, which was busy with other work."""

CHESS = """\
All 3,196 records of 37 of 75 items. Queries on 3 items present, or 4 absent. The own place of a \
record is at one end of its k places on the ring, so rates against it are higher than against \
the person behind a record; in groups both are the same. Against that person the ring in the \
order of the thesis is below CAHD at every l. In one and the same order, linked, ring and groups \
are nearly equal: CAHD has 3 % fewer wrong bits at l = 2 and 1 to 4 % more from l = 4 on. From k \
= 64 on Gray order is as good as the linked one, which has short steps and no long reach."""
PUMSB = """\
The first 4,334 of 49,046 records, which is all that could be had. Queries on 1 item present, or \
5 absent. In the linked order groups have 1 to 6 % more wrong bits than the ring."""
MADE_UP = """\
Made-up answers to 74 questions by people of 40 kinds, as many records as pumsb has. Queries as \
for pumsb. In the linked order groups have 0.4 to 3 % more wrong bits than the ring."""
ORDERS = """\
Linked orders are found by linking near records directly; distances fall below those of Gray \
order with tours before any tour is made."""
WALKS = """\
All k assignments of a ring. A free walk ends at any place that nobody has yet; the closed walk \
of the thesis goes on until it is back at its start. Here the backtracking walk remembers where it \
has been, so that it comes to a place once per walk; the thesis does not say how its own does."""
SIZES = """\
Chess several times over; in copies one item of every record is exchanged for another. Publishing \
is for l = 6."""

STUDY = Study(
    "Nonreciprocal publication of sets: the experiments of a thesis, repeated",
    "Xue, Privacy protection via anonymization for publishing multi-type data, thesis, National "
    "University of Singapore 2012, section 3.7",
    ABOUT,
    (
        Part("Chess", CHESS, figures.chess),
        Part("pumsb, the first 4,334 records", PUMSB, figures.pumsb),
        Part("Data of pumsb's shape", MADE_UP, figures.made_up),
        Part("Orders", ORDERS, figures.orders),
        Part("Walks", WALKS, figures.walks),
        Part("Size", SIZES, figures.sizes),
    ),
)
