# SPDX-License-Identifier: Apache-2.0
"""The counts of a firmware target's simulator, and the memory that a program takes there."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Footprint:
    """The bytes that one implementation adds to a program of a target, and its state."""

    code_bytes: int
    """Functions, including those that they need of the compiler's library and of the C library."""
    constant_bytes: int
    """Read-only data, such as tables and round constants."""
    static_ram_bytes: int
    """Variables, and on a target that copies constants to RAM those constants again."""
    state_bytes: int | None
    """The key state, or the key schedule of a cipher; None for a hash."""


@dataclass(frozen=True, slots=True)
class FirmwareCount:
    """The counts of one trial on a firmware target. They are exact, so each trial is counted once.

    The output was held to a reference in the same simulation.
    """

    core_cycles: int
    """Core cycles of one message, at least 1, without the call of the marks around it."""
    instructions: int
    """Instructions executed for one message, at least 1."""
    key_core_cycles: int | None
    """Core cycles of the key set-up, not among `core_cycles`; None without a key."""
    code_bytes: int
    """This field and the next three are as in `Footprint`."""
    constant_bytes: int
    static_ram_bytes: int
    state_bytes: int | None
    stack_bytes: int
    """Deepest stack of key set-up and message, without the caller's."""
    evidence: str
    """Evidence of the core cycles: `simulated` or `modelled`."""
    compiler: str
    flags: str
    simulator: str
    """Name and version of the simulator."""

    def as_dict(self) -> dict[str, Any]:
        """Field names and values, for JSON."""
        return asdict(self)
