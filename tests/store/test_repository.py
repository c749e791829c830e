# SPDX-License-Identifier: Apache-2.0
"""The promises of the store, over a file and in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import update
from store_data import (
    DIGEST,
    ENVIRONMENT,
    FACTS,
    FAILURE,
    LARGEST,
    OTHER_TRIAL,
    TRIAL,
    begin,
    sample,
)
from stored_energy_data import METER, window

from joulemark.errors import StoreError
from joulemark.records import Failure, FailureKind
from joulemark.records.sample import RawSample
from joulemark.store import RunRow, SampleRow
from joulemark.store.reading import open_for_reading, superfluous
from joulemark.store.repository import Store


def test_run_reads_back(store: Store) -> None:
    """A run reads back as it was begun, with its start in UTC and neither end nor loop cost."""
    before = datetime.now(UTC)
    run_id = begin(store)
    run = store.run(run_id)
    assert run.id == run_id
    assert run.study == {"algorithms": ["hmac-sha256"], "sizes_bytes": [0, 64]}
    assert (run.study_digest, run.seed, run.rounds) == (DIGEST, 2**62, 5)
    assert run.environment == ENVIRONMENT
    assert before <= run.started_at <= datetime.now(UTC)
    assert run.started_at.tzinfo is UTC
    assert (run.finished_at, run.loop, run.joulemark_version) == (None, None, "0.1.0")


def test_finish_and_loop_cost(store: Store) -> None:
    """Finishing sets the end, and the loop's cost reads back; other runs stay as they were."""
    first, second = begin(store), begin(store)
    store.set_loop_cost(first, {"seconds_per_message": 1.5e-9})
    store.finish_run(first)
    finished = store.run(first)
    assert finished.loop == {"seconds_per_message": 1.5e-9}
    assert finished.finished_at is not None
    assert finished.finished_at >= finished.started_at
    assert (store.run(second).finished_at, store.run(second).loop) == (None, None)


def test_samples_by_trial_and_round(store: Store) -> None:
    """Samples come back exactly, by trial, in the order of rounds whatever order they came in."""
    run_id, other_run = begin(store), begin(store)
    for round_index in (2, 0, 1):
        store.add_samples(run_id, TRIAL, [sample(round_index)])
    store.add_samples(run_id, OTHER_TRIAL, [sample(7)])
    store.add_samples(other_run, TRIAL, [sample(0)])
    expected = {TRIAL: [sample(0), sample(1), sample(2)], OTHER_TRIAL: [sample(7)]}
    assert store.samples(run_id) == expected
    assert list(store.samples(run_id)) == [TRIAL, OTHER_TRIAL]
    assert store.sample_counts(run_id) == {TRIAL: 3, OTHER_TRIAL: 1}


def test_missing_counter_stays_none() -> None:
    """Every counter that may be missing reads back as None, never as zero."""
    optional = {field.name for field in fields(RawSample) if "None" in str(field.type)}
    columns = SampleRow.__table__.c
    assert {column.name for column in columns} == {"trial_id"} | {
        field.name for field in fields(RawSample)
    }
    assert {column.name for column in columns if column.nullable} == optional
    with Store.open(":memory:") as store:
        run_id = begin(store)
        bare = sample(0, **dict.fromkeys(optional))
        store.add_samples(run_id, TRIAL, [bare])
        assert store.samples(run_id)[TRIAL] == [bare]


def test_counters_of_64_bits(store: Store) -> None:
    """The largest counter is kept; one more is refused with a sentence and stores nothing."""
    run_id = begin(store)
    store.add_samples(run_id, TRIAL, [sample(0, tsc_ticks=LARGEST)])
    with pytest.raises(StoreError, match="could not be read or written"):
        store.add_samples(run_id, OTHER_TRIAL, [sample(0, tsc_ticks=LARGEST + 1)])
    assert store.sample_counts(run_id) == {TRIAL: 1}
    store.add_samples(run_id, OTHER_TRIAL, [sample(0)])
    assert store.sample_counts(run_id) == {TRIAL: 1, OTHER_TRIAL: 1}


