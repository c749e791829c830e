# SPDX-License-Identifier: Apache-2.0
"""A firmware target's manifest, `firmware/targets/<target>/<target>.toml`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final, Literal

from pydantic import Field

from joulemark.catalogue.algorithms import data_folder
from joulemark.errors import UsageError
from joulemark.hardware.core.facts import Facts, Words, read_facts
from joulemark.records.evidence import Evidence
from joulemark.records.trial import FIRMWARE
from joulemark.spelling import did_you_mean

__all__ = [
    "Memory", "Simulator", "Target", "Toolchain", "firmware_folder", "target_named", "targets",
]  # fmt: skip

_TREE: Final = Path(__file__).resolve().parents[4]


class Toolchain(Facts):
    """What compiles and links for a target."""

    compiler: Words
    """The program."""
    package: Words
    """Debian package that has it."""
    linker: Words | None = None
    """Another program that must be there, as lld beside clang."""
    linker_package: Words | None = None
    port: Words
    """`target_port.h` of this target, relative to `firmware/`."""
    flags: list[Words]
    """For every file."""
    link_flags: list[Words]
    """For the program; `{folder}` stands for the target's folder."""
    libraries: list[Words] = Field(default_factory=list)
    """Behind the objects."""
    sources: list[Words] = Field(default_factory=list)
    """Files beside the bench, relative to `firmware/`."""
    headers: dict[str, Words] = Field(default_factory=dict)
    """Debian package without a program -> a file of it."""


class Simulator(Facts):
    """What runs a target's programs."""

    name: Literal["simavr", "cortex_m", "mspdebug", "rv32"]
    core: Words
    """Which core, as that simulator calls it."""
    package: Words | None = None
    """Python package with the core's sources (`rv32`), as are the next three."""
    top: Words | None = None
    sources: list[Words] = Field(default_factory=list)
    """Patterns within the package, in the order that Verilator needs."""
    arguments: list[Words] = Field(default_factory=list)
    """For Verilator; `{package}` stands for the package's folder."""


class Memory(Facts):
    """What the part has."""

    flash_bytes: int = Field(ge=1024, le=1 << 32)
    ram_bytes: int = Field(ge=256, le=1 << 32)
    constants_in_ram: bool = False
    """Whether constants are copied to RAM at the start, as on a machine that cannot address its
    flash as data."""


class Target(Facts):
    """One target, as its manifest has it."""

    name: Words
    """`mcu:` and the name of its folder."""
    folder: Path
    title: Words
    about: Words
    evidence: Evidence
    """Of core cycles."""
    toolchain: Toolchain
    simulator: Simulator
    memory: Memory

    def __hash__(self) -> int:
        """Of its name, which no other target has."""
        return hash(self.name)

    @property
    def port(self) -> Path:
        """The header with this target's side of the bench."""
        return firmware_folder() / self.toolchain.port


@cache
def firmware_folder() -> Path:
    """Folder of the installed firmware; that of the source tree where none is installed."""
    installed = data_folder("firmware")
    return installed if installed.is_dir() else _TREE / "firmware"


@cache
def targets() -> dict[str, Target]:
    """Every target by name, in alphabetical order.

    Raises:
        UsageError: a manifest cannot be read or breaks the schema; says which and where.
    """
    found = {}
    for path in sorted((firmware_folder() / "targets").glob("*/*.toml")):
        if path.stem == path.parent.name:
            name = f"{FIRMWARE}{path.stem}"
            found[name] = read_facts(path, Target, name=name, folder=path.parent)
    return found


def target_named(name: str) -> Target:
    """The target of this name.

    Raises:
        UsageError: there is none.
    """
    known = targets()
    if name not in known:
        hint = did_you_mean(name, known) or f"; there is {', '.join(known)}"
        raise UsageError(f"no firmware target '{name}'{hint}")
    return known[name]
