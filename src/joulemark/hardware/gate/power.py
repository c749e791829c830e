# SPDX-License-Identifier: Apache-2.0
"""Replays every toggle of a gate-level run through the library's energy tables.

Per toggle of a net: half of C V^2 of its capacitance (pins and wire). Per toggle of an output pin:
the internal energy of the group whose related pin is the input of the cell that changed last, at
that input's slew and the output's load. Per toggle of an input pin: its own internal energy, if
the library gives any (clock pins of flip-flops do so at every edge). `when` conditions are looked
up with the values that all pins of the cell have at that moment. Leakage is integrated over the
states in the same way.

All toggles of all instances of one kind of cell are handled at once as arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from joulemark.errors import UsageError
from joulemark.hardware.gate import clock_pins
from joulemark.hardware.gate.analysis import Timing
from joulemark.hardware.gate.simulate import Activity
from joulemark.hardware.liberty import inputs_of, truth_table
from joulemark.hardware.liberty.library import Energy, FlipFlop, Latch, LibraryCell, Pin
from joulemark.hardware.synthesis import Netlist

# Look-up arrays of a cell's energy and leakage over its state, from the library's groups.
#
# A state is a number: bit `i` is the value of signal pin `i`. A slot is the number of one of the
# cell's internal_power groups, from 1; slot 0 is "no energy".

_MANY_PINS = 12


@dataclass(frozen=True, slots=True)
class CellModel:
    """Look-up arrays of one cell."""

    cell: LibraryCell
    pins: tuple[Pin, ...]
    is_output: tuple[bool, ...]
    rank: tuple[int, ...]
    """Rank of each pin among pins that change at one moment: clocks come first, then outputs of
    storage, then inputs, then outputs of logic."""
    slots: tuple[tuple[int, Energy], ...]
    """Pin and group of every slot from 1."""
    input_slot: npt.NDArray[np.int16]
    """Slot by input pin and state after its change."""
    output_slot: npt.NDArray[np.int16]
    """Slot by output pin, related pin and state."""
    related: tuple[tuple[int, ...], ...]
    """For each output, the related pins that its groups name; empty for an input."""
    leakage: npt.NDArray[np.float64]
    """Leakage by state, in the library's unit."""


def cell_model(cell: LibraryCell) -> CellModel:
    """The arrays of a cell."""
    pins = tuple(pin for pin in cell.pins.values() if pin.direction in {"input", "output"})
    names = [pin.name for pin in pins]
    if len(pins) > _MANY_PINS:
        raise UsageError(
            f"the cell {cell.name} has {len(pins)} pins; at most {_MANY_PINS} are read"
        )
    states = 1 << len(pins)
    slots: list[tuple[int, Energy]] = []
    input_slot = np.zeros((len(pins), states), dtype=np.int16)
    output_slot = np.zeros((len(pins), len(pins), states), dtype=np.int16)
    related: list[tuple[int, ...]] = []
    for number, pin in enumerate(pins):
        is_output = pin.direction == "output"
        named: dict[int, None] = {}
        by_relation: dict[int | None, list[tuple[int, str | None]]] = {}
        for energy in pin.energies:
            slots.append((number, energy))
            relation = names.index(energy.related_pin) if energy.related_pin in names else None
            if is_output and relation is not None:
                named[relation] = None
            by_relation.setdefault(relation if is_output else None, []).append(
                (len(slots), energy.when)
            )
        related.append(tuple(named))
        if not is_output:
            input_slot[number] = _by_state(by_relation.get(None, []), names, states)
            continue
        unrelated = _by_state(by_relation.get(None, []), names, states)
        for other in range(len(pins)):
            related_slots = _by_state(by_relation.get(other, []), names, states)
            output_slot[number, other] = np.where(related_slots > 0, related_slots, unrelated)
    return CellModel(
        cell=cell,
        pins=pins,
        is_output=tuple(pin.direction == "output" for pin in pins),
        rank=_ranks(cell, pins),
        slots=tuple(slots),
        input_slot=input_slot,
        output_slot=output_slot,
        related=tuple(related),
        leakage=_leakage(cell, names, states),
    )


