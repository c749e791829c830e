# SPDX-License-Identifier: Apache-2.0
"""AVR by libsimavr: exact core cycles (firmware/simulators/simavr.c)."""

from __future__ import annotations

import hashlib
import shutil
from functools import cache
from pathlib import Path
from typing import Final

from joulemark.errors import UnavailableError
from joulemark.firmware.build import ask_compiler, in_place
from joulemark.firmware.target import Target, firmware_folder
from joulemark.processes.tool import ask_tool

_HEADERS: Final = {
    "libsimavr-dev": Path("/usr/include/simavr/sim_avr.h"),
    "libelf-dev": Path("/usr/include/libelf.h"),
}
_NOTE: Final = Path("/usr/lib/pkgconfig/simavr.pc")
_LIMIT_S: Final = 60.0


def missing(_target: Target) -> str | None:
    """See `SimulatorModule`."""
    if shutil.which("cc") is None:
        return "needs cc (apt-get install gcc)"
    for package, header in _HEADERS.items():
        if not header.exists():
            return f"needs {package} (apt-get install {package})"
    return None


@cache
def title(_target: Target) -> str:
    """See `SimulatorModule`; the version is the package's, since the library has none."""
    if shutil.which("dpkg-query"):
        said = ask_tool(["dpkg-query", "-W", "-f=${Version}", "libsimavr-dev"], timeout_s=_LIMIT_S)
        if said.code == 0:
            return f"simavr {said.output.strip()}"
    return "simavr"


def command(target: Target, program: Path, most_core_cycles: int) -> list[str]:
    """See `SimulatorModule`."""
    return [str(_host(title(target))), target.simulator.core, str(program), str(most_core_cycles)]


@cache
def _host(library_version: str) -> Path:
    """The program that is linked to the library, compiled here and kept."""
    source = firmware_folder() / "simulators" / "simavr.c"
    library = _HEADERS["libsimavr-dev"].read_bytes() + library_version.encode()
    key = hashlib.sha256(source.read_bytes() + library).hexdigest()[:32]

    def compile_to(path: Path) -> None:
        said = ask_compiler(
            [
                "cc",
                "-O2",
                f"-I{_HEADERS['libsimavr-dev'].parent}",
                str(source),
                "-o",
                str(path),
                "-lsimavr",
                "-lelf",
            ],
            path.parent,
            _LIMIT_S,
        )
        if said.code:
            raise UnavailableError(f"simavr's host does not compile: {said.last_line()}")

    return in_place(f"simavr-{key}", compile_to)
