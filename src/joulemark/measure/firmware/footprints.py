# SPDX-License-Identifier: Apache-2.0
"""What implementations take of microcontrollers, several at a time.

Sizes come from linking; the stack is looked at where there is a simulator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from joulemark.errors import ImplementationError, UnavailableError, UsageError
from joulemark.firmware.footprint import footprint
from joulemark.firmware.programs.kernel_sources import every_implementation
from joulemark.firmware.programs.target import target_named
from joulemark.firmware.run import count
from joulemark.firmware.simulators import simulator_of
from joulemark.measure.firmware.side_by_side import done_here
from joulemark.processes.tool import ToolRuns
from joulemark.records.firmware import Footprint

__all__ = [
    "FootprintAnswer",
    "FootprintTask",
    "SpreadFootprints",
    "take_footprint",
    "take_footprints",
]

_MESSAGE_BYTES: Final = 64
"""For which the stack is looked at; it does not depend on the length."""


@dataclass(frozen=True, slots=True)
class FootprintTask:
    """One implementation on one target."""

    implementation: str
    target: str

    @property
    def text(self) -> str:
        """Its name in a sentence."""
        return f"{self.implementation} on {self.target}"


@dataclass(frozen=True, slots=True)
class FootprintAnswer:
    """What one implementation takes."""

    sizes: Footprint | None
    stack_bytes: int | None
    reason: str
    """Why something is missing; else empty."""


SpreadFootprints = Callable[[Sequence[FootprintTask], Callable[[int, FootprintAnswer], None]], None]
"""Has tasks done and tells each outcome under the task's place; raises what ends all."""


def take_footprint(task: FootprintTask, runs: ToolRuns) -> FootprintAnswer:
    """Links and, where there is a simulator, runs it, within runs that end together."""
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
    """What each takes, in the order of the tasks.

    Args:
        tasks: any number.
        spread: has them done; threads of this process unless given.
    """
    found: dict[int, FootprintAnswer] = {}
    if spread is None:
        done_here(tasks, take_footprint, found.__setitem__)
    else:
        spread(tasks, found.__setitem__)
    return [found[place] for place in range(len(tasks))]
