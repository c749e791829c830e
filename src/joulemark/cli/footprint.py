# SPDX-License-Identifier: Apache-2.0
"""`joulemark footprint`: the memory that our kernels take of microcontrollers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Final

import typer

from joulemark.cli.shared.command import Command, SpreadOptions
from joulemark.cli.shared.measuring_options import JSON_OPTION, PATTERN_ARGUMENT
from joulemark.cli.shared.terminal import columns, heading, print_json
from joulemark.firmware.target import Target, target_named, targets
from joulemark.foreign import say
from joulemark.measure.firmware_trials import (
    FootprintAnswer,
    FootprintTask,
    chosen_firmware,
    take_footprints,
)
from joulemark.records.sample import Footprint

FOOTPRINT_VERSION = 1
"""Version of the JSON that `footprint` writes."""
_HEADINGS = ("implementation", "code", "constants", "static RAM", "key state", "stack", "")


@dataclass(frozen=True, slots=True)
class _Row:
    """One implementation on one target."""

    task: FootprintTask
    taken: FootprintAnswer

    def as_dict(self) -> dict[str, object]:
        """The row as JSON values."""
        taken = self.taken
        sizes = asdict(taken.sizes) if taken.sizes else dict.fromkeys(Footprint.__slots__)
        return {
            "target": self.task.target,
            "implementation": self.task.implementation,
            **sizes,
            "stack_bytes": taken.stack_bytes,
            "reason": taken.reason or None,
        }

    def cells(self) -> tuple[str, ...]:
        """The row's cells, in the order of the headings."""
        sizes = self.taken.sizes
        numbers = (
            (None,) * 4
            if sizes is None
            else (sizes.code_bytes, sizes.constant_bytes, sizes.static_ram_bytes, sizes.state_bytes)
        )
        shown = (
            "-" if number is None else str(number) for number in (*numbers, self.taken.stack_bytes)
        )
        return (self.task.implementation, *shown, self.taken.reason)


def show_footprints(
    *,
    patterns: Annotated[list[str] | None, PATTERN_ARGUMENT] = None,
    target: Annotated[
        str, typer.Option(help="Microcontrollers, as in mcu:atmega128,mcu:cortex-m4; all of them.")
    ] = "",
    as_json_text: Annotated[bool, JSON_OPTION] = False,
    spread: SpreadOptions,
) -> None:
    """Show what our kernels take of microcontrollers' memories: code, constants, RAM, stack.

    Compiled and linked for each target. The stack is that of a message of 64 bytes in the target's
    simulator; where that is not here, the other sizes stand.
    """
    spread.check(None)
    words = target.split(",") if target else targets()
    chosen = [target_named(word.strip()) for word in words]
    names = chosen_firmware(tuple(patterns or ()))
    tasks = [FootprintTask(name, machine.name) for machine in chosen for name in names]
    with spread.cluster() as cluster:
        taken = take_footprints(tasks, cluster.footprints(say) if cluster else None)
    rows = [_Row(task, footprint) for task, footprint in zip(tasks, taken, strict=True)]
    if as_json_text:
        print_json(
            {"schema_version": FOOTPRINT_VERSION, "footprints": [row.as_dict() for row in rows]}
        )
        return
    for machine in chosen:
        _print(machine, [row for row in rows if row.task.target == machine.name])


def _print(target: Target, rows: Sequence[_Row]) -> None:
    memory = target.memory
    heading(
        f"{target.name}: {target.title}, {memory.flash_bytes} bytes of flash, "
        f"{memory.ram_bytes} of RAM"
    )
    columns([_HEADINGS, *(row.cells() for row in rows)], right=(1, 2, 3, 4, 5), prose=(6,))
    typer.echo("")


COMMAND: Final = Command(
    show_footprints,
    (
        "joulemark footprint",
        "joulemark footprint hmac-sha256 cmac-aes128 --target mcu:atmega128",
        "joulemark footprint 'chaskey-*' --json",
        "joulemark footprint --workers 4",
    ),
)
