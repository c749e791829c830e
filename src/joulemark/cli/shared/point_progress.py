# SPDX-License-Identifier: Apache-2.0
"""Live progress of points of the core flow."""

from __future__ import annotations

from rich.console import Console

from joulemark.cli.shared.progress import ProgressBar
from joulemark.hardware.flow.points import PointOutcome


class PointProgress(ProgressBar):
    """A bar that counts finished points, or a line each minute where there is no terminal."""

    def __init__(self, console: Console) -> None:
        super().__init__(console, "making reports", "reports")

    def observed(self, outcome: PointOutcome, done: int, total: int) -> None:
        """Moves the bar; prints a failure at once."""
        self.move(done, total, outcome.point.text[:60])
        if outcome.reason is not None:
            self.report(outcome.point.text, outcome.reason)
