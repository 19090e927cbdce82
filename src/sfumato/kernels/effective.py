"""How many independent draws a correlated series is worth."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def autocorrelation_times(series: NDArray[Any]) -> NDArray[np.float64]:
    """Of every column of a series (draws, quantities), in draws; at least 1.

    Twice the sum of autocorrelations, less 1, in pairs as long as these stay above 0 and made to
    descend (Geyer 1992). A quantity that never moves has no such time: NaN. Cost: a Fourier
    transform of each column, twice.
    """
    draws = len(series)
    centred = (series - series.mean(axis=0)).T.astype(np.float32)
    spectrum = np.fft.rfft(centred, 1 << (2 * draws - 1).bit_length(), axis=1)
    power = spectrum.real**2 + spectrum.imag**2
    covariance = np.fft.irfft(power, axis=1)[:, :draws]
    variance = covariance[:, 0]
    still = np.ptp(series, axis=0) == 0
    even = draws - draws % 2
    pairs = covariance[:, 0:even:2] + covariance[:, 1:even:2]
    pairs = np.minimum.accumulate(pairs, axis=1)
    total = np.where(pairs > 0, pairs, 0).sum(axis=1, dtype=np.float64)
    times = np.maximum(2 * total / np.where(still, 1, variance) - 1, 1.0)
    return np.where(still, np.nan, times)


def effective_draws(series: NDArray[Any]) -> NDArray[np.float64]:
    """Draws divided by autocorrelation times; NaN where nothing moves."""
    return np.asarray(len(series) / autocorrelation_times(series))
