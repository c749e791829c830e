# SPDX-License-Identifier: Apache-2.0
"""`joulemark added`: what the user keeps, and what it was made of."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from joulemark.cli.own.own_options import FOLDER_OPTION, folder_of, kept_by_name
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import JSON_OPTION
from joulemark.cli.shared.terminal import columns, heading, print_json
from joulemark.foreign.text import visible
from joulemark.measure.worker.sources import BrokenEntry, UserPlugin

ADDED_VERSION = 1
"""Version of the JSON that `--json` prints."""


def added(
    folder: Annotated[Path | None, FOLDER_OPTION] = None,
    as_json: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """List what was added, with compiler, flags and sources.

    'joulemark remove NAME' takes one of them away.
    """
    place = folder_of(folder)
    kept = kept_by_name(place)
    if as_json:
        entries = [_entry(name, *path_and_entry) for name, path_and_entry in sorted(kept.items())]
        print_json({"schema_version": ADDED_VERSION, "folder": str(place), "added": entries})
        return
    if not kept:
        typer.echo(f"nothing was added; joulemark add puts plugins into {visible(str(place))}")
        return
    for name, (path, entry) in sorted(kept.items()):
        heading(visible(name))
        columns(_rows(path, entry), prose=(1,))


def _entry(name: str, path: Path, entry: UserPlugin | BrokenEntry) -> dict[str, Any]:
    values = {"name": name, "path": str(path)}
    if isinstance(entry, BrokenEntry):
        return {**values, "damaged": entry.reason, "plugin": None}
    return {**values, "damaged": None, "plugin": asdict(entry)}


def _rows(path: Path, entry: UserPlugin | BrokenEntry) -> list[tuple[str, str]]:
    rows = [("kept", visible(str(path)))]
    if isinstance(entry, BrokenEntry):
        return [("damaged", visible(entry.reason)), *rows]
    made = entry.made_from
    if made is None:
        return [("provider", visible(entry.title)), *rows]
    sources = ", ".join(f"{file.name} {file.sha256[:12]}..." for file in made.sources)
    return [
        ("function", visible(f"{made.function}({made.signature.replace(',', ', ')})")),
        ("compiled", visible(f"{made.compiler}, {made.flags or 'no flags'}")),
        ("sources", visible(sources)),
        ("added", visible(made.added)),
        *rows,
    ]


COMMAND: Final = Command(added, ("joulemark added", "joulemark added --json"))
