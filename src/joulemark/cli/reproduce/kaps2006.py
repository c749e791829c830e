# SPDX-License-Identifier: Apache-2.0
"""`joulemark reproduce kaps2006`: the paper's two cores in an open flow, and its packets."""

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
from joulemark.studies.flow_of_cores import memory_of
from joulemark.studies.kaps2006.reproduce import reproduce

__all__ = ["register"]

PAPER = "kaps2006"


def kaps2006(
    hardware: Annotated[
        bool,
        typer.Option(
            "--hardware",
            help="Simulate, map and weigh the cores; else the packets rest on the paper's figures.",
        ),
    ] = False,
    liberty: Annotated[Path | None, study_options.LIBERTY_OPTION] = None,
    output: Annotated[Path | None, study_options.OUTPUT_OPTION] = None,
    cache: Annotated[Path | None, study_options.CACHE_OPTION] = None,
    json_: Annotated[bool, options.JSON_OPTION] = False,
) -> None:
    """Serial SHA-1 and AES-128 for microwatts: clocks, area, power, and energy of a packet."""
    folder = output or Path(PAPER)
    prepare_folder(folder)
    with flow(cache, seeds=1) as (reporter, machine):
        outcome = reproduce(
            reporter if hardware else None, liberty, machine=machine, memory=memory_of
        )
    show_outcome(outcome, write_files(outcome, folder), json_=json_)


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(
        epilog=study_options.EXIT_CODES
        + "\n"
        + examples(
            "joulemark reproduce kaps2006",
            "joulemark reproduce kaps2006 --hardware --liberty sg13g2_stdcell_typ_1p20V_25C.lib",
        )
    )(kaps2006)
