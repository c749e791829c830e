# SPDX-License-Identifier: Apache-2.0
"""`joulemark footprint`: what our kernels take of microcontrollers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated

import typer

from joulemark.cli.shared.options import JSON_OPTION, PATTERN_ARGUMENT
from joulemark.cli.shared.terminal import columns, examples, heading, print_json
from joulemark.errors import ImplementationError, UnavailableError, UsageError
from joulemark.firmware.footprint import footprint
from joulemark.firmware.programs.kernel_sources import every_implementation
from joulemark.firmware.programs.target import Target, target_named, targets
from joulemark.firmware.run import count
from joulemark.firmware.simulators import simulator_of
from joulemark.measure.firmware.found import chosen_firmware
from joulemark.records.firmware import Footprint

__all__ = ["register", "show_footprints"]

FOOTPRINT_VERSION = 1
"""Of the JSON that `footprint` writes."""
_HEADINGS = ("implementation", "code", "constants", "static RAM", "key state", "stack", "")
_MESSAGE_BYTES = 64
"""For which the stack is looked at; it does not depend on the length."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One implementation on one target."""

    target: str
    implementation: str
    sizes: Footprint | None
    stack_bytes: int | None
    reason: str
    """Why something is missing; else empty."""

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        sizes = asdict(self.sizes) if self.sizes else dict.fromkeys(Footprint.__slots__)
        return {
            "target": self.target, "implementation": self.implementation, **sizes,
            "stack_bytes": self.stack_bytes, "reason": self.reason or None,
        }  # fmt: skip

    def cells(self) -> tuple[str, ...]:
        """For people, in the order of the headings."""
        sizes = self.sizes
        numbers = (
            (None,) * 4
            if sizes is None
            else (sizes.code_bytes, sizes.constant_bytes, sizes.static_ram_bytes, sizes.state_bytes)
        )
        shown = ("-" if one is None else str(one) for one in (*numbers, self.stack_bytes))
        return (self.implementation, *shown, self.reason)


def register(app: typer.Typer) -> None:
    """Adds `footprint`."""
    app.command(
        "footprint",
        epilog=examples(
            "joulemark footprint",
            "joulemark footprint hmac-sha256 cmac-aes128 --target mcu:atmega128",
            "joulemark footprint 'chaskey-*' --json",
        ),
    )(show_footprints)


def show_footprints(
    patterns: Annotated[list[str] | None, PATTERN_ARGUMENT] = None,
    target: Annotated[
        str, typer.Option(help="Microcontrollers, as in mcu:atmega128,mcu:cortex-m4; all of them.")
    ] = "",
    as_json_text: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """Show what our kernels take of microcontrollers' memories: code, constants, RAM, stack.

    Compiled and linked for each target. The stack is that of a message of 64 bytes in the target's
    simulator; where that is not here, the other sizes stand.
    """
    chosen = [target_named(one.strip()) for one in target.split(",")] if target else _all()
    names = chosen_firmware(tuple(patterns or ()))
    rows = [_row(one, name) for one in chosen for name in names]
    if as_json_text:
        print_json({"schema_version": FOOTPRINT_VERSION,
                    "footprints": [one.as_dict() for one in rows]})  # fmt: skip
        return
    for one in chosen:
        _print(one, [row for row in rows if row.target == one.name])


def _all() -> list[Target]:
    return list(targets().values())


def _print(target: Target, rows: Sequence[_Row]) -> None:
    memory = target.memory
    heading(f"{target.name}: {target.title}, {memory.flash_bytes} bytes of flash, "
            f"{memory.ram_bytes} of RAM")  # fmt: skip
    columns([_HEADINGS, *(row.cells() for row in rows)], right=(1, 2, 3, 4, 5), prose=(6,))
    typer.echo("")


def _row(target: Target, name: str) -> _Row:
    kernel = every_implementation()[name]
    try:
        sizes = footprint(target, kernel)
    except (UnavailableError, ImplementationError) as error:
        return _Row(target.name, name, None, None, str(error))
    lacking = simulator_of(target).missing(target)
    if lacking is not None:
        return _Row(target.name, name, sizes, None, f"the stack {lacking}")
    try:
        found = count(target, kernel, (_MESSAGE_BYTES,))
    except (UnavailableError, ImplementationError, UsageError) as error:
        return _Row(target.name, name, sizes, None, f"without a stack: {error}")
    one = found.counts.get(_MESSAGE_BYTES)
    reason = found.refused.get(_MESSAGE_BYTES, "")
    return _Row(target.name, name, sizes, None if one is None else one.stack_bytes, reason)
