# SPDX-License-Identifier: Apache-2.0
"""Writes a netlist as plain Verilog, with one rise and one fall delay per cell.

The netlist has one continuous assignment per output, which in Icarus is inertial: a pulse shorter
than the delay does not come through. Flip-flops and latches are registers of the simulator that
begin at 0, as Verilator's do, so that both simulations agree from the first period on, or with the
state of another run, which goes on here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Final

from joulemark.errors import UsageError
from joulemark.hardware.gate import clock_nets, clock_pins
from joulemark.hardware.gate.analysis import Timing
from joulemark.hardware.liberty import as_verilog
from joulemark.hardware.liberty.library import ClockGate, FlipFlop, Latch, LibraryCell
from joulemark.hardware.synthesis import Instance, Netlist

INPUT_DELAY_PS = 200
"""Delay of inputs after the clock edge, as from a flip-flop outside."""

STORAGE_DELAY_PS = 1
"""Delay of flip-flops, latches and inputs in a run without delays, and of the clock where it is
data: a latch that closes on an edge must not see changes that the same edge sets off, in whatever
order a simulator takes events of one moment."""


_SCOPE: Final = 64
"""Nets or cells in a scope. Icarus finds a signal by a search through all signals of its scope: a
netlist of 17 thousand nets takes it 49 s to compile in one scope, and 1.4 s in such
scopes (CPU time, EPYC, family 25, Icarus 11, Nov 2026)."""


def write_netlist(
    netlist: Netlist,
    timing: Timing | None,
    clock: str,
    path: Path,
    states: Mapping[int, int] | None = None,
) -> None:
    """Writes the netlist as module `netlist`; without `timing` no cell of logic has a delay.

    `states` has the value with which storage begins, by index of the cell; 0 for all others.
    """
    states = states or {}
    clocks = frozenset[int]() if timing is not None else clock_nets(netlist, clock)
    inputs = [net for _, _, net in netlist.port_bits()]
    outputs = [net for nets in netlist.outputs.values() for net in nets]
    with path.open("w", encoding="utf-8") as out:
        out.write(
            "`timescale 1ps/1ps\n"
            f"module netlist (input [{len(inputs) - 1}:0] i, output [{len(outputs) - 1}:0] o);\n"
        )
        for scope, nets in groupby(all_nets(netlist), lambda net: net // _SCOPE):
            out.write(f"if (1) begin : g{scope}\n")
            out.writelines(f"wire n{net};\n" for net in nets)
            out.write("end\n")
        out.writelines(f"assign {_name(net)} = i[{place}];\n" for place, net in enumerate(inputs))
        out.writelines(
            f"assign {_name(net)} = 1'b{value};\n" for net, value in netlist.constants.items()
        )
        for net in sorted(clocks):
            out.write(f"wire late{net};\nassign #{STORAGE_DELAY_PS} late{net} = {_name(net)};\n")
        for scope, cells in groupby(enumerate(netlist.instances), lambda cell: cell[0] // _SCOPE):
            out.write(f"if (1) begin : c{scope}\n")
            for index, instance in cells:
                delays = {
                    pin.name: _delay(netlist, timing, index, pin.name)
                    for pin in instance.cell.outputs()
                }
                late = _clock_as_data(instance, clocks)
                lines = _cell(index, instance, delays, late, states.get(index, 0))
                out.writelines(f"{line}\n" for line in lines)
            out.write("end\n")
        out.writelines(f"assign o[{place}] = {_name(net)};\n" for place, net in enumerate(outputs))
        out.write("endmodule\n")


def _name(net: int) -> str:
    """A net's name with that of its scope."""
    return f"g{net // _SCOPE}.n{net}"


def _delay(netlist: Netlist, timing: Timing | None, index: int, pin: str) -> str:
    """Rise and fall delay of an output in Verilog and a space; empty if there is no delay."""
    if timing is None:
        stores = isinstance(netlist.instances[index].cell.storage, FlipFlop | Latch)
        return f"#{STORAGE_DELAY_PS} " if stores else ""
    rise, fall = delay_ps(netlist, timing, index, pin)
    return f"#({rise},{fall}) " if rise or fall else ""


def _clock_as_data(instance: Instance, clocks: frozenset[int]) -> frozenset[str]:
    """Names of the inputs that read the clock of a cell whose outputs are no clocks."""
    if any(net in clocks for _, net in instance.outputs()):
        return frozenset()
    inputs = {pin.name for pin, net in instance.inputs() if net in clocks}
    return frozenset(inputs - clock_pins(instance.cell))


