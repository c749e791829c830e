# SPDX-License-Identifier: Apache-2.0
"""A group of commands as plain data, the `COMMAND` of its module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import typer

from joulemark.cli.lazy import LazyGroup
from joulemark.cli.shared.command import last_part
from joulemark.cli.table import Entry


@dataclass(frozen=True, slots=True)
class CommandGroup:
    """A group; its help is the summary of the table that has it."""

    table: Mapping[str, Entry]
    examples: tuple[str, ...]
    """Command lines."""
    alone: Callable[[], None] | None = None
    """Called where no command of the group is named; None: that is refused, or shows the help."""
    help_alone: bool = False
    """Whether the help is shown where no command is named."""
    kind: type[LazyGroup] = LazyGroup

    def add_to(self, app: typer.Typer, name: str, summary: str) -> None:
        """Adds the group to `app` under that name."""
        group = typer.Typer(
            name=name,
            cls=type(self.kind.__name__, (self.kind,), {"TABLE": self.table}),
            rich_markup_mode=None,
            help=summary,
            epilog=last_part(self.examples),
            no_args_is_help=self.help_alone,
            invoke_without_command=self.alone is not None,
        )
        alone = self.alone
        if alone is not None:

            def call_alone(context: typer.Context) -> None:
                if context.invoked_subcommand is None:
                    alone()

            group.callback()(call_alone)
        app.add_typer(group)
