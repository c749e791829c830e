# SPDX-License-Identifier: Apache-2.0
"""`joulemark report`: a stored run as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import DEFAULT_STORE, RUN_OPTION, STORE_OPTION
from joulemark.cli.shared.stored_results import stored_results
from joulemark.report.page.html import write_html


def report(
    *,
    run: Annotated[int | None, RUN_OPTION] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Write here.")
    ] = Path("report.html"),
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
) -> None:
    """Write a stored run as one HTML page with charts, which opens without a network."""
    write_html(stored_results(store, run, raw=False), output)
    typer.echo(f"{output} written", err=True)


COMMAND: Final = Command(
    report, ("joulemark report", "joulemark report --run 3 --output node-a.html")
)
