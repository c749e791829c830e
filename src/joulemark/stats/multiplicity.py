# SPDX-License-Identifier: Apache-2.0
"""Many comparisons at once: Holm's adjusted p-values and Bonferroni-level intervals.

A run that compares twenty equal implementations with a baseline, each at 5 %, would call one of
them different on average. Holm's method bounds the chance of even one false call by alpha, under
any dependence between the comparisons; they are dependent, since they share a baseline.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from joulemark.stats.location import FloatArray


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
