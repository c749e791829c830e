# SPDX-License-Identifier: Apache-2.0
"""`joulemark footprint`: what our kernels take of microcontrollers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from joulemark.cli.endings import say
from joulemark.cli.shared.cluster_options import SpreadOptions
from joulemark.cli.shared.option_groups import with_option_groups
from joulemark.cli.shared.options import JSON_OPTION, PATTERN_ARGUMENT
from joulemark.cli.shared.terminal import columns, examples, heading, print_json
from joulemark.firmware.programs.target import Target, target_named, targets
from joulemark.measure.firmware.footprints import (
    FootprintAnswer,
    FootprintTask,
    SpreadFootprints,
    take_footprints,
)
from joulemark.measure.firmware.found import chosen_firmware
from joulemark.records.firmware import Footprint

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["register", "show_footprints"]

FOOTPRINT_VERSION = 1
"""Of the JSON that `footprint` writes."""
_HEADINGS = ("implementation", "code", "constants", "static RAM", "key state", "stack", "")


@dataclass(frozen=True, slots=True)
class _Row:
    """One implementation on one target."""

    task: FootprintTask
    taken: FootprintAnswer

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        taken = self.taken
        sizes = asdict(taken.sizes) if taken.sizes else dict.fromkeys(Footprint.__slots__)
        return {
            "target": self.task.target, "implementation": self.task.implementation, **sizes,
            "stack_bytes": taken.stack_bytes, "reason": taken.reason or None,
        }  # fmt: skip

    def cells(self) -> tuple[str, ...]:
        """For people, in the order of the headings."""
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


def register(app: typer.Typer) -> None:
    """Adds `footprint`."""
    app.command(
        "footprint",
        epilog=examples(
            "joulemark footprint",
            "joulemark footprint hmac-sha256 cmac-aes128 --target mcu:atmega128",
            "joulemark footprint 'chaskey-*' --json",
            "joulemark footprint --workers 4",
        ),
    )(show_footprints)


@with_option_groups
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
    chosen = [target_named(word.strip()) for word in target.split(",")] if target else _all()
    names = chosen_firmware(tuple(patterns or ()))
    tasks = [FootprintTask(name, machine.name) for machine in chosen for name in names]
    with spread.client() as client:
        taken = take_footprints(tasks, _over(client))
    rows = [_Row(task, footprint) for task, footprint in zip(tasks, taken, strict=True)]
    if as_json_text:
        print_json({"schema_version": FOOTPRINT_VERSION,
                    "footprints": [row.as_dict() for row in rows]})  # fmt: skip
        return
    for machine in chosen:
        _print(machine, [row for row in rows if row.task.target == machine.name])


def _all() -> list[Target]:
    return list(targets().values())


def _print(target: Target, rows: Sequence[_Row]) -> None:
    memory = target.memory
    heading(f"{target.name}: {target.title}, {memory.flash_bytes} bytes of flash, "
            f"{memory.ram_bytes} of RAM")  # fmt: skip
    columns([_HEADINGS, *(row.cells() for row in rows)], right=(1, 2, 3, 4, 5), prose=(6,))
    typer.echo("")


def _over(client: Client | None) -> SpreadFootprints | None:
    if client is None:
        return None
    from joulemark.fleet.firmware import footprints_over  # noqa: PLC0415 - an extra

    return footprints_over(client, say)
