# SPDX-License-Identifier: Apache-2.0
"""Estimates a small memory of latches from a library's cells: area, leakage, joules an access.

It serves a core that leaves its working storage outside. The circuit is the usual one of standard
cells:

- a latch for each bit, the smallest of the library;
- word lines: a decoder of 2-input gates (three gates and one for the write pulse, each word);
- a tree of 2-input multiplexers for each bit, and a flip-flop behind it, since what is read comes a
  clock after its address;
- two clock gates, of the write pulse and of those flip-flops.

Energy of an access has a fixed part (clocks and word lines) and a part of the data, which is
proportional to the share of bits that change: 1/2 for random words, between 0 and 1 whatever they
are. Every capacitance is of pins and of the library's wire-load model at the memory's area.
Glitches and the buffers of long nets are not in; mapping the circuit and replaying it would count
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import mean
from typing import Final

from joulemark.errors import UsageError
from joulemark.hardware.gate import clock_pins
from joulemark.hardware.liberty import inputs_of
from joulemark.hardware.liberty.library import (
    CellLibrary,
    ClockGate,
    FlipFlop,
    Latch,
    LibraryCell,
    Pin,
)
from joulemark.hardware.synthesis.asic import nand2_area_um2

_GATES_PER_WORD: Final = 4
"""Two gates for the halves of the address, one that joins them, one for the pulse."""
_GATES_SWITCHED: Final = 6
"""Gates that a new address switches: those of the word left and of the word reached, without the
gates of the pulse."""


@dataclass(frozen=True, slots=True)
class MemoryAccess:
    """Energy of a read or a write: `fixed_j`, and `data_j` on top if every bit changes."""

    fixed_j: float
    data_j: float

    def energy_j(self, share: float) -> float:
        """Joules if this share of bits, 0 to 1, changes."""
        return self.fixed_j + share * self.data_j


@dataclass(frozen=True, slots=True)
class LatchMemory:
    """Figures of a memory of latches; all of them are `modelled`."""

    words: int
    word_bits: int
    area_ge: float
    leakage_w: float
    clock_j: float
    """Energy of every clock period, with or without an access."""
    read: MemoryAccess
    write: MemoryAccess
    cells: Mapping[str, int]
    """Number of cells by name."""

    def energy_j(
        self, *, reads: int, writes: int, clocks: int, clock_hz: float, share: float
    ) -> float:
        """Joules of some accesses within so many clock periods, leakage included.

        Words are read and written; `share` is that of bits that change from one access to the next.
        """
        idle = clocks * (self.clock_j + self.leakage_w / clock_hz)
        return idle + reads * self.read.energy_j(share) + writes * self.write.energy_j(share)


def latch_memory(library: CellLibrary, words: int, word_bits: int) -> LatchMemory:
    """Estimates a memory of `words` (a power of two) words of `word_bits` bits."""
    if not library.has_energy:
        raise UsageError(f"the library {library.name} has no power tables")
    latch = _smallest(library, "latch", lambda cell: isinstance(cell.storage, Latch))
    flip_flop = _smallest(library, "flip-flop", lambda cell: isinstance(cell.storage, FlipFlop))
    gate = _smallest(
        library, "clock gate", lambda cell: isinstance(cell.storage, ClockGate), marked=True
    )
    line = _smallest(library, "2-input AND or NOR", _is_line)
    choice = _smallest(library, "2-input multiplexer", _is_choice)
    cells = (
        (latch, words * word_bits),
        (line, words * _GATES_PER_WORD),
        (choice, (words - 1) * word_bits),
        (flip_flop, word_bits),
        (gate, 2),
    )
    area_um2 = sum(cell.area_um2 * count for cell, count in cells)
    circuit = _Circuit(library, area_um2, words, word_bits, latch, flip_flop, gate, line, choice)
    return LatchMemory(
        words=words,
        word_bits=word_bits,
        area_ge=area_um2 / nand2_area_um2(library),
        leakage_w=sum(cell.leakage * count for cell, count in cells) * library.units.leakage_w,
        clock_j=2 * circuit.gated(),
        read=circuit.read(),
        write=circuit.write(),
        cells={cell.name: count for cell, count in cells},
    )


def _smallest(
    library: CellLibrary, title: str, wanted: Callable[[LibraryCell], bool], *, marked: bool = False
) -> LibraryCell:
    """The smallest cell of a kind; `marked` also of those that mapping must not take by itself."""
    cells = [
        cell
        for cell in library.cells.values()
        if not cell.special and (marked or not cell.dont_use) and wanted(cell)
    ]
    if not cells:
        raise UsageError(f"the library {library.name} has no {title}")
    return min(cells, key=lambda cell: (cell.area_um2, cell.name))


def _is_line(cell: LibraryCell) -> bool:
    """Whether a cell is an AND, or a NOR, which is an AND of the inverse."""
    return cell.computes(2, (0b1000, 0b0001))


def _is_choice(cell: LibraryCell) -> bool:
    """Whether a cell is a multiplexer: one of three inputs chooses between the other two."""
    tables = set()
    for chooser in range(3):
        for_0, for_1 = (pin for pin in range(3) if pin != chooser)
        for first, second in ((for_0, for_1), (for_1, for_0)):
            tables.add(
                sum(
                    1 << state
                    for state in range(8)
                    if state >> (second if state >> chooser & 1 else first) & 1
                )
            )
    return cell.computes(3, tables)


@dataclass(frozen=True, slots=True)
class _Circuit:
    """The circuit, with the energies of its parts in joules."""

    library: CellLibrary
    area_um2: float
    words: int
    word_bits: int
    latch: LibraryCell
    flip_flop: LibraryCell
    gate: LibraryCell
    line: LibraryCell
    choice: LibraryCell

    def read(self) -> MemoryAccess:
        """A read: fixed, the register's gated clock; for the data, trees, choosers and register.

        Each multiplexer's output changes at most once, as does each bit of the address.
        """
        bits, trees = self.word_bits, (self.words - 1) * self.word_bits
        register = _clock_of(self.flip_flop)
        fixed = bits * self.clocked(self.flip_flop) + self.driven(self.gate, bits, register)
        step = self.changed(self.choice, self.choice, 1)
        chosen = trees * (self.charged(1, self._chooser()) + self.inside(self._chooser()))
        data = trees * step + chosen + bits * self.changed(self.flip_flop, self.choice, 1)
        return MemoryAccess(fixed, data + self._address())

    def write(self) -> MemoryAccess:
        """A write: fixed, a word line's pulse; for the data, the bus to every word and one word."""
        bits = self.word_bits
        enable, data_in = _clock_of(self.latch), _data_of(self.latch)
        pulse = self.driven(self.line, bits, enable) + bits * self.clocked(self.latch)
        fixed = pulse + self.driven(self.gate, self.words, self.line.inputs()[0])
        bus = self.charged(self.words, data_in) + self.words * self.inside(data_in)
        return MemoryAccess(
            fixed, bits * (bus + self.changed(self.latch, self.choice, 1)) + self._address()
        )

    def gated(self) -> float:
        """Energy of a clock gate that stays shut, in one clock period."""
        return self.clocked(self.gate) + 2 * self.charged(1, _clock_of(self.gate))

    def clocked(self, cell: LibraryCell) -> float:
        """Energy of both edges at a cell's clock pin, within the cell."""
        return 2 * self.inside(_clock_of(cell))

    def driven(self, cell: LibraryCell, sinks: int, pin: Pin) -> float:
        """Energy of both edges of a cell's output on a net with so many pins."""
        return 2 * self._output(cell, sinks, pin)

    def changed(self, cell: LibraryCell, sink: LibraryCell, sinks: int) -> float:
        """Energy of one edge of a cell's output on a net with so many data pins."""
        return self._output(cell, sinks, _data_of(sink))

    def charged(self, sinks: int, pin: Pin) -> float:
        """Half of C V^2 of a net with so many pins."""
        return self.library.charge_j(self._load(sinks, pin))

    def inside(self, pin: Pin) -> float:
        """Energy of one edge of an input pin, within the cell; 0 if the library gives none."""
        return self._table(pin, 0.0)

    def _output(self, cell: LibraryCell, sinks: int, pin: Pin) -> float:
        energies = [output for output in cell.outputs() if output.energies]
        within = self._table(energies[0], self._load(sinks, pin)) if energies else 0.0
        return within + self.charged(sinks, pin)

    def _table(self, pin: Pin, load: float) -> float:
        """Mean energy over the pin's groups and edges, at the slew of a multiplexer's output."""
        energies = [
            table.at(self._slew(), load)
            for energy in pin.energies
            for table in energy.edges.values()
        ]
        return mean(energies) * self.library.units.energy_j if energies else 0.0

    def _slew(self) -> float:
        """Output slew of a multiplexer that drives the next one, in the library's unit."""
        load = self._load(1, _data_of(self.choice))
        slews = [
            table.at(table.slews[0], load)
            for arc in self.choice.outputs()[0].arcs
            for table in arc.transition.values()
        ]
        return mean(slews) if slews else 0.0

    def _load(self, sinks: int, pin: Pin) -> float:
        wire = self.library.wire_load(self.area_um2)
        return sinks * pin.capacitance + (wire.load(sinks) if wire else 0.0)

    def _chooser(self) -> Pin:
        """The multiplexer's pin of most capacitance, which is the pin that chooses."""
        return max(self.choice.inputs(), key=lambda pin: pin.capacitance)

    def _address(self) -> float:
        """Energy of the decoder's gates if the address changes."""
        return _GATES_SWITCHED * self._output(self.line, 1, self.line.inputs()[0])


def _clock_of(cell: LibraryCell) -> Pin:
    """The pin that clocks or opens a cell of storage."""
    (name,) = clock_pins(cell)
    return cell.pins[name]


def _data_of(cell: LibraryCell) -> Pin:
    """A data input of a cell; of a cell of storage, the input that it stores."""
    storage = cell.storage
    if isinstance(storage, Latch):
        (name,) = inputs_of(storage.data_in)
        return cell.pins[name]
    return min(cell.inputs(), key=lambda pin: pin.capacitance)