def delay_ps(netlist: Netlist, timing: Timing, index: int, pin: str) -> tuple[int, int]:
    """Rise and fall delay of an output in a run with delays, in whole picoseconds."""
    unit_ps = netlist.library.units.time_s / 1e-12
    rise, fall = timing.delays.get((index, pin), (0.0, 0.0))
    return round(rise * unit_ps), round(fall * unit_ps)


def all_nets(netlist: Netlist) -> list[int]:
    """The nets of ports, cells and constants in order; other numbers mean nothing."""
    nets = set(netlist.constants)
    nets.update(net for _, _, net in netlist.port_bits())
    nets.update(net for bits in netlist.outputs.values() for net in bits)
    for instance in netlist.instances:
        nets.update(instance.pins.values())
    return sorted(nets)


def _cell(
    index: int, instance: Instance, delays: Mapping[str, str], late: frozenset[str], begins: int
) -> Iterator[str]:
    """Verilog of one cell, a statement at a time; the inputs in `late` read the clock as data."""
    names = {pin.name: "1'b0" for pin in instance.cell.inputs()}
    names |= {
        pin: f"late{net}" if pin in late else _name(net) for pin, net in instance.pins.items()
    }
    yield from cell_lines(instance.cell, f"s{index}", names, names, delays, begins)


def cell_lines(
    cell: LibraryCell,
    state: str,
    names: Mapping[str, str],
    stored: Mapping[str, str],
    delays: Mapping[str, str],
    begins: int = 0,
) -> Iterator[str]:
    """Verilog of a cell's behaviour, a statement at a time; `state` is the register of its storage.

    `names` has the expression by pin; outputs without a name are left out. `stored` has the same
    for what storage takes in, `delays` the delay in Verilog and a space by output; empty for none.
    The register begins with the value `begins`.
    """
    storage = cell.storage
    if storage is not None:
        yield f"reg {state} = 1'b{begins};"
    if isinstance(storage, ClockGate):
        yield from _clock_gate(state, storage, names, stored, delays)
        return
    functions = dict(names)
    if isinstance(storage, FlipFlop | Latch):
        states = {storage.state: state, storage.inverse: f"(~{state})"}
        functions |= states
        kind = _flip_flop if isinstance(storage, FlipFlop) else _latch
        yield from kind(state, storage, functions, {**stored, **states})  # type: ignore[arg-type]
    for pin in cell.outputs():
        if pin.name not in names:
            continue
        if pin.function is None:
            raise UsageError(f"the cell {cell.name} has no function for {pin.name}")
        yield f"assign {delays[pin.name]}{names[pin.name]} = {as_verilog(pin.function, functions)};"


def _clock_gate(
    state: str,
    storage: ClockGate,
    names: Mapping[str, str],
    stored: Mapping[str, str],
    delays: Mapping[str, str],
) -> Iterator[str]:
    if not storage.kind.startswith("latch_posedge") or "obs" in storage.kind:
        raise UsageError(f"clock gates of the kind {storage.kind} cannot be simulated")
    clock = names[storage.clock]
    enable = " | ".join(stored[pin] for pin in (storage.enable, *storage.test))
    yield f"always @* if (~{clock}) {state} = {enable};"
    if storage.out in names:
        yield f"assign {delays[storage.out]}{names[storage.out]} = {clock} & {state};"


def _latch(
    state: str, storage: Latch, names: Mapping[str, str], stored: Mapping[str, str]
) -> Iterator[str]:
    data = as_verilog(storage.data_in, stored)
    body = f"if ({as_verilog(storage.enable, names)}) {state} = {data};"
    for function, value in ((storage.preset, 1), (storage.clear, 0)):
        if function:
            body = f"if ({as_verilog(function, names)}) {state} = 1'b{value}; else {body}"
    yield f"always @* {body}"


def _flip_flop(
    state: str, storage: FlipFlop, names: Mapping[str, str], stored: Mapping[str, str]
) -> Iterator[str]:
    events, body = [_edge(storage.clocked_on, names)], ""
    for function, value in ((storage.clear, 0), (storage.preset, 1)):
        if function and not _never(function, names):
            events.append(_edge(function, names))
            body += f"if ({as_verilog(function, names)}) {state} <= 1'b{value}; else "
    body += f"{state} <= {as_verilog(storage.next_state, stored)};"
    yield f"always @({' or '.join(events)}) {body}"


def _edge(function: str, names: Mapping[str, str]) -> str:
    text = as_verilog(function, names)
    return f"negedge {text[1:]}" if text.startswith("~") else f"posedge {text}"


def _never(function: str, names: Mapping[str, str]) -> bool:
    return as_verilog(function, names) in {"1'b0", "~1'b1"}
