# SPDX-License-Identifier: Apache-2.0
"""A cell library in terms of circuits, as `liberty.reader` makes it of a Liberty file.

Tables keep the library's own units; `Units` turns them into SI.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from joulemark.errors import UsageError
from joulemark.hardware.liberty import truth_table

# Look-up tables over slew and load, as the non-linear delay model has them.


@dataclass(frozen=True, slots=True)
class LookupTable:
    """Values over the slew of the input (first axis) and the load of the output (second).

    The table does not depend on an axis of one point. Units are the library's.
    """

    slews: tuple[float, ...]
    loads: tuple[float, ...]
    rows: tuple[tuple[float, ...], ...]

    def at(self, slew: float, load: float) -> float:
        """The value at a slew and a load: linear between and beyond points, as timing tools do."""
        # Timing asks millions of times: a call for each row would double its time.
        slews, loads, rows = self.slews, self.loads, self.rows
        if len(slews) == 1:
            return _along(loads, rows[0], load)
        high = bisect_right(slews, slew, 1, len(slews) - 1)
        below, above = rows[high - 1], rows[high]
        first, second = below[0], above[0]
        if len(loads) > 1:
            column = bisect_right(loads, load, 1, len(loads) - 1)
            start, end = loads[column - 1], loads[column]
            beyond, width = load - start, end - start
            first, second = below[column - 1], above[column - 1]
            first += (below[column] - first) * beyond / width
            second += (above[column] - second) * beyond / width
        return first + (second - first) * (slew - slews[high - 1]) / (slews[high] - slews[high - 1])


def constant(value: float) -> LookupTable:
    """A table with the same value everywhere."""
    return LookupTable((0.0,), (0.0,), ((value,),))


def _along(axis: Sequence[float], values: Sequence[float], value: float) -> float:
    if len(axis) == 1:
        return values[0]
    # The upper end of the stretch of the axis to interpolate or extrapolate on.
    high = bisect_right(axis, value, 1, len(axis) - 1)
    start, end = axis[high - 1], axis[high]
    return values[high - 1] + (values[high] - values[high - 1]) * (value - start) / (end - start)


@dataclass(frozen=True, slots=True)
class Units:
    """The units of a library's tables in SI."""

    time_s: float
    capacitance_f: float
    leakage_w: float
    voltage_v: float

    @property
    def energy_j(self) -> float:
        """Unit of internal power tables: capacitance times voltage squared, as Liberty has it."""
        return self.capacitance_f * self.voltage_v**2


@dataclass(frozen=True, slots=True)
class Arc:
    """Timing from a related pin to the pin that has the arc."""

    related_pin: str
    kind: str
    """Liberty's timing_type; `combinational` where it has none."""
    sense: str
    when: str | None
    delay: Mapping[str, LookupTable]
    """Delay by the edge of the output, `rise` and `fall`."""
    transition: Mapping[str, LookupTable]
    """Slew of the output by its edge."""
    constraint: Mapping[str, LookupTable]
    """Set-up or hold time by the edge of the constrained pin, over the slew of that pin and then
    the slew of the related pin, whatever their order in the file."""


@dataclass(frozen=True, slots=True)
class Energy:
    """One internal_power group: energy within the cell for an edge of the pin that has it."""

    related_pin: str | None
    when: str | None
    edges: Mapping[str, LookupTable]


@dataclass(frozen=True, slots=True)
class Leakage:
    """Power of a cell in the states that `when` describes, or in all other states if it is None."""

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
    """Role in an integrated clock gate: `clock`, `enable`, `test` or `out`; None elsewhere."""
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
class LibraryCell:
    """One cell."""

    name: str
    area_um2: float
    pins: Mapping[str, Pin]
    leakage: float
    """Average leakage, for states that no group of `leakages` describes."""
    leakages: tuple[Leakage, ...] = ()
    storage: FlipFlop | Latch | ClockGate | None = None
    dont_use: bool = False
    special: bool = False
    """Whether the cell is not for plain logic: scan, isolation, level shifters, delay lines, power
    switches."""

    def inputs(self) -> list[Pin]:
        """Input pins in order."""
        return [pin for pin in self.pins.values() if pin.direction == "input"]

    def outputs(self) -> list[Pin]:
        """Output pins in order."""
        return [pin for pin in self.pins.values() if pin.direction == "output"]

    def computes(self, inputs: int, tables: Collection[int]) -> bool:
        """Whether this is logic with so many inputs and one output, whose truth table is listed."""
        names, outputs = [pin.name for pin in self.inputs()], self.outputs()
        if self.storage is not None or len(names) != inputs or len(outputs) != 1:
            return False
        function = outputs[0].function
        return function is not None and truth_table(function, names) in tables


@dataclass(frozen=True, slots=True)
class WireLoad:
    """A wire-load model: capacitance of a net by its number of sinks."""

    name: str
    capacitance: float
    slope: float
    lengths: tuple[tuple[int, float], ...]

    def load(self, sinks: int) -> float:
        """Capacitance of a net with so many sinks: linear between points, then by the slope."""
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
class CellLibrary:
    """A whole cell library at one corner."""

    name: str
    units: Units
    nominal_voltage_v: float
    corner: str
    cells: Mapping[str, LibraryCell]
    wire_loads: Mapping[str, WireLoad] = field(default_factory=dict)
    wire_selection: tuple[tuple[float, float, str], ...] = ()
    """Smallest and largest area in um2, and the name of the model between them."""
    default_wire_load: str | None = None

    def cell(self, name: str) -> LibraryCell:
        """A cell by name."""
        if name not in self.cells:
            raise UsageError(f"the library {self.name} has no cell {name}")
        return self.cells[name]

    def by_area(self) -> list[LibraryCell]:
        """All cells, the smallest first."""
        return sorted(self.cells.values(), key=lambda cell: cell.area_um2)

    def charge_j(self, load: float) -> float:
        """Half of C V squared of a load in the library's unit."""
        volts = self.nominal_voltage_v * self.units.voltage_v
        return 0.5 * load * self.units.capacitance_f * volts**2

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
        """Whether some cell has internal power tables, so that power can be computed."""
        return any(pin.energies for cell in self.cells.values() for pin in cell.pins.values())
