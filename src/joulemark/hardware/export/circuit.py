# SPDX-License-Identifier: Apache-2.0
"""What a report knows of a mapped core when its figures are made, for those who write it out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joulemark.hardware.core.manifest import Core
from joulemark.hardware.gate.vcd import Activity
from joulemark.hardware.power.replay import Power
from joulemark.hardware.synthesis.netlist import Netlist
from joulemark.hardware.timing.analysis import Timing

__all__ = ["Circuit", "Workload"]


@dataclass(frozen=True, slots=True)
class Workload:
    """What the gate-level run with delays did, in the window whose power is reported."""

    activity: Activity
    power: Power
    """With glitches and wires, at the library's own supply."""
    clocks: int
    """Periods of the clock in the window."""
    messages: float
    """Messages that the window stands for."""


@dataclass(frozen=True, slots=True)
class Circuit:
    """A core after mapping and buffering, with its timing and, if it was run, its activity."""

    core: Core
    parameters: Mapping[str, int]
    netlist: Netlist
    timing: Timing
    """With the wire model of the report."""
    period_s: float
    """Shortest clock period that the netlist allows with an ideal clock; the headline of the report
    has the skew of a modelled clock tree besides."""
    clock_hz: float
    """Clock of the gate-level run."""
    liberty: Path
    settings: Mapping[str, Any]
    """Of the report: library, corner, wire model, mapping, versions of tools."""
    workload: Workload | None
    """None where power was left out."""
