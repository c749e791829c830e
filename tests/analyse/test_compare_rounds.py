# SPDX-License-Identifier: Apache-2.0
"""Clean windows of two trials that lie in different rounds."""

from __future__ import annotations

from fake_runs import altered, trial

from joulemark.analyse.compare import compare_within, pairs_against, points_of

ONE, OTHER = trial("a/x"), trial("a/y")


def test_trials_without_a_common_clean_round_are_compared_by_all() -> None:
    """Each is clean in every second round alone, so no clean pair is left: all rounds count."""
    samples = {
        ONE: altered(lambda i: {"involuntary_switches": i % 2}, count=20),
        OTHER: altered(lambda i: {"involuntary_switches": 1 - i % 2}, count=20),
    }
    points = points_of(samples, pairs_against(samples, "a/x"))
    assert {trial_key: len(found) for trial_key, found in points.items()} == {ONE: 20, OTHER: 20}
    assert len(compare_within(samples, "a/x")) == 1
    both = dict.fromkeys((ONE, OTHER), tuple(samples[ONE]))
    points = points_of(both, pairs_against(both, "a/x"))
    assert {trial_key: len(found) for trial_key, found in points.items()} == {ONE: 10, OTHER: 10}
