# SPDX-License-Identifier: Apache-2.0
"""`joulemark report`: a stored run as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from joulemark.cli.shared.options import DEFAULT_STORE, RUN_OPTION, STORE_OPTION
from joulemark.cli.shared.stored_results import stored_results
from joulemark.cli.shared.terminal import examples
from joulemark.report.page.html import write_html

__all__ = ["register", "report"]


def register(app: typer.Typer) -> None:
    """Adds `report`."""
    app.command(
        epilog=examples("joulemark report", "joulemark report --run 3 --output node-a.html")
    )(report)


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
