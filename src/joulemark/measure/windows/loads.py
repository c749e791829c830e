# SPDX-License-Identifier: Apache-2.0
"""The work of the measured core during a window, in stretches of about a given length.

A window is cut into a few long stretches and, near its edges, into many short ones between which
the meter is read. The load goes on across the edges, so that both edges see it in full swing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from joulemark.measure.windows.clock import Clock
from joulemark.records.energy_window import WindowKind


class Load(Protocol):
    """Work that can be done a stretch at a time."""

    kind: WindowKind
    messages: int
    """Messages done since the load was made."""

    def run(self, duration_ns: int) -> None:
        """Works for about `duration_ns`, and at least for one batch."""


@dataclass(slots=True)
class Idle:
    """No work: the process sleeps (deep idle), or its core runs a pause loop (active idle)."""

    kind: WindowKind
    run: Callable[[int], None]
    """Lets this many nanoseconds pass: `Clock.sleep_ns` or `_core.pause_for_ns`."""
    messages: int = 0


class MessageLoad:
    """Messages through one implementation.

    Args:
        run_messages: authenticates so many messages (`_core.Loop.run`).
        clock: tells how long a stretch took, to choose the next one.
        ns_per_message: first guess, above 0, which every stretch corrects.
        batch: messages handed over at a time; a stretch has whole batches.
    """

    kind = WindowKind.LOAD

    def __init__(
        self,
        run_messages: Callable[[int], None],
        clock: Clock,
        ns_per_message: float,
        batch: int = 1,
    ) -> None:
        self.messages = 0
        self._run_messages = run_messages
        self._clock = clock
        self._ns_per_message = max(ns_per_message, 0.1)
        self._batch = batch

    def run(self, duration_ns: int) -> None:
        """Authenticates the messages that fill the time, at least one batch."""
        batches = max(1, round(duration_ns / self._ns_per_message / self._batch))
        messages = batches * self._batch
        start = self._clock.now_ns()
        self._run_messages(messages)
        took = self._clock.now_ns() - start
        self.messages += messages
        if took > 0:
            self._ns_per_message = max(took / messages, 0.1)
