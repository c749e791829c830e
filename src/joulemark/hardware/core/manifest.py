# SPDX-License-Identifier: Apache-2.0
"""A core's manifest, `<core>.toml`: what it computes, its sources, its parameters, how to drive it.

The same small file describes our cores in `hdl/` and any Verilog or SystemVerilog of a user.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from joulemark.errors import UsageError
from joulemark.foreign.errors import ForeignError
from joulemark.foreign.files import read_whole
from joulemark.foreign.text import shortened, visible

__all__ = [
    "Configuration", "Core", "Exclusion", "OutsideMemory", "Parameter", "Workload", "no_port",
    "read_core",
]  # fmt: skip

_LONGEST_PART_BYTES = 255
_MOST_BYTES = 1 << 20


def _file(name: str) -> str:
    """A relative or absolute path that some file may have."""
    if not name.isprintable() or not name:
        raise ValueError("this is no name of a file")
    if len(name) > 4000 or any(
        len(part.encode()) > _LONGEST_PART_BYTES for part in name.split("/")
    ):
        raise ValueError("no file has so long a name")
    return name


_Identifier = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_$]*$", max_length=255)]
_File = Annotated[str, AfterValidator(_file)]
_Words = Annotated[str, AfterValidator(visible)]


class _Facts(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Parameter(_Facts):
    """One integer parameter of the top module."""

    about: _Words
    default: int
    values: list[int] = Field(min_length=1)
    """Every value that is supported and tested."""


class Workload(_Facts):
    """What a report runs for clocks and power: random messages, one after another."""

    messages: int = Field(default=8, ge=1, le=1 << 16)
    message_bytes: int = Field(default=0, ge=0, le=1 << 20)
    blocks_per_message: int = Field(default=1, ge=1, le=1 << 20)
    """Blocks of the algorithm that one such message costs, its padding included."""
    longest_clocks: int | None = Field(default=None, ge=16, le=1 << 30)
    """Clocks without a word in or out after which the core hangs; unless given, many times what
    the configuration promises."""


class OutsideMemory(_Facts):
    """A memory that the core works on and that lies outside it, so that no figure has it."""

    about: _Words
    """What is in it."""
    words: int = Field(ge=1, le=1 << 32)
    word_bits: int = Field(ge=1, le=1 << 16)
    ports: list[_Identifier] = Field(min_length=1)
    """Of the core, which lead to it."""
    reads_per_block: int | None = Field(default=None, ge=0)
    """Accesses that one block needs, without those that bring the message into the memory."""
    writes_per_block: int | None = Field(default=None, ge=0)

    @property
    def bits(self) -> int:
        """All of them."""
        return self.words * self.word_bits

    @property
    def text(self) -> str:
        """In one clause."""
        accesses = [
            f"{number} {kind}"
            for number, kind in (
                (self.reads_per_block, "reads"), (self.writes_per_block, "writes"),
            )
            if number is not None
        ]  # fmt: skip
        per_block = f", {' and '.join(accesses)} a block" if accesses else ""
        return (
            f"{self.words} x {self.word_bits} = {self.bits} bits ({self.about}{per_block}) "
            f"at the ports {', '.join(self.ports)}"
        )


class Configuration(_Facts):
    """A named set of parameters with the clocks that its documentation promises; tests assert them.

    None means that nothing is promised.
    """

    about: _Words
    parameters: dict[str, int] = Field(default_factory=dict)
    """Those that differ from the defaults."""
    clocks_per_block: int | None = None
    """Between blocks of back-to-back messages of the manifest's workload."""
    latency_clocks: int | None = None
    """Of a message of one block alone: rising edges after the one that takes its last word, up to
    the one after which its result is offered. A register that takes the word and offers the result
    has a latency of 0."""


class Exclusion(_Facts):
    """Values that do not go together: all combinations of those listed are refused."""

    about: _Words
    parameters: dict[str, list[int]] = Field(min_length=2)

    def covers(self, values: Mapping[str, int]) -> bool:
        """Whether a set of all parameters is among those that are refused."""
        return all(values.get(name) in refused for name, refused in self.parameters.items())


