# SPDX-License-Identifier: Apache-2.0
"""How the study keeps its time on a machine that others use too.

A window that does not count is taken again, which doubles the time of a study if no window counts.
So second attempts are made only while the study is on time: while it has taken no longer than its
functions may take. The page says how many windows do not count.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

__all__ = ["Pace"]

_ATTEMPTS: Final = 2


class Pace:
    """The time of a study beside that which its functions may take.

    Args:
        function_s: seconds that a function may take.
        clock: gives seconds.
    """

    def __init__(self, function_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._function_s = function_s
        self._clock = clock
        self._begun_s = clock()
        self._done = 0

    def attempts(self) -> int:
        """Returns the most windows until one counts, for the function that begins now."""
        late = self._clock() - self._begun_s > self._function_s * self._done
        self._done += 1
        return 1 if late and self._done > 1 else _ATTEMPTS
