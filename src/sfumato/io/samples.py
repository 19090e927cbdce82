"""Generated tables to try things on: nobody in them exists, and a seed repeats them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.core.errors import BadJob
from sfumato.core.run import Run
from sfumato.io import sample_values as made

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Rng = np.random.Generator


def people(rows: int, run: Run) -> pa.Table:
    """A made-up population: who people are, what they earn, and what they are treated for.

    Columns: person_id, age, zip, sex, education, occupation, country (of birth), hours (of work
    a week), income (a year, to the nearest 100), diagnosis (the main one), cost (of treatment a
    year, to the nearest 10). They depend on each other as they do in a real population: age on
    everything, education on age and place, occupation on education, pay on all of these, illness
    on age and sex. Persons are drawn independently of each other, so there are no households.
    About 2 % of education and 3 % of income are missing, wholly at random among those asked.

    >>> table = people(3, Run.seeded(1))
    >>> table.num_rows, table.column_names[:3]
    (3, ['person_id', 'age', 'zip'])
    """
    if rows < 0:
        raise BadJob(f"rows is {rows}", "give 0 or more")
    codes, weights, pay, town = made.zips()
    place = draw(_rng(run, "zip"), weights[None], np.zeros(rows, np.int64))
    age = draw(_rng(run, "age"), made.age_weights(), np.zeros(rows, np.int64))
    sex = draw(_rng(run, "sex"), made.sex_weights(), age)
    education = _education(_rng(run, "education"), age, sex, town[place])
    occupation = _occupation(_rng(run, "occupation"), age, sex, education)
    hours = _hours(_rng(run, "hours"), age, sex, occupation)
    income = _income(_rng(run, "income"), age, sex, education, occupation, hours) * pay[place]
    country = _country(_rng(run, "country"), age, town[place])
    diagnosis = draw(_rng(run, "diagnosis"), made.diagnosis_weights(), sex * len(made.AGES) + age)
    cost = _cost(_rng(run, "cost"), age, diagnosis)
    gaps = _rng(run, "missing")
    no_level, no_pay = gaps.random(rows) < 0.02, (gaps.random(rows) < 0.036) & (age >= 16)
    return pa.table(
        {
            "person_id": _names(_rng(run, "person_id"), rows),
            "age": pa.array(age, pa.int64()),
            "zip": _texts(codes, place),
            "sex": _texts(made.SEXES, sex),
            "education": _texts(made.EDUCATION, education, no_level),
            "occupation": _texts(made.OCCUPATIONS, occupation),
            "country": _texts([made.HOME, *(entry[0] for entry in made.COUNTRIES)], country),
            "hours": pa.array(hours, pa.int64()),
            "income": pa.array(_rounded(income, 100), pa.int64(), mask=no_pay),
            "diagnosis": _texts(list(made.DIAGNOSES), diagnosis),
            "cost": pa.array(_rounded(cost, 10), pa.int64()),
        }
    )


def hierarchies() -> dict[str, list[tuple[str, ...]]]:
    """Hierarchies for columns of `people`, in level form; they cover every value that can occur.

    >>> hierarchies()["education"][5]
    ('bachelor', 'university', 'beyond school', '*')
    """
    return {
        "zip": [(code, f"{code[:3]}**", f"{code[0]}****", "*") for code in made.zips()[0]],
        "education": [(level, *_above_education(level), "*") for level in made.EDUCATION],
        "occupation": [(job, *_above_occupation(job), "*") for job in made.OCCUPATIONS],
        "country": [
            (made.HOME, "Western Europe", "Europe", "*"),
            *((country, region, part, "*") for country, region, part, _ in made.COUNTRIES),
        ],
    }


SAMPLES: Mapping[str, Callable[[int, Run], pa.Table]] = {"people": people}


def draw(rng: Rng, weights: Floats, cell: Codes) -> Codes:
    """For each row one of the last axis, with the weights of the row's cell (the other axes).

    One search serves all cells: cell c owns the stretch from c to c + 1 of a single ladder.
    """
    table = weights.reshape(-1, weights.shape[-1])
    share = np.cumsum(table, axis=1)
    share /= share[:, -1:]
    ladder = (share + np.arange(len(table))[:, None]).ravel()
    found = np.searchsorted(ladder, cell + rng.random(len(cell)), side="right")
    return np.asarray(np.minimum(found - cell * table.shape[1], table.shape[1] - 1))


def _rng(run: Run, column: str) -> Rng:
    return run.rng("sample", "people", column)


def _names(rng: Rng, rows: int) -> pa.Array:
    """Unique texts in no order; a digit more than six only where the rows need it."""
    number = pa.array(rng.permutation(rows) + 1).cast(pa.string())
    padded = pc.utf8_lpad(number, max(6, len(str(rows))), "0")
    return pc.binary_join_element_wise("P", padded, "")


def _texts(
    labels: Sequence[str], codes: Codes, missing: NDArray[np.bool_] | None = None
) -> pa.Array:
    return pa.array(labels, pa.string()).take(pa.array(codes, mask=missing))


def _rounded(numbers: Floats, unit: int) -> Codes:
    return (np.rint(numbers / unit) * unit).astype(np.int64)


def _education(rng: Rng, age: Codes, sex: Codes, town: Codes) -> Codes:
    band, weights = made.education_weights()
    return draw(rng, weights, (band[age] * 2 + town) * 3 + sex)


def _occupation(rng: Rng, age: Codes, sex: Codes, education: Codes) -> Codes:
    """Who is in work, and then at what."""
    status = draw(rng, _status_weights(), (age * 3 + sex) * len(made.EDUCATION) + education)
    job = draw(rng, made.job_weights(), (education * 3 + sex) * 2 + (age < 25))
    return np.where(status < made.IDLE + 1, status, len(made.OUT_OF_WORK) + job)


def _status_weights() -> Floats:
    """Child, student, retired, not working, in work by (age, sex, education).

    Those of upper secondary schooling are the students of their twenties. Of the fifties on, the
    less schooled retire earlier; below, they are more often without work, and women more than men.
    """
    age, sex, level = np.meshgrid(made.AGES, range(3), range(len(made.EDUCATION)), indexing="ij")
    child = (age < 6).astype(float)
    long = np.interp(age, [18, 21, 26, 31], [0.85, 0.75, 0.30, 0.0])
    short = np.interp(age, [15, 17, 19, 22, 30], [1.0, 0.80, 0.35, 0.06, 0.0])
    student = np.where((level == 3) | (level == 5), np.maximum(long, short), short)
    later = (level - 3.5) * 0.35
    old = np.interp(
        age - later, [54, 60, 63, 65, 67, 70, 76], [0.01, 0.06, 0.22, 0.5, 0.88, 0.95, 1]
    )
    idle = np.interp(level, [0, 2, 4, 7], [0.30, 0.17, 0.08, 0.04])
    idle = idle * np.where(sex == made.FEMALE, 1.5, 0.9) * np.where(age > 55, 1.2, 1.0)
    busy = (1 - child) * (1 - np.where(age < 15, 1, student))
    retired = np.where(age >= 50, old, 0.0)
    return np.stack(
        [
            child,
            (1 - child) * np.where(age < 15, 1, student),
            busy * retired,
            busy * (1 - retired) * idle,
            busy * (1 - retired) * (1 - idle),
        ],
        axis=-1,
    )


def _hours(rng: Rng, age: Codes, sex: Codes, occupation: Codes) -> Codes:
    """Weekly hours: most work full time or a round part of it; some students have a job."""
    job = np.maximum(occupation - len(made.OUT_OF_WORK), 0)
    full = np.maximum(
        np.rint(rng.normal(made.FULL_TIME[job], 1.5 + 0.5 * (made.FULL_TIME[job] > 42))), 32
    )
    part = np.array([10, 15, 18, 20, 24, 25, 28, 30, 32])
    some = part[draw(rng, np.array([[5, 8, 4, 24, 6, 14, 5, 20, 8.0]]), np.zeros_like(age))]
    share = np.where(
        sex == made.MALE, 0.10, np.interp(age, [20, 28, 36, 60], [0.22, 0.28, 0.52, 0.46])
    )
    share = np.where(age > 65, 0.7, share)
    at_work = np.where(rng.random(len(age)) < share, some, full)
    chance = rng.random(len(age)) < np.where((age >= 16) & (occupation == made.STUDENT), 0.3, 0.0)
    beside = np.where(chance, np.minimum(some, 20), 0)
    return np.where(occupation >= len(made.OUT_OF_WORK), at_work, beside).astype(np.int64)


def _income(
    rng: Rng, age: Codes, sex: Codes, education: Codes, occupation: Codes, hours: Codes
) -> Floats:
    """Log-normal around what the job, the schooling, the years at work and the hours bring."""
    noise = rng.standard_normal(len(age))
    job = np.maximum(occupation - len(made.OUT_OF_WORK), 0)
    years = np.interp(age, [16, 20, 30, 42, 55, 70], [0.45, 0.65, 0.90, 1.06, 1.10, 1.02])
    years = np.where(sex == made.FEMALE, 0.94, 1.0) * years
    paid = made.PAY[job] * made.PAY_OF_EDUCATION[education] * years * (hours / 40)
    pension = made.PENSION_OF_EDUCATION[education] * np.where(sex == made.FEMALE, 0.78, 1.06)
    student = hours * 52 * 13.0
    by_status = np.stack([np.zeros_like(paid), student, pension, np.full_like(paid, 9500.0), paid])
    status = np.minimum(occupation, len(made.OUT_OF_WORK))
    spread = np.array([0.0, 0.25, 0.38, 0.45, 0.30])[status]
    return by_status[status, np.arange(len(age))] * np.exp(spread * noise)


def _country(rng: Rng, age: Codes, town: Codes) -> Codes:
    """Few children and old people were born abroad, many more of those at work in towns."""
    group = np.searchsorted([18, 65], age, side="right")
    return draw(rng, made.country_weights(), group * 2 + town)


def _cost(rng: Rng, age: Codes, diagnosis: Codes) -> Floats:
    """A gamma-like spread around the diagnosis's cost; half of the young and well cost nothing."""
    by_age = np.interp(age, [0, 10, 25, 60, 95], [1.2, 0.8, 0.85, 1.15, 1.7])
    spread = np.where(diagnosis == 0, 0.9, 0.65)
    cost = made.COST[diagnosis] * by_age * np.exp(spread * rng.standard_normal(len(age)))
    nothing = np.interp(age, [2, 20, 60, 90], [0.1, 0.55, 0.35, 0.1])
    return np.where((diagnosis == 0) & (rng.random(len(age)) < nothing), 0.0, cost)


def _above_education(level: str) -> tuple[str, str]:
    rank = made.EDUCATION.index(level)
    if rank <= 3:
        return ("up to primary" if rank <= 1 else "secondary"), "school"
    return ("vocational training" if rank == 4 else "university"), "beyond school"


_SECTORS = {
    "industry": ("production", "transport", "crafts", "engineering"),
    "trade and offices": ("services", "sales", "office", "management"),
    "health and teaching": ("nursing", "teaching", "medicine"),
    "in education": ("child", "student"),
    "at home": ("retired", "not working"),
}


def _above_occupation(job: str) -> tuple[str, str]:
    sector = next(name for name, jobs in _SECTORS.items() if job in jobs)
    return sector, "not in work" if job in made.OUT_OF_WORK else "in work"
