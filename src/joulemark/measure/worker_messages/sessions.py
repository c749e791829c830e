# SPDX-License-Identifier: Apache-2.0
"""Messages about many sessions at once, and about gatherers of their messages."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.measure.worker_messages.base import Request
from joulemark.records.gathering import GatherWindow
from joulemark.records.sessions import SessionsWindow


@dataclass(frozen=True, slots=True)
class SessionsRan:
    """A window, and tags that the sessions computed."""

    window: SessionsWindow
    tags: str
    """Hexadecimal: the last tag of each session, one after the other."""


@dataclass(frozen=True)
class RunSessions(Request[SessionsRan]):
    """Asks for one window of sessions."""

    implementation: str
    keys: bytes
    """Keys of the sessions, one after the other, of one length."""
    sessions: int
    lengths: tuple[int, ...]
    """Lengths of the messages in turn, in bytes."""
    cores: tuple[int, ...]
    warm_up_ns: int
    window_ns: int


@dataclass(frozen=True, slots=True)
class Gathered:
    """A window, and the messages and tags of the last batch of each gatherer."""

    window: GatherWindow
    last: tuple[tuple[int, int, int], ...]
    """Session, length in bytes and nonce of each of these messages."""
    tags: str
    """Hexadecimal: the tags of these messages, one after the other."""


@dataclass(frozen=True)
class Gather(Request[Gathered]):
    """Asks for one window of gatherers."""

    implementation: str
    keys: bytes
    """Keys of the sessions, one after the other, of one length."""
    sessions: int
    lengths: tuple[int, ...]
    """Lengths of the messages in turn, in bytes."""
    gaps_ps: tuple[int, ...]
    """Gaps between arrivals at one gatherer, in turn; empty: messages always wait."""
    senders: tuple[int, ...]
    """Numbers that choose the session of each message in turn."""
    batch_most: int
    wait_ns: int
    rate_per_s: float | None
    """Messages that arrive in a second at all gatherers, for the record."""
    cores: tuple[int, ...]
    warm_up_ns: int
    window_ns: int
