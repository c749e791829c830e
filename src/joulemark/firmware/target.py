# SPDX-License-Identifier: Apache-2.0
"""A target's manifest, `firmware/targets/<target>/<target>.toml`, and its simulator's module."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Final, Literal, Protocol, cast

from pydantic import Field

from joulemark.catalogue import data_folder
from joulemark.errors import UsageError
from joulemark.foreign import did_you_mean
from joulemark.hardware.manifest import ManifestTable, Words, read_facts
from joulemark.records.figures import Evidence
from joulemark.records.trial import FIRMWARE, GATES, is_gates

_TREE: Final = Path(__file__).resolve().parents[3]


class TargetToolchain(ManifestTable):
    """The programs that compile and link for a target."""

    compiler: Words
    package: Words
    """Debian package of the compiler."""
    linker: Words | None = None
    """A separate program that links, as lld beside clang."""
    linker_package: Words | None = None
    port: Words
    """`target_port.h` of this target, relative to `firmware/`."""
    flags: list[Words]
    """Compiler flags for every file."""
    link_flags: list[Words]
    """Linker flags; `{folder}` stands for the target's folder, `{firmware}` for `firmware/`."""
    libraries: list[Words] = Field(default_factory=list)
    """Arguments of the linker that follow the objects."""
    sources: list[Words] = Field(default_factory=list)
    """Files that are linked with the bench, relative to `firmware/`."""
    headers: dict[str, Words] = Field(default_factory=dict)
    """Debian package without a program -> a file of that package."""


class Simulator(ManifestTable):
    """The simulator that runs a target's programs."""

    name: Literal["simavr", "cortex_m", "mspdebug", "rv32"]
    core: Words
    """The simulator's name of the core."""
    package: Words | None = None
    """Python package with the core's sources; only `rv32` has this and the next three."""
    top: Words | None = None
    sources: list[Words] = Field(default_factory=list)
    """Patterns of file names within the package, in the order that Verilator needs."""
    arguments: list[Words] = Field(default_factory=list)
    """Arguments of Verilator; `{package}` stands for the package's folder."""


class TargetGates(ManifestTable):
    """The core as it is mapped to a cell library, for the target `gate:<name>`."""

    top: Words
    """Module whose ports the simulator's bus answers, without the outputs for verification."""
    clock: Words
    wrapper: Words | None = None
    """Verilog in the target's folder beside the simulator's sources, if `top` is not in these."""
    include_folders: list[Words] = Field(default_factory=list)
    """Folders of included files; `{package}` is that of the sources."""


class TargetMemory(ManifestTable):
    """The memories of the microcontroller."""

    flash_bytes: int = Field(ge=1024, le=1 << 32)
    ram_bytes: int = Field(ge=256, le=1 << 32)
    constants_in_ram: bool = False
    """Whether constants are copied to RAM at the start, as on a machine that cannot address its
    flash as data."""


class Target(ManifestTable):
    """One target, as its manifest describes it."""

    name: Words
    """`mcu:` and the name of the target's folder."""
    folder: Path
    title: Words
    about: Words
    evidence: Evidence
    """Evidence of the core cycles."""
    toolchain: TargetToolchain
    simulator: Simulator
    gates: TargetGates | None = None
    """None for a core without sources, and for one that nobody has mapped yet."""
    memory: TargetMemory

    def __hash__(self) -> int:
        """Hash of the name, which no other target has."""
        return hash(self.name)

    @property
    def port(self) -> Path:
        """The header with this target's side of the bench."""
        return firmware_folder() / self.toolchain.port


@cache
def firmware_folder() -> Path:
    """Folder of the installed firmware, or of the source tree if none is installed."""
    installed = data_folder("firmware")
    return installed if installed.is_dir() else _TREE / "firmware"


@cache
def targets() -> dict[str, Target]:
    """Every target by name, in alphabetical order."""
    by_name = {}
    for path in sorted((firmware_folder() / "targets").glob("*/*.toml")):
        if path.stem == path.parent.name:
            name = f"{FIRMWARE}{path.stem}"
            by_name[name] = read_facts(path, Target, name=name, folder=path.parent)
    return by_name


@cache
def gate_targets() -> dict[str, Target]:
    """The targets whose cores are mapped to cells, by their names `gate:<name>`."""
    return {
        name.replace(FIRMWARE, GATES, 1): target
        for name, target in targets().items()
        if target.gates is not None
    }


def target_named(name: str) -> Target:
    """The target `mcu:<name>` or `gate:<name>`."""
    by_name = gate_targets() if is_gates(name) else targets()
    if name not in by_name:
        hint = did_you_mean(name, by_name) or f"; there is {', '.join(by_name)}"
        raise UsageError(f"no firmware target '{name}'{hint}")
    return by_name[name]


# The simulators: each is a module of this folder, which has the functions of `SimulatorModule`.


class SimulatorModule(Protocol):
    """The functions of a module of this folder."""

    def missing(self, target: Target) -> str | None:
        """The first need of the simulator that this machine lacks, with its package; or None."""

    def title(self, target: Target) -> str:
        """Name and version of the simulator, for the record."""

    def command(self, target: Target, program: Path, most_core_cycles: int) -> list[str]:
        """A command that runs a program and prints a log (`joulemark.firmware.firmware_counts`).

        Files that the command needs are built in the user's cache.
        """


def simulator_of(target: Target) -> SimulatorModule:
    """The module that runs a target's programs."""
    return cast("SimulatorModule", import_module(f"joulemark.firmware.{target.simulator.name}"))
