# SPDX-License-Identifier: Apache-2.0
"""The table of commands, and the command `joulemark` made of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark import __version__
from joulemark.cli.lazy import Entry, LazyGroup
from joulemark.cli.refusals import Group

__all__ = ["COMMANDS", "app"]

_C_LIBRARY: Final = Path(__file__).parents[1] / "data" / "c"
"""Where `kernels/mac/CMakeLists.txt` installs headers and library of a wheel."""
_RUN: Final = "joulemark.cli.run"
COMMANDS: Final = {
    "list": Entry(f"{_RUN}.listing", "List algorithms and what implements them here."),
    "show": Entry(
        f"{_RUN}.show",
        "Show one algorithm: standard, status, sizes, sources, test vectors, implementations.",
    ),
    "doctor": Entry(
        f"{_RUN}.doctor",
        "Say what can be measured on this machine, how finely, and why not the rest.",
    ),
    "meter": Entry(
        "joulemark.cli.energy.meter", "Show the power of each domain of an energy meter, live."
    ),
    "test": Entry(
        f"{_RUN}.test",
        "Check that implementations are correct, thoroughly and without timing them.",
    ),
    "checksum": Entry(
        f"{_RUN}.checksum", "Print the checksum by which eBACS's SUPERCOP knows an algorithm."
    ),
    "new": Entry("joulemark.cli.new.group", "Print the beginning of code of your own."),
    "bench": Entry(
        f"{_RUN}.bench",
        "Measure implementations on this machine, store every sample, show the figures.",
    ),
    "energy": Entry(
        "joulemark.cli.energy.energy",
        "Measure the energy of any command: joules with an interval, net of the idle machine.",
    ),
    "compare": Entry(
        "joulemark.cli.compare.command", "Compare two implementations in one run, or two runs."
    ),
    "check": Entry(
        "joulemark.cli.check.command",
        "Check new code against old code, for continuous integration.",
    ),
    "runs": Entry(f"{_RUN}.runs", "List the runs in the store, the oldest first."),
    "results": Entry(f"{_RUN}.results", "Show a stored run again, as bench did at its end."),
    "export": Entry(f"{_RUN}.export", "Export a stored run as JSON, CSV, Markdown or a picture."),
    "report": Entry(
        f"{_RUN}.report",
        "Write a stored run as one HTML page with charts, which opens without a network.",
    ),
    "tag": Entry(
        "joulemark.cli.tag.tag",
        "Print the authentication tag of files, in the form of sha256sum.",
    ),
    "verify": Entry("joulemark.cli.tag.verify", "Check the authentication tag of a file."),
    "reproduce": Entry(
        "joulemark.cli.reproduce.group",
        "Repeat a paper's experiment here: its figures beside ours, a verdict on each claim.",
    ),
    "core": Entry(
        "joulemark.cli.core.group",
        "Hardware cores: test them, and see their area, clock and power.",
    ),
}


class _Joulemark(Group, LazyGroup):
    """Commands of the table, which end as every command of ours does."""

    TABLE = COMMANDS


app = typer.Typer(
    name="joulemark",
    cls=_Joulemark,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"joulemark {__version__}")
        raise typer.Exit


def _show_folder(*parts: str) -> Callable[[bool], None]:
    """Callback of an option that prints a folder of the installed C library."""

    def show(wanted: bool) -> None:
        if wanted:
            typer.echo(_C_LIBRARY.joinpath(*parts))
            raise typer.Exit

    return show


@app.callback(invoke_without_command=True)
def _joulemark(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 - its callback does the work
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
    include_dir: Annotated[  # noqa: ARG001 - as above
        bool,
        typer.Option(
            "--include-dir",
            callback=_show_folder("include"),
            is_eager=True,
            help="Print the folder of the C headers and exit.",
        ),
    ] = False,
    library_dir: Annotated[  # noqa: ARG001 - as above
        bool,
        typer.Option(
            "--library-dir",
            callback=_show_folder("lib"),
            is_eager=True,
            help="Print the folder of libjoulemark.a and exit.",
        ),
    ] = False,
    cmake_dir: Annotated[  # noqa: ARG001 - as above
        bool,
        typer.Option(
            "--cmake-dir",
            callback=_show_folder("lib", "cmake", "joulemark"),
            is_eager=True,
            help="Print the folder of the CMake package (joulemark_DIR) and exit.",
        ),
    ] = False,
) -> None:
    """What authenticating a message costs on this machine, and code that makes it cost less."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
