# SPDX-License-Identifier: Apache-2.0
"""The meter of a run and its windows of energy: they come back as they went in, bit for bit."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import numpy as np
import pytest
from store_data import DIGEST, FACTS, OTHER_TRIAL, TRIAL, begin, sample
from stored_energy_data import LARGEST_COUNTS, METER, add_energy, window, windows_of_a_round

from joulemark.errors import StoreError
from joulemark.records.energy_window import DomainTrace, EnergyWindow, MeterRecord, TracePoint
from joulemark.records.figures import Evidence
from joulemark.records.trial import Trial
from joulemark.store.observations import StoredWindow
from joulemark.store.repository import Store


def test_meter_reads_back(store: Store) -> None:
    """A run without a meter has None, one with a meter has it back with its types."""
    metered, plain = begin(store), begin(store)
    store.set_meter(metered, METER)
    found = store.meter(metered)
    assert found == METER
    assert found is not None
    assert isinstance(found.evidence, Evidence)
    assert store.meter(plain) is None


def test_meter_may_change_before_the_first_window(store: Store) -> None:
    """Until a window is stored, another meter takes the place of the first."""
    run_id, other_run = begin(store), begin(store)
    add_energy(store, other_run)
    other = replace(METER, meter="hwmon:fam17h", domains=METER.domains[:1])
    store.set_meter(run_id, METER)
    store.set_meter(run_id, other)
    assert store.meter(run_id) == other


@pytest.mark.parametrize(
    ("changed", "other"),
    [
        ("meter", replace(METER, meter="perf")),
        ("evidence", replace(METER, evidence=Evidence.MEASURED)),
        ("method", replace(METER, method="westermann2010")),
        ("headline", replace(METER, headline="intel-rapl:0:0")),
        ("domains", replace(METER, domains=(replace(METER.domains[0], per_count=6.1e-5),))),
    ],
)
def test_meter_changed_under_windows(store: Store, changed: str, other: MeterRecord) -> None:
    """Windows keep the meter they were taken with; what was found before going on may change."""
    run_id = begin(store)
    add_energy(store, run_id)
    slower = replace(METER, paces={"intel-rapl:0": {"period_s": 0.002}}, facts={})
    store.set_meter(run_id, slower)
    with pytest.raises(
        StoreError, match=rf"no longer what run {run_id} .*\(changed: {changed}\); start a new run"
    ):
        store.set_meter(run_id, other)
    assert store.meter(run_id) == slower


def test_meter_without_a_json_form(store: Store) -> None:
    """An infinity is refused before it reaches a database that could not read it back."""
    run_id = begin(store)
    with pytest.raises(ValueError, match="JSON"):
        store.set_meter(run_id, replace(METER, facts={"ratio": math.inf}))
    assert store.meter(run_id) is None


def test_windows_read_back_in_order(store: Store) -> None:
    """Windows come back equal, in the order they were added, void ones and baselines too."""
    run_id, other_run = begin(store), begin(store)
    added = windows_of_a_round()[::-1]
    for stored_window in added:
        store.add_energy_window(
            run_id, stored_window.trial, stored_window.window, stored_window.void
        )
        store.add_energy_window(other_run, None, stored_window.window)
    assert store.energy_windows(run_id) == added
    assert [energy_window.trial for energy_window in store.energy_windows(other_run)] == [
        None
    ] * len(added)
    assert store.energy_windows(begin(store)) == []


def test_counts_keep_every_bit(store: Store) -> None:
    """Counts of 64 bits and moments above 2^53 ns come back as whole numbers, not rounded."""
    run_id = begin(store)
    store.add_energy_window(run_id, TRIAL, window())
    [found] = store.energy_windows(run_id)
    point = found.window.traces[0].points[0]
    assert (point.not_before_ns, point.counts) == (2**53 + 1, LARGEST_COUNTS)
    assert all(type(value) is int for value in (point.counts, found.window.wall_start_ns))


def test_missing_stays_none(store: Store) -> None:
    """Every field of a window that may be missing reads back as None, never as zero."""
    optional = {field.name for field in fields(EnergyWindow) if "None" in str(field.type)}
    assert "machine_busy_ns" in optional
    run_id = begin(store)
    bare = window(**dict.fromkeys(optional))
    store.add_energy_window(run_id, None, bare)
    assert store.energy_windows(run_id) == [StoredWindow(None, bare, None)]


def test_empty_reason_is_not_accepted(store: Store) -> None:
    """An empty reason for a void window stays a reason: only None means accepted."""
    run_id = begin(store)
    store.add_energy_window(run_id, TRIAL, window(), "")
    assert store.energy_windows(run_id)[0].void == ""


def test_only_whole_numbers(store: Store) -> None:
    """NumPy integers are stored as numbers; a float anywhere in a window stores nothing."""
    run_id = begin(store)
    points = (TracePoint(1, 2, np.uint64(LARGEST_COUNTS)),)
    traces = (DomainTrace("intel-rapl:0", points),)
    store.add_energy_window(run_id, TRIAL, window(wall_ns=np.int64(7), traces=traces))
    [found] = store.energy_windows(run_id)
    assert (found.window.wall_ns, found.window.traces) == (7, traces)
    rounded = (DomainTrace("intel-rapl:0", (TracePoint(1, 2, 3.0),)),)
    for changes in ({"wall_ns": 7.0}, {"traces": rounded}):
        with pytest.raises(TypeError):
            store.add_energy_window(run_id, OTHER_TRIAL, window(attempt=1, **changes))
    assert len(store.energy_windows(run_id)) == 1
    assert list(store.samples(run_id)) == [TRIAL]


@pytest.mark.parametrize("trial", [TRIAL, None])
def test_same_window_twice(store: Store, trial: Trial | None) -> None:
    """A second window of one round, place and attempt is refused, and the first stays."""
    run_id = begin(store)
    store.add_energy_window(run_id, TRIAL, window())
    with pytest.raises(
        StoreError, match=rf"attempt 0 at place 2 of round 0 is already in run {run_id} of .*\?$"
    ):
        store.add_energy_window(run_id, trial, window(wall_ns=1))
    store.add_energy_window(run_id, TRIAL, window(attempt=1))
    store.add_energy_window(run_id, TRIAL, window(position=3))
    store.add_energy_window(run_id, TRIAL, window(round_index=1))
    assert [energy_window.window for energy_window in store.energy_windows(run_id)] == [
        window(),
        window(attempt=1),
        window(position=3),
        window(round_index=1),
    ]


def test_refused_window_makes_no_trial(store: Store) -> None:
    """A refused first window leaves no trial behind, and a later one of the trial is stored."""
    run_id = begin(store)
    store.add_energy_window(run_id, None, window())
    with pytest.raises(StoreError, match="is already in run"):
        store.add_energy_window(run_id, TRIAL, window())
    assert store.samples(run_id) == {}
    store.add_samples(run_id, TRIAL, [sample(0)])
    store.add_energy_window(run_id, TRIAL, window(attempt=1))
    assert store.samples(run_id) == {TRIAL: [sample(0)]}
    assert store.energy_windows(run_id)[1].trial == TRIAL


def test_number_of_a_refused_trial(store: Store) -> None:
    """A trial that was refused leaves its number to the next, and both are told apart."""
    run_id = begin(store)
    store.add_energy_window(run_id, None, window())
    with pytest.raises(StoreError, match="is already in run"):
        store.add_energy_window(run_id, TRIAL, window())
    store.add_energy_window(run_id, OTHER_TRIAL, window(attempt=1))
    store.add_energy_window(run_id, TRIAL, window(attempt=2))
    trials = [energy_window.trial for energy_window in store.energy_windows(run_id)]
    assert trials == [None, OTHER_TRIAL, TRIAL]


def test_windows_are_no_samples(store: Store) -> None:
    """Windows share the trial of the samples; a trial that has windows alone has no samples."""
    run_id = begin(store)
    store.add_energy_window(run_id, OTHER_TRIAL, window())
    store.add_samples(run_id, TRIAL, [sample(0)])
    store.add_energy_window(run_id, TRIAL, window(attempt=1))
    assert store.samples(run_id) == {OTHER_TRIAL: [], TRIAL: [sample(0)]}
    assert store.sample_counts(run_id) == {TRIAL: 1}


def test_metered_run_goes_on(store: Store) -> None:
    """An unfinished run is offered for going on whether or not it is metered."""
    run_id = begin(store)
    add_energy(store, run_id)
    found = store.resumable_run(DIGEST, {"cpu_model": "Model T"})
    assert found == store.run(run_id)


def test_rebuilt_after_a_window(store: Store) -> None:
    """Once a window of it is stored, an implementation must not change under the run."""
    run_id = begin(store)
    store.add_implementation(run_id, FACTS)
    store.add_energy_window(run_id, TRIAL, window())
    with pytest.raises(StoreError, match="no longer what run"):
        store.add_implementation(run_id, replace(FACTS, flags="-O2"))


def test_delete_takes_the_energy(store: Store) -> None:
    """Deleting a run takes its windows, baselines too, and leaves those of another run."""
    kept, gone = begin(store), begin(store)
    for run_id in (kept, gone):
        add_energy(store, run_id)
    store.delete_run(gone)
    assert store.energy_windows(kept) == windows_of_a_round()
    with store._engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT DISTINCT run_id FROM energy_window").all()
    assert rows == [(kept,)]
    with pytest.raises(StoreError, match=f"there is no run {gone}"):
        store.add_energy_window(gone, TRIAL, window())
    assert store.integrity() == "ok"


def test_run_deleted_by_another(place: str) -> None:
    """When another process has deleted the run, no later run gets what was meant for it."""
    with Store.open(place) as store, Store.open(place) as other:
        run_id = begin(store)
        store.add_energy_window(run_id, TRIAL, window())
        other.delete_run(run_id)
        with pytest.raises(StoreError, match=rf"^there is no run {run_id} in "):
            store.add_energy_window(run_id, TRIAL, window(attempt=1))
        later = begin(other)
        add_energy(other, later)
        for _ in range(2):
            with pytest.raises(StoreError, match=rf"^there is no run {run_id} in "):
                store.add_energy_window(run_id, TRIAL, window(attempt=9))
            with pytest.raises(StoreError, match=rf"^there is no run {run_id} in "):
                store.add_samples(run_id, TRIAL, [sample(0)])
        assert store.energy_windows(later) == windows_of_a_round()
        assert store.sample_counts(later) == {}
