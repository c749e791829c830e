# SPDX-License-Identifier: Apache-2.0
"""Connections to a server that are cut, one after another, while the server itself is there."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from store_data import CORE_REPORT, DIGEST, FACTS, TRIAL, begin, sample
from stored_energy_data import METER

from joulemark.store.local_first import LocalFirstStore, open_to_measure
from joulemark.store.repository import Store
from postgresql_server import PostgresqlServer

READS = (
    "all_sessions", "clock_counts", "core_reports", "earlier_runs", "energy_windows", "failures",
    "firmware_counts", "implementations", "latest_run", "meter", "published", "resumable_run",
    "run", "runs", "sample_counts", "samples", "sessions_points",
)  # fmt: skip
"""Methods of a store that read and change nothing."""


class Cuts:
    """Cuts the store's connections before a statement of theirs, each statement once."""

    def __init__(self, postgresql: PostgresqlServer, store: Store) -> None:
        self._postgresql, self._next, self._seen = postgresql, 1, 0
        event.listen(store._engine, "before_cursor_execute", self)

    def __call__(self, *_: object) -> None:
        """Called by SQLAlchemy before a statement."""
        self._seen += 1
        if self._seen == self._next:
            self._postgresql.execute(
                "SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity "
                "WHERE application_name = 'joulemark'"
            )

    def each(self, work: Callable[[], object]) -> list[object]:
        """The results of a call whose first, second, ... statement meets a cut, and of none."""
        results: list[object] = []
        for self._next in itertools.count(1):
            self._seen = 0
            results.append(work())
            if self._seen < self._next:
                return results
        raise AssertionError


@pytest.mark.timeout(900)  # some 200 cuts, each with a new connection
def test_a_connection_may_be_cut_before_each_statement(
    postgresql: PostgresqlServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten cuts and more, while the server is up, end no run, lose nothing and are no news."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    said: list[str] = []
    with postgresql.database("empty_store") as url, open_to_measure(url, said.append) as store:
        assert isinstance(store, LocalFirstStore)
        cuts = Cuts(postgresql, store._server)
        begun = cuts.each(lambda: begin(store))
        [run_id, *_] = begun
        assert isinstance(run_id, int)
        assert [run.id for run in store.runs()] == begun
        for other in begun[1:]:
            assert isinstance(other, int)
            store.finish_run(other)
        store.add_implementation(run_id, FACTS)
        store.set_meter(run_id, METER)
        rounds = itertools.count()

        def grow_and_merge() -> None:
            store.add_samples(run_id, TRIAL, [sample(next(rounds))])
            store.settle(lambda _: None)

        cuts.each(grow_and_merge)
        cuts.each(lambda: store.finish_run(run_id))
        for name in READS:
            words = READ_WITH.get(name, (run_id,))
            values = {"size_bytes": 64, "sessions": 2} if name == "sessions_points" else {}

            def read(
                shared: Store, name: str = name, words: Any = words, values: Any = values
            ) -> object:
                return getattr(shared, name)(*words, **values)

            first, *others = cuts.each(partial(store.settle, read))
            assert len(others) >= 1, name
            assert others == [first] * len(others), name
        found = store.settle(lambda shared: shared.samples(run_id))
        assert found == {TRIAL: [sample(number) for number in range(next(rounds))]}
        store.add_core_report(CORE_REPORT)
        reports = cuts.each(partial(store.settle, Store.core_reports))
        assert all(report == reports[0] for report in reports)
        assert len(store.settle(Store.core_reports)) == 1
        assert len(store.settle(Store.runs)) == len(begun)
    with postgresql.database("empty_store") as url, Store.open(url) as server:
        begin(server)
        with open_to_measure(url, said.append) as store:
            assert isinstance(store, LocalFirstStore)
            cuts = Cuts(postgresql, store._server)
            found_runs = cuts.each(lambda: store.resumable_run(DIGEST, {}))
            assert {getattr(found, "id", None) for found in found_runs} == {1}
    assert said == []
    assert list((tmp_path / "joulemark" / "unwritten").glob("*")) == []


READ_WITH: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("all_sessions", "core_reports", "latest_run", "runs", "sessions_points"), ()),
    "earlier_runs": (1, {}),
    "resumable_run": (DIGEST, {}),
}