def test_only_whole_numbers(store: Store) -> None:
    """A NumPy integer is stored as a number, and a float is refused."""
    run_id = begin(store)
    store.add_samples(run_id, TRIAL, [sample(0, wall_ns=np.int64(7))])
    assert store.samples(run_id)[TRIAL][0].wall_ns == 7
    with pytest.raises(TypeError):
        store.add_samples(run_id, TRIAL, [sample(1, wall_ns=7.0)])


def test_same_round_twice(store: Store) -> None:
    """A second sample of one trial and round is refused, and the first stays."""
    run_id = begin(store)
    store.add_samples(run_id, TRIAL, [sample(0)])
    with pytest.raises(StoreError, match="round 0 of hmac-sha256/shani at 64 bytes is already"):
        store.add_samples(run_id, TRIAL, [sample(0, wall_ns=1)])
    assert store.samples(run_id)[TRIAL] == [sample(0)]


def test_facts_read_back(store: Store) -> None:
    """Facts read back equal, sorted by implementation, and the same facts again change nothing."""
    run_id = begin(store)
    twin = replace(FACTS, implementation="hmac-sha256/auto", chosen="shani", key_bytes_max=64)
    for facts in (FACTS, twin, FACTS):
        store.add_implementation(run_id, facts)
    assert list(store.implementations(run_id).items()) == [
        (twin.implementation, twin),
        (FACTS.implementation, FACTS),
    ]


def test_changed_facts(store: Store) -> None:
    """Facts may change until the first sample; then a rebuilt implementation is refused."""
    run_id = begin(store)
    rebuilt = replace(FACTS, compiler="gcc 14.1.0", flags="-O2")
    store.add_implementation(run_id, FACTS)
    store.add_implementation(run_id, rebuilt)
    assert store.implementations(run_id) == {FACTS.implementation: rebuilt}
    store.add_samples(run_id, TRIAL, [sample(0)])
    with pytest.raises(StoreError, match=r"no longer what run 1 .*changed: compiler, flags"):
        store.add_implementation(run_id, FACTS)
    assert store.implementations(run_id) == {FACTS.implementation: rebuilt}


def test_failures(store: Store) -> None:
    """Failures read back in order, and clearing those of one run leaves another's."""
    first, second = begin(store), begin(store)
    whole = Failure("sha1/portable", FailureKind.WRONG_OUTPUT, "vector 3 differs")
    for failure in (FAILURE, whole):
        store.add_failure(first, failure)
    store.add_failure(second, whole)
    assert store.failures(first) == [FAILURE, whole]
    store.clear_failures(first)
    assert store.failures(first) == []
    assert store.failures(second) == [whole]


def test_resumable_run(store: Store) -> None:
    """Going on is offered with the newest unfinished run of the same study and environment."""
    same = {"cpu_model": "Model T", "turbo": None}
    assert store.resumable_run(DIGEST, same) is None
    older, newer = begin(store), begin(store)
    begin(store, study_digest="other")
    begin(store, environment={**ENVIRONMENT, "cpu_model": "Model A"})
    begin(store, environment={"cpu_model": "Model T"})
    found = store.resumable_run(DIGEST, same)
    assert found is not None
    assert found.id == newer
    store.finish_run(newer)
    assert store.resumable_run(DIGEST, same) == store.run(older)
    assert store.resumable_run(DIGEST, {**same, "turbo": False}) is None
    assert store.resumable_run(DIGEST, {**same, "microcode": None}) is None


def test_a_run_of_an_equal_machine_is_left_alone(store: Store) -> None:
    """A run with another machine's digest never goes on; a server without a digest takes any."""
    same = {"cpu_model": "Model T"}
    unknown = begin(store)
    theirs = begin(store, environment={**ENVIRONMENT, "machine_digest": "a"})
    for wanted, found in (("a", theirs), ("b", unknown), (None, theirs)):
        resumed = store.resumable_run(DIGEST, {**same, "machine_digest": wanted})
        assert resumed is not None
        assert resumed.id == found, wanted
    for run in (unknown, theirs):
        store.finish_run(run)
    last = begin(store)
    assert store.earlier_runs(last, {**same, "machine_digest": "b"}) == [unknown]
    assert store.earlier_runs(last, {**same, "machine_digest": "a"}) == [theirs, unknown]


