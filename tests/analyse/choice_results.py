# SPDX-License-Identifier: Apache-2.0
"""Made-up results among which a MAC is chosen."""

from __future__ import annotations

from typing import Any

from joulemark.analyse import Figure, Result

__all__ = ["SIZE_BYTES", "figure", "result"]

SIZE_BYTES = 64


def figure(median: float) -> Figure:
    """A figure with an interval of 1 %."""
    return Figure(
        median=median, low=0.995 * median, high=1.005 * median, minimum=median, quartile_1=median,
        quartile_3=median, mad=0.0, evidence="measured", samples=9,
    )  # fmt: skip


def result(name: str, nanoseconds: float, **changes: Any) -> Result:
    """A result of one message at a time under a kept key."""
    empty = dict.fromkeys(
        ("chosen", "thread_cpu_seconds_per_message", "bytes_per_second", "tsc_ticks_per_message",
         "tsc_ticks_per_byte", "core_cycles_per_message", "core_cycles_per_byte",
         "joules_per_byte", "modelled_joules_per_byte")
    )  # fmt: skip
    given = {
        "algorithm": name.partition("/")[0], "implementation": name,
        "provider": "joulemark", "target": "host", "size_bytes": SIZE_BYTES, "batch": 1,
        "mode": "throughput", "cache": "hot", "key_setup": "kept", "evidence": "measured",
        "seconds_per_message": figure(nanoseconds * 1e-9),
    }  # fmt: skip
    return Result(**(empty | given | changes))
