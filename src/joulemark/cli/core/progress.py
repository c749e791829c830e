# SPDX-License-Identifier: Apache-2.0
"""Live progress of many reports on standard error."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from joulemark.hardware.flow.points import Outcome

__all__ = ["PointProgress"]


class PointProgress:
    """A bar on a terminal; elsewhere one line for each report that could not be made."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("reports,"),
            TimeRemainingColumn(compact=True),
            TextColumn("left"),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task = self._progress.add_task("making reports", total=None)

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

    def done(self, outcome: Outcome, done: int, total: int) -> None:
        """Moves the bar; says at once why a report could not be made."""
        self._progress.update(
            self._task, total=total, completed=done, description=outcome.point.text[:60]
        )
        if outcome.reason is not None:
            self._console.print(
                f"joulemark: {outcome.point.text}: {outcome.reason}",
                markup=False, highlight=False, soft_wrap=True,
            )  # fmt: skip
