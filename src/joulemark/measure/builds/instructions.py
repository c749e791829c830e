# SPDX-License-Identifier: Apache-2.0
"""Instructions per message, counted by the CPU where that is allowed, else by valgrind.

A small program runs N and 2 N messages; the difference over N is the count of one message,
without loading, key set-up and first calls. The CPU's counter is read in user mode; other events
may add an instruction here and there, so the smallest of several counts is taken, and counts that
agree within a tolerance are equal (`joulemark.analyse.gate_report`). Valgrind (its tool
callgrind) simulates the program: it counts exactly, and the count is refused if it is not the same
twice.

Valgrind's CPU is another one than this machine's. What it lacks cannot be counted, and a library
that chooses its code by the CPU may run other code there.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final

import joulemark
from joulemark.errors import JoulemarkError, UnavailableError
from joulemark.processes.tool import ToolOutput, ask_tool

_BYTES: Final = 1 << 18
"""Bytes of all messages of the shorter run, unless their number is beyond the next two bounds."""
_FEWEST_MESSAGES: Final = 20
_MOST_MESSAGES: Final = 1000
_REPEATS: Final = 3
_LIMIT_S: Final = 300.0
_COLLECTED: Final = re.compile(r"^==\d+== Collected : (\d+)$", re.MULTILINE)
_LACKS_FEATURES: Final = 3
_ENVIRONMENT: Final = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "LD_BIND_NOW": "1"}
"""The same for every run: the size of the environment moves the stack, and lazy binding adds
instructions to first calls."""


class CountRefusedError(JoulemarkError):
    """The instructions of one implementation cannot be counted; the text says why."""


@dataclass(frozen=True, slots=True)
class InstructionCounter:
    """The counter of instructions of this machine."""

    name: str
    """Name for people, with the version if the counter is a program."""
    evidence: str
    """`measured` or `simulated`."""
    valgrind: str | None
    """Path of valgrind; None if the CPU counts."""

    def per_message(self, plugin: Path, implementation: str, size_bytes: int) -> Fraction:
        """Instructions that one message takes.

        Args:
            plugin: shared object with the implementation.
            implementation: plain name of the implementation.
            size_bytes: length of every message.
        """
        messages = max(_FEWEST_MESSAGES, min(_MOST_MESSAGES, _BYTES // max(size_bytes, 1)))
        command = [str(plugin), *implementation.split("/", 1), str(size_bytes)]
        if self.valgrind is None:
            few, many = (
                min(self._count(command, count) for _ in range(_REPEATS))
                for count in (messages, 2 * messages)
            )
        else:
            few, many = self._count(command, messages), self._count(command, 2 * messages)
            if self._count(command, messages) != few:
                raise CountRefusedError(
                    "its count is not the same twice, so it depends on more than its message"
                )
        return Fraction(many - few, messages)

    def _count(self, command: Sequence[str], messages: int) -> int:
        """Instructions of the whole program by valgrind, or of its loop by the CPU."""
        line = [str(_program()), *command, str(messages)]
        if self.valgrind is None:
            return int(_run([*line, "perf"]).output)
        tool = [self.valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        found = _COLLECTED.search(_run([*tool, *line]).errors)
        if found is None:
            raise CountRefusedError("valgrind gave no count")
        return int(found[1])


def find_counter() -> InstructionCounter:
    """The CPU's counter, or else valgrind."""
    if not _program().is_file():
        raise UnavailableError(
            "the program that instructions are counted with was not built; run make setup again"
        )
    if ask_tool([str(_program()), "--probe"], environment=_ENVIRONMENT).code == 0:
        return InstructionCounter(
            "the CPU's counter of instructions in user mode", "measured", None
        )
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise UnavailableError(
            "instructions cannot be counted here: the CPU's counter is closed to us (a virtual "
            "machine, or kernel.perf_event_paranoid above 2) and valgrind is not installed; on "
            "Debian or Ubuntu: apt-get install valgrind"
        )
    version = ask_tool([valgrind, "--version"]).output.strip()
    return InstructionCounter(f"{version}, tool callgrind", "simulated", valgrind)


def _program() -> Path:
    return Path(joulemark.__file__).parent / "data" / "programs" / "count_instructions"


def _run(line: Sequence[str]) -> ToolOutput:
    """Runs the program to its end."""
    try:
        done = ask_tool(line, environment=_ENVIRONMENT, timeout_s=_LIMIT_S)
    except subprocess.TimeoutExpired:
        raise CountRefusedError(f"it did not end within {_LIMIT_S:.0f} s") from None
    if done.code == 0:
        return done
    own = [line for line in done.errors.splitlines() if not line.startswith("==")]
    last_line = own[-1].strip() if own else ""
    if done.code == _LACKS_FEATURES:
        raise CountRefusedError(f"it needs {last_line}, which valgrind's CPU does not have")
    if "Unrecognised instruction" in done.errors or "unhandled instruction" in done.errors:
        raise CountRefusedError("it uses an instruction that this valgrind does not know")
    if "undefined symbol: _Py" in done.errors or "undefined symbol: Py" in done.errors:
        raise CountRefusedError(
            "it is a Python module, which only Python loads; name a plugin or libjoulemark.so"
        )
    raise CountRefusedError(last_line or f"its process died (exit code {done.code})")
