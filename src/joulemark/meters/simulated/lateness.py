# SPDX-License-Identifier: Apache-2.0
"""Lateness and CPU time of the daemon: the text of its `stats.json`."""

from __future__ import annotations

import json
import time
from collections import deque
from typing import Final

from joulemark.meters.simulated.process_clock import ProcessEnergy

_KEPT: Final = 1000
"""Wake-ups whose lateness is kept for the quantiles: the newest second of a 1 ms grid."""


class Lateness:
    """The daemon's account of its punctuality.

    Args:
        start_ns: start of the account, on CLOCK_MONOTONIC.
    """

    def __init__(self, start_ns: int) -> None:
        self._start_ns = start_ns
        self._start_cpu_ns = time.process_time_ns()
        self._newest_ns: deque[int] = deque(maxlen=_KEPT)
        self._worst_ns = 0
        self._wakes = 0

    def note(self, late_ns: int) -> None:
        """Takes down one wake-up."""
        self._newest_ns.append(late_ns)
        self._worst_ns = max(self._worst_ns, late_ns)
        self._wakes += 1

    def as_json(self, now_ns: int, missed: int, energy: ProcessEnergy | None) -> str:
        """The statistics so far; lateness is null before the first wake-up.

        Args:
            now_ns: the moment on CLOCK_MONOTONIC.
            missed: updates that were left out because the daemon came too late, over all counters.
            energy: the watched processes, if any are watched.
        """
        ordered = sorted(self._newest_ns)
        wall_ns = max(1, now_ns - self._start_ns)
        return json.dumps(
            {
                "running_s": wall_ns / 1e9,
                "wakes": self._wakes,
                "missed_updates": missed,
                "late_median_ns": ordered[len(ordered) // 2] if ordered else None,
                "late_p99_ns": ordered[len(ordered) * 99 // 100] if ordered else None,
                "late_worst_ns": self._worst_ns if ordered else None,
                "own_cpu_share": (time.process_time_ns() - self._start_cpu_ns) / wall_ns,
                "processes": energy.processes if energy is not None else None,
                "watched_cpu_s": energy.used_cpu_ns / 1e9 if energy is not None else None,
                "load_j": energy.used_aj / 1e18 if energy is not None else None,
            }
        )
