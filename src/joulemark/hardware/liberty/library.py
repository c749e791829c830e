# SPDX-License-Identifier: Apache-2.0
"""A cell library in terms of circuits: what `liberty.reader` makes of a Liberty file.

Tables keep the library's own units; `Units` turns them into SI.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from joulemark.errors import UsageError
from joulemark.hardware.liberty.table import Table

__all__ = [
    "Arc", "Cell", "ClockGate", "Energy", "FlipFlop", "Latch", "Leakage", "Library", "Pin", "Units",
    "WireLoad",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Units:
    """What one unit of a table is in SI."""

    time_s: float
    capacitance_f: float
    leakage_w: float
    voltage_v: float

    @property
    def energy_j(self) -> float:
        """Of internal power tables: capacitance times voltage squared, as Liberty has it."""
        return self.capacitance_f * self.voltage_v**2


@dataclass(frozen=True, slots=True)
class Arc:
    """Timing from a related pin to the pin that has the arc."""

    related_pin: str
    kind: str
    """Liberty's timing_type; `combinational` where it has none."""
    sense: str
    when: str | None
    delay: Mapping[str, Table]
    """By the edge of the output, `rise` and `fall`."""
    transition: Mapping[str, Table]
    constraint: Mapping[str, Table]
    """Set-up or hold by the edge of the constrained pin: first axis its related pin's slew or its
    own, as the library orders them after normalising: slew of the constrained pin first."""


@dataclass(frozen=True, slots=True)
class Energy:
    """One internal_power group: energy within the cell for an edge of the pin that has it."""

    related_pin: str | None
    when: str | None
    edges: Mapping[str, Table]


@dataclass(frozen=True, slots=True)
class Leakage:
    """Power of a cell in the states that `when` describes; None for all others."""

    when: str | None
    value: float


@dataclass(frozen=True, slots=True)
class Pin:
    """One signal pin of a cell."""

    name: str
    direction: str
    capacitance: float
    function: str | None = None
    is_clock: bool = False
    max_capacitance: float | None = None
    gate_role: str | None = None
    """In an integrated clock gate: `clock`, `enable`, `test` or `out`."""
    arcs: tuple[Arc, ...] = ()
    energies: tuple[Energy, ...] = ()


@dataclass(frozen=True, slots=True)
class FlipFlop:
    """An ff group."""

    state: str
    inverse: str
    clocked_on: str
    next_state: str
    clear: str | None
    preset: str | None


@dataclass(frozen=True, slots=True)
class Latch:
    """A latch group."""

    state: str
    inverse: str
    enable: str
    data_in: str
    clear: str | None
    preset: str | None


@dataclass(frozen=True, slots=True)
class ClockGate:
    """An integrated clock gate: its kind as Liberty names it, and its pins."""

    kind: str
    clock: str
    enable: str
    out: str
    test: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell."""

    name: str
    area_um2: float
    pins: Mapping[str, Pin]
    leakage: float
    """Average, for states that no group of `leakages` describes."""
    leakages: tuple[Leakage, ...] = ()
    storage: FlipFlop | Latch | ClockGate | None = None
    dont_use: bool = False
    special: bool = False
    """Not for logic as such: scan, isolation, level shifters, delay lines, power switches."""

    def inputs(self) -> list[Pin]:
        """Input pins in order."""
        return [pin for pin in self.pins.values() if pin.direction == "input"]

    def outputs(self) -> list[Pin]:
        """Output pins in order."""
        return [pin for pin in self.pins.values() if pin.direction == "output"]


@dataclass(frozen=True, slots=True)
class WireLoad:
    """A wire-load model: capacitance of a net by its number of sinks."""

    name: str
    capacitance: float
    slope: float
    lengths: tuple[tuple[int, float], ...]

    def load(self, sinks: int) -> float:
        """Capacitance of a net with so many sinks.

        Linear between the model's points, by the slope beyond the last.
        """
        if sinks <= 0 or not self.lengths:
            return 0.0
        previous = self.lengths[0]
        if sinks <= previous[0]:
            return previous[1] * self.capacitance
        for count, length in self.lengths[1:]:
            if sinks <= count:
                part = (sinks - previous[0]) / (count - previous[0])
                return (previous[1] + part * (length - previous[1])) * self.capacitance
            previous = (count, length)
        return (previous[1] + self.slope * (sinks - previous[0])) * self.capacitance


@dataclass(frozen=True, slots=True)
class Library:
    """A whole cell library at one corner."""

    name: str
    units: Units
    nominal_voltage_v: float
    corner: str
    cells: Mapping[str, Cell]
    wire_loads: Mapping[str, WireLoad] = field(default_factory=dict)
    wire_selection: tuple[tuple[float, float, str], ...] = ()
    """Areas from and to in um2, and the name of the model for them."""
    default_wire_load: str | None = None

    def cell(self, name: str) -> Cell:
        """A cell by name."""
        found = self.cells.get(name)
        if found is None:
            raise UsageError(f"the library {self.name} has no cell {name}")
        return found

    def wire_load(self, area_um2: float) -> WireLoad | None:
        """The model that the library selects for a design of this area; None if it has none."""
        for start, end, name in self.wire_selection:
            if start <= area_um2 < end:
                return self.wire_loads.get(name)
        if self.wire_selection:
            return self.wire_loads.get(self.wire_selection[-1][2])
        return self.wire_loads.get(self.default_wire_load or "")

    @property
    def has_energy(self) -> bool:
        """Whether power can be computed: some cell has internal power tables."""
        return any(pin.energies for cell in self.cells.values() for pin in cell.pins.values())
