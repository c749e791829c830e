# SPDX-License-Identifier: Apache-2.0
"""Options that the studies of hardware share."""

from __future__ import annotations

from typing import Any, Final

import typer

__all__ = ["CACHE_OPTION", "EXIT_CODES", "LIBERTY_OPTION", "OUTPUT_OPTION", "SEEDS_OPTION"]

EXIT_CODES: Final = """\b
Exit codes:
  0    done, whatever the verdicts are
  2    refused, or a part that was asked for could not be done, such as a core
       whose tools are missing (the rest is shown, and written)
  130  interrupted; finished points are kept and the same command goes on
"""
LIBERTY_OPTION: Final[Any] = typer.Option(
    "--liberty",
    metavar="FILE",
    help="Cell library for area, timing and power; without it there are clocks, and area in "
    "generic gates.",
    show_default=False,
)
OUTPUT_OPTION: Final[Any] = typer.Option(
    "--output",
    metavar="DIR",
    help="Folder for the page and the figures; named as the paper unless given.",
    show_default=False,
)
CACHE_OPTION: Final[Any] = typer.Option(
    "--cache",
    metavar="DIR",
    help="Where finished points are kept, so that the same command goes on.",
    show_default=False,
)
SEEDS_OPTION: Final[Any] = typer.Option(
    "--seeds", metavar="N", help="Seeds of the placer on the FPGA; the clock is their median."
)
