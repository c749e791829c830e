# SPDX-License-Identifier: Apache-2.0
"""Writes the assumptions of a report's timing as constraints for timing tools (SDC 2.0).

Only commands and options of that format are used. Times and capacitances are in the
library's units, which `set_units` states.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from joulemark.hardware.export.circuit import Circuit
from joulemark.hardware.export.latches import latch_exceptions
from joulemark.hardware.export.names import Names
from joulemark.hardware.export.tcl import comment, tcl_list, tcl_word
from joulemark.hardware.gate.verilog import INPUT_DELAY_PS
from joulemark.hardware.liberty.library import Units
from joulemark.hardware.timing.analysis import CLOCK_SLEW_S
from joulemark.hardware.timing.loads import wire_loads
from joulemark.units import format_hertz, format_seconds

__all__ = ["sdc_lines"]

_PREFIXES = ((1e-15, "f"), (1e-12, "p"), (1e-9, "n"), (1e-6, "u"), (1e-3, "m"))
_STEPS = 1_000_000
"""Steps in the library's unit of time; a period is rounded up to a whole step."""


def sdc_lines(circuit: Circuit, names: Names, period_s: float, why: str) -> Iterator[str]:
    """The constraints at one clock period, a line at a time; `why` is the reason of the period."""
    units = circuit.netlist.library.units
    slew = f"{CLOCK_SLEW_S / units.time_s:g}"
    clock = f"[get_clocks {tcl_list([circuit.core.clock])}]"
    inputs = [name for name in circuit.netlist.inputs if name != circuit.core.clock]
    yield from comment(f"{circuit.core.name}: what Joulemark's timing assumes, as constraints.")
    yield "set sdc_version 2.0"
    capacitance = _unit(units.capacitance_f, "F")
    yield f"set_units -time {_unit(units.time_s, 's')} -capacitance {capacitance}"
    yield ""
    yield from comment(
        f"""Clock: {why}, {format_seconds(period_s)} or {format_hertz(1 / period_s)}. Its two
        halves are equal: latches have half of it each. It is ideal, with this slew at every pin:
        clock gates and cells in the clock take no time before there is a clock tree."""
    )
    yield from _clock(circuit, units, period_s)
    yield f"set_clock_transition {slew} {clock}"
    yield ""
    yield from comment(
        f"""Inputs change with the rising edge (in the gate-level run {INPUT_DELAY_PS} ps after it),
        outputs have the whole period. The slew at inputs is given, so no driving cell stands here;
        what outputs drive has no capacitance."""
    )
    if inputs:
        yield f"set_input_delay 0 -clock {clock} {_ports(names, inputs)}"
        yield f"set_input_transition {slew} {_ports(names, inputs)}"
    outputs = list(circuit.netlist.outputs)
    if outputs:
        yield f"set_output_delay 0 -clock {clock} {_ports(names, outputs)}"
        yield f"set_load -pin_load 0 {_ports(names, outputs)}"
    yield ""
    yield from comment(
        "Cells of logic that gate the clock: their controls settle before its edge, without margin."
    )
    yield f"set_clock_gating_check -setup 0 -hold 0 {clock}"
    reset = circuit.core.reset
    if reset in circuit.netlist.inputs:
        yield ""
        yield from comment(
            """The reset port may change at any time and is no path. Resets that the core makes of
            registers are paths, and are left in."""
        )
        yield f"set_false_path -from {_ports(names, [reset])}"
    yield from latch_exceptions(circuit, names)
    yield ""
    yield from comment(
        f"""Wires: {circuit.timing.wire.text}. Their capacitance stands here net by net, so that no
        tool adds a model's resistance, which the report does not know."""
    )
    for net, load in enumerate(wire_loads(circuit.netlist, circuit.timing.wire)):
        if names.is_net(net):
            yield f"set_load {load:.9g} [get_nets {tcl_list([names.net(net).plain()])}]"


def _clock(circuit: Circuit, units: Units, period_s: float) -> Iterator[str]:
    name = circuit.core.clock
    # An even number of steps, so that the halves are equal in the file too.
    period = 2 * math.ceil(period_s / units.time_s * _STEPS / 2 - 1e-6) / _STEPS
    yield (
        f"create_clock -name {tcl_word(name)} -period {period:.6f} "
        f"-waveform {{0 {period / 2:.6f}}} [get_ports {tcl_list([name])}]"
    )


def _ports(names: Names, ports: list[str]) -> str:
    words = [name if names.range_of(name) is None else f"{name}[*]" for name in ports]
    return f"[get_ports {tcl_list(words)}]"


def _unit(value: float, unit: str) -> str:
    """A unit with its prefix, such as `ns` or `100fF`: a 1 in front is left out, as tools do."""
    for step, prefix in _PREFIXES:
        if value < 1000 * step * (1 - 1e-9):
            number = f"{value / step:g}"
            return f"{'' if number == '1' else number}{prefix}{unit}"
    return f"{value:g}{unit}"
