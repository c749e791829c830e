# SPDX-License-Identifier: Apache-2.0
"""Live progress of a run on standard error: what is measured now, visits done, time left."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from joulemark.records.failure import Failure
from joulemark.records.trial import Trial
from joulemark.units import format_bytes

__all__ = ["RunProgress"]

_SPEED_OVER_S = 60.0
"""The time left is estimated from the speed of this many last seconds: the first round also
calibrates, and must not count for ever."""


class RunProgress:
    """A `RunObserver` that draws a bar, or prints failures only where there is no terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("visits,"),
            TimeRemainingColumn(compact=True),
            TextColumn("left"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
            speed_estimate_period=_SPEED_OVER_S,
        )
        self._task = self._progress.add_task("opening the implementations", total=None)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def started(self, run_id: int, total: int, kept: int) -> None:
        """Says whether this run goes on from an earlier one."""
        if kept:
            self._console.print(
                f"going on with run {run_id}: {kept} of {total} visits are in the store already"
            )
        self._progress.update(self._task, total=total, completed=kept)

    def sampled(self, done: int, total: int, trial: Trial) -> None:
        """Moves the bar."""
        text = f"{trial.implementation}, {trial.workload.text}"
        self._progress.update(self._task, total=total, completed=done, description=f"{text:<42.42}")

    def metered(self, done: int, total: int, what: str) -> None:
        """Moves the bar through the energy windows, which follow the samples."""
        text = f"energy: {what}"
        self._progress.update(self._task, total=total, completed=done, description=f"{text:<42.42}")

    def simulated(self, done: int, total: int, trial: Trial) -> None:
        """Moves the bar through the trials of hardware cores, which come last."""
        text = f"simulated: {trial.implementation}, {trial.workload.text}"
        self._progress.update(self._task, total=total, completed=done, description=f"{text:<42.42}")

    def failed(self, failure: Failure) -> None:
        """Prints a failure at once, so that a long run can be stopped early."""
        size = None if failure.broken else failure.size_bytes
        at = "" if size is None else f" at {format_bytes(size)}"
        self._console.print(
            f"joulemark: {failure.implementation}{at}: {failure.kind.value}: {failure.reason}",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
