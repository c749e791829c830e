# SPDX-License-Identifier: Apache-2.0
"""Checks with valgrind whether branches or addresses of an implementation depend on secrets.

Keys and messages are marked undefined, and valgrind's memcheck reports what depends on them
(`harness/programs/constant_time.c`). Instructions whose own time depends on data are not seen.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from joulemark.errors import UnavailableError
from joulemark.measure.workers.plugin_workshop import ImplementationSource
from joulemark.processes.tool import ask_tool

_PROGRAM = Path(__file__).parents[2] / "data" / "programs" / "constant_time"
_LIMIT_S = 300.0
_KEEPS, _DEPENDS, _NEEDS_FEATURES, _NOT_WATCHED = 0, 3, 4, 77


@dataclass(frozen=True, slots=True)
class SecrecyVerdict:
    """The verdict of valgrind on one implementation."""

    right: bool | None
    """Whether no secret shows; None if that cannot be checked."""
    text: str


def keeps_secrets(source: ImplementationSource, name: str) -> SecrecyVerdict:
    """Runs an implementation on secrets under valgrind.

    Args:
        source: the source of the implementation.
        name: algorithm and variant.
    """
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise UnavailableError(
            "--constant-time needs valgrind; on Debian or Ubuntu: apt-get install valgrind"
        )
    if not _PROGRAM.exists():
        raise UnavailableError(
            f"--constant-time: {_PROGRAM} is missing; run make setup to build it again"
        )
    if source.kind == "python":
        return SecrecyVerdict(None, "cannot be checked: it runs in Python's interpreter")
    command = [valgrind, "-q", str(_PROGRAM), *name.split("/", 1)]
    if source.path is not None:
        command.append(source.path)
    try:
        done = ask_tool(command, timeout_s=_LIMIT_S)
    except subprocess.TimeoutExpired:
        return SecrecyVerdict(False, f"no answer under valgrind within {_LIMIT_S:.0f} s")
    if done.code == _KEEPS:
        return SecrecyVerdict(
            True, "constant time by valgrind: no branch and no address depends on keys or messages"
        )
    if done.code == _DEPENDS:
        return SecrecyVerdict(False, f"is not constant time: {_first_report(done.errors)}")
    if done.code == _NEEDS_FEATURES:
        names = " and ".join(done.output.split())
        return SecrecyVerdict(None, f"cannot be checked: valgrind does not know {names}")
    if done.code == _NOT_WATCHED:
        raise UnavailableError(
            "--constant-time: this build knows no valgrind/memcheck.h; install the package "
            "valgrind, then run make setup"
        )
    last = (done.errors.strip().splitlines() or ["it said nothing"])[-1]
    return SecrecyVerdict(False, f"failed under valgrind: {re.sub('==[0-9]+== *', '', last)}")


def _first_report(errors: str) -> str:
    """The first report of memcheck, with its function."""
    lines = [re.sub(r"^==\d+== *", "", line) for line in errors.splitlines()]
    for at, line in enumerate(lines[:-1]):
        where = re.search(r"(?:at|by) 0x[0-9A-F]+: (.*)", lines[at + 1])
        if line and where:
            return f"'{line}' in {where[1]}"
    return "a branch or an address depends on a key or a message"
