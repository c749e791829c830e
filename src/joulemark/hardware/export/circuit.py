# SPDX-License-Identifier: Apache-2.0
"""A mapped core with its timing and activity, from a report to those who export it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from joulemark.hardware.core.manifest import Core
from joulemark.hardware.drive.workload import PortRecording
from joulemark.hardware.gate.vcd import Activity
from joulemark.hardware.power.replay import NetlistPower
from joulemark.hardware.synthesis.netlist import Netlist
from joulemark.hardware.timing.analysis import Timing
from joulemark.records.core_report import CoreSettings


@dataclass(frozen=True, slots=True)
class GateWorkload:
    """Activity and power of the gate-level run with delays, in the window of the power figures."""

    activity: Activity
    power: NetlistPower
    """Power with glitches and wires, at the library's own supply."""
    clocks: int
    """Number of clock periods in the window."""
    messages: float
    """Messages that the window stands for."""


@dataclass(frozen=True, slots=True)
class Circuit:
    """A core after mapping and buffering, with its timing and, if it was run, its activity."""

    core: Core
    parameters: Mapping[str, int]
    netlist: Netlist
    timing: Timing
    """Timing with the wire model of the report."""
    period_s: float
    """Shortest clock period that the netlist allows with an ideal clock. The report's headline also
    has the skew of a modelled clock tree."""
    clock_hz: float
    """Clock of the gate-level run."""
    liberty: Path
    settings: CoreSettings
    """Settings of the report: library, corner, wire model, mapping, versions of tools."""
    recording: PortRecording
    """What the ports of the sources did, which the netlist repeats."""
    workload: GateWorkload | None
    """None if power was left out."""
