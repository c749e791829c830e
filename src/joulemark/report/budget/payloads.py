# SPDX-License-Identifier: Apache-2.0
"""Energy over payload in words: cross-overs, and where each staircase rises."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.budget.changes import Crossing, Stair, Staircase
from joulemark.budget.inputs import nominal
from joulemark.report.budget.view import View
from joulemark.units import format_joules


def payloads_view(
    stairs: Sequence[Staircase], crossings: Sequence[tuple[str, str, Sequence[Crossing]]]
) -> View:
    """The cross-over of two MACs, and the payloads at which each staircase rises."""
    lines = [_crossing_words(*crossing) for crossing in crossings]
    last_payload = max((stair.stairs[-1].payload_bytes for stair in stairs), default=0)
    rows = []
    for stair in stairs:
        steps = ", ".join(map(str, stair.boundaries)) or "none"
        first, last = stair.stairs[0], stair.stairs[-1]
        rows.append((stair.implementation, _at(first, 0), _at(last, last_payload), steps))
    headings = ("implementation", "at 0 bytes", f"at {last_payload} bytes", "rises at payloads of")
    why = (
        "A rise is a payload that takes a call of the primitive more: a block, or the padding of a "
        "hash, does not fit any more."
    )
    return View(
        "; ".join(lines) or "there are not two MACs to compare",
        headings,
        rows,
        right=(1, 2),
        notes=[why],
    )


def _at(stair: Stair, wanted: int) -> str:
    """An energy, with its payload if it differs from the wanted payload."""
    where = "" if stair.payload_bytes == wanted else f" at {stair.payload_bytes}"
    return format_joules(nominal(stair.packet_j)) + where


def _crossing_words(first: str, second: str, crossings: Sequence[Crossing]) -> str:
    if not crossings:
        return f"{first} and {second} cross at no payload"
    parts = [
        f"from {crossing.payload_bytes} bytes on {crossing.cheaper} takes less "
        f"({format_joules(crossing.cheaper_j)} against {format_joules(crossing.dearer_j)})"
        for crossing in crossings
    ]
    return f"{first} and {second}: " + ", ".join(parts)
