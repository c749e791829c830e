# SPDX-License-Identifier: Apache-2.0
"""The glitches of a message of firmware on a netlist, from slices of it in Icarus Verilog.

The run in Verilator has no delays. It writes all nets in each clock of three slices, from which
Icarus goes on: with the same netlist, state and inputs, once with the delays of the cells and once
without any. Outputs must be those of Verilator in every clock.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from joulemark.errors import CrashError, ImplementationError
from joulemark.firmware.gate_cpu import TimedCpu
from joulemark.hardware.flow.asic import run_twice
from joulemark.hardware.gate.verilog import all_nets
from joulemark.hardware.liberty import truth_table
from joulemark.hardware.liberty.library import ClockGate
from joulemark.hardware.simulation.workload import RecordedPorts
from joulemark.hardware.synthesis import Instance, Netlist
from joulemark.processes.tool import ToolRuns

Words = npt.NDArray[np.uint64]
"""All nets of a netlist by clock, as `hardware.gate.sink` orders them."""
_SLICES: Final = 3
_MOST_CLOCKS: Final = 5_000
_SHORT_CLOCKS: Final = 30
"""Fewest clocks of a message that is cut into several slices."""
_CELL_CLOCKS: Final = 8_000_000
"""Most cells times clocks of one run in Icarus. A slice of Ibex, with some 10 000 toggles a clock,
would take 3 GB if it ran in one piece."""
_WORD_BITS: Final = 64
_PERIODS: Final = 4
"""Period of a slice over the shortest one of the CPU: all has settled long before an edge. Dynamic
energy does not depend on it."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Some clocks of a message."""

    mark_clock: int
    """Clock of the run in which the mark before the message stands."""
    first_clock: int
    """Clocks between the mark and the slice."""
    clocks: int


@dataclass(frozen=True, slots=True)
class SliceJoules(Slice):
    """Dynamic energy of netlist and trees in a slice."""

    with_delays_j: float
    without_delays_j: float

    @property
    def share(self) -> float:
        """Energy of the glitches over that without them."""
        return self.with_delays_j / self.without_delays_j - 1


@dataclass(frozen=True, slots=True)
class Glitches:
    """What glitches add to the dynamic energy of netlist and trees."""

    slices: tuple[SliceJoules, ...]

    @property
    def share(self) -> float:
        """The share in all slices together."""
        timed = sum(part.with_delays_j for part in self.slices)
        return timed / sum(part.without_delays_j for part in self.slices) - 1

    @property
    def smallest(self) -> float:
        """The least share of a slice."""
        return min(part.share for part in self.slices)

    @property
    def largest(self) -> float:
        """The largest share of a slice."""
        return max(part.share for part in self.slices)


