# SPDX-License-Identifier: Apache-2.0
"""`joulemark reproduce michail2005`: merged rounds in an open flow, claim by claim."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from joulemark.cli.reproduce import options as study_options
from joulemark.cli.reproduce.flow import flow
from joulemark.cli.reproduce.outcome import show_outcome
from joulemark.cli.shared import options
from joulemark.cli.shared.terminal import examples
from joulemark.studies.files import prepare_folder, write_files
from joulemark.studies.michail2005.reproduce import reproduce

__all__ = ["register"]

PAPER = "michail2005"


def michail2005(
    liberty: Annotated[Path | None, study_options.LIBERTY_OPTION] = None,
    corner: Annotated[
        list[Path] | None,
        typer.Option(
            "--corner",
            metavar="FILE",
            help="The same library at another corner, to test the argument about voltage; may be "
            "given several times.",
            show_default=False,
        ),
    ] = None,
    fpga: Annotated[
        bool, typer.Option("--fpga/--no-fpga", help="Whether to place and route on an ECP5 too.")
    ] = True,
    seeds: Annotated[int, study_options.SEEDS_OPTION] = 1,
    output: Annotated[Path | None, study_options.OUTPUT_OPTION] = None,
    cache: Annotated[Path | None, study_options.CACHE_OPTION] = None,
    json_: Annotated[bool, options.JSON_OPTION] = False,
) -> None:
    """A pipelined HMAC-SHA-256 with two rounds merged: throughput, area and power, part by part."""
    folder = output or Path(PAPER)
    prepare_folder(folder)
    with flow(cache, seeds=seeds) as (reporter, machine):
        outcome = reproduce(
            reporter, liberty, machine=machine, corners=tuple(corner or ()), fpga=fpga
        )
    show_outcome(outcome, write_files(outcome, folder), json_=json_)


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(
        epilog=study_options.EXIT_CODES
        + "\n"
        + examples(
            "joulemark reproduce michail2005 --no-fpga",
            "joulemark reproduce michail2005 --liberty typical.lib --corner slow.lib",
        )
    )(michail2005)
