# SPDX-License-Identifier: Apache-2.0
"""The work of gatherers, and a refusal of gatherers without sessions."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.errors import UsageError
from joulemark.measure.sessions.work import MeasuredPoint


@dataclass(frozen=True, slots=True)
class Gathering:
    """How messages arrive and are gathered."""

    sessions: int
    cores: tuple[int, ...]
    """Numbers of the cores, each of which has a gatherer with a separate part of the sessions."""
    batch_most: int
    wait_ns: int
    rate_per_s: float | None
    """Messages that arrive in a second at all gatherers together; None: messages always wait."""


@dataclass(frozen=True, slots=True)
class GatherPoint(MeasuredPoint):
    """An implementation, lengths, and the way in which messages are gathered."""

    gathering: Gathering


def require_gatherers(sessions: int, cores: tuple[int, ...]) -> None:
    """Refuses gatherers without a session."""
    if sessions < len(cores):
        raise UsageError(
            f"--sessions {sessions}: each of {len(cores)} cores gathers from at least one; give "
            "more sessions, or name fewer --cores"
        )
