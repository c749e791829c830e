# SPDX-License-Identifier: Apache-2.0
"""Outliers are counted and reported, never removed.

On a busy machine the slow samples are part of what happened; the median and its interval bear
them, and the reader is told. There are two definitions, which fail at different samples: the
modified z-score where more than half of the values tie, the fences where more than a quarter do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from joulemark.stats.location import FloatArray, as_sample, quartiles

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

    Args:
        values: shape (n,), n >= 1.

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

    Args:
        values: shape (n,), n >= 1.

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