def test_equal_machines_keep_runs_each(store: Store) -> None:
    """Runs that could be deleted are counted by machine once digests tell two machines apart."""
    for digest in (None, "a", "a", None):
        store.finish_run(begin(store, environment={**ENVIRONMENT, "machine_digest": digest}))
    assert [run.id for run in superfluous(store, 1)] == [1, 2, 3]
    store.finish_run(begin(store, environment={**ENVIRONMENT, "machine_digest": "b"}))
    assert [run.id for run in superfluous(store, 1)] == [1, 2]


def test_identity_of_nested_values(store: Store) -> None:
    """A tuple in the wanted identity agrees with the list that it was stored as."""
    run_id = begin(store, environment={"versions": (1, 2)})
    found = store.resumable_run(DIGEST, {"versions": (1, 2)})
    assert found is not None
    assert found.id == run_id


def test_runs_and_latest(store: Store) -> None:
    """Runs are listed oldest first, and the latest is the one begun last."""
    assert store.runs() == []
    assert store.latest_run() is None
    ids = [begin(store) for _ in range(3)]
    store.finish_run(ids[1])
    assert [run.id for run in store.runs()] == ids
    assert store.latest_run() == store.run(ids[-1])


def begun_at(store: Store, *hours: int) -> list[int]:
    """Finished runs that began at these hours of a day, as copies of other stores have them."""
    numbers = [begin(store) for _ in hours]
    for number, hour in zip(numbers, hours, strict=True):
        store.finish_run(number)
        with store.writing() as connection:
            moment = datetime(2026, 1, 1, hour, tzinfo=UTC)
            connection.execute(update(RunRow).where(RunRow.id == number).values(started_at=moment))
    return numbers


def test_the_begin_of_runs_is_their_order(store: Store) -> None:
    """A run that came later from another store and began earlier is older, by every question."""
    noon, evening, morning = begun_at(store, 12, 18, 6)
    assert [run.id for run in store.runs()] == [morning, noon, evening]
    assert store.latest_run() == store.run(evening)
    assert store.earlier_runs(evening, ENVIRONMENT) == [noon, morning]
    assert store.earlier_runs(morning, ENVIRONMENT) == []
    assert [run.id for run in superfluous(store, 1)] == [morning, noon]
    with store.writing() as connection:
        connection.execute(update(RunRow).values(finished_at=None))
    resumed = store.resumable_run(DIGEST, ENVIRONMENT)
    assert resumed is not None
    assert resumed.id == evening


def test_outlines_are_in_the_order_of_begin(tmp_path: Path) -> None:
    """Outlines of more runs than one query reads are sorted as a whole."""
    path = str(tmp_path / "store.db")
    with Store.open(path) as store:
        noon, evening, morning = begun_at(store, 12, 18, 6)
    with open_for_reading(path) as store:
        found = [outline.id for outline in store.outlines([noon, evening, morning])]
    assert found == [morning, noon, evening]


def test_delete_run(store: Store) -> None:
    """Deleting takes everything of one run, nothing of another, and its number is not reused."""
    kept, gone = begin(store), begin(store)
    for run_id in (kept, gone):
        store.add_implementation(run_id, FACTS)
        store.add_failure(run_id, FAILURE)
        store.add_samples(run_id, TRIAL, [sample(0)])
    store.delete_run(gone)
    assert store.samples(kept) == {TRIAL: [sample(0)]}
    assert store.implementations(kept) == {FACTS.implementation: FACTS}
    assert store.failures(kept) == [FAILURE]
    assert begin(store) > gone
    with pytest.raises(StoreError, match=f"there is no run {gone}"):
        store.add_samples(gone, TRIAL, [sample(1)])
    assert [run.id for run in store.runs()] == [kept, gone + 1]
    assert store.integrity() == "ok"