class Core(_Facts):
    """One core, as its manifest has it."""

    schema_version: int = Field(default=1, ge=1, le=1)
    name: _Identifier
    title: _Words
    about: _Words = ""
    licence: _Words = "Apache-2.0"
    algorithm: Annotated[str, AfterValidator(visible), Field(min_length=1, max_length=64)]
    """Id in the catalogue, such as hmac-sha256, or any word for what the catalogue lacks."""
    top: _Identifier
    clock: _Identifier
    reset: _Identifier | None = None
    sources: list[_File] = Field(min_length=1)
    """In the order of compilation, relative to the manifest."""
    include_folders: list[_File] = Field(default_factory=list)
    adapter: _File | dict[str, Any]
    """Python file with the class `Adapter`, relative to the manifest; or a table for one of the
    protocols that Joulemark knows (`protocol = "..."` and its ports)."""
    tests: list[_File] = Field(default_factory=list)
    """cocotb modules, relative to the manifest."""
    parameters: dict[_Identifier, Parameter] = Field(default_factory=dict)
    excluded: list[Exclusion] = Field(default_factory=list)
    configurations: dict[_Words, Configuration] = Field(default_factory=dict)
    workload: Workload = Field(default_factory=Workload)
    outside_memory: OutsideMemory | None = None
    folder: Path = Field(exclude=True)
    """Where the manifest lies; not part of the file."""

    def source_paths(self) -> list[Path]:
        """Absolute paths of the sources, in order."""
        return [(self.folder / source).resolve() for source in self.sources]

    def chosen(self, given: Mapping[str, int]) -> dict[str, int]:
        """All parameters: those given, the rest at their defaults.

        Raises:
            UsageError: no such parameter, a value that is not supported, or values that do not go
                together.
        """
        for name, value in given.items():
            parameter = self.parameters.get(name)
            if parameter is None:
                known = ", ".join(self.parameters) or "none"
                raise UsageError(f"{self.name} has no parameter '{name}'; it has {known}")
            if value not in parameter.values:
                raise UsageError(
                    f"{self.name}: {name}={value} is not supported; "
                    f"give one of {', '.join(map(str, parameter.values))}"
                )
        values = {name: given.get(name, one.default) for name, one in self.parameters.items()}
        for one in self.excluded:
            if one.covers(values):
                together = ", ".join(f"{name}={values[name]}" for name in one.parameters)
                raise UsageError(f"{self.name}: {together} do not go together: {one.about}")
        return values

    def combinations(self) -> Iterator[dict[str, int]]:
        """Every supported combination of values, the last parameter changing fastest."""
        names = list(self.parameters)
        for numbers in itertools.product(*(self.parameters[name].values for name in names)):
            values = dict(zip(names, numbers, strict=True))
            if not any(one.covers(values) for one in self.excluded):
                yield values


def no_port(core: Core, name: str, role: str, known: Iterable[str]) -> str:
    """The sentence for a port that a manifest names and its top module lacks.

    Args:
        core: whose manifest it is.
        name: of the port.
        role: what the manifest says that it is, as "its clock".
        known: ports that there are.
    """
    close = get_close_matches(name, known, n=1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    return f"{core.name}: {core.top} has no port '{name}', which the manifest names as {role}{hint}"


def read_core(manifest: Path) -> Core:
    """The core that a manifest describes.

    Raises:
        UsageError: the file cannot be read, breaks the schema, or names sources that are missing.
    """
    try:
        facts = tomllib.loads(read_whole(manifest, _MOST_BYTES).decode("utf-8"))
        core = Core.model_validate({**facts, "folder": manifest.resolve().parent})
    except ForeignError as error:
        raise UsageError(f"{manifest} cannot be read: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(shortened(str(part)) for part in first["loc"])
        raise UsageError(f"{manifest}: {place}: {first['msg'].lower()}") from None
    except RecursionError:
        raise UsageError(f"{manifest} is nested too deeply") from None
    except ValueError as error:  # of the decoder, of TOML, and of numbers too long for Python
        raise UsageError(f"{manifest} is no TOML file: {shortened(str(error), 200)}") from None
    _check(manifest, core)
    return core


def _check(manifest: Path, core: Core) -> None:
    """Refuses what the schema cannot see: missing files, and values that contradict each other."""
    for path in core.source_paths():
        if not path.is_file():
            raise UsageError(f"{manifest}: there is no source {path}")
    for name, one in core.parameters.items():
        if one.default not in one.values:
            raise UsageError(f"{manifest}: parameters.{name}: its default is not among its values")
    for exclusion in core.excluded:
        unknown = exclusion.parameters.keys() - core.parameters.keys()
        if unknown:
            raise UsageError(f"{manifest}: excluded: there is no parameter {min(unknown)}")
    for name, configuration in core.configurations.items():
        try:
            core.chosen(configuration.parameters)
        except UsageError as error:
            raise UsageError(f"{manifest}: configurations.{name}: {error}") from None
