# SPDX-License-Identifier: Apache-2.0
"""Makes the manifest of an export: its files, their sources, and how to read them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from joulemark import __version__
from joulemark.hardware.export.circuit import Circuit
from joulemark.hardware.export.names import Names
from joulemark.hardware.export.testbench import COMMANDS
from joulemark.hardware.gate.verilog import INPUT_DELAY_PS

__all__ = ["manifest_of"]

SCHEMA_VERSION: Final = 1
_NOTES: Final = (
    """Joulemark loads a cell with the `capacitance` of the pins that it drives; a tool that takes
    rise_capacitance, fall_capacitance or their ranges finds other delays and another power.""",
    """Wires have the capacitance of the wire model, which the constraints state net by net, and no
    resistance; a tool that is told to take the library's wire-load model adds its resistance.""",
    """The clock is ideal, before a clock tree; clock.sdf takes the delay of its cells away where a
    clock net is data.""",
    """delays.sdf has mean delays, for simulation; static timing takes the library itself.""",
    """cells.v has no set-up and no hold times. Models of the library's maker may have them, and may
    take latches and flip-flops in and out of one clock edge in any order: with such models simulate
    with delays.sdf.""",
)


def manifest_of(
    circuit: Circuit, names: Names, files: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The manifest as a JSON object; `files` has name, meaning, digest and size of each file."""
    library, settings = circuit.netlist.library, circuit.settings
    commands = {**COMMANDS, "timing": "sta -exit timing.tcl"}
    if circuit.workload is not None:
        commands["power"] = "sta -exit power.tcl"
    return {
        "schema_version": SCHEMA_VERSION,
        "joulemark": __version__,
        "core": circuit.core.name,
        "top": circuit.netlist.top,
        "parameters": dict(circuit.parameters),
        "clock_port": circuit.core.clock,
        "reset_port": circuit.core.reset,
        "library": {
            "name": library.name,
            "file": str(circuit.liberty.resolve()),
            "sha256": hashlib.sha256(circuit.liberty.read_bytes()).hexdigest(),
            "corner": library.corner,
            "voltage_v": library.nominal_voltage_v,
        },
        "mapping": circuit.netlist.mapping,
        "buffers": settings.get("buffers"),
        "wire_model": circuit.timing.wire.text,
        "clock": {"shortest_period_s": circuit.period_s, "workload_hz": circuit.clock_hz},
        "settings": dict(settings),
        "limit": _named(str(settings.get("clocking", {}).get("limit", "")), circuit, names),
        "critical_path": [_named(step, circuit, names) for step in circuit.timing.path],
        "workload": _workload(circuit),
        "files": list(files),
        "commands": commands,
        "notes": [" ".join(note.split()) for note in _NOTES],
    }


def _named(text: str, circuit: Circuit, names: Names) -> str:
    """A step of the critical path, or the clock's limit, with names of the exported netlist."""
    of_source = {
        instance.name: names.instance(index)
        for index, instance in enumerate(circuit.netlist.instances)
    }
    return " ".join(of_source.get(word, word) for word in text.split(" "))


def _workload(circuit: Circuit) -> dict[str, Any] | str:
    """Figures of the gate-level run, or why there was none."""
    workload = circuit.workload
    if workload is None:
        return "power was left out (--no-power), so there is no activity.saif and no activity.vcd"
    power = workload.power
    seconds = power.duration_s
    switching = _switching_w(circuit)
    return {
        "window_clocks": workload.clocks,
        "window_messages": workload.messages,
        "duration_s": seconds,
        "input_delay_s": INPUT_DELAY_PS * 1e-12,
        "toggles": power.toggles,
        "unknown": power.unknown,
        "leakage_w": power.leakage_w,
        "switching_w": switching,
        "internal_w": power.dynamic_w - switching,
        "dynamic_w": power.dynamic_w,
    }


def _switching_w(circuit: Circuit) -> float:
    """Half of C V^2 for every toggle of every net."""
    assert circuit.workload is not None
    units = circuit.netlist.library.units
    square = 0.5 * (circuit.netlist.library.nominal_voltage_v * units.voltage_v) ** 2
    toggles = circuit.workload.activity.toggles()
    charge = sum(
        load * int(count) for load, count in zip(circuit.timing.loads, toggles, strict=True)
    )
    return charge * units.capacitance_f * square / circuit.workload.power.duration_s
