# SPDX-License-Identifier: Apache-2.0
"""How often Python looks for objects that only refer to each other."""

from __future__ import annotations

import atexit
import gc

_OBJECTS_BEFORE_A_SEARCH = 50_000


def search_seldom_for_cycles() -> None:
    """Lets this process search only after many new objects, and not when it ends.

    Imports make a hundred thousand objects that stay. By default Python searches them after each
    700, which takes a fifth of the time of imports, and all of them when it ends, which takes a
    quarter of the CPU time of `joulemark results`. Functions registered for the end run before.
    """
    gc.set_threshold(_OBJECTS_BEFORE_A_SEARCH, 20, 100)
    atexit.register(gc.freeze)
