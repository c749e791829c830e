# SPDX-License-Identifier: Apache-2.0
"""What a store has of this machine and version for `joulemark choose`: results and sessions."""

from __future__ import annotations

from collections.abc import Iterator

from joulemark._core import SESSIONS_MAX
from joulemark.analyse.choice import Requirements
from joulemark.analyse.results import Result
from joulemark.analyse.runs.assemble import result_set
from joulemark.environment import IDENTITY_KEYS, capture, may_be_one
from joulemark.records.trial import Trial
from joulemark.store.repository import Store
from joulemark.store.sessions import SessionsPoint

__all__ = ["measured_here", "points_in_sessions", "sessions_in_harness"]


def measured_here(store: Store, size_bytes: int) -> Iterator[tuple[int, Result]]:
    """Results of MACs at that length by the runs of this machine, the newest run first.

    A run is read only where it has a trial that no newer one has.
    """
    here = capture().as_dict()
    seen: set[Trial] = set()
    for run in reversed(store.runs()):
        if not may_be_one(run.environment, here, IDENTITY_KEYS):
            continue
        trials = {
            trial
            for trial in store.sample_counts(run.id)
            if trial.workload.size_bytes == size_bytes
        }
        if not trials - seen:
            continue
        seen |= trials
        for result in result_set(store, run.id).results:
            if result.size_bytes == size_bytes:
                yield run.id, result


def points_in_sessions(store: Store, requirements: Requirements) -> list[tuple[int, SessionsPoint]]:
    """Points that this machine and version measured in that many sessions, the newest first."""
    if requirements.sessions == 1:
        return []
    here = capture().as_dict()
    found = store.sessions_points(
        size_bytes=requirements.size_bytes, sessions=sessions_in_harness(requirements)
    )
    return [
        (stored_sessions.id, stored_sessions.point)
        for stored_sessions in reversed(found)
        if may_be_one(stored_sessions.point.environment, here, IDENTITY_KEYS)
    ]


def sessions_in_harness(requirements: Requirements) -> int:
    """The number of sessions to look up, which is no more than the harness runs."""
    return min(requirements.sessions, SESSIONS_MAX)
