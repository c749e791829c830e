# SPDX-License-Identifier: Apache-2.0
"""A store with thousands of runs: measuring into it costs no more than into an empty one."""

from __future__ import annotations

import time
from typing import Any

import pytest
from large_store import fill, fill_large
from store_data import FACTS, TRIAL, begin, sample

from joulemark.analyse.assemble import result_set
from joulemark.store.repository import Store

MOST_TIMES = 3.0
"""CPU time with a full store by that with an empty one: a tenth of a second more or less on CPUs of
2024, which is 1 % of the shortest `bench --quick`."""
VISITS = 100


def store_work_s(place: str, environment: dict[str, Any]) -> float:
    """CPU time of all that `bench` does with a store in a run, with reading its results."""
    begun_s = time.process_time()
    with Store.open(place) as store:
        assert store.resumable_run("none", environment) is None
        run_id = begin(store, environment=environment)
        store.add_implementation(run_id, FACTS)
        for round_index in range(VISITS):
            store.add_samples(run_id, TRIAL, [sample(round_index)])
        store.finish_run(run_id)
        result_set(store, run_id)
        took_s = time.process_time() - begun_s
        store.delete_run(run_id)
    return took_s


@pytest.mark.parametrize("samples", [40_000, pytest.param(1_000_000, marks=pytest.mark.exhaustive)])
def test_a_full_store_is_as_quick(samples: int, place: str) -> None:
    """A bench reads at most the nine newest of 2000 runs, those of its machine."""
    environment: dict[str, Any] = {"cpu_model": "Model T", "joulemark_version": "0.1.0"}
    empty_s = min(store_work_s(place, environment) for _ in range(3))
    made = fill_large(place, samples=samples)
    assert made.samples >= samples
    with Store.open(place) as store:
        there = store.run(41).environment
        assert store.sample_counts(41)
    full_s = max(
        min(store_work_s(place, entry) for _ in range(3)) for entry in (environment, there)
    )
    print(f"empty {empty_s:.3f} s, full {full_s:.3f} s")
    assert full_s < MOST_TIMES * empty_s


def test_equal_arguments_give_equal_stores(place: str) -> None:
    """The generator adds as many records as it says, the same on each engine."""
    with Store.open(place) as store, Store.open(":memory:") as other:
        for filled in (store, other):
            with filled.writing() as connection:
                assert fill(connection, runs=6, samples=240, machines=3, trials=4) == (24, 240)
        assert store.runs() == other.runs()
        assert [run.id for run in store.runs()] == list(range(1, 7))
        assert all(store.samples(run) == other.samples(run) for run in range(1, 7))
        assert len({run.environment["cpu_model"] for run in store.runs()}) == 3
        assert all(result_set(store, run.id).results for run in store.runs())
    fill_large(place, runs=2, samples=8, trials=4)
    with Store.open(place) as store:
        assert [run.id for run in store.runs()] == list(range(1, 9))
        assert begin(store) == 9
