# SPDX-License-Identifier: Apache-2.0
"""Options of every study of hardware cores, and the core flow that they lead to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console

from joulemark.cli.endings import InterruptedRunError
from joulemark.cli.shared.measuring_options import JSON_OPTION
from joulemark.cli.shared.point_progress import PointProgress
from joulemark.environment import Environment
from joulemark.hardware.flow.cache import default_folder
from joulemark.studies.core_equipment import CoreEquipment, memory_of, reporter
from joulemark.studies.files import prepare_folder


@dataclass(frozen=True, slots=True)
class CoreStudyOptions:
    """Where the files go, and where finished points are kept."""

    output: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for the page and the figures; named as the paper unless given.",
        ),
    ] = None
    cache: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Where finished points are kept, so that the same command goes on."
        ),
    ] = None
    json_: Annotated[bool, JSON_OPTION] = False

    @contextmanager
    def equipment(self, folder: Path, _environment: Environment) -> Iterator[CoreEquipment]:
        """The core flow, which keeps every finished point.

        Args:
            folder: for the files of the study; it is made.
        """
        prepare_folder(folder)
        cache = self.cache or default_folder()
        try:
            with PointProgress(Console(stderr=True)) as progress:
                yield CoreEquipment(
                    lambda seeds: reporter(cache, seeds=seeds, observe=progress.observed), memory_of
                )
        except KeyboardInterrupt:
            raise InterruptedRunError(
                f"stopped; finished points are in {cache}, and the same command goes on"
            ) from None


OPTIONS: Final = CoreStudyOptions
"""Looked up by `study_command` for a study whose equipment this is."""
