# SPDX-License-Identifier: Apache-2.0
"""Puts the command groups together."""

from __future__ import annotations

from typing import Annotated

import typer

from joulemark import __version__
from joulemark.cli import (
    bench,
    check,
    compare,
    core,
    doctor,
    energy,
    export,
    listing,
    meter,
    reproduce,
    runs,
    show,
    tag,
    test,
)
from joulemark.cli.refusals import Group

__all__ = ["app"]

app = typer.Typer(
    name="joulemark",
    cls=Group,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"joulemark {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _joulemark(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 - its callback does the work
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """What authenticating a message costs on this machine, and code that makes it cost less."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


# In the order in which --help shows them.
for group in (listing, show, doctor, meter, test, bench, energy, compare, check, reproduce, runs,
              export, tag, core):  # fmt: skip
    group.register(app)
