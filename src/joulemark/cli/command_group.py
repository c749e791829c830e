# SPDX-License-Identifier: Apache-2.0
"""Groups whose commands are imported when they are called, or asked for their help.

A group knows of each command its module and the summary that the group's own help shows. So a
module imports at its top all that it needs, and `joulemark --help` imports none of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from joulemark.cli.shared.command import last_part
from joulemark.cli.table import Entry

if TYPE_CHECKING:
    from joulemark.cli.base import BaseCommand


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


# A group as plain data, the `COMMAND` of its module.


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


# Commands of the base installation, which read their words themselves.


@dataclass(frozen=True, slots=True)
class PassedOn:
    """A command of the base installation, of which typer knows what it takes, for <Tab>."""

    base: BaseCommand

    def add_to(self, app: typer.Typer, name: str, summary: str) -> None:
        """Adds the command to `app` under that name."""
        parameters = [
            inspect.Parameter(
                "word",
                inspect.Parameter.KEYWORD_ONLY,
                annotation=Annotated[str, typer.Argument(autocompletion=self.base.names)],
            )
        ]
        for option, declaration in self.base.options.items():
            kind = bool if "action" in declaration else str
            parameters.append(
                inspect.Parameter(
                    option.strip("-").replace("-", "_"),
                    inspect.Parameter.KEYWORD_ONLY,
                    default=kind(),
                    annotation=Annotated[kind, typer.Option(option, help=declaration["help"])],
                )
            )

        def known(**_: Any) -> None:
            """Never called."""

        vars(known)["__signature__"] = inspect.Signature(parameters)
        known.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        own = type("_Words", (_Words,), {"BASE": self.base})
        app.command(name, cls=own, help=summary)(known)


class _Words(TyperCommand):
    """A command that gets its words as they are; typer reads them only where <Tab> was pressed."""

    BASE: ClassVar[BaseCommand]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Keeps the words."""
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        ctx.args = args
        return args

    def invoke(self, ctx: Any) -> int:
        """Runs the command; returns the exit code."""
        return self.BASE.run(ctx.command_path, ctx.args)

    def get_help(self, ctx: Any) -> str:
        """The command's own help."""
        return self.BASE.parser(ctx.command_path, ctx.terminal_width).format_help()
