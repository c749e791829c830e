# SPDX-License-Identifier: Apache-2.0
"""Tails and quantiles of the distributions that our tests need.

They are functions of `scipy.special` under plain names. `scipy.stats` has them too and takes more
than half a second of CPU time to import, which every command that judges samples would pay.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from joulemark.stats.location import FloatArray


def normal_cdf(value: float) -> float:
    """Share of the standard normal distribution that lies at or below a value.

    Example:
        >>> round(normal_cdf(-1.96), 4)
        0.025
    """
    return float(special.ndtr(value))


def normal_quantile(share: float) -> float:
    """Value with that share of the standard normal distribution below it.

    Args:
        share: between 0 and 1, exclusive.

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
