# SPDX-License-Identifier: Apache-2.0
"""Live progress on standard error: what is done now, how much is done, time left."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from joulemark.records.failure import Failure
from joulemark.records.trial import Trial
from joulemark.units import format_bytes

__all__ = ["ProgressBar", "RunProgress"]

_SPEED_OVER_S = 60.0
"""Long enough for a steady speed; the first round also calibrates, and must not count for ever."""


class ProgressBar:
    """A bar on a terminal; elsewhere only lines for what failed.

    Args:
        console: where it is drawn.
        first: shown until the first step is done.
        unit: plural of what is counted, as in "visits".
        speed_over_s: the time left is estimated from the speed of this many last seconds.
    """

    def __init__(
        self, console: Console, first: str, unit: str, *, speed_over_s: float = 30.0
    ) -> None:
        self._console = console
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn(f"{unit},"),
            TimeRemainingColumn(compact=True),
            TextColumn("left"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
            speed_estimate_period=speed_over_s,
        )
        self._task = self._progress.add_task(first, total=None)

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

    def move(self, done: int, total: int, text: str | None = None) -> None:
        """Moves the bar; the words before it stay without a text."""
        self._progress.update(self._task, total=total, completed=done, description=text)

    def report(self, what: str, reason: str) -> None:
        """Prints a failure at once, so that a long run can be stopped early."""
        self._console.print(
            f"joulemark: {what}: {reason}", markup=False, highlight=False, soft_wrap=True
        )


class RunProgress(ProgressBar):
    """A `RunObserver` that draws a bar, or prints failures only where there is no terminal."""

    def __init__(self, console: Console) -> None:
        super().__init__(
            console, "opening the implementations", "visits", speed_over_s=_SPEED_OVER_S
        )

    def started(self, run_id: int, total: int, kept: int) -> None:
        """Says whether this run goes on from an earlier one."""
        if kept:
            self._console.print(
                f"going on with run {run_id}: {kept} of {total} visits are in the store already"
            )
        self.move(kept, total)

    def sampled(self, done: int, total: int, trial: Trial) -> None:
        """Moves the bar."""
        text = f"{trial.implementation}, {trial.workload.text}"
        self.move(done, total, f"{text:<42.42}")

    def metered(self, done: int, total: int, what: str) -> None:
        """Moves the bar through the energy windows, which follow the samples."""
        text = f"energy: {what}"
        self.move(done, total, f"{text:<42.42}")

    def simulated(self, done: int, total: int, trial: Trial) -> None:
        """Moves the bar through the trials of hardware cores, which come last."""
        text = f"simulated: {trial.implementation}, {trial.workload.text}"
        self.move(done, total, f"{text:<42.42}")

    def failed(self, failure: Failure) -> None:
        """Prints a failure at once, so that a long run can be stopped early."""
        size = None if failure.broken else failure.size_bytes
        at = "" if size is None else f" at {format_bytes(size)}"
        self.report(f"{failure.implementation}{at}: {failure.kind.value}", failure.reason)