def _ranks(cell: LibraryCell, pins: Sequence[Pin]) -> tuple[int, ...]:
    first = set(clock_pins(cell))
    storage = cell.storage
    if isinstance(storage, FlipFlop | Latch):
        for function in (storage.clear, storage.preset):
            first |= set(inputs_of(function)) if function else set()
    stores_edge = isinstance(storage, FlipFlop)
    return tuple(
        (1 if stores_edge else 3) if pin.direction == "output" else 0 if pin.name in first else 2
        for pin in pins
    )


def _condition(when: str, names: Sequence[str], states: int) -> npt.NDArray[np.bool_]:
    table = truth_table(when, names)
    return np.fromiter(
        (table >> state & 1 for state in range(states)), dtype=np.bool_, count=states
    )


def _by_state(
    groups: Sequence[tuple[int, str | None]], names: Sequence[str], states: int
) -> npt.NDArray[np.int16]:
    """Slot by state: the first group whose condition holds; else the one without a condition."""
    slots = np.zeros(states, dtype=np.int16)
    by_precedence = sorted(groups, key=lambda group: group[1] is None)
    for slot, when in reversed(by_precedence):  # the last to be written counts
        slots[slice(None) if when is None else _condition(when, names, states)] = slot
    return slots


def _leakage(cell: LibraryCell, names: Sequence[str], states: int) -> npt.NDArray[np.float64]:
    rest = next((leakage.value for leakage in cell.leakages if leakage.when is None), cell.leakage)
    values = np.full(states, rest)
    for leakage in reversed(cell.leakages):  # the first one counts
        if leakage.when is not None:
            values[_condition(leakage.when, names, states)] = leakage.value
    return values


_PINS_AT_ONCE = 4_000_000
"""Toggles of pins handled at once; each takes about 100 bytes of memory."""
CATEGORIES = (
    "clock pins",
    "clock nets",
    "storage outputs",
    "storage inputs",
    "logic",
    "logic nets",
    "input nets",
)


@dataclass(frozen=True, slots=True)
class NetlistPower:
    """Energy and leakage of a netlist in a window of time."""

    duration_s: float
    by_category_j: Mapping[str, float]
    """Dynamic energy in the window."""
    by_instance_j: npt.NDArray[np.float64]
    """Dynamic energy by instance; each net's energy is with its driver."""
    leakage_by_instance_w: npt.NDArray[np.float64]
    toggles: int
    unknown: int
    """Changes to or from unknown values."""

    @property
    def energy_j(self) -> float:
        """Dynamic energy in the window."""
        return sum(self.by_category_j.values())

    @property
    def leakage_w(self) -> float:
        """Leakage of all cells."""
        return float(self.leakage_by_instance_w.sum())

    @property
    def dynamic_w(self) -> float:
        """Average dynamic power in the window."""
        return self.energy_j / self.duration_s


def replay(netlist: Netlist, timing: Timing, activity: Activity) -> NetlistPower:
    """Energy and leakage of the window, by the loads and slews of `timing`."""
    library = netlist.library
    if not library.has_energy:
        raise UsageError(
            f"the library {library.name} has no internal_power tables; power needs one that has"
        )
    return _Replay(netlist, timing, activity).run()


