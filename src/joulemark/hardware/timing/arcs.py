# SPDX-License-Identifier: Apache-2.0
"""Arcs of a cell as timing walks them: which are paths, and the delay of an edge through one."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from joulemark.hardware.liberty.function import inputs_of, truth_table
from joulemark.hardware.liberty.library import Arc, FlipFlop, Latch, LibraryCell, Pin
from joulemark.hardware.synthesis.netlist import Instance

RISE, FALL = 0, 1
EDGES = ("rise", "fall")
CLOCKED = {"rising_edge", "falling_edge"}
"""Kinds of arcs from a clock or a latch's gate to an output."""


def is_path(instance: Instance, arc: Arc) -> bool:
    """Whether paths take this arc of an output: no reset, and no arc through a flip-flop."""
    if not arc.delay:
        return False
    if instance.cell.storage is None or arc.kind in CLOCKED:
        return True
    return arc.kind == "combinational" and not isinstance(instance.cell.storage, FlipFlop)


def edges_of(
    arc: Arc, slews: Sequence[float], load: float
) -> Iterator[tuple[int, int, float, float]]:
    """Edge of the related pin, edge of the output, delay and slew of the output.

    `slews` are those of rise and fall at the related pin.
    """
    for edge_in, edge in _pairs(arc):
        delay = arc.delay.get(EDGES[edge])
        if delay is not None:
            slew = slews[edge_in]
            after = arc.transition.get(EDGES[edge])
            yield (
                edge_in,
                edge,
                delay.at(slew, load),
                max(after.at(slew, load), 0.0) if after is not None else 0.0,
            )


def needs_of(
    pin: Pin, kind: str, slews: Sequence[float], clock_slew: float
) -> Iterator[tuple[int, float]]:
    """Edges for which a pin has a `setup` or `hold` time, each with the largest time."""
    for edge in (RISE, FALL):
        needs = [
            arc.constraint[EDGES[edge]].at(slews[edge], clock_slew)
            for arc in pin.arcs
            if arc.kind.startswith(kind) and EDGES[edge] in arc.constraint
        ]
        if needs:
            yield edge, max(needs)


def _pairs(arc: Arc) -> tuple[tuple[int, int], ...]:
    """Edges of the related pin and of the output that go together."""
    if arc.kind == "rising_edge":
        return ((RISE, RISE), (RISE, FALL))
    if arc.kind == "falling_edge":
        return ((FALL, RISE), (FALL, FALL))
    if arc.sense == "positive_unate":
        return ((RISE, RISE), (FALL, FALL))
    if arc.sense == "negative_unate":
        return ((FALL, RISE), (RISE, FALL))
    return ((RISE, RISE), (FALL, RISE), (RISE, FALL), (FALL, FALL))


# Pins that set or clear storage without the clock, and the times that they need around its edge.
#
# A reset that logic makes is let go in some period, and storage must know in time whether the next
# edge of the clock counts. Libraries say so as recovery (before the edge) and removal (after it)
# times. Where a library has none for a cell, the largest set-up and hold times of the cell's other
# pins stand in: they bound the same race, of a change against the edge that closes the same latch.
# The edge that begins a reset has neither time. It must come by the end of the period, as data
# must, so that a core's wipe is done within the period in which it begins.
#
# Changes that a reset sets off at the outputs of storage are no paths, as in timing tools' default.

_STANDS_IN = {"recovery": "setup", "removal": "hold"}


def reset_pins(cell: LibraryCell) -> frozenset[str]:
    """Names of the input pins that set or clear the cell whatever its clock does."""
    if not isinstance(cell.storage, FlipFlop | Latch):
        return frozenset()
    functions = [text for text in (cell.storage.clear, cell.storage.preset) if text is not None]
    return frozenset(
        name for function in functions for name in inputs_of(function) if name in cell.pins
    )


def reset_ends(instance: Instance, constants: Container[int]) -> Iterator[tuple[str, int]]:
    """Name and net of each reset pin that a net other than a constant drives."""
    for name in sorted(reset_pins(instance.cell)):
        net = instance.pins.get(name)
        if net is not None and net not in constants:
            yield name, net


def recovery_needs(
    instance: Instance, pin: str, slews: Sequence[float], clock_slew: float
) -> dict[int, float]:
    """Time before the clock by which a reset pin must have changed, by edge.

    Args:
        instance: the cell.
        pin: name of one of its reset pins.
        slews: slews of rise and fall at the pin, in the library's unit.
        clock_slew: slew of the clock at the cell.
    """
    return {RISE: 0.0, FALL: 0.0} | dict(_needs(instance, pin, "recovery", slews, clock_slew))


def removal_needs(
    instance: Instance, pin: str, slews: Sequence[float], clock_slew: float
) -> dict[int, float]:
    """Time after the clock before which a reset pin must not be let go, by edge that lets go."""
    return dict(_needs(instance, pin, "removal", slews, clock_slew))


def _needs(
    instance: Instance, pin: str, kind: str, slews: Sequence[float], clock_slew: float
) -> Iterator[tuple[int, float]]:
    own = list(needs_of(instance.cell.pins[pin], kind, slews, clock_slew))
    if own:
        yield from own
        return
    others = [
        need
        for other in instance.cell.inputs()
        for _, need in needs_of(other, _STANDS_IN[kind], slews, clock_slew)
    ]
    yield _release_edge(instance.cell, pin), max(others, default=0.0)


def without_recovery(cell: LibraryCell) -> bool:
    """Whether the cell has a reset pin for which the library gives no recovery time."""
    return any(
        not any(arc.kind.startswith("recovery") for arc in cell.pins[name].arcs)
        for name in reset_pins(cell)
    )


def _release_edge(cell: LibraryCell, pin: str) -> int:
    """The edge that lets go: to the level at which the pin alone does not reset."""
    storage = cell.storage
    assert isinstance(storage, FlipFlop | Latch)
    for function in (storage.clear, storage.preset):
        if function is not None and pin in (names := inputs_of(function)):
            table = truth_table(function, names)
            bit = 1 << names.index(pin)
            resets_low = any(
                table >> state & 1 for state in range(1 << len(names)) if not state & bit
            )
            return RISE if resets_low else FALL
    raise AssertionError(f"{pin} resets nothing in {cell.name}")
