# SPDX-License-Identifier: Apache-2.0
"""A store with some records of every kind, for the tests and to be frozen."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import insert
from store_data import (
    CORE_REPORT,
    CORE_TRIAL,
    COUNT,
    FACTS,
    FAILURE,
    FIRMWARE_COUNT,
    FIRMWARE_TRIAL,
    MIXED_TRIAL,
    OTHER_TRIAL,
    PUBLISHED,
    TRIAL,
    begin,
    sample,
)
from stored_energy_data import add_energy
from stored_sessions_data import POINT

from joulemark.store import PublishedRow
from joulemark.store.repository import Store


def fill(path: str | Path) -> None:
    """Make a store with one finished and one unfinished run."""
    with Store.open(path) as store:
        for _ in range(2):
            run_id = begin(store)
            store.add_implementation(run_id, FACTS)
            store.set_loop_cost(run_id, {"seconds_per_message": 1e-9})
            store.set_conditions(run_id, {"cpu": 1, "nice": 0})
            store.add_failure(run_id, FAILURE)
            for round_index in range(4):
                store.add_samples(run_id, TRIAL, [sample(round_index)])
                store.add_samples(run_id, OTHER_TRIAL, [sample(round_index)])
                store.add_samples(run_id, MIXED_TRIAL, [sample(round_index)])
            add_energy(store, run_id)
            store.add_clock_count(run_id, CORE_TRIAL, COUNT)
            store.add_firmware_count(run_id, FIRMWARE_TRIAL, FIRMWARE_COUNT)
        store.add_core_report(CORE_REPORT)
        store.add_sessions(POINT)
        with store.writing() as connection:
            connection.execute(insert(PublishedRow).values(run_id=1, results=PUBLISHED))
        store.finish_run(1)
