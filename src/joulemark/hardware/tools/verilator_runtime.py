# SPDX-License-Identifier: Apache-2.0
"""Compiles the C++ that Verilator wrote, with a run-time that was compiled before.

Verilator's own run-time takes longer to compile than most cores. Each of its objects is kept in the
user's cache folder, for all programs whose makefiles would make the same object.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from joulemark.processes.tool import ask_tool
from joulemark.user_folders import user_cache

_OBJECT: Final = re.compile(r"^  (verilated\w*) \\$", re.MULTILINE)
_OPTIONS: Final = ("VERILATOR_ROOT", "VM_COVERAGE", "VM_SC", "VM_TIMING", "VM_TRACE")


def make_program(
    folder: Path, prefix: str, main: Path, run: Callable[[Sequence[str]], None]
) -> None:
    """Compiles and links the program that Verilator wrote a makefile for.

    Args:
        folder: folder of the makefile.
        prefix: beginning of the names of Verilator's files.
        main: the C++ file with the function `main`.
        run: runs a command, and raises if it fails.
    """
    cache = _cache(folder, prefix)
    kept = sorted(cache.glob("*.o"))
    for path in kept:
        shutil.copyfile(path, folder / path.name)  # newer than its source, so make keeps it
    jobs = str(min(4, os.cpu_count() or 1))
    # The packaged makefile leaves out how a precompiled header is named, which large designs use.
    # The main program is compiled together with the core: alone it would read the headers again,
    # which takes a third of a small core's build.
    run(
        [
            "make",
            "-C",
            str(folder),
            "-f",
            f"{prefix}.mk",
            "-j",
            jobs,
            "CFG_CXXFLAGS_PCH_I=-include",
            "VM_USER_CLASSES=",
            f"--eval=VM_SLOW += {main.stem}",
            *_quick_tools(),
        ]
    )
    before = {path.name for path in kept}
    _keep([path for path in folder.glob("verilated*.o") if path.name not in before], cache)


def _quick_tools() -> list[str]:
    """Tools of the makefile that start in milliseconds.

    A plain `ar`, started twice, loads a plugin of each installed LLVM; GCC's loads none but GCC's.
    A `python` on PATH may be a script that looks for one, or none.
    """
    chosen = [f"PYTHON3={shlex.quote(sys.executable)} -I -S"]
    if shutil.which("gcc-ar"):
        chosen.append("AR=gcc-ar")
    return chosen


def lacks_runtime(folder: Path, prefix: str) -> bool:
    """Whether `make_program` would compile a part of the run-time."""
    wanted = _OBJECT.findall((folder / f"{prefix}_classes.mk").read_text("utf-8"))
    cache = _cache(folder, prefix)
    return not all((cache / f"{name}.o").exists() for name in wanted)


def _cache(folder: Path, prefix: str) -> Path:
    """Folder of the objects of the run-time that this folder's makefile would make."""
    options = [
        line
        for name in (f"{prefix}.mk", f"{prefix}_classes.mk")
        for line in (folder / name).read_text("utf-8").splitlines()
        if line.startswith(_OPTIONS)
    ]
    compiler = ask_tool(["c++", "--version"]).output.encode()
    digest = hashlib.sha256("\n".join(options).encode() + compiler).hexdigest()[:16]
    return user_cache("verilator") / digest


def _keep(objects: Sequence[Path], cache: Path) -> None:
    """Puts each file into the cache whole; does nothing if the cache cannot be written."""
    with contextlib.suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as made:
            for path in objects:
                whole = Path(made) / path.name
                shutil.copyfile(path, whole)
                whole.replace(cache / path.name)
