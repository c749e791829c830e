# SPDX-License-Identifier: Apache-2.0
"""The clock of windows: the machine's own, or a simulated machine's."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """A clock from which windows take their time."""

    def now_ns(self) -> int:
        """CLOCK_MONOTONIC."""

    def sleep_ns(self, duration_ns: int) -> None:
        """Lets at least this time pass without using the core."""


class SystemClock:
    """The machine's own clock."""

    def now_ns(self) -> int:
        """CLOCK_MONOTONIC."""
        return time.monotonic_ns()

    def sleep_ns(self, duration_ns: int) -> None:
        """Sleeps; the kernel may add some tens of microseconds."""
        if duration_ns > 0:
            time.sleep(duration_ns / 1e9)