def slices_of(mark_clock: int, clocks: int) -> list[Slice]:
    """Slices at the begin, in the middle and at the end of a message, which share no clock."""
    if clocks < _SHORT_CLOCKS:
        return [Slice(mark_clock, 0, clocks)]
    each = min(_MOST_CLOCKS, clocks // _SLICES)
    firsts = (0, (clocks - each) // 2, clocks - each)
    return [Slice(mark_clock, first, each) for first in firsts]


def slice_words(slices: Mapping[int, Sequence[Slice]]) -> list[int]:
    """The words by which the simulator knows the slices of all messages."""
    return [
        number
        for parts in slices.values()
        for part in parts
        for number in (part.mark_clock + part.first_clock, part.clocks)
    ]


def glitches_of(
    cpu: TimedCpu, slices: Mapping[int, Sequence[Slice]], nets: Path, runs: ToolRuns
) -> dict[int, Glitches]:
    """The glitches of each message, from the file of nets that its run in Verilator wrote."""
    count = len(all_nets(cpu.mapping.netlist))
    words = read_nets(nets, count, [part for parts in slices.values() for part in parts])
    return {
        key: Glitches(tuple(_joules(cpu, part, next(words), runs) for part in parts))
        for key, parts in slices.items()
    }


def _joules(cpu: TimedCpu, part: Slice, words: Words, runs: ToolRuns) -> SliceJoules:
    """Runs a slice, in which all nets have these values in Verilator, in pieces one by one."""
    mapping, netlist = cpu.mapping, cpu.mapping.netlist
    each = max(_CELL_CLOCKS // len(netlist.instances), 1)
    with_j = without_j = 0.0
    for first in range(0, part.clocks, each):
        piece = words[first : first + each + 1]
        ports, states = ports_of(netlist, cpu.clock, piece), states_of(netlist, piece)
        clock_hz = 1 / (_PERIODS * mapping.period_s)
        with tempfile.TemporaryDirectory(prefix="joulemark-slice-") as working:
            try:
                activity, timed, still = run_twice(
                    mapping, cpu.clock, ports, clock_hz, Path(working), start=states, runs=runs
                )
            except ImplementationError as error:  # its log is gone with the folder
                raise ImplementationError(
                    f"{error.without_log}, in a slice from clock {part.first_clock + first} of the "
                    "message on; there are joules without --glitches"
                ) from None
        trees_j = mapping.trees.energy_j(activity.toggles())
        with_j += timed.energy_j + trees_j
        without_j += still.energy_j + trees_j
    return SliceJoules(**asdict(part), with_delays_j=with_j, without_delays_j=without_j)


# The nets that Verilator wrote: the inputs and outputs of each clock, and the state at the start.


def read_nets(path: Path, net_count: int, slices: Sequence[Slice]) -> Iterator[Words]:
    """Yields the nets of each slice, a row for each clock; the first row is the clock before it."""
    words = -(-net_count // _WORD_BITS)
    expected = words * sum(part.clocks + 1 for part in slices)
    if path.stat().st_size != expected * _WORD_BITS // 8:
        raise CrashError("its simulator did not write the nets of all clocks of its slices")
    with path.open("rb") as file:
        for part in slices:
            rows = part.clocks + 1
            yield np.fromfile(file, dtype="<u8", count=rows * words).reshape(rows, words)


def ports_of(netlist: Netlist, clock: str, words: Words) -> RecordedPorts:
    """The ports in each clock; the first one is before the slice, whose outputs mean nothing."""
    place = {net: number for number, net in enumerate(all_nets(netlist))}

    def values(nets: Sequence[int]) -> tuple[int, ...]:
        bits = np.stack([_bit(words, place[net]) for net in nets], axis=1)
        rows = np.packbits(bits, axis=1, bitorder="little")
        return tuple(int.from_bytes(row.tobytes(), "little") for row in rows)

    return RecordedPorts(
        inputs={name: values(nets) for name, nets in netlist.inputs.items() if name != clock},
        outputs={name: values(nets) for name, nets in netlist.outputs.items()},
        compare_from=1,
        window=(1, len(words)),
    )


def _bit(words: Words, place: int) -> npt.NDArray[np.uint8]:
    """A net by clock."""
    shifted = words[:, place // _WORD_BITS] >> np.uint64(place % _WORD_BITS)
    return (shifted & np.uint64(1)).astype(np.uint8)


def states_of(netlist: Netlist, words: Words) -> dict[int, int]:
    """The state of all storage in the first clock, while it is low, by index of the cell."""
    values = {net: int(_bit(words[:1], number)[0]) for number, net in enumerate(all_nets(netlist))}
    return {
        index: _state(instance, values)
        for index, instance in enumerate(netlist.instances)
        if instance.cell.storage is not None
    }


def _state(instance: Instance, values: Mapping[int, int]) -> int:
    """The state that its nets tell; a clock gate takes in its enable while the clock is low."""
    storage = instance.cell.storage
    assert storage is not None
    pins = {name: values[net] for name, net in instance.pins.items()}
    if isinstance(storage, ClockGate):
        return max(pins.get(name, 0) for name in (storage.enable, *storage.test))
    names = [pin.name for pin in instance.cell.inputs()]
    inputs = sum(pins.get(name, 0) << place for place, name in enumerate(names))
    for pin in instance.cell.outputs():
        if pin.name in pins and pin.function is not None:
            table = truth_table(pin.function, [*names, storage.state, storage.inverse])
            as_0, as_1 = (table >> (inputs | kept << len(names)) & 1 for kept in (0b10, 0b01))
            if as_0 != as_1:
                return int(pins[pin.name] == as_1)
    return 0
