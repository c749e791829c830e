# SPDX-License-Identifier: Apache-2.0
"""Messages that concern gatherers of the messages of many sessions."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.measure.worker_messages.base import Request
from joulemark.records.gathering import GatherWindow

__all__ = ["Gather", "Gathered"]


@dataclass(frozen=True, slots=True)
class Gathered:
    """A window, and what is left of the last batch of each gatherer."""

    window: GatherWindow
    last: tuple[tuple[int, int, int], ...]
    """Of each message the session, the length in bytes and the number of the nonce."""
    tags: str
    """Hexadecimal: theirs, one after the other."""


@dataclass(frozen=True)
class Gather(Request[Gathered]):
    """Asks for one window of gatherers."""

    implementation: str
    keys: bytes
    """One for each session, one after the other, of one length."""
    sessions: int
    lengths: tuple[int, ...]
    """Of messages in turn, in bytes."""
    gaps_ps: tuple[int, ...]
    """Between arrivals at one gatherer, in turn; empty: messages always wait."""
    senders: tuple[int, ...]
    """Sessions of messages in turn."""
    batch_most: int
    wait_ns: int
    rate_per_s: float | None
    """What the gaps come to, for the record."""
    cores: tuple[int, ...]
    warm_up_ns: int
    window_ns: int
