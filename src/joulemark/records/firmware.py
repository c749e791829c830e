# SPDX-License-Identifier: Apache-2.0
"""What a firmware target's simulator counted, and what the program takes of its memories."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["FirmwareCount", "Footprint"]


@dataclass(frozen=True, slots=True)
class Footprint:
    """What one implementation adds to a program of a target, and its state."""

    code_bytes: int
    """Functions, with those of the compiler's library and of the C library that they need."""
    constant_bytes: int
    """Read-only data, such as tables and round constants."""
    static_ram_bytes: int
    """Variables; on a target that copies constants to RAM, these again."""
    state_bytes: int | None
    """A key state, or the schedule of a cipher; None of a hash."""


@dataclass(frozen=True, slots=True)
class FirmwareCount:
    """What one trial on a firmware target came to: exact, so there is one for each.

    The output was held to a reference in the same simulation.
    """

    core_cycles: int
    """Of one message, at least 1, without the call of the marks around it."""
    instructions: int
    """Executed for one message, at least 1."""
    key_core_cycles: int | None
    """Of the key set-up, not among `core_cycles`; None without a key."""
    code_bytes: int
    """This and the next three: as in `Footprint`."""
    constant_bytes: int
    static_ram_bytes: int
    state_bytes: int | None
    stack_bytes: int
    """Deepest stack of key set-up and message, below the caller's."""
    evidence: str
    """Of the core cycles: `simulated` or `modelled`."""
    compiler: str
    flags: str
    simulator: str
    """Its name and version."""

    def as_dict(self) -> dict[str, Any]:
        """Field names and values, for JSON."""
        return asdict(self)
