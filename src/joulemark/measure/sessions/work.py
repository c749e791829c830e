# SPDX-License-Identifier: Apache-2.0
"""The work of sessions and gatherers, and refusals of work that nobody or nothing here can do."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

from joulemark import _core
from joulemark.errors import UsageError
from joulemark.records.implementation import ImplementationFacts
from joulemark.records.trial import mean_bytes, mix_lengths, mix_title
from joulemark.units import format_bytes

MAX_MESSAGES_BYTES: Final = 1 << 30
"""Most bytes of the messages of all sessions together."""


@dataclass(frozen=True, slots=True)
class MessageLengths:
    """Messages of one length, or of a mix."""

    size_bytes: int = 0
    mix: str = ""
    """The mix as `records.mixes.parse_mix` writes it; empty if all are `size_bytes` long."""

    @property
    def cycle(self) -> tuple[int, ...]:
        """Lengths of the messages in turn."""
        return mix_lengths(self.mix, 1) if self.mix else (self.size_bytes,)

    @property
    def mean_bytes(self) -> float:
        """Mean length of a message."""
        return mean_bytes(self.mix) if self.mix else self.size_bytes

    @property
    def title(self) -> str:
        """The lengths as tables write them."""
        return mix_title(self.mix) if self.mix else format_bytes(self.size_bytes)


@dataclass(frozen=True, slots=True)
class Scenario:
    """Connections, cores and times, as rashwan2012 defines a scenario before each run."""

    sessions: int
    cores: tuple[int, ...]
    warm_up_ns: int
    window_ns: int
    longest_ns: int
    """Length to which a window may be lengthened."""
    attempts: int
    """Most windows that are taken in a round until one counts; at least 1."""


@dataclass(frozen=True, slots=True)
class MeasuredPoint:
    """An implementation, the lengths of its messages, and the scenario in which it runs."""

    implementation: str
    lengths: MessageLengths
    scenario: Scenario


@dataclass(frozen=True, slots=True)
class ThreadsPoint(MeasuredPoint):
    """Each session is a thread, and all threads share the cores."""

    software_only: bool = False
    """Whether it runs in workers in which its library finds no instructions that a CPU may lack."""


@dataclass(frozen=True, slots=True)
class GatherPoint(MeasuredPoint):
    """Each core has a gatherer, a thread with a separate part of the sessions."""

    batch_most: int
    wait_ns: int
    rate_per_s: float | None
    """Messages that arrive in a second at all gatherers together; None: messages always wait."""


def require_cores(cores: tuple[int, ...], option: str) -> None:
    """Refuses cores that this process may not run on."""
    allowed = os.sched_getaffinity(0)
    absent = sorted(set(cores) - allowed)
    if absent:
        known = ", ".join(map(str, sorted(allowed)))
        raise UsageError(
            f"{option} {absent[0]}: this process may run on {known}; name some of these"
        )


def require_sessions(sessions: int, lengths: MessageLengths) -> None:
    """Refuses a number of sessions that the harness does not run, and too much memory."""
    most = _core.SESSIONS_MAX
    if not 1 <= sessions <= most:
        raise UsageError(f"--sessions {sessions}: give a number from 1 to {most}")
    longest = max(lengths.cycle)
    if longest < 1:
        raise UsageError("--size 0: a cost per byte needs messages of at least 1 byte")
    if sessions * longest > MAX_MESSAGES_BYTES:
        raise UsageError(
            f"{sessions} sessions with messages of {format_bytes(longest)} are more than "
            f"{format_bytes(MAX_MESSAGES_BYTES)}; name a smaller --size or fewer --sessions"
        )


def require_mac(facts: ImplementationFacts) -> None:
    """Refuses what cannot run in many threads, or authenticates nothing."""
    name = facts.implementation
    if facts.kind != "mac":
        raise UsageError(f"{name} is a {facts.kind}; sessions authenticate messages: name a MAC")
    if facts.provider == "python":
        raise UsageError(
            f"{name} runs in Python, one thread at a time; name an implementation in C"
        )


def require_gatherers(sessions: int, cores: tuple[int, ...]) -> None:
    """Refuses gatherers without a session."""
    if sessions < len(cores):
        raise UsageError(
            f"--sessions {sessions}: each of {len(cores)} cores gathers from at least one; give "
            "more sessions, or name fewer --cores"
        )
