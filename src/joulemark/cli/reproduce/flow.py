# SPDX-License-Identifier: Apache-2.0
"""The flow of cores for a study, with its progress on the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from joulemark.cli.refusals import InterruptedRunError
from joulemark.environment import capture
from joulemark.hardware.flow.cache import default_folder
from joulemark.hardware.flow.points import Outcome
from joulemark.studies.core_figures import CoreReporter
from joulemark.studies.flow_of_cores import reporter

__all__ = ["flow"]


@contextmanager
def flow(cache: Path | None, *, seeds: int) -> Iterator[tuple[CoreReporter, str]]:
    """A reporter that keeps every finished point, and the machine in words.

    Args:
        cache: where points are kept; the user's cache folder unless given.
        seeds: of the placer, for points on an FPGA.

    Raises:
        InterruptedRunError: the user pressed Ctrl-C; the message says what is kept.
    """
    console = Console(stderr=True)
    folder = cache or default_folder()

    def observe(outcome: Outcome, done: int, total: int) -> None:
        state = "kept" if outcome.kept else "done" if outcome.report is not None else "failed"
        console.print(f"{done}/{total} {outcome.point.text}: {state}", highlight=False)

    machine = str(capture().as_dict().get("cpu_model") or "an unnamed CPU")
    try:
        yield reporter(folder, seeds=seeds, observe=observe), machine
    except KeyboardInterrupt:
        raise InterruptedRunError(
            f"stopped; finished points are in {folder}, and the same command goes on"
        ) from None
