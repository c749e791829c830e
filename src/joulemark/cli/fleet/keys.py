# SPDX-License-Identifier: Apache-2.0
"""`joulemark fleet keys`: a file by which members of a fleet know one another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.cli.shared.command import Command
from joulemark.fleet.serving import write_keys
from joulemark.foreign.text import visible


def keys(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file, in PEM form.")],
) -> None:
    """Make the file of keys by which members know one another.

    Scheduler, workers and the commands that ask them name it with --fleet-keys, each a copy of the
    same file. Whoever has the file takes part, and so runs code on every member: copy it to
    machines of yours alone, over encrypted connections. It serves for a year.
    """
    write_keys(file)
    typer.echo(f"{visible(str(file))} has the keys; name it with --fleet-keys on each machine")


COMMAND: Final = Command(keys, ("joulemark fleet keys fleet.pem",))
