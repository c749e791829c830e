# SPDX-License-Identifier: Apache-2.0
"""Clocks of simulated cores and reports of their area and power, over a file and in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from store_data import CORE_REPORT, CORE_TRIAL, COUNT, FACTS, TRIAL, begin, sample

from joulemark.errors import StoreError
from joulemark.records.sample import ClockCount
from joulemark.store.beside_runs import latest_reports
from joulemark.store.repository import Store


def test_counts_read_back_beside_samples(store: Store) -> None:
    """Counts read back exactly, and their trials are not among those with samples."""
    run_id, other = begin(store), begin(store)
    longer = replace(CORE_TRIAL, workload=replace(CORE_TRIAL.workload, size_bytes=64))
    store.add_clock_count(run_id, longer, ClockCount(8, 128, 3))
    store.add_clock_count(run_id, CORE_TRIAL, COUNT)
    store.add_samples(run_id, TRIAL, [sample()])
    assert store.clock_counts(run_id) == {longer: ClockCount(8, 128, 3), CORE_TRIAL: COUNT}
    assert list(store.clock_counts(run_id)) == [longer, CORE_TRIAL]
    assert store.samples(run_id) == {TRIAL: [sample()]}
    assert store.sample_counts(run_id) == {TRIAL: 1}
    assert store.clock_counts(other) == {}


def test_count_of_a_trial_is_kept_once(store: Store) -> None:
    """A second count of the same trial is refused and the first stays."""
    run_id = begin(store)
    store.add_clock_count(run_id, CORE_TRIAL, COUNT)
    with pytest.raises(StoreError, match=r"core_sha256_pipeline at 0 bytes are already in run 1"):
        store.add_clock_count(run_id, CORE_TRIAL, ClockCount(1, 1, 1))
    assert store.clock_counts(run_id) == {CORE_TRIAL: COUNT}


def test_counts_are_whole_numbers(store: Store) -> None:
    """Another library's integer is stored as a number; a float is refused and writes nothing."""
    run_id = begin(store)
    with pytest.raises(TypeError):
        store.add_clock_count(run_id, CORE_TRIAL, ClockCount(1, 1.5, None))  # type: ignore[arg-type]
    assert store.clock_counts(run_id) == {}
    whole = ClockCount(np.int64(8), np.int64(64), None)  # type: ignore[arg-type]
    store.add_clock_count(run_id, CORE_TRIAL, whole)
    assert store.clock_counts(run_id) == {CORE_TRIAL: ClockCount(8, 64, None)}


def test_count_needs_its_run(store: Store) -> None:
    """A count for a missing run is refused in a sentence; a deleted run takes its counts along."""
    with pytest.raises(StoreError, match="no run 1"):
        store.add_clock_count(1, CORE_TRIAL, COUNT)
    run_id = begin(store)
    store.add_clock_count(run_id, CORE_TRIAL, COUNT)
    store.delete_run(run_id)
    with pytest.raises(StoreError, match="no run"):
        store.clock_counts(run_id)
    assert store.clock_counts(begin(store)) == {}


def test_changed_core_is_not_mixed_in(store: Store) -> None:
    """A run that holds clocks of a core refuses other facts of it."""
    run_id = begin(store)
    facts = replace(FACTS, implementation=CORE_TRIAL.implementation)
    store.add_implementation(run_id, facts)
    store.add_clock_count(run_id, CORE_TRIAL, COUNT)
    with pytest.raises(StoreError, match="changed: flags"):
        store.add_implementation(run_id, replace(facts, flags="STAGES=8"))


def test_reports_read_back(store: Store) -> None:
    """A report reads back as it is, with title, modules and moment, whatever runs there are."""
    assert store.add_core_report(CORE_REPORT) == 1
    assert store.core_reports() == [CORE_REPORT]


def test_lists_of_settings_read_back(store: Store) -> None:
    """A list among the settings of a report in cells is one when it is read."""
    clocking = {"clocking": {"hazards": ["gate"], "latches": [2, 3], "hold_slack_s": None}}
    report = CORE_REPORT.model_copy(update={"settings": clocking})
    store.add_core_report(report)
    assert store.core_reports() == [report]


def test_equal_report_is_stored_once(store: Store) -> None:
    """The same report again is the same row; other figures of one digest stand beside it."""
    first = store.add_core_report(CORE_REPORT)
    later = CORE_REPORT.model_copy(update={"made_at": "2026-01-03T00:00:00+00:00"})
    assert store.add_core_report(later) == first
    figures = {**CORE_REPORT.figures, "area_ge": 60124.0}
    other = CORE_REPORT.model_copy(update={"figures": figures})
    assert store.add_core_report(other) != first
    assert store.core_reports() == [CORE_REPORT, other]


def test_the_newest_report_is_the_one_made_last(store: Store) -> None:
    """A report that came later from another store and was made earlier is not the newest."""
    older = CORE_REPORT.model_copy(
        update={"made_at": "2026-01-01T00:00:00+00:00", "digest": "older"}
    )
    for report in (CORE_REPORT, older):
        store.add_core_report(report)
    assert store.core_reports() == [older, CORE_REPORT]
    assert latest_reports(store.core_reports()) == [CORE_REPORT]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_report_without_a_number_is_refused(store: Store, value: float) -> None:
    """A figure that is no number is refused and nothing is written."""
    with pytest.raises(ValueError, match="JSON"):
        store.add_core_report(CORE_REPORT.model_copy(update={"figures": {"area_ge": value}}))
    assert store.core_reports() == []