class _Replay:
    """Adds up energy by category and by instance."""

    def __init__(self, netlist: Netlist, timing: Timing, activity: Activity) -> None:
        self.netlist, self.timing, self.activity = netlist, timing, activity
        self.categories = dict.fromkeys(CATEGORIES, 0.0)
        self.by_instance_j = np.zeros(len(netlist.instances))
        self.leakage_w = np.zeros(len(netlist.instances))

    def run(self) -> NetlistPower:
        self.nets()
        kinds: dict[str, list[int]] = {}
        for index, instance in enumerate(self.netlist.instances):
            kinds.setdefault(instance.cell.name, []).append(index)
        for name, indices in kinds.items():
            model = cell_model(self.netlist.library.cells[name])
            for chunk in _chunks(self.netlist, self.activity, indices):
                self.kind(model, chunk)
        return NetlistPower(
            self.activity.duration_ps * 1e-12,
            self.categories,
            self.by_instance_j,
            self.leakage_w,
            int(self.activity.start[-1]),
            self.activity.unknown,
        )

    def nets(self) -> None:
        """The energy of every toggle of every net."""
        energies = net_energies_j(self.netlist, self.timing) * self.activity.toggles()
        for net, (driver, _) in self.netlist.drivers().items():
            self.by_instance_j[driver] += float(energies[net])
        for name, energy in zip(net_categories(self.netlist, self.timing), energies, strict=True):
            self.categories[name] += float(energy)

    def kind(self, model: CellModel, indices: Sequence[int]) -> None:
        """Adds the energy and leakage of instances of one cell."""
        at = np.asarray(indices)
        events = _events(self.activity, model, _pin_nets(self.netlist, model, indices))
        leakage = _mean_leakage(model, events, self.activity.duration_ps)
        self.leakage_w[at] = leakage * self.netlist.library.units.leakage_w
        if len(events.owner) == 0:
            return
        energies = slot_energies_j(self.netlist, self.timing, model, indices)
        each = energies[events.owner, _slots(model, events), events.rises.astype(np.int64)]
        self.by_instance_j[at] += np.bincount(events.owner, each, minlength=len(indices))
        by_pin = np.bincount(events.pin, each, minlength=len(model.pins))
        for row, energy in enumerate(by_pin):
            self.categories[pin_category(model, row)] += float(energy)


def net_energies_j(netlist: Netlist, timing: Timing) -> npt.NDArray[np.float64]:
    """Half of C V^2 by net: the energy of a toggle."""
    return np.asarray([netlist.library.charge_j(load) for load in timing.loads])


def net_categories(netlist: Netlist, timing: Timing) -> list[str]:
    """The category of each net's energy."""
    names = ["input nets"] * netlist.net_count
    for net, (driver, _) in netlist.drivers().items():
        stores = netlist.instances[driver].cell.storage is not None
        names[net] = "storage outputs" if stores else "logic nets"
    for net in timing.clocks:
        names[net] = "clock nets"
    return names


def _chunks(netlist: Netlist, activity: Activity, indices: Sequence[int]) -> list[list[int]]:
    counts = activity.toggles()
    chunks: list[list[int]] = [[]]
    size = 0
    for index in indices:
        here = int(sum(counts[net] for net in netlist.instances[index].pins.values()))
        if chunks[-1] and size + here > _PINS_AT_ONCE:
            chunks.append([])
            size = 0
        chunks[-1].append(index)
        size += here
    return chunks


@dataclass(frozen=True, slots=True)
class _Events:
    """Every toggle of every pin of some instances of one cell, by instance and then by time."""

    owner: npt.NDArray[np.int64]
    """Position of each event's instance among the instances handled at once."""
    pin: npt.NDArray[np.int64]
    time_ps: npt.NDArray[np.int64]
    rises: npt.NDArray[np.bool_]
    begins: npt.NDArray[np.int64]
    """Index of the first event by instance."""
    ends: npt.NDArray[np.int64]
    """Index after the last event by instance."""
    initial: npt.NDArray[np.int64]
    """State by instance before its first event."""
    after: npt.NDArray[np.int64]
    """State after each event."""


def pin_category(model: CellModel, row: int) -> str:
    """The category of the energy of a pin."""
    if model.cell.storage is None:
        return "logic"
    if model.is_output[row]:
        return "storage outputs"
    is_clock = model.pins[row].name in clock_pins(model.cell)
    return "clock pins" if is_clock else "storage inputs"


def _pin_nets(netlist: Netlist, model: CellModel, indices: Sequence[int]) -> npt.NDArray[np.int64]:
    """Net by pin and instance; -1 where nothing is connected."""
    connected = [netlist.instances[index].pins for index in indices]
    nets = [[pins.get(pin.name, -1) for pins in connected] for pin in model.pins]
    return np.asarray(nets, dtype=np.int64)


