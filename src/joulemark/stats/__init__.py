# SPDX-License-Identifier: Apache-2.0
"""Statistics as pure functions on arrays: location and spread, distributions, many comparisons.

In this room a sample is an array of shape (n,) with n >= 1, unless more is said. A level, a share
and an alpha lie between 0 and 1, both exclusive.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

# Where a sample lies and how far it spreads: median, quartiles, MAD, mean, standard deviation.

FloatArray = NDArray[np.float64]


def as_sample(values: Sequence[float] | FloatArray) -> FloatArray:
    """Check and convert a sample: one dimension, at least one value, all finite.

    Args:
        values: shape (n,), n >= 1, any unit.

    Returns:
        The values as a float64 array of shape (n,).
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or sample.size == 0:
        raise ValueError(f"a sample needs one dimension and a value, not the shape {sample.shape}")
    if not np.isfinite(sample).all():
        raise ValueError("a sample holds a value that is not finite")
    return sample


def doubled_midranks(values: Sequence[float] | FloatArray) -> NDArray[np.int64]:
    """Twice the rank of each value, in the order given; ties share the mean of their ranks.

    The midrank of x is (L + 1 + U) / 2 with L values below x and U at or below it, so twice that
    is a whole number.

    Example:
        >>> doubled_midranks([7.0, 5.0, 5.0]).tolist()
        [6, 3, 3]
    """
    sample = as_sample(values)
    ordered = np.sort(sample)
    below = np.searchsorted(ordered, sample, side="left")
    return np.asarray(below + np.searchsorted(ordered, sample, side="right") + 1, dtype=np.int64)


