# SPDX-License-Identifier: Apache-2.0
"""`joulemark explore`: a server of the whole store on this machine."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import DEFAULT_STORE, STORE_OPTION
from joulemark.explorer.server import serve


def explore(
    *,
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of 127.0.0.1; 0 takes any that is free.")
    ] = 8765,
) -> None:
    """Show the whole store in the browser: machines, runs, algorithms, comparisons, histories.

    The server listens on 127.0.0.1 alone and only reads. Each view has an address that can be sent
    to a colleague, and its data as CSV and JSON. Estimates are computed from the samples once, and
    kept in the user's folder of caches. Ctrl-C ends the server.
    """
    serve(store, port, lambda sentence: typer.echo(sentence, err=True))


COMMAND: Final = Command(
    explore, ("joulemark explore", "joulemark explore --store ~/lab/nodes.db --port 9000")
)
