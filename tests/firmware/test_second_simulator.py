# SPDX-License-Identifier: Apache-2.0
"""Two simulators of one AVR that share no code: simavr and avr8js count the same core cycles."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from joulemark.firmware.build import bench_program, every_implementation
from joulemark.firmware.firmware_counts import SimulatorLog, parse_log
from joulemark.firmware.target import Target, simulator_of

SCRIPT = Path(__file__).parent / "avr8js.cjs"


@pytest.fixture(scope="module", autouse=True)
def _avr8js() -> None:
    if shutil.which("node") is None:
        pytest.skip("no node; apt-get install nodejs")
    found = subprocess.run(["node", "-e", "require('avr8js')"], capture_output=True, check=False)
    if found.returncode:
        pytest.skip("no avr8js; npm install avr8js, and NODE_PATH=<its node_modules>")


def _flash(program: Path, place: Path) -> Path:
    flash = bytearray()
    with program.open("rb") as file:
        for segment in ELFFile(file).iter_segments("PT_LOAD"):
            data = segment.data()
            flash[segment["p_paddr"] : segment["p_paddr"] + len(data)] = data
    place.write_bytes(flash)
    return place


def _said(*command: str) -> SimulatorLog:
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=240)
    return parse_log(done.stdout)


@pytest.mark.parametrize("name", ["halfsiphash-2-4/portable", "chaskey-12/portable"])
def test_both_agree_exactly(runnable: Callable[[str], Target], tmp_path: Path, name: str) -> None:
    """Every mark lies at the same distance from the first, in core cycles and instructions.

    The simulators count from different moments of the reset, and note a mark before its store or
    after it.
    """
    target = runnable("mcu:atmega128")
    program = bench_program(target, every_implementation()[name], (0, 16, 33))
    simulator_log = _said(*simulator_of(target).command(target, program, 10**9))
    ram_bytes = str(target.memory.ram_bytes)
    other = _said("node", str(SCRIPT), str(_flash(program, tmp_path / "flash")), ram_bytes)
    assert simulator_log.answer == other.answer
    assert len(simulator_log.marks) == len(other.marks) >= 16
    first, second = simulator_log.marks[0], other.marks[0]
    for ours, theirs in zip(simulator_log.marks, other.marks, strict=True):
        assert ours.number == theirs.number
        assert ours.core_cycles - first.core_cycles == theirs.core_cycles - second.core_cycles
        assert ours.instructions - first.instructions == theirs.instructions - second.instructions