def median(values: Sequence[float] | FloatArray) -> float:
    """Middle value; for even n the mean of the two middle ones.

    x_((n+1)/2) for odd n, (x_(n/2) + x_(n/2+1)) / 2 for even n, with x_(i) the i-th smallest.
    """
    ordered = np.sort(as_sample(values))  # of few values, a tenth of the time of np.median
    return float(ordered[(ordered.size - 1) // 2] + ordered[ordered.size // 2]) / 2


def quartiles(values: Sequence[float] | FloatArray) -> tuple[float, float]:
    """First and third quartile by definition 7 of Hyndman and Fan (1996).

    With h = (n - 1) p, the quantile is x_(j+1) + (h - j)(x_(j+2) - x_(j+1)), j = floor(h): linear
    between order statistics, the extremes being the 0 and 1 quantiles. R, NumPy and Excel use it by
    default, so a reader who recomputes a quartile from the raw samples gets the same number.

    Args:
        values: shape (n,), n >= 1; for n = 1 both quartiles are that value.

    Returns:
        (quartile at p = 1/4, quartile at p = 3/4), in the unit of the values.

    References:
        Hyndman, Fan: Sample quantiles in statistical packages, Am. Stat. 50(4), 1996, table 1.
    """
    first, third = np.quantile(as_sample(values), (0.25, 0.75), method="linear")
    return float(first), float(third)


def mad(values: Sequence[float] | FloatArray) -> float:
    """Median absolute deviation from the median, not scaled: median |x_i - median(x)|.

    For a normal distribution 1.4826 MAD estimates the standard deviation; the factor is left to
    callers that suppose normality.

    Args:
        values: shape (n,), n >= 1; 0 when more than half of the values agree.

    References:
        Hampel: The influence curve and its role in robust estimation, JASA 69, 1974.
    """
    sample = as_sample(values)
    return float(np.median(np.abs(sample - np.median(sample))))


def mean(values: Sequence[float] | FloatArray) -> float:
    """Arithmetic mean, computed about the first value to keep the digits of a large offset.

    x_1 + sum(x_i - x_1) / n.
    """
    sample = as_sample(values)
    return float(sample[0] + np.mean(sample - sample[0]))


def standard_deviation(values: Sequence[float] | FloatArray) -> float:
    """Sample standard deviation with divisor n - 1, by the corrected two-pass algorithm.

    s^2 = (sum(d_i^2) - (sum d_i)^2 / n) / (n - 1) with d_i = x_i - mean.

    Args:
        values: shape (n,), n >= 2.

    References:
        Chan, Golub, LeVeque: Algorithms for computing the sample variance, Am. Stat. 37(3),
        1983, equation 1.7.
    """
    sample = as_sample(values)
    if sample.size < 2:
        raise ValueError("a standard deviation needs two values")
    deviations = sample - mean(sample)
    squares = np.sum(deviations**2) - np.sum(deviations) ** 2 / sample.size
    return float(np.sqrt(max(squares, 0.0) / (sample.size - 1)))


# Outliers are counted and reported, never removed.
#
# On a busy machine the slow samples are part of what happened; the median and its interval bear
# them, and the reader is told. There are two definitions, which fail at different samples: the
# modified z-score where more than half of the values tie, the fences where more than a quarter do.

MODIFIED_Z_LIMIT: Final = 3.5
"""Iglewicz and Hoaglin's recommendation, from simulations at n = 10, 20 and 40."""

_NORMAL_QUARTILE: Final = 0.6745
"""Third quartile of the standard normal: MAD / 0.6745 estimates its standard deviation."""
_NORMAL_MEAN_DEVIATION: Final = 1.253314
"""sqrt(pi / 2): this times the mean absolute deviation estimates the standard deviation."""
_OUTER: Final = 3.0
"""Distance of the outer fences from the quartiles, in distances between the quartiles."""


def modified_z_scores(values: Sequence[float] | FloatArray) -> FloatArray:
    """Distance from the median in robust standard deviations: 0.6745 (x_i - median) / MAD.

    If MAD is 0 (more than half of the values tie), (x_i - median) / (1.253314 MeanAD) with
    MeanAD the mean absolute deviation from the median; if that is 0 too, all scores are 0.

    Returns:
        Shape (n,), no unit, signed.

    References:
        Iglewicz, Hoaglin: How to Detect and Handle Outliers, ASQC Quality Press, 1993; restated
        in the NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.5.17.
    """
    sample = as_sample(values)
    deviations = sample - np.median(sample)
    spread = float(np.median(np.abs(deviations)))
    if spread > 0:
        return np.asarray(_NORMAL_QUARTILE * deviations / spread)
    mean_deviation = float(np.mean(np.abs(deviations)))
    if mean_deviation > 0:
        return np.asarray(deviations / (_NORMAL_MEAN_DEVIATION * mean_deviation))
    return np.zeros_like(sample)


def modified_z_outliers(values: Sequence[float] | FloatArray) -> NDArray[np.bool_]:
    """Which values have |modified z-score| above `MODIFIED_Z_LIMIT`; shape (n,)."""
    return np.asarray(np.abs(modified_z_scores(values)) > MODIFIED_Z_LIMIT)


def outer_fences(values: Sequence[float] | FloatArray) -> tuple[float, float]:
    """Tukey's outer fences, Q1 - 3 IQR and Q3 + 3 IQR with IQR = Q3 - Q1.

    References:
        Tukey: Exploratory Data Analysis, 1977, section 2D; with the quartiles of `quartiles`
        rather than his hinges.
    """
    first, third = quartiles(values)
    distance = _OUTER * (third - first)
    return first - distance, third + distance


def tukey_outliers(values: Sequence[float] | FloatArray) -> NDArray[np.bool_]:
    """Which values lie outside the outer fences; shape (n,)."""
    sample = as_sample(values)
    low, high = outer_fences(sample)
    return np.asarray((sample < low) | (sample > high))


# Tails and quantiles of the distributions that our tests need.
#
# They are functions of `scipy.special` under plain names. `scipy.stats` has them too and takes more
# than half a second of CPU time to import, which every command that judges samples would pay.


def normal_cdf(value: float) -> float:
    """Share of the standard normal distribution that lies at or below a value.

    Example:
        >>> round(normal_cdf(-1.96), 4)
        0.025
    """
    return float(special.ndtr(value))


def normal_quantile(share: float) -> float:
    """Value with that share of the standard normal distribution below it.

    Example:
        >>> round(normal_quantile(0.975), 4)
        1.96
    """
    return float(special.ndtri(share))


def student_quantile(share: float, freedom: float) -> float:
    """Value with that share of Student's t distribution below it.

    Args:
        share: between 0 and 1, exclusive.
        freedom: degrees of freedom, above 0.

    Example:
        >>> round(student_quantile(0.975, 4), 4)
        2.7764
    """
    return float(special.stdtrit(freedom, share))


def student_tail(value: float, freedom: float) -> float:
    """Share of Student's t distribution that lies above a value.

    Args:
        value: any.
        freedom: degrees of freedom, above 0.

    Example:
        >>> round(student_tail(2.7764, 4), 4)
        0.025
    """
    return float(special.stdtr(freedom, -value))


def fair_binomial_cdf(most: int, tosses: int) -> FloatArray:
    """Chance of at most 0, 1, ..., `most` heads in tosses of a fair coin; shape (most + 1,).

    Args:
        most: from 0 to `tosses`.
        tosses: 0 or more.

    Example:
        >>> fair_binomial_cdf(2, 2).tolist()
        [0.25, 0.75, 1.0]
    """
    return np.asarray(special.bdtr(np.arange(most + 1), tosses, 0.5), dtype=np.float64)


# Many comparisons at once: Holm's adjusted p-values and Bonferroni-level intervals.
#
# A run that compares twenty equal implementations with a baseline, each at 5 %, would call one of
# them different on average. Holm's method bounds the chance of even one false call by alpha, under
# any dependence between the comparisons; they are dependent, since they share a baseline.


def holm(p_values: Sequence[float] | FloatArray) -> list[float]:
    """Holm's step-down adjusted p-values, in the order given.

    With p_(1) <= ... <= p_(m): adjusted p_(i) = max over j <= i of min(1, (m - j + 1) p_(j)).
    Rejecting where the adjusted p is below alpha keeps the family-wise error at alpha.

    Args:
        p_values: shape (m,), m >= 0, each from 0 to 1.

    Returns:
        m values from 0 to 1, none below its p.

    References:
        Holm: A simple sequentially rejective multiple test procedure, Scand. J. Statist. 6, 1979,
        section 3; adjusted form: Wright, Biometrics 48, 1992.
    """
    raw = np.asarray(p_values, dtype=np.float64)
    if raw.ndim != 1 or not bool(np.all((raw >= 0) & (raw <= 1))):
        raise ValueError("a p-value lies from 0 to 1")
    order = np.argsort(raw, kind="stable")
    factors = raw.size - np.arange(raw.size)
    stepped = np.maximum.accumulate(np.minimum(1.0, factors * raw[order]))
    adjusted = np.empty_like(raw)
    adjusted[order] = stepped
    return [float(p) for p in adjusted]


def simultaneous_level(alpha: float, comparisons: int) -> float:
    """Level that each of m intervals needs so that all hold at once with probability 1 - alpha.

    1 - alpha / m (Bonferroni). Intervals at this level are a little wider than Holm's test would
    allow, because simultaneous intervals of equal level cannot use the stepping down.

    Args:
        alpha: between 0 and 1, exclusive.
        comparisons: m, at least 1.

    References:
        Dunn: Multiple comparisons among means, JASA 56, 1961.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha lies between 0 and 1, not at {alpha}")
    if comparisons < 1:
        raise ValueError("there is no comparison to share alpha")
    return 1 - alpha / comparisons
