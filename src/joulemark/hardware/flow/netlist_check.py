# SPDX-License-Identifier: Apache-2.0
"""Simulates a mapped netlist as the sources were simulated: same messages, results and clocks.

Yosys writes the netlist as Verilog, with the logic of each cell in place of the cell; the adapter
drives it like the core, whose ports it has.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from joulemark.errors import ImplementationError, UsageError
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.drive import driving
from joulemark.hardware.drive.workload import Clocks, measure_clocks

__all__ = ["SIMULATED", "require_same"]

SIMULATED: Final = "with the messages of the sources, in Verilator, without delays"
"""How a netlist was simulated, for the settings of a report."""


def require_same(
    core: Core,
    parameters: Mapping[str, int],
    netlist: Path,
    clocks: Clocks,
    folder: Path,
    *,
    target: str,
) -> None:
    """Refuses a netlist that gives other results than the reference, or in other clocks.

    Args:
        core: the core.
        parameters: parameters that it was mapped with.
        netlist: Verilog of the netlist, a module with the core's name and ports.
        clocks: clocks of the sources.
        folder: folder for the simulation.
        target: name of the target, for messages.

    Raises:
        ImplementationError: the netlist differs from the sources.
    """
    mapped = core.model_copy(
        update={"sources": [str(netlist.resolve())], "used": [], "include_folders": []}
    )
    program = driving.compile_core(mapped, {}, folder)
    try:
        found = measure_clocks(mapped, parameters, folder, program)
    except (ImplementationError, UsageError) as error:
        raise ImplementationError(
            f"the netlist of {core.name} for {target} differs from its sources, which passed: "
            f"{error}"
        ) from None
    if found != clocks:
        raise ImplementationError(
            f"the netlist of {core.name} for {target} takes {found.message_clocks:g} clocks a "
            f"message and {found.latency_clocks} of latency, its sources "
            f"{clocks.message_clocks:g} and {clocks.latency_clocks}"
        )
