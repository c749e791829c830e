# SPDX-License-Identifier: Apache-2.0
"""The buckets are those that the harness counts by; percentiles of counts known by hand."""

from __future__ import annotations

import random
from bisect import bisect_right
from fractions import Fraction

import pytest

from joulemark import _core
from joulemark.records.sample import RELATIVE_ERROR, bucket_lowest, bucket_middle, percentile

LOWEST = [bucket_lowest(bucket) for bucket in range(_core.LATENCY_BUCKETS)]
P50, P99, P999 = Fraction(1, 2), Fraction(99, 100), Fraction(999, 1000)


def test_bounds_are_those_of_the_harness():
    """The bounds of all buckets are those of the harness, and so is the bound behind the last."""
    for bucket in range(_core.LATENCY_BUCKETS + 1):
        assert bucket_lowest(bucket) == _core.latency_lowest(bucket)


def test_the_middle_is_within_the_stated_error():
    """The middle of each bucket is within the stated error of both ends."""
    for bucket in range(1, _core.LATENCY_BUCKETS):
        low, high = bucket_lowest(bucket), bucket_lowest(bucket + 1) - 1
        assert bucket_middle(bucket) - low <= RELATIVE_ERROR * low
        assert high - bucket_middle(bucket) <= RELATIVE_ERROR * high


def test_ranks_by_hand():
    """Of 1000 values 990 are 3, nine are 7, the last is 60: the ranks 500, 990, 999 and 1000."""
    counts = [(3, 990), (7, 9), (60, 1)]
    assert percentile(counts, P50) == 3
    assert percentile(counts, P99) == 3
    assert percentile(counts, Fraction(991, 1000)) == 7
    assert percentile(counts, P999) == 7
    assert percentile(counts, Fraction(1)) == 60
    assert percentile([(3, 1), (7, 2)], P50) == 7  # the second of three


def test_too_few_values_have_no_percentile():
    """999 values give no 99.9th percentile, which one value in a thousand exceeds."""
    assert percentile([(3, 999)], P999) is None
    assert percentile([(3, 1000)], P999) == 3
    assert percentile([], P50) is None


@pytest.mark.parametrize("seed", range(5))
def test_against_sorted_values(seed):
    """A percentile is the value of the rank, within the stated error, over nine powers of ten."""
    chance = random.Random(seed)
    values = sorted(int(10 ** chance.uniform(0, 9)) for _ in range(5000))
    counts: dict[int, int] = {}
    for value in values:
        place = bisect_right(LOWEST, value) - 1
        counts[place] = counts.get(place, 0) + 1
    for share in (P50, P99, P999):
        rank = -(-share * len(values) // 1)
        exact = values[int(rank) - 1]
        found = percentile(sorted(counts.items()), share)
        assert found == pytest.approx(exact, rel=RELATIVE_ERROR * 1.02)
