# SPDX-License-Identifier: Apache-2.0
"""What gatherers are asked to do."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.errors import UsageError
from joulemark.measure.sessions.work import Lengths

__all__ = ["GatherPoint", "Gathering", "require_gatherers"]


@dataclass(frozen=True, slots=True)
class Gathering:
    """How messages arrive and are gathered."""

    sessions: int
    cores: tuple[int, ...]
    """A gatherer on each; its share of the sessions is its alone."""
    batch_most: int
    wait_ns: int
    rate_per_s: float | None
    """Of all gatherers together; None: messages always wait."""


@dataclass(frozen=True, slots=True)
class GatherPoint:
    """What runs, and how."""

    implementation: str
    lengths: Lengths
    gathering: Gathering


def require_gatherers(sessions: int, cores: tuple[int, ...]) -> None:
    """Refuses gatherers without a session.

    Raises:
        UsageError: says what would do.
    """
    if sessions < len(cores):
        raise UsageError(
            f"--sessions {sessions}: each of {len(cores)} cores gathers from at least one; give "
            "more sessions, or name fewer --cores"
        )
