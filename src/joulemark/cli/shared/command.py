# SPDX-License-Identifier: Apache-2.0
"""A command as plain data, the `COMMAND` of its module.

    def runs(store: Annotated[str, STORE_OPTION] = DEFAULT_STORE) -> None: ...

    COMMAND: Final = Command(runs, ("joulemark runs",))

`joulemark.cli.lazy` makes a command of typer of it when the command is called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import typer

from joulemark.cli.shared.option_groups import with_option_groups

__all__ = ["Command", "last_part"]


@dataclass(frozen=True, slots=True)
class Command:
    """A command; the docstring of its function is its help."""

    function: Callable[..., Any]
    """Its parameters carry typer's declarations, or are groups of options (`option_groups`). It
    returns the exit code, None for 0, or a request to the body that the table names."""
    examples: tuple[str, ...]
    """Command lines."""
    notes: tuple[str, ...] = ()
    """Paragraphs of the help before the examples, such as the exit codes. One whose first line is
    a backspace keeps its lines."""
    settings: Mapping[str, Any] | None = None
    """Click's settings of the command's context."""

    def add_to(self, app: typer.Typer, name: str, _summary: str) -> None:
        """Adds the command to `app` under that name."""
        settings = None if self.settings is None else {**self.settings}
        epilog = last_part(self.examples, self.notes)
        add = app.command(name, epilog=epilog, context_settings=settings)
        add(with_option_groups(self.function))


def last_part(examples: tuple[str, ...], notes: tuple[str, ...] = ()) -> str:
    """The last part of a help text: notes, then examples."""
    shown = "\n".join(["\b", "Examples:", *(f"  {example}" for example in examples)])
    return "\n\n".join((*notes, shown))
