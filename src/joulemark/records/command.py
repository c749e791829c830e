# SPDX-License-Identifier: Apache-2.0
"""A command of the user's: how it was to run, how each run ended, what was metered of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from joulemark.records.domain import Domain
from joulemark.records.energy_window import EnergyWindow, MeterRecord

__all__ = ["CommandPlan", "CommandRun", "CommandWindow", "EndedCommand", "TimedRun"]


@dataclass(frozen=True, slots=True)
class CommandPlan:
    """What the user asked for."""

    rounds: int = 5
    warmup: int = 1
    """Runs before the rounds, at least one: how long the command takes is found from the last."""
    repeat: int = 1
    """Runs of the command in one window."""
    retakes: int = 3
    """How often a void window is taken again."""
    ignore_failure: bool = False


@dataclass(frozen=True, slots=True)
class EndedCommand:
    """How one run of the command ended."""

    status: int
    """Exit code; -N where signal N ended it."""
    cpu_ns: int
    """CPU time of it and of all its children that it waited for."""


@dataclass(frozen=True, slots=True)
class CommandWindow:
    """One window and what the command itself said."""

    window: EnergyWindow
    """`wall_ns` is from the first start to the last end of the command; the edges lie outside."""
    ended: tuple[EndedCommand, ...] = ()
    """One for each run; none if the meter failed before the start."""


@dataclass(slots=True)
class CommandRun:
    """Everything that was seen of one command."""

    record: MeterRecord
    headline: Domain
    plan: CommandPlan
    loads: list[CommandWindow] = field(default_factory=list)
    """In order of time, the void ones too."""
    idles: list[EnergyWindow] = field(default_factory=list)
    gave_up: str | None = None
    """Why rounds are missing that were asked for; None if none is."""


@dataclass(frozen=True, slots=True)
class TimedRun:
    """One window of a command that was only timed."""

    wall_ns: int
    """From the first start to the last end."""
    ended: tuple[EndedCommand, ...]
    """One for each run of the command."""
