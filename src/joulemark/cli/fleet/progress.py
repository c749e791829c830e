# SPDX-License-Identifier: Apache-2.0
"""Live progress of a study on many machines: one bar over the visits of all."""

from __future__ import annotations

from rich.console import Console

from joulemark.cli.shared.progress import ProgressBar
from joulemark.fleet.benching import MachineRun

__all__ = ["FleetProgress"]


class FleetProgress(ProgressBar):
    """A `FleetObserver` with a bar, or a line each minute where there is no terminal.

    The bar counts visits of all machines. Machines that have not said how many they will make are
    taken to make as many as the others do on average.
    """

    def __init__(self, console: Console) -> None:
        super().__init__(console, "waiting for the machines", "visits", speed_over_s=60.0)
        self._visits: dict[str, tuple[int, int]] = {}
        self._machines: tuple[str, ...] = ()

    def began(self, machines: tuple[str, ...]) -> None:
        """Prints which machines take part."""
        self._machines = machines
        self.tell(f"{len(machines)} machines take part: {', '.join(machines)}")

    def said(self, sentence: str) -> None:
        """Prints the sentence at once."""
        self.tell(sentence)

    def moved(self, machine: str, done: int, total: int) -> None:
        """Moves the bar by the visits of a machine."""
        self._visits[machine] = (done, total)
        known = list(self._visits.values())
        whole = sum(total for _, total in known)
        silent = max(0, len(self._machines) - len(known))
        self.move(
            sum(done for done, _ in known), whole + silent * whole // len(known),
            f"machine {machine}"[:42],
        )  # fmt: skip

    def finished(self, run: MachineRun) -> None:
        """Prints that a machine is done, or why it has no run."""
        self.tell(
            f"machine {run.machine} is done"
            if run.reason is None
            else f"machine {run.machine} has no run: {run.reason}"
        )
