# SPDX-License-Identifier: Apache-2.0
"""Buckets of latencies: the bounds that `harness/latency_buckets.h` counts by, and percentiles.

From 64 on every doubling has 32 buckets of equal width, so that the middle of a bucket is off by at
most 1/64 (1.6 %) from each value in it; below, each value has a bucket.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Final

_STEPS: Final = 32
RELATIVE_ERROR: Final = 1 / (2 * _STEPS)
"""Largest relative error of the middle of a bucket."""


def bucket_lowest(bucket: int) -> int:
    """The lowest value of a bucket, from bucket 0 on."""
    if bucket < 2 * _STEPS:
        return bucket
    doubling = bucket // _STEPS - 1
    return (bucket % _STEPS + _STEPS) << doubling


def bucket_middle(bucket: int) -> float:
    """The middle between the lowest and the highest value of a bucket."""
    return (bucket_lowest(bucket) + bucket_lowest(bucket + 1) - 1) / 2


def percentile(counts: Sequence[tuple[int, int]], share: Fraction) -> float | None:
    """The least value that at least this share of all values does not exceed, to `RELATIVE_ERROR`.

    Args:
        counts: bucket and count (above 0), the buckets ascending.
        share: above 0 and at most 1.

    Returns:
        The middle of the bucket of the value; None without any value, and where fewer than one
        value is expected above: 999 values say nothing of the 99.9th percentile.
    """
    total = sum(count for _, count in counts)
    if total == 0 or (share < 1 and total * (1 - share) < 1):
        return None
    rank = ceil(share * total)
    for bucket, count in counts:
        rank -= count
        if rank <= 0:
            return bucket_middle(bucket)
    raise AssertionError("ranks end with the last value")
