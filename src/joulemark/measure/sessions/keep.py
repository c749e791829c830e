# SPDX-License-Identifier: Apache-2.0
"""Translates rounds of sessions into the records of the store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from joulemark.measure.sessions.run import SessionRounds
from joulemark.records.implementation import ImplementationFacts
from joulemark.store.sessions import SessionsAttempt, SessionsPoint, SessionsRound


def stored_point(
    found: SessionRounds,
    facts: ImplementationFacts,
    environment: Mapping[str, Any],
    joulemark_version: str,
) -> SessionsPoint:
    """A point with at least one round: the best window of each, and the history of all attempts.

    Args:
        found: all windows of the point.
        facts: facts of the implementation.
        environment: `Environment.as_dict()`.
        joulemark_version: version of this program.
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
        joulemark_version=joulemark_version,
    )
