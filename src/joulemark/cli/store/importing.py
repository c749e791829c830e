# SPDX-License-Identifier: Apache-2.0
"""`joulemark import`: runs of other machines into the store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.analyse.importing import ImportedFile, put_into, read_export
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import DEFAULT_STORE, STORE_OPTION
from joulemark.foreign.text import visible
from joulemark.store.repository import Store


def import_files(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="JSON that 'joulemark export --raw' wrote, of any version."
        ),
    ],
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
) -> None:
    """Add runs that other machines exported to the store, each once.

    Figures are computed again from the raw samples. A file without raw samples is kept too; its
    figures are shown as published. If one file is refused, none is imported.
    """
    read = [read_export(path) for path in files]
    with Store.open(store) as target:
        for path, file in zip(files, read, strict=True):
            typer.echo(f"{visible(str(path))}: {_outcome_words(file, put_into(target, file))}")


def _outcome_words(file: ImportedFile, number: int | None) -> str:
    if file.content is None:
        return "reports of cores, and no run"
    if number is None:
        return "the store has this run already"
    cpu = visible(str(file.content.environment.get("cpu_model") or "an unknown CPU"))
    if file.content.observations == 0:
        return f"run {number}, of {cpu}, without raw samples: its figures are published"
    return f"run {number}, of {cpu}, {file.content.observations} samples"


COMMAND: Final = Command(
    import_files,
    ("joulemark import node1.json node2.json", "joulemark import --store team.db runs/*.json"),
)
