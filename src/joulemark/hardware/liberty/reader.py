# SPDX-License-Identifier: Apache-2.0
"""Reads a Liberty file into `liberty.library`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

from joulemark.errors import UsageError
from joulemark.foreign import shortened
from joulemark.hardware.liberty import LibertyGroup, finite, parse_groups, read_groups, words
from joulemark.hardware.liberty.library import (
    Arc,
    CellLibrary,
    ClockGate,
    Energy,
    FlipFlop,
    Latch,
    Leakage,
    LibraryCell,
    LookupTable,
    Pin,
    Units,
    WireLoad,
    constant,
)

_SI = {"f": 1e-15, "p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3}
_EDGES = ("rise", "fall")
_LOAD_VARIABLES = {"total_output_net_capacitance", "equal_or_opposite_output_net_capacitance"}
_RELATED_VARIABLES = {"related_pin_transition"}
_SPECIAL_NAMES = re.compile(
    r"lpflow|probe|dlymetal|dlygate|dly4|clkdly|antenna|macro|sighold|einv|ebuf|tri"
)
"""Parts of the names of cells in open libraries that are special though no attribute says so."""


def read_library(path: Path) -> CellLibrary:
    """The library of a Liberty file, plain or compressed with gzip."""
    return library_of(read_groups(path), str(path))


def parse_library(text: str, where: str = "the text") -> CellLibrary:
    """The library of a Liberty text."""
    return library_of(parse_groups(text, where), where)


def library_of(root: LibertyGroup, where: str) -> CellLibrary:
    """The library of a parsed file; `where` names the file in messages."""
    try:
        voltage = root.number("nom_voltage")
        if voltage is None:
            raise UsageError(f"{where} does not say its nominal voltage")
        _above_zero(voltage, "nom_voltage")
        reader = _CellReader(root)
        cells = [reader.cell(group) for group in root.of("cell")]
        if not cells:
            raise UsageError(f"{where} has no cells")
        selection = next(iter(root.of("wire_load_selection")), None)
        return CellLibrary(
            name=root.name,
            units=_units(root, where),
            nominal_voltage_v=voltage,
            corner=_corner(root, voltage),
            cells={cell.name: cell for cell in cells},
            wire_loads={group.name: _wire_load(group) for group in root.of("wire_load")},
            wire_selection=_selection(selection),
            default_wire_load=root.attributes.get("default_wire_load"),
        )
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from None


def _units(root: LibertyGroup, where: str) -> Units:
    def simple(name: str, unit: str) -> float:
        text = root.attributes.get(name, "")
        parts = re.fullmatch(rf"([0-9.]+)\s*([fpnumk]?){unit}", text.strip(), re.IGNORECASE)
        if parts is None:
            raise UsageError(f"{where}: its {name} '{shortened(text)}' is not understood")
        return _above_zero(finite(parts[1]), name) * _SI[parts[2].lower()]

    return Units(
        time_s=simple("time_unit", "s"),
        capacitance_f=_capacitance_unit(root),
        leakage_w=simple("leakage_power_unit", "w")
        if "leakage_power_unit" in root.attributes
        else 0.0,
        voltage_v=simple("voltage_unit", "v"),
    )


def _capacitance_unit(root: LibertyGroup) -> float:
    text = root.attributes.get("capacitive_load_unit", "1,pf")
    match words(text):
        case [size, unit] if unit.lower() in {f"{prefix}f" for prefix in _SI}:
            number = _above_zero(finite(size), "capacitive_load_unit")
            return number * _SI[unit.lower().removesuffix("f")]
        case _:
            raise ValueError(f"its capacitive_load_unit '{shortened(text)}' is not understood")


def _above_zero(value: float, name: str) -> float:
    if value <= 0:
        raise ValueError(f"{name}: {value:g} is not above 0")
    return value


def _corner(root: LibertyGroup, voltage: float) -> str:
    name = root.attributes.get("default_operating_conditions")
    conditions = next(
        (group for group in root.of("operating_conditions") if group.name == name), None
    )
    source = conditions or root
    degrees = source.number("temperature" if conditions else "nom_temperature", 25.0)
    return f"{voltage:g} V {degrees:g} C"


def _wire_load(group: LibertyGroup) -> WireLoad:
    lengths = []
    for row in group.rows("fanout_length"):
        if len(row) < 2:
            raise ValueError(f"wire_load {shortened(group.name)}: a fanout_length of one")
        lengths.append((round(finite(row[0])), finite(row[1])))
    return WireLoad(
        group.name,
        group.number("capacitance", 0.0) or 0.0,
        group.number("slope", 0.0) or 0.0,
        tuple(sorted(lengths)),
    )


def _selection(group: LibertyGroup | None) -> tuple[tuple[float, float, str], ...]:
    if group is None:
        return ()
    areas = []
    for row in group.rows("wire_load_from_area"):
        if len(row) != 3:
            raise ValueError("a wire_load_from_area has no two areas and a model")
        areas.append((finite(row[0]), finite(row[1]), row[2]))
    return tuple(sorted(areas))


class _CellReader:
    """Reads cells, with the templates and defaults of their library."""

    def __init__(self, root: LibertyGroup) -> None:
        kinds = {"lu_table_template", "power_lut_template"}
        self._templates = {group.name: group for group in root.groups if group.kind in kinds}
        self._input_capacitance = root.number("default_input_pin_cap", 0.0) or 0.0
        self._leakage = root.number("default_cell_leakage_power", 0.0) or 0.0
        self._max_capacitance = root.number("default_max_capacitance")

    def cell(self, group: LibertyGroup) -> LibraryCell:
        """Reads a cell; an error in it is raised with its name."""
        try:
            return self._cell(group)
        except ValueError as error:
            raise ValueError(f"cell {shortened(group.name)}: {error}") from None

    def _cell(self, group: LibertyGroup) -> LibraryCell:
        pins = {pin.name: self._pin(pin) for pin in group.of("pin")}
        special = (
            bool(_SPECIAL_NAMES.search(group.name))
            or next(group.of("test_cell"), None) is not None
            or any(
                group.true(name)
                for name in (
                    "is_isolation_cell",
                    "is_level_shifter",
                    "always_on",
                    "is_macro_cell",
                    "dont_touch",
                    "pad_cell",
                )
            )
        )
        return LibraryCell(
            name=group.name,
            area_um2=group.number("area", 0.0) or 0.0,
            pins=pins,
            leakage=group.number("cell_leakage_power", self._leakage) or 0.0,
            leakages=tuple(
                Leakage(leakage.attributes.get("when"), leakage.number("value", 0.0) or 0.0)
                for leakage in group.of("leakage_power")
            ),
            storage=_storage(group, pins),
            dont_use=group.true("dont_use"),
            special=special,
        )

    def _pin(self, group: LibertyGroup) -> Pin:
        direction = group.attributes.get("direction", "input")
        default = self._input_capacitance if direction == "input" else 0.0
        roles = {
            "clock": "clock_gate_clock_pin",
            "enable": "clock_gate_enable_pin",
            "test": "clock_gate_test_pin",
            "out": "clock_gate_out_pin",
        }
        return Pin(
            name=group.name,
            direction=direction,
            capacitance=group.number("capacitance", default) or 0.0,
            function=group.attributes.get("function"),
            is_clock=group.true("clock"),
            max_capacitance=group.number("max_capacitance", self._max_capacitance),
            gate_role=next((role for role, name in roles.items() if group.true(name)), None),
            arcs=tuple(
                self._arc(arc, related)
                for arc in group.of("timing")
                for related in arc.attributes.get("related_pin", "").split()
            ),
            energies=tuple(
                energy for table in group.of("internal_power") for energy in self._energies(table)
            ),
        )

    def _arc(self, group: LibertyGroup, related: str) -> Arc:
        return Arc(
            related_pin=related,
            kind=group.attributes.get("timing_type", "combinational"),
            sense=group.attributes.get("timing_sense", "non_unate"),
            when=group.attributes.get("when"),
            delay=self._tables(group, "cell_{}"),
            transition=self._tables(group, "{}_transition"),
            constraint=self._tables(group, "{}_constraint"),
        )

    def _energies(self, group: LibertyGroup) -> list[Energy]:
        edges = self._tables(group, "{}_power")
        for table in group.of("power"):
            edges = dict.fromkeys(_EDGES, self._table(table))
        related: list[str | None] = [*group.attributes.get("related_pin", "").split()] or [None]
        return [Energy(name, group.attributes.get("when"), edges) for name in related]

    def _tables(self, group: LibertyGroup, pattern: str) -> dict[str, LookupTable]:
        """The tables of a group by edge; `pattern` makes their kind of the edge."""
        return {
            edge: self._table(table) for edge in _EDGES for table in group.of(pattern.format(edge))
        }

    def _table(self, group: LibertyGroup) -> LookupTable:
        """Reads one table."""
        title = f"a table {group.kind} ({shortened(group.name)})"
        if "values" not in group.attributes:
            raise ValueError(f"{title} has no values")
        values = [finite(word) for word in words(group.attributes["values"])]
        template = self._templates.get(group.name, LibertyGroup("", ""))
        axes: list[tuple[float, ...]] = []
        variables: list[str] = []
        for number in (1, 2):
            index = f"index_{number}"
            text = group.attributes.get(index) or template.attributes.get(index)
            if text is None:
                break
            axes.append(tuple(finite(word) for word in words(text)))
            variables.append(template.attributes.get(f"variable_{number}", ""))
        if len(values) == 1:
            return constant(values[0])
        if not axes or len(values) != math.prod(map(len, axes)) or not values:
            raise ValueError(f"{title} has {len(values)} values, which its axes do not ask for")
        if any(after <= before for axis in axes for before, after in pairwise(axis)):
            raise ValueError(f"{title} has an axis that does not rise")
        if len(axes) == 1:
            if variables[0] in _LOAD_VARIABLES:
                return LookupTable((0.0,), axes[0], (tuple(values),))
            return LookupTable(axes[0], (0.0,), tuple((value,) for value in values))
        first, second = axes
        rows = tuple(
            tuple(values[start : start + len(second)])
            for start in range(0, len(values), len(second))
        )
        if variables[0] in _LOAD_VARIABLES or variables[0] in _RELATED_VARIABLES:
            return LookupTable(second, first, tuple(zip(*rows, strict=True)))
        return LookupTable(first, second, rows)


def _storage(group: LibertyGroup, pins: Mapping[str, Pin]) -> FlipFlop | Latch | ClockGate | None:
    kind = group.attributes.get("clock_gating_integrated_cell")
    if kind is not None:
        roles: dict[str, list[str]] = {"clock": [], "enable": [], "test": [], "out": []}
        for pin in pins.values():
            if pin.gate_role:
                roles[pin.gate_role].append(pin.name)
        if not (roles["clock"] and roles["enable"] and roles["out"]):
            return None
        return ClockGate(
            kind, roles["clock"][0], roles["enable"][0], roles["out"][0], tuple(roles["test"])
        )
    for inner in group.groups:
        if inner.kind not in {"ff", "latch"}:
            continue
        names = words(inner.arguments)
        if len(names) < 2:
            raise ValueError(f"its group {inner.kind} does not name a state and its inverse")
        state, inverse = names[:2]
        facts = inner.attributes
        resets = facts.get("clear"), facts.get("preset")
        if "clocked_on" in facts and "next_state" in facts:
            return FlipFlop(state, inverse, facts["clocked_on"], facts["next_state"], *resets)
        if "enable" in facts and "data_in" in facts:
            return Latch(state, inverse, facts["enable"], facts["data_in"], *resets)
    return None
