# SPDX-License-Identifier: Apache-2.0
"""The command `joulemark`, made of the table of commands, as typer has it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer
from typer import TyperException
from typer.core import TyperCommand, TyperGroup

from joulemark.cli.table import (
    COMMANDS,
    PRINTED,
    PURPOSE,
    Entry,
    InterruptedRunError,
    carry_out,
    end,
)
from joulemark.errors import UsageError

if TYPE_CHECKING:
    from joulemark.cli.without_typer import BaseCommand


@cache
def _load(entry: Entry, name: str) -> Any:
    """Imports the command's module, and makes the command."""
    part = typer.Typer(rich_markup_mode=None)
    part.callback()(lambda: None)  # with a callback it is a group, however few its commands
    entry.command().add_to(part, name, entry.summary)
    made: Any = typer.main.get_group(part).commands[name]
    if call := made.callback:
        made.callback = lambda **values: carry_out(call(**values))
    return made


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


# The command `joulemark` as typer knows it, and the ways in which typer refuses a command line.


class _RefusedError(UsageError):
    """A command line that typer refused."""

    def __init__(self, sentence: str, exit_code: int) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code


class RootGroup(TyperGroup):
    """The command `joulemark`. It turns every failure of a subcommand into a line and an exit code.

    It is a command class rather than a `try` in `main`, so that tests through `CliRunner` meet the
    same behaviour as a shell.
    """

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Runs the command; in standalone mode it ends the process."""

        def call() -> Any:
            return super(RootGroup, self).main(
                args, prog_name, complete_var, False, windows_expand_args, **extra
            )

        def call_and_translate() -> Any:
            try:
                return call()
            except TyperException as error:
                context = getattr(error, "ctx", None)
                command = context.command_path if context else "joulemark"
                message = error.format_message().replace("Value error, ", "").rstrip(".")
                raise _RefusedError(f"{message} (see {command} --help)", error.exit_code) from None
            except typer.Abort:
                raise _RefusedError("aborted", 1) from None

        return end(call_and_translate) if standalone_mode else call()

    def invoke(self, ctx: Any) -> Any:
        """Runs the subcommand; typer would end silently on Ctrl-C."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise InterruptedRunError("interrupted") from None


class _Joulemark(RootGroup, LazyGroup):
    """The command `joulemark`, with the commands of the table."""

    TABLE = COMMANDS


app = typer.Typer(
    name="joulemark",
    cls=_Joulemark,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _printing(name: str) -> Any:
    """An option that prints the line of `PRINTED` and ends the command."""

    def show(wanted: bool) -> None:
        if wanted:
            typer.echo(PRINTED[name].text)
            raise typer.Exit

    return typer.Option(name, callback=show, is_eager=True, help=PRINTED[name].help)


@app.callback(invoke_without_command=True, help=PURPOSE)
def _joulemark(
    context: typer.Context,
    version: Annotated[bool, _printing("--version")] = False,  # noqa: ARG001 - prints by itself
    include_dir: Annotated[bool, _printing("--include-dir")] = False,  # noqa: ARG001
    library_dir: Annotated[bool, _printing("--library-dir")] = False,  # noqa: ARG001
    cmake_dir: Annotated[bool, _printing("--cmake-dir")] = False,  # noqa: ARG001
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run() -> None:
    """Runs the command that this process was given, and ends the process."""
    app(prog_name="joulemark")


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
