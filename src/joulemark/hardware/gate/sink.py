# SPDX-License-Identifier: Apache-2.0
"""Writes a netlist for Verilator, and the tables by which a sink in C++ adds up its joules.

The sink (`firmware/simulators/sink.h`) sees every net after each edge of the clock and follows
the rules of `gate.power`: no file of changes is written, so that a netlist of thousands of cells
runs millions of clocks. A run has no delays, and so no glitches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Final

import numpy as np
import numpy.typing as npt

from joulemark.hardware.gate.analysis import Timing
from joulemark.hardware.gate.power import (
    CATEGORIES,
    CellModel,
    cell_model,
    net_categories,
    net_energies_j,
    pin_category,
    slot_energies_j,
)
from joulemark.hardware.gate.verilog import all_nets, cell_lines
from joulemark.hardware.synthesis import Netlist

SINK_CATEGORIES: Final = (*CATEGORIES, "clock tree")
"""Categories of the joules that the sink adds up, in its order; the trees are the last."""
_WORD_BITS: Final = 64

# A netlist as a module with the ports of its sources, and all nets as words of bits beside them.


def write_watched_netlist(netlist: Netlist, path: Path, header: Path) -> None:
    """Writes the netlist as Verilog, and the C++ header by which its nets are read.

    Besides the ports of the sources it has the input `jm_watch`, without which all words of nets
    are 0: they take time only where somebody looks. Bit i of the words is the i-th of `all_nets`.
    """
    nets = all_nets(netlist)
    words = [nets[at : at + _WORD_BITS] for at in range(0, len(nets), _WORD_BITS)]
    with path.open("w", encoding="utf-8") as out:
        out.writelines(f"{line}\n" for line in _module(netlist, nets, words))
    reads = "".join(f"    to[{place}] = core.jm_nets{place};\n" for place in range(len(words)))
    header.write_text(
        f"enum {{ JM_NET_WORDS = {len(words)} }};\n\n"
        "template <class Core> static void jm_nets(const Core &core, uint64_t *to) {\n"
        f"{reads}}}\n",
        "utf-8",
    )


def _module(netlist: Netlist, nets: Sequence[int], words: Sequence[Sequence[int]]) -> Iterator[str]:
    """The module, a line at a time."""
    ports = [f"input [{len(bits) - 1}:0] {name}" for name, bits in netlist.inputs.items()]
    ports += [f"output [{len(bits) - 1}:0] {name}" for name, bits in netlist.outputs.items()]
    ports.append("input jm_watch")
    ports += [f"output reg [{_WORD_BITS - 1}:0] jm_nets{place}" for place in range(len(words))]
    yield f"module {netlist.top} (\n  " + ",\n  ".join(ports) + "\n);"
    yield from (f"wire n{net};" for net in nets)
    yield from (f"assign n{net} = {name}[{bit}];" for name, bit, net in netlist.port_bits())
    yield from (f"assign n{net} = 1'b{value};" for net, value in netlist.constants.items())
    for index, instance in enumerate(netlist.instances):
        names = {pin.name: "1'b0" for pin in instance.cell.inputs()}
        names |= {pin: f"n{net}" for pin, net in instance.pins.items()}
        delays = {pin.name: "" for pin in instance.cell.outputs()}
        yield from cell_lines(instance.cell, f"s{index}", names, names, delays)
    yield from (f"assign {name} = {_joined(bits)};" for name, bits in netlist.outputs.items())
    yield "always @* if (jm_watch) begin"
    yield from (f"  jm_nets{place} = {_joined(bits)};" for place, bits in enumerate(words))
    yield "end else begin"
    yield from (f"  jm_nets{place} = {_WORD_BITS}'d0;" for place in range(len(words)))
    yield "end"
    yield "endmodule"


def _joined(nets: Sequence[int]) -> str:
    """The nets as one vector, the first in the lowest bit."""
    return "{" + ", ".join(f"n{net}" for net in reversed(nets)) + "}"


# The tables: arrays, each behind its length, in the order in which the sink reads them.


def write_sink_tables(
    netlist: Netlist, timing: Timing, trees_j: Mapping[int, float], path: Path
) -> None:
    """Writes the energies of nets and pins by the loads and slews of `timing`.

    `trees_j` has the energy of a toggle of those nets that get a tree of buffers.
    """
    nets = all_nets(netlist)
    place = {net: number for number, net in enumerate(nets)}
    kinds: dict[str, list[int]] = {}
    for index, instance in enumerate(netlist.instances):
        kinds.setdefault(instance.cell.name, []).append(index)
    models = [cell_model(netlist.library.cells[name]) for name in kinds]
    with path.open("wb") as out:
        _write(out, np.int32, [len(SINK_CATEGORIES), len(models)])
        _write_nets(out, netlist, timing, trees_j, nets)
        _write_pins(out, netlist, models, place)
        for model in models:
            _write_kind(out, model, netlist.library.units.leakage_w)
        _write_cells(out, netlist, timing, models, list(kinds.values()))


def _write(out: IO[bytes], kind: type[np.generic], values: npt.ArrayLike) -> None:
    array = np.asarray(values, dtype=kind).ravel()
    out.write(np.uint64(array.size).tobytes() + array.tobytes())


def _write_nets(
    out: IO[bytes],
    netlist: Netlist,
    timing: Timing,
    trees_j: Mapping[int, float],
    nets: Sequence[int],
) -> None:
    categories = net_categories(netlist, timing)
    _write(out, np.float64, net_energies_j(netlist, timing)[nets])
    _write(out, np.float64, [trees_j.get(net, 0.0) for net in nets])
    _write(out, np.int32, [CATEGORIES.index(categories[net]) for net in nets])
    of_clock = np.zeros(-(-len(nets) // _WORD_BITS) * _WORD_BITS, dtype=np.uint8)
    of_clock[: len(nets)] = [net in timing.clocks for net in nets]
    _write(out, np.uint64, np.packbits(of_clock, bitorder="little").view(np.uint64))


def _write_pins(
    out: IO[bytes], netlist: Netlist, models: Sequence[CellModel], place: dict[int, int]
) -> None:
    """For each net the cells and pins on it, by the numbers of pins in the cells' models."""
    numbers = {
        model.cell.name: {pin.name: number for number, pin in enumerate(model.pins)}
        for model in models
    }
    on_net: list[list[tuple[int, int]]] = [[] for _ in place]
    for index, instance in enumerate(netlist.instances):
        for pin, net in instance.pins.items():
            if pin in numbers[instance.cell.name]:
                on_net[place[net]].append((index, numbers[instance.cell.name][pin]))
    _write(out, np.int32, np.cumsum([0, *map(len, on_net)]))
    for part in (0, 1):
        _write(out, np.int32, [pin[part] for pins in on_net for pin in pins])


