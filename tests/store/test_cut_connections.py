# SPDX-License-Identifier: Apache-2.0
"""Connections to a server that are cut, one after another, while the server itself is there."""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from store_data import CORE_REPORT, DIGEST, FACTS, TRIAL, begin, sample
from stored_energy_data import METER

from joulemark.store.absence.lasting import READS, open_to_measure
from joulemark.store.repository import Store
from postgresql_server import PostgresqlServer


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


def test_a_connection_may_be_cut_before_each_statement(
    postgresql: PostgresqlServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten cuts and more, while the server is up, end no run, lose nothing and are no news."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    said: list[str] = []
    with postgresql.database("empty_store") as url, open_to_measure(url, said.append) as store:
        cuts = Cuts(postgresql, store)
        begun = cuts.each(lambda: begin(store))
        [run_id, *_] = begun
        assert isinstance(run_id, int)
        assert [run.id for run in store.runs()] == begun
        cuts.each(lambda: store.add_implementation(run_id, FACTS))
        cuts.each(lambda: store.set_meter(run_id, METER))
        assert set(cuts.each(lambda: store.add_core_report(CORE_REPORT))) == {1}
        for name in READS:
            words = READ_WITH.get(name, (run_id,))
            values = {"size_bytes": 64, "sessions": 2} if name == "sessions_points" else {}
            first, *others = cuts.each(partial(getattr(store, name), *words, **values))
            assert len(others) >= 1, name
            assert others == [first] * len(others), name
        cuts.each(lambda: store.finish_run(run_id))
        assert said == []
        rounds = itertools.count()
        cuts.each(lambda: store.add_samples(run_id, TRIAL, [sample(next(rounds))]))
        store.settle()
        assert store.samples(run_id) == {TRIAL: [sample(number) for number in range(next(rounds))]}
    assert list((tmp_path / "joulemark" / "unwritten").glob("*")) == []


READ_WITH: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("all_sessions", "core_reports", "latest_run", "runs", "sessions_points"), ()),
    "earlier_runs": (1, {}),
    "resumable_run": (DIGEST, {}),
}


def test_every_method_that_reads_is_made_again() -> None:
    """`READS` is every public method of a store that reads in a session, and no other."""
    found = {
        name
        for name, method in inspect.getmembers(Store, inspect.isfunction)
        if not name.startswith("_")
        and re.search(r"self\.(reading|_counts)\(", inspect.getsource(method))
    }
    assert found - {"integrity"} == set(READS)
