# SPDX-License-Identifier: Apache-2.0
"""Waits for a quieter machine, up to a limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from joulemark.measure.cpus import cpu_busy_shares

__all__ = ["QUIET_SHARE", "wait_until_quiet"]

QUIET_SHARE: Final = 0.10
"""CPU time of everything, in CPUs, up to which a machine counts as quiet: a tenth of one CPU, the
share from which a result carries a doubt."""
_LOOK_S: Final = 1.0


def wait_until_quiet(
    limit_s: float,
    announce: Callable[[float], None],
    *,
    look: Callable[[float], dict[int, float]] = cpu_busy_shares,
    now: Callable[[], float] = time.monotonic,
) -> bool:
    """Waits until the CPUs together are busy for at most `QUIET_SHARE` of one CPU.

    Args:
        limit_s: longest wait, at least 0; one look is always taken.
        announce: told the share, in CPUs, after each look that found the machine busy.
        look: watches the CPUs for so many seconds; see `cpu_busy_shares`.
        now: the clock of the limit, in seconds.

    Returns:
        Whether the machine became quiet; True where its load cannot be read.
    """
    end = now() + limit_s
    while True:
        share = sum(look(_LOOK_S).values())
        if share <= QUIET_SHARE:
            return True
        announce(share)
        if now() >= end:
            return False
