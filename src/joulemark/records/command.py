# SPDX-License-Identifier: Apache-2.0
"""A command of the user: how often it runs, how each run ended, and the windows metered of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from joulemark.records.domain import Domain
from joulemark.records.energy_window import EnergyWindow, MeterRecord


@dataclass(frozen=True, slots=True)
class CommandPlan:
    """How often the command runs, as the user asked."""

    rounds: int = 5
    warmup: int = 1
    """Runs before the rounds, at least 1: the last one tells how long the command takes."""
    repeat: int = 1
    """Runs of the command in one window."""
    retakes: int = 3
    """How often a void window is taken again at most."""
    ignore_failure: bool = False


@dataclass(frozen=True, slots=True)
class EndedCommand:
    """How one run of the command ended."""

    status: int
    """Exit code, or -N if signal N ended the command."""
    cpu_ns: int
    """CPU time of the command and of all children that it waited for."""


@dataclass(frozen=True, slots=True)
class CommandWindow:
    """One energy window around the command, and how the command ended in it."""

    window: EnergyWindow
    """Its `wall_ns` is the time from the first start to the last end; the edges lie outside."""
    ended: tuple[EndedCommand, ...] = ()
    """An entry for each run; empty if the meter failed before the start."""


@dataclass(slots=True)
class CommandRun:
    """All windows of one command."""

    record: MeterRecord
    headline: Domain
    plan: CommandPlan
    loads: list[CommandWindow] = field(default_factory=list)
    """Windows of the command in order of time, void ones included."""
    idles: list[EnergyWindow] = field(default_factory=list)
    gave_up: str | None = None
    """Why rounds that were asked for are missing; None if all were taken."""


@dataclass(frozen=True, slots=True)
class TimedRun:
    """One window of a command that was only timed."""

    wall_ns: int
    """Time from the first start to the last end."""
    ended: tuple[EndedCommand, ...]
    """An entry for each run of the command."""
