# SPDX-License-Identifier: Apache-2.0
"""Bytes that implementations take of microcontrollers, several implementations at a time.

Linking gives the sizes; a simulator, where there is one, the depth of the stack.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from joulemark.errors import ImplementationError, UnavailableError, UsageError
from joulemark.firmware.programs.build import every_implementation
from joulemark.firmware.programs.target import target_named
from joulemark.firmware.run import count, footprint
from joulemark.firmware.simulators import simulator_of
from joulemark.processes.side_by_side import Spread, do_tasks
from joulemark.processes.tool import ToolRuns
from joulemark.records.firmware import Footprint

_MESSAGE_BYTES: Final = 64
"""Length of the message with which the stack is measured; its depth does not depend on it."""


@dataclass(frozen=True, slots=True)
class FootprintTask:
    """One implementation on one target."""

    implementation: str
    target: str

    @property
    def text(self) -> str:
        """The task in a sentence."""
        return f"{self.implementation} on {self.target}"


@dataclass(frozen=True, slots=True)
class FootprintAnswer:
    """Sizes and stack of one implementation."""

    sizes: Footprint | None
    stack_bytes: int | None
    reason: str
    """Why sizes or stack are missing; empty if neither is."""


SpreadFootprints = Spread[FootprintTask, FootprintAnswer]


def take_footprint(task: FootprintTask, runs: ToolRuns) -> FootprintAnswer:
    """Links the implementation and, where there is a simulator, runs it there."""
    target, kernel = target_named(task.target), every_implementation()[task.implementation]
    try:
        sizes = footprint(target, kernel)
    except (UnavailableError, ImplementationError) as error:
        return FootprintAnswer(None, None, str(error))
    lacking = simulator_of(target).missing(target)
    if lacking is not None:
        return FootprintAnswer(sizes, None, f"the stack {lacking}")
    try:
        found = count(target, kernel, (_MESSAGE_BYTES,), runs=runs)
    except (UnavailableError, ImplementationError, UsageError) as error:
        return FootprintAnswer(sizes, None, f"without a stack: {error}")
    firmware_count = found.counts.get(_MESSAGE_BYTES)
    reason = found.refused.get(_MESSAGE_BYTES, "")
    return FootprintAnswer(
        sizes, None if firmware_count is None else firmware_count.stack_bytes, reason
    )


def take_footprints(
    tasks: Sequence[FootprintTask], spread: SpreadFootprints | None = None
) -> list[FootprintAnswer]:
    """Footprints in the order of the tasks; `spread` as for `do_tasks`."""
    found: dict[int, FootprintAnswer] = {}
    do_tasks(tasks, take_footprint, found.__setitem__, spread)
    return [found[place] for place in range(len(tasks))]
