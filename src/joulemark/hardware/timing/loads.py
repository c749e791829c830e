# SPDX-License-Identifier: Apache-2.0
"""Capacitance of every net: pins, and wires by one of three models."""

from __future__ import annotations

import re
from dataclasses import dataclass

from joulemark.errors import UsageError
from joulemark.hardware.liberty.library import WireLoad
from joulemark.hardware.synthesis.netlist import Netlist

_PER_SINK = re.compile(r"([\d.]+)\s*fF", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WireModel:
    """A model of the capacitance of wires."""

    text: str
    """Words for the model in reports."""
    model: WireLoad | None = None
    per_sink: float = 0.0
    """Capacitance per sink, in the library's unit, if there is no model."""

    def load(self, sinks: int) -> float:
        """Capacitance of a net's wire, in the library's unit."""
        return self.model.load(sinks) if self.model is not None else self.per_sink * sinks


def wire_model(netlist: Netlist, wire: str) -> WireModel:
    """The model that a word names.

    Args:
        netlist: the circuit, for its library and area.
        wire: `library` (the wire-load model that the library selects for the netlist's area),
            `none`, or capacitance per sink such as `5fF`.
    """
    library = netlist.library
    if wire == "none":
        return WireModel("no wires, pin capacitance only")
    if wire == "library":
        model = library.wire_load(netlist.area_um2)
        if model is None:
            raise UsageError(
                f"the library {library.name} has no wire-load model; give --wire none or 5fF"
            )
        return WireModel(f"wire-load model {model.name} of the library", model=model)
    number = _PER_SINK.fullmatch(wire.strip())
    if number is None:
        raise UsageError(f"'{wire}' is no wire model; give library, none or such as 5fF")
    return WireModel(
        f"{float(number[1]):g} fF per sink",
        per_sink=float(number[1]) * 1e-15 / library.units.capacitance_f,
    )


def net_loads(netlist: Netlist, wire: WireModel) -> list[float]:
    """Capacitance by net, in the library's unit. An output port is a sink without a pin."""
    pins = [0.0] * netlist.net_count
    for instance in netlist.instances:
        for pin, net in instance.inputs():
            pins[net] += pin.capacitance
    return [pin + own for pin, own in zip(pins, wire_loads(netlist, wire), strict=True)]


def wire_loads(netlist: Netlist, wire: WireModel) -> list[float]:
    """Capacitance of the wire alone by net, in the library's unit."""
    sinks = [0] * netlist.net_count
    for instance in netlist.instances:
        for _, net in instance.inputs():
            sinks[net] += 1
    for nets in netlist.outputs.values():
        for net in nets:
            sinks[net] += 1
    return [wire.load(count) for count in sinks]
