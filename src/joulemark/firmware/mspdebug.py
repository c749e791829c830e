# SPDX-License-Identifier: Apache-2.0
"""MSP430 by mspdebug's simulator, which has the manual's time of each instruction.

As a command it writes the log of one program: `python -m ...mspdebug CORE PROGRAM MOST`.
mspdebug stops at each mark and prints its counters. It prints at once each byte that the program
writes to the address of a peripheral; the answer is among these bytes.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from elftools.elf.elffile import ELFFile

from joulemark.firmware.build import symbol_address
from joulemark.firmware.target import Target
from joulemark.processes.child import module_command
from joulemark.processes.tool import ask_tool

_MOST_STOPS: Final = 300
"""Most stops of a program with thirty lengths: two for each mark, and two for the end."""
_WRITE: Final = re.compile(r"\s*\d+: write\.b => 0x00f([012]) 0x([0-9a-f]{2})")
_INSTRUCTIONS: Final = re.compile(r"Instruction count: (\d+)")
_CORE_CYCLES: Final = re.compile(r"MCLK:\s+(\d+)")
_LIMIT_S: Final = 250.0


def missing(_target: Target) -> str | None:
    """See `SimulatorModule`."""
    return None if shutil.which("mspdebug") else "needs mspdebug (apt-get install mspdebug)"


def title(_target: Target) -> str:
    """See `SimulatorModule`."""
    said = ask_tool(["mspdebug", "--version"], timeout_s=20.0)
    number = re.search(r"MSPDebug version (\S+)", said.output + said.errors)
    return f"mspdebug {number[1]}" if number else "mspdebug"


def command(target: Target, program: Path, most_core_cycles: int) -> list[str]:
    """See `SimulatorModule`."""
    return [*module_command(__name__), target.simulator.core, str(program), str(most_core_cycles)]


def _address(program: Path, name: str) -> int:
    with program.open("rb") as file:
        return symbol_address(ELFFile(file), name)


def _log(text: str) -> Iterator[str]:
    """The log of one program, from the output of mspdebug.

    mspdebug stops before the store that names the mark, so the counters come first.
    """
    counters = {"instructions": 0, "core_cycles": 0}
    repeated = False
    for line in text.splitlines():
        # The counters come with a list of the earlier writes, which were printed before.
        repeated = line.startswith("IO event history") or (
            repeated and not line.startswith(("Stepping", "Running"))
        )
        written = _WRITE.match(line)
        if written and not repeated:
            port, value = written[1], int(written[2], 16)
            if port == "0":
                yield f"mark {value} {counters['core_cycles']} {counters['instructions']}"
            elif port == "1":
                yield f"byte {value}"
            else:
                yield "end"
                return
        for name, pattern in (("instructions", _INSTRUCTIONS), ("core_cycles", _CORE_CYCLES)):
            if counter := pattern.match(line):
                counters[name] = int(counter[1])
    yield "crash it did not come to its end"


def main(arguments: list[str]) -> int:
    """Runs one program; returns the exit code."""
    _, program, _ = arguments
    path = Path(program)
    stops = [
        f"setbreak {_address(path, name):#x}" for name in ("jm_port_mark_here", "jm_port_ended")
    ]
    said = ask_tool(
        [
            "mspdebug",
            "-q",
            "sim",
            "simio add tracer jm 2",
            "simio config jm verbose",
            f"prog {path}",
            *stops,
            *(["run", "simio info jm"] * _MOST_STOPS),
        ],
        timeout_s=_LIMIT_S,
    )
    lines = list(_log(said.output))
    print("\n".join(lines))
    return 0 if lines[-1] == "end" else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
