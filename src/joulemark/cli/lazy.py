# SPDX-License-Identifier: Apache-2.0
"""Groups whose commands are imported when they are called, or asked for their help.

A group knows of each command its module and the summary that the group's own help shows. So a
module imports at its top all that it needs, and `joulemark --help` imports none of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from joulemark.cli.table import Entry


@cache
def _load(entry: Entry, name: str) -> Any:
    """Imports the command's module, and makes the command."""
    part = typer.Typer(rich_markup_mode=None)
    part.callback()(_nothing)  # with a callback it is a group, however few its commands
    entry.command().add_to(part, name, entry.summary)
    made: Any = typer.main.get_group(part).commands[name]
    if entry.body is not None:
        call = made.callback
        made.callback = lambda **values: entry.carry_out(call(**values))
    return made


def _nothing() -> None:
    """Callback of a group that is never called."""


class _Commands(Mapping[str, Any]):
    """Name -> command. To look a command up imports its module; to list the names does not."""

    def __init__(self, table: Mapping[str, Entry]) -> None:
        self._table = table

    def __getitem__(self, name: str) -> Any:
        return _load(self._table[name], name)

    def __contains__(self, name: object) -> bool:
        return name in self._table

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)


class _StandIn(TyperCommand):
    """Has a command's summary, and becomes the command when it is given its arguments."""

    def __init__(self, name: str, entry: Entry) -> None:
        super().__init__(name, help=entry.summary, rich_markup_mode=None)
        self._entry = entry

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        """The context of the command itself."""
        command = _load(self._entry, str(self.name))
        return command.make_context(info_name, args, parent=parent, **extra)


class LazyGroup(TyperGroup):
    """A group with a table of commands. `commands` has the commands themselves."""

    TABLE: ClassVar[Mapping[str, Entry]]
    """Name -> entry, in the order in which help shows the commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = _Commands(self.TABLE)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - typer's
        """The names, in the order of the table."""
        return [*self.TABLE]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - typer's
        """A stand-in for the command until it is called; None if no command has that name."""
        entry = self.TABLE.get(cmd_name)
        return None if entry is None else _StandIn(cmd_name, entry)