def test_windows_of_a_visit(store: Store) -> None:
    """Several samples of a round are stored together, in order, or not at all."""
    run_id = begin(store)
    windows = [sample(0, window_index=i, visit_wall_ns=9, visit_thread_cpu_ns=8) for i in range(3)]
    store.add_samples(run_id, TRIAL, windows[::-1])
    store.add_samples(run_id, TRIAL, [sample(1)])
    assert store.samples(run_id) == {TRIAL: [*windows, sample(1)]}
    with pytest.raises(StoreError, match=r"round 1 of .* is already in run"):
        store.add_samples(run_id, TRIAL, [sample(1, window_index=1), sample(1)])
    assert store.samples(run_id) == {TRIAL: [*windows, sample(1)]}


def test_conditions(store: Store) -> None:
    """The conditions at the run's begin are stored; those of a run that goes on replace them."""
    run_id = begin(store)
    assert store.run(run_id).conditions is None
    store.set_conditions(run_id, {"cpu": 1, "load_average": (0.5, 1.0, 2.0)})
    assert store.run(run_id).conditions == {"cpu": 1, "load_average": [0.5, 1.0, 2.0]}


def test_unknown_run(store: Store) -> None:
    """Every call about a run that does not exist says so."""
    calls: list[Callable[[], object]] = [
        lambda: store.run(9),
        lambda: store.samples(9),
        lambda: store.sample_counts(9),
        lambda: store.implementations(9),
        lambda: store.failures(9),
        lambda: store.add_samples(9, TRIAL, [sample(0)]),
        lambda: store.add_implementation(9, FACTS),
        lambda: store.add_failure(9, FAILURE),
        lambda: store.clear_failures(9),
        lambda: store.set_loop_cost(9, {}),
        lambda: store.set_meter(9, METER),
        lambda: store.meter(9),
        lambda: store.add_energy_window(9, TRIAL, window()),
        lambda: store.add_energy_window(9, None, window()),
        lambda: store.energy_windows(9),
        lambda: store.finish_run(9),
        lambda: store.delete_run(9),
    ]
    for call in calls:
        with pytest.raises(StoreError, match=r"^there is no run 9 in "):
            call()


@pytest.mark.parametrize("number", [10**20 - 1, 2**63, 2**31, 2**31 - 1, 0, -1, -(2**70)])
def test_no_run_has_such_a_number(number: int, store: Store) -> None:
    """A number that no column holds names no run, as any other that is not there."""
    with pytest.raises(StoreError, match=rf"^there is no run {number} in "):
        store.run(number)
    with pytest.raises(StoreError, match=rf"^there is no run {number} in "):
        store.samples(number)


def test_not_a_number_is_refused(store: Store) -> None:
    """A NaN in a mapping is refused before it reaches a database that could not read it back."""
    with pytest.raises(ValueError, match="JSON"):
        begin(store, environment={"ratio": float("nan")})
    assert store.runs() == []


def test_shared_between_threads(store: Store) -> None:
    """Four threads adding samples at once lose none."""
    run_id = begin(store)
    failed: list[BaseException] = []

    def add(first: int) -> None:
        try:
            for round_index in range(first, first + 50):
                store.add_samples(run_id, TRIAL, [sample(round_index)])
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test must show it
            failed.append(error)

    threads = [threading.Thread(target=add, args=(50 * n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert store.samples(run_id)[TRIAL] == [sample(n) for n in range(200)]


def test_closed(store: Store) -> None:
    """A closed store says so, and closing twice is allowed."""
    store.close()
    store.close()
    with pytest.raises(StoreError, match="has been closed"):
        store.runs()


def test_file_outlives_the_store(tmp_path: Path) -> None:
    """Content is there after reopening by path, by text and by URL, and one file is left."""
    path = tmp_path / "store.db"
    with Store.open(path) as store:
        run_id = begin(store)
        store.add_samples(run_id, TRIAL, [sample(0)])
    assert [entry.name for entry in tmp_path.iterdir()] == ["store.db"]
    for location in (path, str(path), f"sqlite:///{path}"):
        with Store.open(location, create=False) as store:
            assert store.samples(run_id) == {TRIAL: [sample(0)]}
            assert store.location == str(path)
