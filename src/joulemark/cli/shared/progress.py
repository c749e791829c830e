# SPDX-License-Identifier: Apache-2.0
"""Live progress on standard error: what is done now, how much is done, time left."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Thread
from typing import TYPE_CHECKING, Final, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from joulemark.foreign import folded_text, visible
from joulemark.records import Failure
from joulemark.records.trial import Trial
from joulemark.units import format_bytes

if TYPE_CHECKING:
    from joulemark.hardware.flow.points import PointOutcome

HEARTBEAT_S: Final = 60.0
"""A log of a pipeline shows that it goes on, and an hour adds 60 lines to it."""
_SPEED_OVER_S = 60.0
"""Long enough for a steady speed; the first round also calibrates, and must not count for ever."""


class ProgressBar:
    """A bar on a terminal; elsewhere a line each minute, and lines for what failed.

    Args:
        first: shown until the first step is done.
        unit: plural of what is counted, as in "visits".
        console: where it is drawn; standard error unless given.
        speed_over_s: the time left is estimated from the speed of this many last seconds.
        clock: tells seconds, from any moment on.
    """

    def __init__(
        self,
        first: str,
        unit: str,
        *,
        console: Console | None = None,
        speed_over_s: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._console = console = console or Console(stderr=True)
        self._unit = unit
        self._clock = clock
        self._last_line = (0, clock())
        """Steps done and time of the last line that was printed where there is no terminal."""
        self._last_move = (0, clock())
        """Steps done, and time of the last step."""
        self._total = 0
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn(f"{unit},"),
            TimeRemainingColumn(compact=True),
            TextColumn("left,"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
            speed_estimate_period=speed_over_s,
        )
        self._task = self._progress.add_task(first, total=None)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def move(self, done: int, total: int, text: str | None = None) -> None:
        """Moves the bar. Without a text, the words before the bar stay."""
        self._last_move = (done, self._clock())
        self._progress.update(self._task, total=total, completed=done, description=text)
        if not self._console.is_terminal:
            self._beat(done, total)

    def _beat(self, done: int, total: int) -> None:
        """Prints each minute how much is done and, at that minute's pace, how much time is left.

        Steps of a new kind, which have another total, have a pace that is not known yet.
        """
        before, since_s = self._last_line
        now_s = self._clock()
        if total != self._total:
            self._total, self._last_line = total, (done, now_s)
            return
        if now_s - since_s < HEARTBEAT_S or done <= before:
            return
        left_s = (total - done) * (now_s - since_s) / (done - before)
        self._last_line = (done, now_s)
        left = f"{left_s / 60:.0f} min" if left_s >= HEARTBEAT_S else f"{left_s:.0f} s"
        self.tell(f"{done} of {total} {self._unit}, about {left} left")

    def report(self, what: str, reason: str) -> None:
        """Prints a failure at once, so that a long run can be stopped early."""
        self.tell(f"{what}: {reason}")

    def tell(self, sentence: str) -> None:
        """Prints a sentence above the bar."""
        said = f"joulemark: {visible(sentence)}"
        room = self._console.width if self._console.is_terminal else len(said)
        for line in folded_text(said, room, rest="  "):
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)


class StepProgress:
    """The step that a command has come to, with its seconds, on a terminal alone.

    Args:
        console: where it is drawn; standard error unless given.
    """

    def __init__(self, console: Console | None = None) -> None:
        console = console or Console(stderr=True)
        self._progress = Progress(
            TextColumn("  {task.description}", markup=False),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )

    def __enter__(self) -> Callable[[str], None]:
        """Gives the function that is told of each step."""
        self._progress.start()
        return self._begin

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def _begin(self, step: str) -> None:
        """Leaves the line of the step before, with its time, and begins another."""
        for before in self._progress.task_ids:
            self._progress.stop_task(before)
        self._progress.add_task(visible(step))


class RunProgress(ProgressBar):
    """A `RunObserver` that draws a bar, or prints a line each minute where there is no terminal."""

    def __init__(self, console: Console | None = None) -> None:
        super().__init__(
            "opening the implementations", "visits", console=console, speed_over_s=_SPEED_OVER_S
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
        self._move(done, total, f"{trial.implementation}, {trial.workload.text}")

    def metered(self, done: int, total: int, what: str) -> None:
        """Moves the bar through the energy windows, which follow the samples."""
        self._move(done, total, f"energy: {what}")

    def simulated(self, done: int, total: int, trial: Trial) -> None:
        """Moves the bar through the trials of hardware cores, which come last."""
        self._move(done, total, f"simulated: {trial.implementation}, {trial.workload.text}")

    def _move(self, done: int, total: int, text: str) -> None:
        self.move(done, total, f"{text:<42.42}")

    def failed(self, failure: Failure) -> None:
        """Prints a failure at once, so that a long run can be stopped early."""
        size = None if failure.broken else failure.size_bytes
        at = "" if size is None else f" at {format_bytes(size)}"
        self.report(f"{failure.implementation}{at}: {failure.kind.value}", failure.reason)


class PointProgress(ProgressBar):
    """A bar that counts finished points, or a line each minute where there is no terminal.

    A point may take many minutes, so the lines come while none is finished too.
    """

    def __init__(
        self, console: Console | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__("making reports", "reports", console=console, clock=clock)
        self._left = Event()

    def __enter__(self) -> Self:
        if not self._console.is_terminal:
            Thread(target=self._watch, daemon=True).start()
        return super().__enter__()

    def __exit__(self, *ending: object) -> None:
        self._left.set()
        super().__exit__(*ending)

    def _watch(self) -> None:
        while not self._left.wait(HEARTBEAT_S):
            self.still_working()

    def still_working(self) -> None:
        """Says how long no report was finished, if that is a minute or more."""
        done, since_s = self._last_move
        waited_s = self._clock() - since_s
        if waited_s >= HEARTBEAT_S:
            of = f" of {self._total}" if self._total else ""
            self.tell(f"{done}{of} reports, the next is in work for {waited_s / 60:.0f} min")

    def observed(self, outcome: PointOutcome, done: int, total: int) -> None:
        """Moves the bar; prints a failure at once."""
        self.move(done, total, outcome.point.text[:60])
        if outcome.reason is not None:
            self.report(outcome.point.text, outcome.reason)
