# SPDX-License-Identifier: Apache-2.0
"""A simulated machine whose power is known exactly: the test double of every energy meter.

The machine is a real file tree in the kernel's formats, so the ordinary meters read it. `World`
drives it in virtual time, for tests; `start` runs it in real time as a separate process.
"""

from __future__ import annotations

from joulemark.meters.simulated.daemon import start
from joulemark.meters.simulated.domain import (
    AcpiRate,
    FaultKind,
    SimulatedDomain,
    SimulatedFault,
)
from joulemark.meters.simulated.machine import World

__all__ = [
    "AcpiRate",
    "FaultKind",
    "SimulatedDomain",
    "SimulatedFault",
    "World",
    "start",
]
