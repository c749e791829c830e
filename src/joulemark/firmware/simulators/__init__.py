# SPDX-License-Identifier: Apache-2.0
"""One file for each simulator of firmware targets.

Each module of this folder is a `SimulatorModule`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:  # to load this would be a third of the time of a simulator in Python
    from joulemark.firmware.programs.target import Target


class SimulatorModule(Protocol):
    """The functions of a module of this folder."""

    def missing(self, target: Target) -> str | None:
        """The first need of the simulator that this machine lacks, with its package; or None."""

    def title(self, target: Target) -> str:
        """Name and version of the simulator, for the record."""

    def command(self, target: Target, program: Path, most_core_cycles: int) -> list[str]:
        """A command that runs a program and prints a log (`joulemark.firmware.firmware_counts`).

        Files that the command needs are built in the user's cache.
        """


def simulator_of(target: Target) -> SimulatorModule:
    """The module that runs a target's programs."""
    return cast("SimulatorModule", import_module(f"{__name__}.{target.simulator.name}"))
