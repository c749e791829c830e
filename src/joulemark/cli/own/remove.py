# SPDX-License-Identifier: Apache-2.0
"""`joulemark remove`: takes away what `joulemark add` kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.cli.own.own_options import FOLDER_OPTION, folder_of, kept_by_name
from joulemark.cli.shared.command import Command
from joulemark.errors import UnavailableError, UsageError
from joulemark.foreign.text import shortened, visible
from joulemark.measure.worker.sources import forget_plugin
from joulemark.spelling import did_you_mean


def remove(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME...", help="As 'joulemark added' lists them: sha256/mine."),
    ],
    folder: Annotated[Path | None, FOLDER_OPTION] = None,
) -> None:
    """Take away what was added. Stored runs of it stay."""
    place = folder_of(folder)
    kept = kept_by_name(place)
    for name in names:
        if name not in kept:
            raise UsageError(
                f"'{shortened(name)}' was not added{did_you_mean(name, kept)} (joulemark added "
                "lists what was)"
            )
    for name in dict.fromkeys(names):
        try:
            forget_plugin(kept[name][0])
        except OSError as error:
            raise UnavailableError(
                f"{visible(name)} cannot be taken from {kept[name][0]} ({error.strerror})"
            ) from None
        typer.echo(f"{visible(name)} is gone")


COMMAND: Final = Command(
    remove, ("joulemark remove sha256/mine", "joulemark remove sha256/mine-gcc sha256/mine-clang")
)
