# SPDX-License-Identifier: Apache-2.0
"""One file for each simulator of firmware targets.

A module of this folder has
- `missing(target)`: what it needs and this machine lacks, with the package that has it, or None;
- `title(target)`: its name and version, for the record;
- `command(target, program, most_core_cycles)`: runs a program and prints a log
  (`joulemark.firmware.log`); builds what it needs in the user's cache.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:  # a simulator in Python passes here; to load this takes it a third of its time
    from joulemark.firmware.programs.target import Target

__all__ = ["SimulatorModule", "simulator_of"]


class SimulatorModule(Protocol):
    """What a module of this folder has."""

    def missing(self, target: Target) -> str | None:
        """Why it cannot run here, with the remedy; None where it can."""

    def title(self, target: Target) -> str:
        """Name and version."""

    def command(self, target: Target, program: Path, most_core_cycles: int) -> list[str]:
        """The command that runs a program."""


def simulator_of(target: Target) -> SimulatorModule:
    """The module that runs a target's programs."""
    return cast("SimulatorModule", import_module(f"{__name__}.{target.simulator.name}"))
