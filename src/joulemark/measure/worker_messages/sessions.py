# SPDX-License-Identifier: Apache-2.0
"""Messages that concern many sessions at once."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.measure.worker_messages.base import Request
from joulemark.records.sessions import SessionsWindow

__all__ = ["RunSessions", "SessionsRan"]


@dataclass(frozen=True, slots=True)
class SessionsRan:
    """A window, and what the sessions computed."""

    window: SessionsWindow
    tags: str
    """Hexadecimal: the last tag of each session, one after the other."""


@dataclass(frozen=True)
class RunSessions(Request[SessionsRan]):
    """Asks for one window of sessions."""

    implementation: str
    keys: bytes
    """One for each session, one after the other, of one length."""
    sessions: int
    lengths: tuple[int, ...]
    """Of messages in turn, in bytes."""
    cores: tuple[int, ...]
    warm_up_ns: int
    window_ns: int
