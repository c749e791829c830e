# SPDX-License-Identifier: Apache-2.0
"""Finds the half of the clock period in which each latch is open, and the controls of clock gates.

The clock network is evaluated from the clock port on, once with the clock low and once with it
high; every control that comes in from the side is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from joulemark.errors import ImplementationError
from joulemark.hardware.liberty.function import inputs_of, truth_table
from joulemark.hardware.liberty.library import ClockGate, FlipFlop, Latch
from joulemark.hardware.synthesis.netlist import Instance, Netlist

__all__ = ["HIGH", "LOW", "Control", "Gating", "gating_of"]

LOW, HIGH = 0, 1
"""Halves of the period, by the clock's level."""


@dataclass(frozen=True, slots=True)
class Control:
    """A net that gates the clock with a cell of logic, and must not change in one half."""

    net: int
    half: int
    cell: str


@dataclass(frozen=True, slots=True)
class Gating:
    """When latches are open, and the controls of the clock that must then not change."""

    open_low: frozenset[int]
    """Indices of latches that are open only while the clock is low."""
    open_high: frozenset[int]
    """Indices of latches that are open only while the clock is high."""
    controls: tuple[Control, ...]


def gating_of(netlist: Netlist, clocks: frozenset[int], clock: str) -> Gating:
    """Looks at every cell of the clock network and at all storage; `clock` is the clock's port.

    Raises:
        ImplementationError: a flip-flop or clock gate does not act when the clock rises, or a latch
            is not closed in either half.
    """
    levels = [_levels(netlist, clocks, clock, half) for half in (LOW, HIGH)]
    latches: tuple[set[int], set[int]] = (set(), set())
    for index, instance in enumerate(netlist.instances):
        match instance.cell.storage:
            case FlipFlop(clocked_on=function):
                if _value(function, instance, levels[LOW]) != 0:
                    raise ImplementationError(
                        f"{netlist.top}: {instance.name} may act at other times than "
                        f"when {clock} rises"
                    )
            case Latch(enable=function):
                values = [_value(function, instance, of_half) for of_half in levels]
                if 0 not in values:
                    raise ImplementationError(
                        f"{netlist.top}: latch {instance.name} may be open in both halves "
                        f"of {clock}"
                    )
                for half in (LOW, HIGH):
                    if values[half] != 0:
                        latches[half].add(index)
            case _:
                pass
    controls = tuple(_controls(netlist, clocks, levels))
    return Gating(frozenset(latches[LOW]), frozenset(latches[HIGH]), controls)


def _levels(
    netlist: Netlist, clocks: frozenset[int], clock: str, half: int
) -> dict[int, int | None]:
    """Levels of constants, and of the clock's nets in one half; None where controls decide."""
    levels: dict[int, int | None] = dict(netlist.constants)
    levels.update(dict.fromkeys(netlist.inputs.get(clock, []), half))
    cells = [
        instance
        for instance in netlist.instances
        if any(net in clocks for _, net in instance.outputs())
    ]
    left = len(cells) + 1
    while len(cells) < left:
        left, waiting = len(cells), []
        for cell in cells:
            if any(net in clocks and net not in levels for _, net in cell.inputs()):
                waiting.append(cell)
                continue
            for pin, net in cell.outputs():
                levels[net] = _level(netlist, cell, pin.function, levels)
        cells = waiting
    return levels


def _level(
    netlist: Netlist, instance: Instance, function: str | None, levels: Mapping[int, int | None]
) -> int | None:
    if isinstance(instance.cell.storage, ClockGate):
        if not instance.cell.storage.kind.startswith("latch_posedge"):
            raise ImplementationError(
                f"{netlist.top}: clock gate {instance.name} is a {instance.cell.storage.kind}, and "
                "only latch_posedge is understood"
            )
        return 0 if levels.get(instance.pins[instance.cell.storage.clock]) == 0 else None
    return None if function is None else _value(function, instance, levels)


def _states(
    function: str, instance: Instance, levels: Mapping[int, int | None]
) -> Iterator[tuple[int, int, list[str]]]:
    """Truth table of a function, each state that the known levels allow, and names of the bits."""
    names = inputs_of(function)
    table = truth_table(function, names)
    known = [levels.get(instance.pins[name]) if name in instance.pins else None for name in names]
    for state in range(1 << len(names)):
        if all(level is None or state >> bit & 1 == level for bit, level in enumerate(known)):
            yield table, state, names


def _value(function: str, instance: Instance, levels: Mapping[int, int | None]) -> int | None:
    values = {table >> state & 1 for table, state, _ in _states(function, instance, levels)}
    return values.pop() if len(values) == 1 else None


def _controls(
    netlist: Netlist, clocks: frozenset[int], levels: list[dict[int, int | None]]
) -> Iterator[Control]:
    """Controls, which come in from the side, on which clock nets depend in either half."""
    for instance in netlist.instances:
        for pin, driven in instance.outputs():
            if instance.cell.storage is not None or driven not in clocks:
                continue
            for half in (LOW, HIGH):
                deciding = {
                    instance.pins[name]
                    for table, state, names in _states(pin.function or "0", instance, levels[half])
                    for bit, name in enumerate(names)
                    if name in instance.pins and instance.pins[name] not in levels[half]
                    and (table >> state ^ table >> (state ^ 1 << bit)) & 1
                }  # fmt: skip
                for net in sorted(deciding):
                    yield Control(net, half, instance.name)
