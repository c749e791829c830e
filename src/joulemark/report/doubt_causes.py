# SPDX-License-Identifier: Apache-2.0
"""Doubts as a reader meets them: those with one remedy are one cause."""

from __future__ import annotations

from joulemark.records.doubt import Doubt, DoubtKind

__all__ = ["cause_of"]

_OTHER_PROGRAMS = {
    DoubtKind.INTERRUPTED,
    DoubtKind.OFF_CPU,
    DoubtKind.SHARED_CORE,
    DoubtKind.FOREIGN_CPU,
    DoubtKind.STEAL,
}
"""Somebody else had the CPU, or its core: seen by different counters, mended by a quiet machine."""


def cause_of(doubt: Doubt) -> DoubtKind | Doubt:
    """The same for doubts of one cause; those of no known kind must read the same."""
    if doubt.kind is DoubtKind.OTHER:
        return doubt
    return DoubtKind.FOREIGN_CPU if doubt.kind in _OTHER_PROGRAMS else doubt.kind
