# SPDX-License-Identifier: Apache-2.0
"""Arcs of a cell as timing walks them: which are paths, and the delay of an edge through one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from joulemark.hardware.liberty.library import Arc, FlipFlop, Pin
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
