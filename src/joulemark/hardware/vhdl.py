# SPDX-License-Identifier: Apache-2.0
"""Translates VHDL sources to Verilog by GHDL, so that all other tools see Verilog alone."""

from __future__ import annotations

import atexit
import hashlib
import re
import shutil
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from joulemark.errors import ImplementationError, UnavailableError
from joulemark.foreign import shortened
from joulemark.processes.tool import ask_tool
from joulemark.user_folders import user_cache

VHDL_SUFFIXES: Final = frozenset({".vhd", ".vhdl"})
_GHDL: Final = "ghdl"
_DIALECTS: Final = (("--std=08",), ("--std=93c", "-fsynopsys", "-fexplicit"))
"""VHDL-2008, then the older language with the packages that much old code uses."""
_ERROR: Final = re.compile(r"^[^:\n]+:\d+:\d+:(?:error:)?\s*(?!warning|note).+", re.MULTILINE)


def is_vhdl(source: Path) -> bool:
    """Whether a file is VHDL, by the end of its name."""
    return source.suffix.lower() in VHDL_SUFFIXES


def ghdl_version() -> str:
    """Version of GHDL; it must be here."""
    printed = ask_tool([_command(), "--version"]).output
    return printed.splitlines()[0] if printed else "unknown"


def _command() -> str:
    found = shutil.which(_GHDL)
    if found is None:
        raise UnavailableError(
            "the sources are VHDL, which GHDL translates to Verilog, and GHDL is not installed: on "
            "Debian or Ubuntu: apt-get install ghdl"
        )
    return found


def verilog_of(sources: Sequence[Path], top: str | None) -> Path:
    """One file of Verilog with all of these sources, with generics at their defaults.

    `top` is the entity that becomes the top module; None for the last one that no other uses. The
    file is kept in the user's cache, under a digest of sources and GHDL.
    """
    command = _command()
    digest = hashlib.sha256(f"{ghdl_version()} {top}".encode())
    for source in sources:
        digest.update(hashlib.sha256(source.read_bytes()).digest())
    name = f"{digest.hexdigest()[:32]}.v"
    for folder in (_kept(), _for_this_process()):
        place = folder / name
        if place.is_file():
            return place
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder, prefix=".new-") as work:
                made = Path(work) / name
                made.write_text(_translated(command, sources, top, Path(work)), "utf-8")
                made.replace(place)
        except OSError as error:
            why = error
        else:
            return place
    raise UnavailableError(f"Verilog made of VHDL cannot be written: {why}")


def _kept() -> Path:
    try:
        return user_cache("vhdl")
    except UnavailableError:
        return _for_this_process()


@cache
def _for_this_process() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="joulemark-vhdl-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _translated(command: str, sources: Sequence[Path], top: str | None, work: Path) -> str:
    """The Verilog; the first dialect that GHDL takes is the right one."""
    errors = []
    for dialect in _DIALECTS:
        done = ask_tool(
            [
                *(command, "--synth", *dialect, "--out=verilog", f"--workdir={work}"),
                *(str(source.resolve()) for source in sources),
                *("-e", *(() if top is None else (top,))),
            ],
            folder=work,
        )
        if done.code == 0 and done.output.strip():
            # An entity has its name in any case of letters, a module in one.
            return _with_name(done.output, top)
        errors.append(done.errors)
    raise ImplementationError(f"GHDL refuses the VHDL: {shortened(_why(errors[0]), 300)}")


def _why(errors: str) -> str:
    """The first error that GHDL printed; one of its own begins with the name of its program."""
    found = _ERROR.search(errors)
    lines = [line for line in errors.splitlines() if line.strip() and ":note:" not in line]
    why = found[0] if found else lines[0] if lines else "no circuit is left of it"
    return re.sub(r"^\S*/ghdl\S*:", "", why).strip()


def _with_name(verilog: str, top: str | None) -> str:
    if top is None:
        return verilog
    pattern = re.compile(rf"^module {re.escape(top)}$", re.MULTILINE | re.IGNORECASE)
    return pattern.sub(f"module {top}", verilog)
