# SPDX-License-Identifier: Apache-2.0
"""The command `joulemark`, made of the table of commands."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from joulemark.cli.lazy import LazyGroup
from joulemark.cli.refusals import Group
from joulemark.cli.table import COMMANDS, PRINTED, PURPOSE

__all__ = ["COMMANDS", "app"]


class _Joulemark(Group, LazyGroup):
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
