# SPDX-License-Identifier: Apache-2.0
"""`joulemark store size`: how much a store holds."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Final

import typer

from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import DEFAULT_STORE, JSON_OPTION, STORE_OPTION
from joulemark.cli.shared.stored import opened
from joulemark.cli.shared.terminal import columns, print_json
from joulemark.store.reading import size_of
from joulemark.units import format_bytes

SIZE_VERSION: Final = 1
"""Version of the JSON that `store size` prints."""


def size(
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
    as_json: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """Say how much a store holds, and how large it is."""
    with opened(store) as found:
        whole = size_of(found)
        location = found.location
    if as_json:
        print_json({"schema_version": SIZE_VERSION, "store": location, **asdict(whole)})
        return
    typer.echo(f"{location}: {format_bytes(whole.size_bytes)}")
    rows = [
        (
            table.name,
            str(table.rows),
            "" if table.size_bytes is None else format_bytes(table.size_bytes),
        )
        for table in whole.tables
    ]
    columns([("table", "rows", "with indexes" if rows[0][2] else ""), *rows], right=(1, 2))


COMMAND: Final = Command(size, ("joulemark store size", "joulemark store size --json"))