def _events(activity: Activity, model: CellModel, nets: npt.NDArray[np.int64]) -> _Events:
    number = nets.shape[1]
    initial = np.zeros(number, dtype=np.int64)
    empty = np.zeros(0, dtype=np.int64)
    parts: list[tuple[npt.NDArray[np.int64], ...]] = [(empty, empty, empty, empty, empty)]
    for row, rank in enumerate(model.rank):
        there = np.flatnonzero(nets[row] >= 0)
        values = activity.initial[nets[row, there]].astype(np.int64)
        initial[there] |= values << row
        starts = activity.start[nets[row, there]]
        counts = activity.start[nets[row, there] + 1] - starts
        total = int(counts.sum())
        within = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
        parts.append(
            (
                np.repeat(there, counts),
                np.full(total, row, dtype=np.int64),
                activity.times_ps[np.repeat(starts, counts) + within],
                # The first toggle changes the initial value, the second changes it back.
                (np.repeat(values, counts) + within + 1) % 2,
                np.full(total, rank * len(model.rank) + row, dtype=np.int64),
            )
        )
    owner, pin, time, rises, order = map(np.concatenate, zip(*parts, strict=True))
    sequence = np.lexsort((order, time, owner))
    owner, pin, time, rises = owner[sequence], pin[sequence], time[sequence], rises[sequence]
    ends = np.searchsorted(owner, np.arange(number), side="right")
    begins = np.concatenate(([0], ends[:-1]))
    # State after an event: the initial one and all changes so far of the same instance.
    summed = np.concatenate(([0], np.cumsum((2 * rises - 1) << pin)))
    after = initial[owner] + summed[1:] - summed[begins[owner]]
    return _Events(owner, pin, time, rises == 1, begins, ends, initial, after)


def _slots(model: CellModel, events: _Events) -> npt.NDArray[np.int64]:
    """The group of energies that applies to each event."""
    slots = model.input_slot[events.pin, events.after].astype(np.int64)
    place = np.arange(len(events.owner))
    for out in np.flatnonzero(model.is_output):
        here = events.pin == out
        related = model.related[out]
        cause = np.zeros(int(here.sum()), dtype=np.int64)
        if related:
            # The related pin that changed last; the first one if none did since the beginning.
            named = np.isin(events.pin, related)
            last = np.maximum.accumulate(np.where(named, place, -1))[here]
            seen = last >= events.begins[events.owner[here]]
            cause = np.where(seen, events.pin[np.maximum(last, 0)], related[0])
        slots[here] = model.output_slot[out, cause, events.after[here]]
    return slots


def _mean_leakage(model: CellModel, events: _Events, duration_ps: int) -> npt.NDArray[np.float64]:
    """Leakage by instance in the library's unit: the mean over time of its states."""
    number = len(events.initial)
    active = events.ends > events.begins
    first = np.full(number, duration_ps, dtype=np.int64)
    first[active] = events.time_ps[events.begins[active]]
    until = np.append(events.time_ps[1:], duration_ps)[: len(events.time_ps)]
    until[events.ends[active] - 1] = duration_ps
    later = np.bincount(
        events.owner, model.leakage[events.after] * (until - events.time_ps), minlength=number
    )
    mean: npt.NDArray[np.float64] = (model.leakage[events.initial] * first + later) / duration_ps
    return mean


def slot_energies_j(
    netlist: Netlist, timing: Timing, model: CellModel, indices: Sequence[int]
) -> npt.NDArray[np.float64]:
    """Energy by instance, slot and edge (0 fall, 1 rise)."""
    unit = netlist.library.units.energy_j
    energies = np.zeros((len(indices), len(model.slots) + 1, 2))
    for row, index in enumerate(indices):
        pins = netlist.instances[index].pins
        for slot, (number, energy) in enumerate(model.slots, 1):
            own = pins.get(model.pins[number].name)
            if own is None:
                continue
            if model.is_output[number]:
                source = pins.get(energy.related_pin or "", own)
                slews = timing.slews[source]
                slew, load = (slews[0] + slews[1]) / 2, timing.loads[own]
                pair = (slew, slew)
            else:
                rise, fall = timing.slews[own]
                pair, load = (fall, rise), 0.0
            for edge, name in enumerate(("fall", "rise")):
                table = energy.edges.get(name)
                if table is not None:
                    energies[row, slot, edge] = table.at(pair[edge], load) * unit
    return energies
