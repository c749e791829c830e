# SPDX-License-Identifier: Apache-2.0
"""Steps that cocotb tests of every core share: they start its clock, reset it, count clocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from joulemark.hardware.bench.adapter import CoreAdapter

_CLOCK_NS = 10
_CLOCKS_APART = 2_000_000
"""Clocks that no test exceeds, its random messages apart."""

_Adapter = TypeVar("_Adapter", bound=CoreAdapter)


def limit_ms(messages: int, message_clocks: int) -> int:
    """Simulated time in milliseconds that a test exceeds only if the core hangs.

    Args:
        messages: number of random messages.
        message_clocks: many times the clocks of one message.
    """
    return (_CLOCKS_APART + messages * message_clocks) * _CLOCK_NS // 1_000_000


async def started(
    adapter: type[_Adapter], dut: Any, clock: Any, parameters: Mapping[str, int]
) -> _Adapter:
    """Starts the clock of a core, low at first, resets the core, and returns its adapter."""
    clock.value = 0
    Clock(clock, _CLOCK_NS, "ns").start(start_high=False)
    made = adapter(dut, clock, parameters)
    await made.reset()
    return made


async def reset_for_two_clocks(reset: Any, clock: Any) -> None:
    """Holds an active-low reset over two rising edges; ends right after the one that follows."""
    reset.value = 0
    for _ in range(2):
        await RisingEdge(clock)
    reset.value = 1
    await RisingEdge(clock)


async def clocks_until(clock: Any, signal: Any) -> int:
    """Rising edges until a signal is seen high, counted from the one just passed."""
    clocks = 0
    await FallingEdge(clock)
    while not signal.value:
        clocks += 1
        await FallingEdge(clock)
    return clocks
