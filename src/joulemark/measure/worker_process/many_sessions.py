# SPDX-License-Identifier: Apache-2.0
"""The worker's side of many sessions at once, and of gatherers, in windows of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from joulemark import _core
from joulemark.measure.worker_messages.base import Request
from joulemark.measure.worker_messages.runs import (
    Gather,
    Gathered,
    RunSessions,
    SessionsRan,
)
from joulemark.records.gathering import GathererCounts, GatherWindow
from joulemark.records.sessions import SessionCounts, SessionsWindow

Implementations = Mapping[str, _core.Implementation]


def _run_sessions(request: RunSessions, implementations: Implementations) -> SessionsRan:
    """Takes one window of many sessions at once."""
    window, sessions, tags = _core.run_sessions(
        implementations[request.implementation],
        request.keys,
        request.sessions,
        list(request.lengths),
        list(request.cores),
        request.warm_up_ns,
        request.window_ns,
    )
    return SessionsRan(
        SessionsWindow(
            cores=request.cores,
            warm_up_ns=request.warm_up_ns,
            window_ns=request.window_ns,
            sessions=tuple(SessionCounts(**session) for session in sessions),
            **window,
        ),
        tags.hex(),
    )


def _gather(request: Gather, implementations: Implementations) -> Gathered:
    """Takes one window of gatherers."""
    window, gatherers, last, tags = _core.run_gatherers(
        implementations[request.implementation],
        request.keys,
        request.sessions,
        list(request.lengths),
        list(request.gaps_ps),
        list(request.senders),
        request.batch_most,
        request.wait_ns,
        list(request.cores),
        request.warm_up_ns,
        request.window_ns,
    )
    return Gathered(
        GatherWindow(
            cores=request.cores,
            sessions=request.sessions,
            batch_most=request.batch_most,
            wait_ns=request.wait_ns,
            rate_per_s=request.rate_per_s,
            warm_up_ns=request.warm_up_ns,
            window_ns=request.window_ns,
            gatherers=tuple(GathererCounts(**gatherer) for gatherer in gatherers),
            **window,
        ),
        tuple(last),
        tags.hex(),
    )


ANSWERS: Mapping[type[Request[Any]], Callable[[Any, Implementations], Any]] = {
    RunSessions: _run_sessions,
    Gather: _gather,
}
"""Type of a request -> what answers it, given the implementations of the worker's source by
name."""
