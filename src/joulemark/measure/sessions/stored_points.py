# SPDX-License-Identifier: Apache-2.0
"""Translates rounds of sessions into the records of the store, which keeps them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from joulemark import __version__
from joulemark.environment import capture
from joulemark.measure.sessions.session_windows import SessionRounds
from joulemark.measure.workers.inventory import Inventory
from joulemark.records.implementation import ImplementationFacts
from joulemark.store.repository import Store
from joulemark.store.sessions import SessionsAttempt, SessionsPoint, SessionsRound


def keep_points(store: Store, inventory: Inventory, found: Sequence[SessionRounds]) -> None:
    """Stores every point that has a window; `joulemark choose --sessions` reads them."""
    environment = capture().as_dict()
    for point in found:
        if point.rounds:
            facts = inventory.facts_of(point.point.implementation)
            store.add_sessions(_stored_point(point, facts, environment))
    store.settle(lambda _: None)


def _stored_point(
    found: SessionRounds,
    facts: ImplementationFacts,
    environment: Mapping[str, Any],
) -> SessionsPoint:
    """A point with at least one round: the best window of each, and the history of all attempts.

    Args:
        found: all windows of the point.
        facts: facts of the implementation.
        environment: `Environment.as_dict()`.
    """
    point = found.point
    return SessionsPoint(
        facts=facts,
        size_bytes=0 if point.lengths.mix else point.lengths.size_bytes,
        mix=point.lengths.mix,
        sessions=point.scenario.sessions,
        rounds=tuple(
            SessionsRound(
                window=taken.best.window,
                troubles=tuple(str(trouble.kind) for trouble in taken.best.troubles),
                attempts=tuple(
                    SessionsAttempt(
                        attempt.window.warm_up_ns,
                        attempt.window.window_ns,
                        tuple(str(trouble.kind) for trouble in attempt.troubles),
                    )
                    for attempt in taken.attempts
                ),
            )
            for taken in found.rounds
        ),
        environment=environment,
        joulemark_version=__version__,
    )
