# SPDX-License-Identifier: Apache-2.0
"""The command `joulemark`, made of the table of commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer import TyperException
from typer.core import TyperGroup

from joulemark.cli.endings import InterruptedRunError, end
from joulemark.cli.lazy import LazyGroup
from joulemark.cli.table import COMMANDS, PRINTED, PURPOSE
from joulemark.errors import UsageError

__all__ = ["COMMANDS", "RootGroup", "app"]

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
