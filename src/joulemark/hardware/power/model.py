# SPDX-License-Identifier: Apache-2.0
"""Look-up arrays of a cell's energy and leakage over its state, from the library's groups.

A state is a number: bit `i` is the value of signal pin `i`. A slot is the number of one of the
cell's internal_power groups, from 1; slot 0 is "no energy".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from joulemark.errors import UsageError
from joulemark.hardware.liberty.function import inputs_of, truth_table
from joulemark.hardware.liberty.library import Cell, Energy, FlipFlop, Latch, Pin
from joulemark.hardware.timing.clock import clock_pins

__all__ = ["CellModel", "cell_model"]

_MANY_PINS = 12


@dataclass(frozen=True, slots=True)
class CellModel:
    """Look-up arrays of one cell."""

    cell: Cell
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


def cell_model(cell: Cell) -> CellModel:
    """The arrays of a cell.

    Raises:
        UsageError: a condition names anything but a pin, or the cell has too many pins.
    """
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


def _ranks(cell: Cell, pins: Sequence[Pin]) -> tuple[int, ...]:
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


def _leakage(cell: Cell, names: Sequence[str], states: int) -> npt.NDArray[np.float64]:
    rest = next((leakage.value for leakage in cell.leakages if leakage.when is None), cell.leakage)
    values = np.full(states, rest)
    for leakage in reversed(cell.leakages):  # the first one counts
        if leakage.when is not None:
            values[_condition(leakage.when, names, states)] = leakage.value
    return values
