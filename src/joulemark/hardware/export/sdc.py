# SPDX-License-Identifier: Apache-2.0
"""Writes the assumptions of a report's timing as constraints for timing tools (SDC 2.0).

Only commands and options of the format are used. Times and capacitances are in the library's
units, which `set_units` states.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from textwrap import wrap

from joulemark.errors import ImplementationError
from joulemark.hardware.export import Circuit, Names
from joulemark.hardware.gate import wire_loads
from joulemark.hardware.gate.analysis import CLOCK_SLEW_S
from joulemark.hardware.gate.verilog import INPUT_DELAY_PS
from joulemark.hardware.gate.waves import Wave, gating_of
from joulemark.hardware.liberty import inputs_of
from joulemark.hardware.liberty.library import FlipFlop, Latch, Units
from joulemark.units import format_hertz, format_seconds

# Words, lists and comments of Tcl, the language of constraints and scripts.

_SPECIAL = re.compile(r"([{}\s])")
_WIDTH = 96


def tcl_word(word: str) -> str:
    """One word, such as a name or a path, within which Tcl replaces nothing."""
    if re.search(r"[{}\\]", word) is None:
        return f"{{{word}}}"
    return re.sub(r"([^A-Za-z0-9_./-])", r"\\\1", word)


def tcl_list(words: Sequence[str]) -> str:
    """Words as one list in braces, within which all but braces and space stands for itself."""
    escaped = (_SPECIAL.sub(r"\\\g<0>", word) for word in words)
    return f"{{{' '.join(escaped)}}}"


def comment(text: str) -> Iterator[str]:
    """Sentences as lines of comment."""
    return (f"# {line}" for line in wrap(" ".join(text.split()), _WIDTH))


# Writes the exceptions by which a timing tool treats latches as the report does.
#
# Like the report, tools let a change that comes after a latch has opened go on through it until it
# closes. Where latches that are open together close a loop, the report cuts it at one of them; a
# tool would go round.


def latch_exceptions(circuit: Circuit, names: Names) -> Iterator[str]:
    """Commands with their reasons, for a core that has latches."""
    netlist, clocks = circuit.netlist, circuit.timing.clocks
    if not any(isinstance(instance.cell.storage, Latch) for instance in netlist.instances):
        return
    yield ""
    try:
        gating = gating_of(netlist, clocks, circuit.core.clock)
    except ImplementationError as error:
        yield from comment(
            f"Latches have no exceptions here, since their clock is not understood: {error}."
        )
        return
    yield from comment(
        f"""Latches: {len(gating.open_low)} are open while the clock is low,
        {len(gating.open_high)} while it is high."""
    )
    cut = Wave(netlist, clocks, gating.open_low).cut | Wave(netlist, clocks, gating.open_high).cut
    if cut:
        yield from comment(
            """Latches that are open in the same half close loops. The report cuts each loop at one
            latch: a path ends there, and another begins with its gate. That a loop is never open
            all round is the core's promise, which timing cannot see. What the other edge set off
            goes on through that latch in the report, and ends there for a tool, which may
            therefore pass a shorter period."""
        )
    for index in sorted(cut):
        latch = netlist.instances[index]
        for out in latch.cell.outputs():
            for arc in out.arcs:
                if arc.kind == "combinational" and out.name in latch.pins:
                    yield (
                        f"set_disable_timing -from {tcl_list([arc.related_pin])} "
                        f"-to {tcl_list([out.name])} [get_cells {names.instance(index)}]"
                    )
    if not gating.open_high:
        return
    yield from comment(
        """What the rising edge sets off goes on in the same period through latches that it opens,
        and settles before they close. OpenSTA takes it so; a tool that waits for the next opening
        edge gives such a path a period more than the report does."""
    )
    settled = list(_settled_pins(circuit, names, gating.open_high))
    if settled:
        yield from comment(
            """Nothing of that comes to these. What does come has settled when they open: the report
            lets nothing borrow time beyond the end of a period."""
        )
        yield f"set_max_time_borrow 0 [get_pins {tcl_list(settled)}]"


def _settled_pins(circuit: Circuit, names: Names, open_high: frozenset[int]) -> Iterator[str]:
    """Data pins at which no change of the clock's rise arrives, of latches that open with it."""
    netlist, timing = circuit.netlist, circuit.timing
    starts = dict.fromkeys(timing.clocks, (0.0, 0.0))
    starts |= {net: (0.0, 0.0) for _, _, net in netlist.port_bits()}
    launching = open_high | {
        index
        for index, instance in enumerate(netlist.instances)
        if isinstance(instance.cell.storage, FlipFlop)
    }
    arrivals = Wave(netlist, timing.clocks, open_high).latest(timing, starts, launching)
    for index in sorted(open_high):
        latch = netlist.instances[index]
        storage = latch.cell.storage
        for pin in inputs_of(storage.data_in) if isinstance(storage, Latch) else ():
            net = latch.pins.get(pin)
            if net is not None and arrivals[net] == [None, None]:
                yield f"{names.instance(index)}/{pin}"


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
