"""What the sample population is made of: its values, and how common they are among whom.

Every number here was chosen by hand so that the columns look and hang together like those of a
European country. None was taken from persons, and the postal codes are made up.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float64]

OLDEST = 104
AGES = np.arange(OLDEST + 1)
SEXES = ("female", "male", "other")
FEMALE, MALE, OTHER = range(3)

# A narrow foot, a small echo of the large generation, that generation, and a long thin top.
_AGE_KNOTS = [
    *[
        (0, 0.80),
        (10, 0.86),
        (19, 0.84),
        (25, 1.02),
        (36, 1.20),
        (46, 1.00),
        (52, 1.25),
        (59, 1.55),
    ],
    *[(64, 1.38), (72, 0.98), (78, 0.74), (84, 0.62), (90, 0.25), (96, 0.05), (104, 0.001)],
]
_FEMALE_KNOTS = [(0, 0.487), (30, 0.488), (60, 0.502), (75, 0.54), (85, 0.60), (95, 0.74)]

# region: first digit, share of the people, number of areas, pay against the country's level
_REGIONS = [
    (1, 0.30, 5, 1.08),
    (3, 0.23, 4, 1.00),
    (4, 0.17, 4, 0.97),
    (6, 0.14, 4, 1.05),
    (7, 0.10, 3, 0.92),
    (9, 0.06, 2, 0.86),
]

EDUCATION = (
    "no schooling",
    "primary",
    "lower secondary",
    "upper secondary",
    "vocational",
    "bachelor",
    "master",
    "doctorate",
)
_EDUCATION_FROM = [0, 10, 15, 18, 21, 24, 27, 30, 45, 60, 75]  # the first age of each row below
_EDUCATION_WEIGHTS = [
    [100, 0, 0, 0, 0, 0, 0, 0],
    [4, 96, 0, 0, 0, 0, 0, 0],
    [1, 12, 86, 1, 0, 0, 0, 0],
    [1, 3, 34, 50, 12, 0, 0, 0],
    [1, 2, 15, 42, 29, 11, 0, 0],
    [1, 2, 13, 24, 33, 20, 7, 0],
    [1, 2, 12, 17, 36, 18, 13, 1],
    [1, 3, 12, 13, 41, 14, 14, 2],
    [1, 4, 14, 11, 49, 9, 10, 2],
    [1, 6, 22, 8, 48, 7, 7, 1],
    [2, 14, 36, 6, 34, 4, 3.4, 0.6],
]

OUT_OF_WORK = ("child", "student", "retired", "not working")
CHILD, STUDENT, RETIRED, IDLE = range(4)
JOBS = (
    "production",
    "transport",
    "services",
    "crafts",
    "sales",
    "office",
    "nursing",
    "engineering",
    "teaching",
    "management",
    "medicine",
)
OCCUPATIONS = OUT_OF_WORK + JOBS
# one row per level of education, one column per job
_JOB_WEIGHTS = [
    [26, 14, 38, 12, 8, 1, 1, 0, 0, 0.2, 0],
    [25, 15, 33, 14, 9, 2, 2, 0, 0, 0.5, 0],
    [21, 13, 22, 17, 14, 7, 4, 0.5, 0.5, 1.5, 0],
    [9, 7, 13, 9, 19, 27, 6, 4, 2, 4, 0],
    [12, 7, 8, 21, 14, 20, 11, 4, 1, 2.5, 0],
    [2, 1, 3, 2, 9, 24, 6, 25, 16, 12, 0],
    [0.5, 0.5, 1.5, 0.7, 5, 15, 2, 27, 25, 16, 7],
    [0, 0, 0.5, 0.2, 2, 7, 1, 21, 22, 14, 33],
]
# how much more women (and how much less men) hold a job, as a log-odds of either against the mean
_JOB_FEMALE = [-0.5, -0.8, 0.5, -1.3, 0.25, 0.55, 0.9, -0.75, 0.5, -0.35, 0.0]
# job: yearly pay of a full-time worker, weekly hours of full-time work
PAY = np.array([33, 32, 24, 35, 30, 39, 37, 60, 50, 72, 86]) * 1000.0
FULL_TIME = np.array([39, 42, 39, 41, 39, 39, 39, 40, 41, 45, 47.0])
PAY_OF_EDUCATION = np.array([0.80, 0.84, 0.90, 0.98, 1.0, 1.10, 1.20, 1.36])
PENSION_OF_EDUCATION = np.array([12, 14, 16.5, 20, 20, 27, 32, 38]) * 1000.0

HOME = "Germany"
# (country, region, part of the world, weight among those born abroad)
COUNTRIES = [
    ("Poland", "Eastern Europe", "Europe", 150),
    ("Turkey", "Western Asia", "Asia", 140),
    ("Romania", "Eastern Europe", "Europe", 80),
    ("Syria", "Western Asia", "Asia", 80),
    ("Kazakhstan", "Central Asia", "Asia", 75),
    ("Italy", "Southern Europe", "Europe", 55),
    ("Ukraine", "Eastern Europe", "Europe", 55),
    ("Croatia", "Southern Europe", "Europe", 40),
    ("Bulgaria", "Eastern Europe", "Europe", 32),
    ("Greece", "Southern Europe", "Europe", 30),
    ("Austria", "Western Europe", "Europe", 28),
    ("Afghanistan", "Central Asia", "Asia", 26),
    ("Iran", "Western Asia", "Asia", 18),
    ("Spain", "Southern Europe", "Europe", 16),
    ("France", "Western Europe", "Europe", 15),
    ("Vietnam", "Eastern Asia", "Asia", 14),
    ("India", "Southern Asia", "Asia", 14),
    ("United States", "North America", "America", 11),
    ("Morocco", "North Africa", "Africa", 10),
    ("Portugal", "Southern Europe", "Europe", 9),
    ("China", "Eastern Asia", "Asia", 9),
    ("Brazil", "South America", "America", 6),
    ("Nigeria", "West Africa", "Africa", 5),
    ("Ghana", "West Africa", "Africa", 4),
    ("Colombia", "South America", "America", 3),
    ("Denmark", "Northern Europe", "Europe", 2.5),
    ("Sweden", "Northern Europe", "Europe", 2),
    ("Japan", "Eastern Asia", "Asia", 1.5),
    ("Canada", "North America", "America", 1.2),
    ("Cape Verde", "West Africa", "Africa", 0.4),
    ("Nepal", "Southern Asia", "Asia", 0.4),
    ("Iceland", "Northern Europe", "Europe", 0.2),
]

# diagnosis: yearly cost, then how common among women and among men at these ages
_DIAGNOSIS_AGES = [10, 18, 30, 45, 60, 75, 90]
DIAGNOSES: dict[str, tuple[float, list[float], list[float]]] = {
    "none": (90, [79, 79, 71, 63, 44, 24, 12], [77, 82, 80, 69, 46, 24, 13]),
    "allergy": (240, [9, 8, 7, 5, 3, 1.5, 0.5], [10, 8, 6, 4, 2, 1, 0.5]),
    "asthma": (780, [4, 5, 4, 4, 4, 4, 3], [7, 5, 3, 3, 3.5, 4, 3]),
    "infection": (420, [7, 3, 2, 2, 2, 3, 5], [6, 3, 2, 2, 2, 3, 5]),
    "back pain": (620, [0, 1, 5, 9, 11, 9, 6], [0, 1, 5, 9, 11, 8, 6]),
    "hypertension": (520, [0, 0.2, 1, 5, 17, 26, 22], [0, 0.3, 2, 7, 18, 24, 21]),
    "diabetes": (2100, [0.1, 0.4, 0.8, 2, 6, 10, 9], [0.1, 0.4, 0.8, 3, 8, 11, 9]),
    "depression": (1900, [0, 3, 7, 7, 7, 5, 5], [0, 1.2, 3, 4, 4, 3, 3]),
    "heart disease": (4300, [0.4, 0.2, 0.3, 0.9, 4, 10, 18], [0.4, 0.2, 0.4, 1.9, 8, 15, 22]),
    "cancer": (13500, [0.05, 0.1, 0.6, 2, 5, 6.5, 5], [0.05, 0.1, 0.4, 1, 5, 9, 8]),
    "dementia": (9800, [0, 0, 0, 0, 0.3, 4, 20], [0, 0, 0, 0, 0.3, 3, 14]),
    "addiction": (3600, [0, 0.3, 0.9, 1, 0.7, 0.2, 0.1], [0, 0.5, 2.2, 2.4, 1.6, 0.5, 0.1]),
    "schizophrenia": (7400, [0, 0.1, 0.5, 0.5, 0.4, 0.2, 0.1], [0, 0.2, 0.6, 0.5, 0.3, 0.2, 0.1]),
    "HIV": (15800, [0, 0.01, 0.05, 0.06, 0.04, 0.01, 0], [0, 0.01, 0.2, 0.3, 0.2, 0.04, 0]),
}
COST = np.array([entry[0] for entry in DIAGNOSES.values()])


def over_ages(knots: Sequence[tuple[float, float]]) -> Weights:
    """A number for every age, on straight lines between the given (age, number)."""
    ages, numbers = zip(*knots, strict=True)
    return np.asarray(np.interp(AGES, ages, numbers))


def age_weights() -> Weights:
    """How common each age is, shape (1, ages)."""
    return over_ages(_AGE_KNOTS)[None]


def sex_weights() -> Weights:
    """Sexes by age, shape (ages, 3): women outlive men."""
    female = over_ages(_FEMALE_KNOTS)
    other = np.interp(AGES, [12, 18, 40, 70], [0, 0.006, 0.002, 0])
    return np.stack([female - other / 2, 1 - female - other / 2, other], axis=1)


def zips() -> tuple[list[str], Weights, Weights, NDArray[np.int64]]:
    """Postal codes, their weights, their level of pay, and 1 for those of a large town."""
    codes, weights, pay, town = [], [], [], []
    for digit, share, areas, level in _REGIONS:
        places = [(area, place) for area in range(areas) for place in range(3 + (area + digit) % 4)]
        size = 1.0 / np.arange(1, len(places) + 1) ** 1.15
        codes += [f"{digit}{10 + 17 * area}{10 + 11 * place}" for area, place in places]
        weights += list(share * size / size.sum())
        pay += [level * (1.03 if area == 0 else 0.98) for area, _ in places]
        town += [int(area == 0) for area, _ in places]
    return codes, np.array(weights), np.array(pay), np.array(town)


def education_weights() -> tuple[NDArray[np.int64], Weights]:
    """The band of every age, and levels by (band, town, sex), shape (bands, 2, 3, 8).

    Towns draw graduates; among the old, women left school earlier than men.
    """
    band = np.searchsorted(_EDUCATION_FROM, AGES, side="right") - 1
    level = np.arange(len(EDUCATION)) - 3.5
    grown = np.array(_EDUCATION_FROM) >= 18
    town = np.exp(np.outer([-0.06, 0.12], level))
    woman = np.array(
        [0.05 if first < 45 else -0.02 if first < 60 else -0.14 for first in _EDUCATION_FROM]
    )
    sex = np.exp((woman * grown)[:, None, None] * np.array([1.0, -1.0, 0.0])[:, None] * level)
    weights = np.array(_EDUCATION_WEIGHTS, float)[:, None, None, :] * sex[:, None]
    return band, np.where(grown[:, None, None, None], weights * town[None, :, None, :], weights)


def job_weights() -> Weights:
    """Jobs by (education, sex, under 25), shape (8, 3, 2, jobs)."""
    women = np.exp(np.outer([1.0, -1.0, 0.0], _JOB_FEMALE))
    young = np.ones((2, len(JOBS)))
    young[1, [JOBS.index(job) for job in ("management", "medicine")]] = 0.15
    young[1, [JOBS.index(job) for job in ("services", "sales")]] = 1.6
    return np.asarray(np.array(_JOB_WEIGHTS)[:, None, None, :] * women[:, None] * young)


def country_weights() -> Weights:
    """Countries of birth by (child, grown, old) and town, shape (3, 2, countries), home first."""
    abroad = np.array([entry[3] for entry in COUNTRIES], float)
    share = np.array([[0.03, 0.08], [0.14, 0.27], [0.09, 0.15]])[:, :, None]
    return np.concatenate([1 - share, share * (abroad / abroad.sum())], axis=2)


def diagnosis_weights() -> Weights:
    """Diagnoses by sex and age, shape (3, ages, diagnoses)."""
    women, men = (
        np.stack([np.interp(AGES, _DIAGNOSIS_AGES, entry[side]) for entry in DIAGNOSES.values()])
        for side in (1, 2)
    )
    return np.stack([women.T, men.T, (women + men).T / 2])