def _write_kind(out: IO[bytes], model: CellModel, leakage_unit_w: float) -> None:
    number = len(model.pins)
    _write(out, np.int32, sorted(range(number), key=lambda pin: (model.rank[pin], pin)))
    _write(out, np.int32, model.is_output)
    _write(out, np.int32, [CATEGORIES.index(pin_category(model, pin)) for pin in range(number)])
    _write(out, np.int32, model.input_slot)
    _write(out, np.int32, model.output_slot)
    _write(
        out,
        np.int32,
        [
            sum(1 << output for output, related in enumerate(model.related) if pin in related)
            for pin in range(number)
        ],
    )
    _write(out, np.int32, [related[0] if related else 0 for related in model.related])
    _write(out, np.float64, model.leakage * leakage_unit_w)


def _write_cells(
    out: IO[bytes],
    netlist: Netlist,
    timing: Timing,
    models: Sequence[CellModel],
    members: Sequence[Sequence[int]],
) -> None:
    """The kind of each cell, where its energies begin, and the energies by slot and edge."""
    kind = np.zeros(len(netlist.instances), dtype=np.int32)
    begins = np.zeros(len(netlist.instances), dtype=np.int32)
    parts, size = [np.zeros(0)], 0
    for number, (model, indices) in enumerate(zip(models, members, strict=True)):
        energies = slot_energies_j(netlist, timing, model, indices)
        each = energies[0].size
        kind[indices] = number
        begins[indices] = size + each * np.arange(len(indices))
        parts.append(energies.ravel())
        size += energies.size
    _write(out, np.int32, kind)
    _write(out, np.int32, begins)
    _write(out, np.float64, np.concatenate(parts))
