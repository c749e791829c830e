# SPDX-License-Identifier: Apache-2.0
"""A mapped core as files that other tools read: netlist, constraints, delays, activity.

Here is a mapped core with its timing and activity, and the names that exported files give its
parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from joulemark.hardware.gate.analysis import Timing
from joulemark.hardware.gate.power import NetlistPower
from joulemark.hardware.gate.simulate import Activity
from joulemark.hardware.liberty.library import FlipFlop, Latch
from joulemark.hardware.manifest import Core
from joulemark.hardware.simulation.workload import PortRecording
from joulemark.hardware.synthesis import Instance, Netlist
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


# Names of ports, nets and cells in exported files, the same in every file.
#
# Ports keep the names and ranges of the source. Nets and cells get names of letters, digits and
# underscores alone, so that no reader needs to understand an escape: a net of the source keeps
# its name with every other character as an underscore (`u_core.state_q[3]` is
# `u_core_state_q_3`), a net that mapping made is `n<number>`. Storage is called by the net that
# it drives, with `_reg` behind it, logic is `c<index>`.
#
# Where a port's name needs it, each format escapes in its own way: Verilog and VCD begin the name
# with a backslash and end it with a space (IEEE 1364-2005, 3.7.1), SDF and SAIF put a backslash
# before each character (IEEE 1497-2001, 5.1).

_SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KEYWORDS = frozenset(
    """always and assign automatic begin buf bufif0 bufif1 case casex casez cell cmos config
    deassign default defparam design disable edge else end endcase endconfig endfunction
    endgenerate endmodule endprimitive endspecify endtable endtask event for force forever fork
    function generate genvar highz0 highz1 if ifnone incdir include initial inout input instance
    integer join large liblist library localparam macromodule medium module nand negedge nmos nor
    noshowcancelled not notif0 notif1 or output parameter pmos posedge primitive pull0 pull1
    pulldown pullup pulsestyle_ondetect pulsestyle_onevent rcmos real realtime reg release repeat
    rnmos rpmos rtran rtranif0 rtranif1 scalared showcancelled signed small specify specparam
    strong0 strong1 supply0 supply1 table task time tran tranif0 tranif1 tri tri0 tri1 triand
    trior trireg unsigned use uwire vectored wait wand weak0 weak1 while wire wor xnor
    xor""".split()  # noqa: SIM905 - a hundred lines otherwise
)
"""Keywords of Verilog: IEEE 1364-2005, annex B."""


@dataclass(frozen=True, slots=True)
class Bit:
    """One bit of a port, a whole port of one bit, or a net within."""

    name: str
    index: int | None = None
    """Index within the port's range; None for a name that has no range."""

    def verilog(self) -> str:
        """The bit as an expression in Verilog."""
        name = verilog_name(self.name)
        return name if self.index is None else f"{name}[{self.index}]"

    def escaped(self) -> str:
        """The bit in SDF, where the index of a port stands in plain brackets."""
        return escaped(self.name) + ("" if self.index is None else f"[{self.index}]")

    def plain(self) -> str:
        """The bit without any escape, as Tcl looks it up."""
        return self.name if self.index is None else f"{self.name}[{self.index}]"


class Names:
    """Names of everything in one netlist."""

    def __init__(self, netlist: Netlist) -> None:
        self._netlist = netlist
        self._taken = {*netlist.inputs, *netlist.outputs, netlist.top, *_KEYWORDS}
        self._bits: dict[int, Bit] = {}
        self.aliases: list[tuple[Bit, int]] = []
        """Bits of outputs that need an assignment: their net has another name or is a constant."""
        for name, nets in netlist.inputs.items():
            for bit, net in zip(self.port(name), nets, strict=True):
                self._bits[net] = bit
        for name, nets in netlist.outputs.items():
            for bit, net in zip(self.port(name), nets, strict=True):
                if net in self._bits or net in netlist.constants:
                    self.aliases.append((bit, net))
                else:
                    self._bits[net] = bit
        self.wires: list[str] = []
        """Names of the nets that are neither ports nor constants."""
        for net in sorted(
            {net for instance in netlist.instances for net in instance.pins.values()}
        ):
            if net not in self._bits and net not in netlist.constants:
                name = self._new(_simplified(netlist.names.get(net, "")) or f"n{net}")
                self._bits[net] = Bit(name)
                self.wires.append(name)
        self._instances = [
            self._new(self._stored(instance) or f"c{index}")
            for index, instance in enumerate(netlist.instances)
        ]

    def port(self, name: str) -> list[Bit]:
        """The bits of a port, least significant first."""
        nets = self._netlist.inputs.get(name) or self._netlist.outputs[name]
        left, right = self.range_of(name) or (None, None)
        if left is None or right is None:
            return [Bit(name)]
        step = 1 if left >= right else -1
        return [Bit(name, right + step * place) for place in range(len(nets))]

    def range_of(self, name: str) -> tuple[int, int] | None:
        """Most and least significant index of a port; None for a port of one bit without them."""
        nets = self._netlist.inputs.get(name) or self._netlist.outputs[name]
        given = self._netlist.ranges.get(name)
        return given or ((len(nets) - 1, 0) if len(nets) > 1 else None)

    def constant(self, net: int) -> int | None:
        """The value of a net that stands still; None for any other."""
        return self._netlist.constants.get(net)

    def is_net(self, net: int) -> bool:
        """Whether a net has a name; constants and unconnected nets have none."""
        return net in self._bits

    def net(self, net: int) -> Bit:
        """The name of a net that is no constant."""
        return self._bits[net]

    def nets(self) -> Iterator[tuple[int, Bit]]:
        """Number and name of every net that is no constant, ports included; once for each name."""
        yield from sorted(self._bits.items())
        yield from ((net, bit) for bit, net in self.aliases if net in self._bits)

    def instance(self, index: int) -> str:
        """The name of a cell."""
        return self._instances[index]

    def _stored(self, instance: Instance) -> str | None:
        """A name after the net that a flip-flop or latch drives, if the source has one."""
        if isinstance(instance.cell.storage, FlipFlop | Latch):
            for _, net in instance.outputs()[:1]:
                name = _simplified(self._netlist.names.get(net, ""))
                return f"{name}_reg" if name else None
        return None

    def _new(self, wanted: str) -> str:
        name, number = wanted, 1
        while name in self._taken:
            number += 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        return name


def _simplified(name: str) -> str:
    """A name of the source in letters, digits and underscores; empty for one that a tool made."""
    if not name or "$" in name:
        return ""
    simple = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")
    return simple if _SIMPLE.fullmatch(simple) else f"net_{simple}" if simple else ""


def verilog_name(name: str) -> str:
    """A name in Verilog, escaped if it must be."""
    simple = _SIMPLE.fullmatch(name) is not None and name not in _KEYWORDS
    return name if simple else f"\\{name} "


def escaped(name: str) -> str:
    """A name in SDF and SAIF."""
    return re.sub(r"([^A-Za-z0-9_])", r"\\\1", name)
