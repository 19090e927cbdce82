"""The parts of the study of patterns."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.answers import result_table
from sfumato.core.errors import CannotBeMet
from sfumato.data.people import People
from sfumato.kernels.localities import LESS, complete_localities
from sfumato.methods.tables.mondrian import Mondrian
from sfumato.metrics.distortion import distortion as distortion_metric
from sfumato.metrics.replaced import alike
from sfumato.models.l_diversity import DistinctLDiversity
from sfumato.query import exact, prepare
from sfumato.releases.release import Evidence, Publication
from sfumato.study.findings import Curves, Finding, Setting, Statement
from sfumato.study.papers import patterns_data as data
from sfumato.study.papers.patterns_clusters import clusters, moved

Floats = NDArray[np.float64]
SHARES = (0.002, 0.01, 0.02)
FEW_SHARES = (0.002, 0.02)
KS = (2, 4)
LS = (4, 8, 12)
QUERIES = 60
FIRST = 30


def shares_of(setting: Setting) -> tuple[float, ...]:
    """The shares of localities that are tried."""
    return FEW_SHARES if setting.quick else SHARES


def extraction(setting: Setting) -> Iterator[Finding]:
    """Figure 5.4(a): time to find all localities against the size of a part."""
    rng = setting.run.rng("extraction")
    sizes = (100, 300) if setting.quick else (100, 200, 300, 400, 500, 600, 700, 800, 900)
    complete_localities(np.arange(5))
    lines = []
    for size in sizes:
        even = np.sort(rng.integers(0, 10**9, size))
        ages = np.sort(np.clip(rng.normal(45, 18, size), 17, 95).astype(np.int64))
        line: dict[str, Any] = {"size": size}
        for name, values in (("uniform", even), ("ages", ages)):
            begin = time.thread_time()
            for _ in range(5):
                found = complete_localities(values)
            line[f"{name}, ms"] = (time.thread_time() - begin) / 5 * 1e3
            line[f"{name}, localities"] = len(found)
        lines.append(line)
    title = "Time to find all localities of a part"
    slope = np.polyfit(np.log(sizes), np.log([line["uniform, ms"] for line in lines]), 1)[0]
    said = Statement(
        "Time grows quadratically in the size of a part.",
        1.5 < slope < 2.5,
        f"to the power of {slope:.2f}; {lines[-1]['uniform, ms']:.2g} ms for {sizes[-1]} values",
    )
    chart = Curves("size", ["uniform, ms", "ages, ms"], "values of a part", "CPU ms")
    yield Finding("extraction", title, "", result_table(title, lines), chart, [said])


def substitution(setting: Setting) -> Iterator[Finding]:
    """Figure 5.4(b): time to draw values against the share of localities."""
    people = data.synthetic(setting)
    lines = []
    parts = len(people.schema.quasi) * -(-people.table.rows // 100)
    cases = {
        "4,000 one-sided steps": {"walk": "one-sided", "steps": 4_000, "start": "data"},
        "20 effective draws": {},
    }
    for options in cases.values():
        data.released(setting, people, 0.002, **options)  # compile
    for share in shares_of(setting):
        line: dict[str, Any] = {"share": share}
        for name, options in cases.items():
            begin = time.process_time()
            made = data.released(setting, people, share, **options)
            line[f"{name}, ms"] = (time.process_time() - begin) / parts * 1e3
        line["properties"] = made.ledger.notes["patterned"]["properties"]
        lines.append(line)
    title = "Time to draw the values of a part anew"
    growth = lines[-1]["4,000 one-sided steps, ms"] / lines[0]["4,000 one-sided steps, ms"]
    more = lines[-1]["properties"] / lines[0]["properties"]
    said = Statement(
        "Time grows linearly in the number of properties.",
        0.4 * more <= growth <= 1.6 * more,
        f"{growth:.1f} times the time for {more:.1f} times the properties",
    )
    chart = Curves(
        "share", [f"{n}, ms" for n in cases], "share of localities", "CPU ms", log_x=True
    )
    yield Finding("substitution", title, "", result_table(title, lines), chart, [said])


def preserved(truth: Floats, shown: Floats) -> float:
    """The share of all localities of a column, over all its records, that a release keeps."""
    order = np.argsort(truth, kind="stable")
    before, after = truth[order], shown[order]
    rows = complete_localities(np.rint(before * 10**4).astype(np.int64))
    i, j, k, sort = rows.T
    left = 2 * after[j] - after[i] - after[k]
    ordered = (after[i] <= after[j]) & (after[j] <= after[k])
    return float((np.where(sort == LESS, left < 0, left >= 0) & ordered).mean())


def distortions(setting: Setting) -> Iterator[Finding]:
    """Figure 5.5: distortion against the share, and which localities hold beyond the parts."""
    for name, people in _tables(setting):
        truth = data.values(people)
        lines = []
        for share in shares_of(setting):
            shown = data.drawn(data.released(setting, people, share), people)
            wanted = data.distortion(truth, shown)
            rng = setting.run.rng("noise", name, str(share))
            noise = data.noisy(truth, wanted, rng, normal=False)
            some = np.arange(min(400, len(truth)))
            kept = [preserved(truth[some, c], shown[some, c]) for c in range(truth.shape[1])]
            lost = [preserved(truth[some, c], noise[some, c]) for c in range(truth.shape[1])]
            lines.append(
                {
                    "share": share,
                    "distortion": wanted,
                    "localities kept across parts": float(np.mean(kept)),
                    "by noise of the same distortion": float(np.mean(lost)),
                }
            )
        title = f"Distortion against the share of localities, {name}"
        falls = lines[-1]["distortion"] < lines[0]["distortion"]
        said = Statement(
            "Distortion decreases with the number of properties.",
            falls,
            f"{lines[0]['distortion']:.3g} to {lines[-1]['distortion']:.3g}",
        )
        chart = Curves("share", ["distortion"], "share of localities", "distortion", log_x=True)
        short = name.split()[0]
        yield Finding(f"distortion-{short}", title, "", result_table(title, lines), chart, [said])


def _tables(setting: Setting) -> Iterator[tuple[str, People]]:
    yield "synthetic table", data.synthetic(setting)
    yield "census", data.census(setting)


def clustering(setting: Setting) -> Iterator[Finding]:
    """Figure 5.6: clustering error against noise of the same distortion."""
    for name, people in _tables(setting):
        truth = data.values(people)
        rng = setting.run.rng("clusters", name)
        ks = KS[:2] if setting.quick else KS
        before = {k: clusters(truth, k, rng) for k in ks}
        lines = []
        for share in shares_of(setting):
            shown = data.drawn(data.released(setting, people, share), people)
            wanted = data.distortion(truth, shown)
            line: dict[str, Any] = {"share": share, "distortion": wanted}
            for label, values in _compared(truth, shown, wanted, rng):
                for k in ks:
                    line[f"{label}, k = {k}"] = moved(before[k], clusters(values, k, rng), k)
            lines.append(line)
        title = f"Records in another cluster, {name}"
        pairs = [
            (line[f"patterns, k = {k}"], line[f"uniform noise, k = {k}"])
            for line in lines
            for k in ks
        ]
        wins = sum(ours <= theirs for ours, theirs in pairs)
        said = Statement(
            "Patterns consistently outperform random perturbation.",
            wins == len(pairs),
            f"at {wins} of {len(pairs)} points",
        )
        shown_curves = [f"{label}, k = {ks[-1]}" for label in ("patterns", "uniform noise")]
        chart = Curves("share", shown_curves, "share of localities", "error", log_x=True)
        short = name.split()[0]
        yield Finding(f"clusters-{short}", title, "", result_table(title, lines), chart, [said])


def _compared(
    truth: Floats, shown: Floats, wanted: float, rng: np.random.Generator
) -> list[tuple[str, Floats]]:
    return [
        ("patterns", shown),
        ("uniform noise", data.noisy(truth, wanted, rng, normal=False)),
        ("normal noise", data.noisy(truth, wanted, rng, normal=True)),
    ]


def queries_of(people: People, rng: np.random.Generator, number: int) -> list[list[str]]:
    """The four queries of the thesis, some instances of each."""
    table, schema = people.table, people.schema
    ends = {n: (table[n].numbers[0], table[n].numbers[-1]) for n in schema.quasi}
    jobs = table[schema.sensitive[0]].values.to_pylist()
    found: list[list[str]] = [[] for _ in range(1 + len(schema.quasi))]
    for _ in range(number):
        above = {n: f'"{n}" > {rng.uniform(*ends[n]):.2f}' for n in schema.quasi}
        size = int(rng.integers(1, len(jobs) + 1))
        some = [jobs[i] for i in rng.permutation(len(jobs))[:size]]
        listed = ", ".join("'" + job.replace("'", "''") + "'" for job in some)
        found[0].append(f"SELECT COUNT(*) FROM release WHERE {' AND '.join(above.values())}")
        for place, name in enumerate(schema.quasi, 1):
            rest = [text for other, text in above.items() if other != name]
            where = " AND ".join([*rest, f'"{schema.sensitive[0]}" IN ({listed})'])
            found[place].append(f'SELECT AVG("{name}") FROM release WHERE {where}')
    return found


def errors(publication: Publication, people: People, asked: Sequence[Sequence[str]]) -> list[float]:
    """Mean relative error of each sort of query; those whose truth is 0 or NULL are left out."""
    engine = prepare(publication.release)
    found = []
    for queries in asked:
        each = []
        for sql in queries:
            truth = exact(people.table, sql)[0][1][0].value
            value = engine.answer(sql)[0][1][0].value
            if truth and value is not None:
                each.append(abs(value - truth) / abs(truth))
        found.append(float(np.mean(each)) if each else float("nan"))
    return found


def aggregates(setting: Setting) -> Iterator[Finding]:
    """Figure 5.7: queries on Adult against diverse groups of the same distortion."""
    people = data.adult(setting)
    truth = data.values(people)
    rng = setting.run.rng("queries")
    asked = queries_of(people, rng, 20 if setting.quick else QUERIES)
    lines, wins, points = [], 0, 0
    for l in LS[:2] if setting.quick else LS:  # noqa: E741
        model = DistinctLDiversity(column=people.schema.sensitive[0], l=l)
        try:
            grouped = Mondrian(k=l).publish(people, [model], setting.run).sealed()
        except CannotBeMet:
            continue
        evidence = Evidence(grouped.release, people.table, grouped.ledger)
        wanted = float(distortion_metric.compute(evidence).value or 0.0)  # type: ignore[union-attr]
        share, made = _matched(setting, people, truth, wanted)
        ours = errors(made, people, asked)
        theirs = errors(grouped, people, asked)
        shown = data.distortion(truth, data.drawn(made, people))
        line: dict[str, Any] = {"l": l, "distortion of groups": wanted, "distortion": shown}
        line["share"] = share
        for place, (one, other) in enumerate(zip(ours, theirs, strict=True), 1):
            line |= {f"query {place}": one, f"query {place}, groups": other}
            wins, points = wins + (one < other), points + 1
        lines.append(line)
    title = "Relative error of four sorts of queries, Adult"
    said = Statement(
        "Answers are more accurate than those of diverse groups of the same distortion.",
        wins == points,
        f"at {wins} of {points} points",
    )
    chart = Curves("l", ["query 1", "query 1, groups"], "l of the groups", "mean relative error")
    yield Finding("queries", title, "", result_table(title, lines), chart, [said])


def _matched(
    setting: Setting, people: People, truth: Floats, wanted: float
) -> tuple[float, Publication]:
    """The release of the least share of localities whose distortion is that of the groups or less,
    or of the largest share that was tried."""
    tried = (0.02, 0.3) if setting.quick else (0.02, 0.1, 0.4)
    for share in tried:
        made = data.released(setting, people, share, size=20, effective=10)
        if data.distortion(truth, data.drawn(made, people)) <= wanted:
            break
    return share, made


def vicinity(setting: Setting) -> Iterator[Finding]:
    """Figures 5.8 and 5.9: what somebody learns who looks around a true position."""
    people = data.adult(setting)
    truth = data.values(people)
    codes = people.table[people.schema.sensitive[0]].codes
    shares = (0.02, 0.3) if setting.quick else (0.05, 0.2)
    lines: list[dict[str, Any]] = [{"k": k + 1} for k in range(FIRST)]
    most = {}
    for share in shares:
        shown = data.drawn(data.released(setting, people, share, size=20, effective=10), people)
        near = alike(truth, shown, np.ptp(truth, axis=0), codes, np.arange(len(truth)), FIRST)
        for k, line in enumerate(lines):
            line[f"first at k, {share:g}"] = float((near.first == k + 1).mean())
            line[f"any at k, {share:g}"] = float(near.each[k] / len(truth))
        most[share] = max(float(near.each[k] / len(truth)) for k in range(FIRST))
    chance = float(((np.bincount(codes) / len(codes)) ** 2).sum())
    title = "Neighbours of a true position that have the same occupation, Adult"
    said = [
        Statement(
            "No neighbour shares the sensitive value in more than 15 % of all cases.",
            max(most.values()) <= 0.15,
            ", ".join(f"share {s:g}: {100 * m:.3g} %" for s, m in most.items())
            + f"; {100 * chance:.3g} % of random pairs",
        ),
        Statement(
            "More properties make the first neighbour likelier to be alike.",
            lines[0][f"any at k, {shares[-1]:g}"] > lines[0][f"any at k, {shares[0]:g}"],
            ", ".join(f"share {s:g}: {100 * lines[0][f'any at k, {s:g}']:.3g} %" for s in shares),
        ),
    ]
    curves = [f"any at k, {share:g}" for share in shares]
    chart = Curves("k", curves, "place of the neighbour", "share of records")
    yield Finding("vicinity", title, "", result_table(title, lines), chart, said)
