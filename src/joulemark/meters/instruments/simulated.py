# SPDX-License-Identifier: Apache-2.0
"""The simulated meter: the powercap or the battery meter over a simulated machine's file tree.

`simulated:FOLDER` reads a machine that runs in FOLDER. On the command line `simulated` alone, or
with options as in `simulated:static_w=12,active_w=30`, starts a machine for as long as the command
lasts (`session`); its load is the CPU time of the command and its children. The meter is taken only
by name, and its figures are simulated.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from joulemark.errors import UsageError
from joulemark.meters import SIMULATED_MARK, Meter, MeterError, Reading, Roots, Survey, text_or_none
from joulemark.meters.instruments import battery, powercap
from joulemark.meters.simulated.config import parse_options
from joulemark.meters.simulated.daemon import READY, start
from joulemark.records.energy_window import Fault
from joulemark.records.figures import Evidence

__all__ = ["NAME", "PREFERENCE", "TITLE", "make", "session", "start"]

NAME: Final = "simulated"
TITLE: Final = "simulated RAPL or battery (test double)"
PREFERENCE: Final = None
_REMEDY: Final = "python -m joulemark.meters.simulated --root FOLDER --watch PID"


class SimulatedMeter(Meter):
    """Reads a simulated machine: with powercap, or with the battery meter if it has no counters.

    Args:
        folder: the machine's folder; None where no machine runs yet.
        roots: only its clock is used.
    """

    title = TITLE

    def __init__(self, folder: Path | None, roots: Roots) -> None:
        self._folder = folder
        self._meter: Meter | None = None
        if folder is not None:
            tree = Roots(sysfs=folder / "sys", proc=folder / "proc", now_ns=roots.now_ns)
            counters = (tree.sysfs / "class/powercap").exists()
            self._meter = powercap.Powercap(tree) if counters else battery.BatteryMeter(tree)

    def survey(self) -> Survey:
        """The domains of the simulated machine; starts no machine."""
        trouble = self._trouble()
        if trouble is not None or self._meter is None:
            return Survey(reason=trouble, remedy=_REMEDY)
        return self._meter.survey()

    def _trouble(self) -> str | None:
        if self._folder is None:
            return "no simulated machine is named; it is simulated:FOLDER once one runs there"
        if not (self._folder / "sys" / SIMULATED_MARK).exists():
            return f"there is no simulated machine in {self._folder}"
        # A machine in virtual time has no daemon, and so no such file.
        daemon = text_or_none(self._folder / READY)
        # A daemon that has ended and was not waited for has no command line any more.
        if daemon is not None and text_or_none(Path("/proc", daemon, "cmdline")) is None:
            return f"the simulated machine in {self._folder} has ended"
        return None

    def read(self, domain: str) -> Reading:
        """Reads one domain of the machine; VANISHED where no machine is named."""
        if self._meter is None:
            raise MeterError(Fault.VANISHED, self._trouble() or "there is no simulated machine")
        return self._meter.read(domain)

    def evidence(self) -> Evidence:
        """SIMULATED always."""
        return Evidence.SIMULATED


@contextmanager
def session(roots: Roots, argument: str | None) -> Iterator[tuple[str | None, Roots]]:
    """Starts a simulated machine, unless the argument is the folder of a machine that runs."""
    if argument is not None and "/" in argument and "=" not in argument:
        yield argument, roots
        return
    with start(argument or "") as name:
        yield name.partition(":")[2], roots


def make(roots: Roots, argument: str | None) -> SimulatedMeter:
    """The meter; `argument` is the folder of a simulated machine, or options for a new one."""
    if argument is not None and not argument.strip():
        raise UsageError("'simulated:' needs the folder of a simulated machine after the colon")
    if argument is None:
        return SimulatedMeter(None, roots)
    if "=" in argument:
        parse_options(argument)
        return SimulatedMeter(None, roots)
    return SimulatedMeter(Path(argument), roots)
