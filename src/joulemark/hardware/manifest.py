# SPDX-License-Identifier: Apache-2.0
"""A core's manifest, `<core>.toml`: its algorithm, sources, parameters, and how to drive it.

The same small file describes our cores in `hdl/` and any Verilog or SystemVerilog of a user.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from joulemark.catalogue import algorithms
from joulemark.catalogue.vectors import calls
from joulemark.errors import UsageError
from joulemark.foreign import ForeignError, read_whole, shortened, visible
from joulemark.hardware.vhdl import is_vhdl, verilog_of

# Types of the fields of all files about cores, and the function that reads such a file.

_LONGEST_PART_BYTES = 255
_MOST_BYTES = 1 << 20
_Model = TypeVar("_Model", bound=BaseModel)


def _file(name: str) -> str:
    """Refuses text that cannot be a relative or absolute path of a file."""
    if not name.isprintable() or not name:
        raise ValueError("this is no name of a file")
    if len(name) > 4000 or any(
        len(part.encode()) > _LONGEST_PART_BYTES for part in name.split("/")
    ):
        raise ValueError("no file has so long a name")
    return name


Identifier = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_$]*$", max_length=255)]
File = Annotated[str, AfterValidator(_file)]
Words = Annotated[str, AfterValidator(visible)]


class ManifestTable(BaseModel):
    """A table of such a file; it may have the fields of its class and no others."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def read_facts(path: Path, model: type[_Model], **more: Any) -> _Model:
    """Reads a TOML file of at most 1 MiB as a model; `more` has fields that the file lacks."""
    try:
        facts = tomllib.loads(read_whole(path, _MOST_BYTES).decode("utf-8"))
        return model.model_validate({**facts, **more})
    except ForeignError as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(shortened(str(part)) for part in first["loc"])
        raise UsageError(f"{path}: {place}: {first['msg'].lower()}") from None
    except RecursionError:
        raise UsageError(f"{path} is nested too deeply") from None
    except ValueError as error:  # of the decoder, of TOML, and of numbers too long for Python
        raise UsageError(f"{path} is no TOML file: {shortened(str(error), 200)}") from None


# Finds the sources that a manifest takes from others, by the `uses` of both.
#
# A manifest that is used need not describe a core: `name`, `title` and `sources` suffice for parts
# that several cores share (`hdl/common/aes.toml`).

_DEEPEST = 16


class _Parts(ManifestTable):
    """The entries of a manifest about its sources. Its other entries are left unread."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    title: Words
    uses: list[File] = Field(default_factory=list)
    """Manifests, relative to this one, whose sources come before the sources of this one."""
    sources: list[File] = Field(min_length=1)
    """Sources in the order of compilation, relative to the manifest."""


def used_sources(manifest: Path, uses: Sequence[str]) -> list[Path]:
    """Absolute paths of all sources that a manifest takes from others by its `uses`, each once.

    They are in the order of compilation: each manifest's sources after those that it uses itself.
    """
    read: dict[Path, list[Path]] = {}

    def collect(uses: Sequence[str], users: list[Path]) -> None:
        """Puts the sources of each manifest into `read` after those that it uses."""
        for name in uses:
            used = (users[-1].parent / name).resolve()
            if used in read:
                continue
            if used in users:
                raise UsageError(f"{manifest}: uses: {used} uses itself")
            if len(users) > _DEEPEST:
                raise UsageError(f"{manifest}: uses: more than {_DEEPEST} manifests in a chain")
            parts = read_facts(used, _Parts)
            collect(parts.uses, [*users, used])
            read[used] = [(used.parent / source).resolve() for source in parts.sources]

    collect(uses, [manifest.resolve()])
    return list(dict.fromkeys(path for paths in read.values() for path in paths))


class CoreParameter(ManifestTable):
    """One integer parameter of the top module."""

    about: Words
    default: int
    values: list[int] = Field(min_length=1)
    """Every value that is supported and tested."""


class CoreWorkload(ManifestTable):
    """Random messages, one after another, that a report runs to find clocks and power."""

    messages: int = Field(default=8, ge=1, le=1 << 16)
    message_bytes: int = Field(default=0, ge=0, le=1 << 20)
    blocks_per_message: int = Field(default=1, ge=1, le=1 << 20)
    """Blocks of the algorithm in one such message, its padding included. Where the adapter's table
    says how many are sent, that is the number."""
    longest_clocks: int | None = Field(default=None, ge=16, le=1 << 30)
    """Clocks without a word in or out after which the core hangs; unless given, many times what
    the configuration promises."""


class OutsideMemory(ManifestTable):
    """A memory that the core works on but that lies outside it, so that no figure includes it."""

    about: Words
    """Contents of the memory."""
    words: int = Field(ge=1, le=1 << 32)
    word_bits: int = Field(ge=1, le=1 << 16)
    ports: list[Identifier] = Field(min_length=1)
    """Ports of the core that lead to the memory."""
    reads_per_block: int | None = Field(default=None, ge=0)
    """Accesses that one block needs, without those that bring the message into the memory."""
    writes_per_block: int | None = Field(default=None, ge=0)

    @property
    def bits(self) -> int:
        """Size of the memory."""
        return self.words * self.word_bits

    @property
    def text(self) -> str:
        """The memory as one clause of a sentence."""
        numbers = {"reads": self.reads_per_block, "writes": self.writes_per_block}
        accesses = [f"{number} {kind}" for kind, number in numbers.items() if number is not None]
        per_block = f", {' and '.join(accesses)} a block" if accesses else ""
        return (
            f"{self.words} x {self.word_bits} = {self.bits} bits ({self.about}{per_block}) "
            f"at the ports {', '.join(self.ports)}"
        )


class Configuration(ManifestTable):
    """A named set of parameters with the clocks that its documentation promises; tests assert them.

    None means that nothing is promised.
    """

    about: Words
    parameters: dict[str, int] = Field(default_factory=dict)
    """Parameters that differ from their defaults."""
    clocks_per_block: int | None = None
    """Clocks between blocks of back-to-back messages of the manifest's workload."""
    latency_clocks: int | None = None
    """Latency of a message of one block alone: rising edges after the one that takes its last word,
    up to the one after which its result is offered. A register that takes the word and offers the
    result has a latency of 0."""


class Exclusion(ManifestTable):
    """Values of parameters that do not go together; every combination of them is refused."""

    about: Words
    parameters: dict[str, list[int]] = Field(min_length=2)

    def covers(self, values: Mapping[str, int]) -> bool:
        """Whether these values of all parameters are refused."""
        return all(values.get(name) in refused for name, refused in self.parameters.items())


class Core(ManifestTable):
    """One core, as its manifest describes it."""

    schema_version: int = Field(default=1, ge=1, le=1)
    name: Identifier
    title: Words
    about: Words = ""
    licence: Words = "Apache-2.0"
    algorithm: Annotated[str, AfterValidator(visible), Field(min_length=1, max_length=64)]
    """Id in the catalogue, such as hmac-sha256, or any word for an algorithm that it lacks."""
    top: Identifier
    clock: Identifier
    reset: Identifier | None = None
    uses: list[File] = Field(default_factory=list)
    """Manifests, relative to this one, whose sources come before the sources of this one, together
    with the sources of manifests that they use. Nothing else of them counts here."""
    sources: list[File] = Field(min_length=1)
    """Sources in the order of compilation, relative to the manifest."""
    include_folders: list[File] = Field(default_factory=list)
    adapter: File | dict[str, Any]
    """Python file with the class `Adapter`, relative to the manifest; or a table for one of the
    protocols that Joulemark knows (`protocol = "..."` and its ports)."""
    inputs: Literal["held", "sampled"] = "held"
    """Whether the inputs of a message must keep their values after the clock that takes them.
    `sampled`: the core reads them then alone, and they become random in every check."""
    tests: list[File] = Field(default_factory=list)
    """cocotb modules, relative to the manifest."""
    parameters: dict[Identifier, CoreParameter] = Field(default_factory=dict)
    excluded: list[Exclusion] = Field(default_factory=list)
    configurations: dict[Words, Configuration] = Field(default_factory=dict)
    workload: CoreWorkload = Field(default_factory=CoreWorkload)
    outside_memory: OutsideMemory | None = None
    folder: Path = Field(exclude=True)
    """Folder of the manifest; not part of the file."""
    used: list[Path] = Field(default_factory=list, exclude=True)
    """Absolute paths of the sources that `uses` brings; not part of the file."""

    def source_paths(self) -> list[Path]:
        """Absolute paths of all sources, in order, each once."""
        own = ((self.folder / source).resolve() for source in self.sources)
        return list(dict.fromkeys([*self.used, *own]))

    def verilog_paths(self) -> list[Path]:
        """The same in Verilog, to which VHDL is translated."""
        paths = self.source_paths()
        return [verilog_of(paths, self.top)] if all(map(is_vhdl, paths)) else paths

    def chosen(self, given: Mapping[str, int]) -> dict[str, int]:
        """All parameters: the given ones, and the others at their defaults."""
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
        values = {name: given.get(name, option.default) for name, option in self.parameters.items()}
        for exclusion in self.excluded:
            if exclusion.covers(values):
                together = ", ".join(f"{name}={values[name]}" for name in exclusion.parameters)
                raise UsageError(f"{self.name}: {together} do not go together: {exclusion.about}")
        return values

    def configuration(self, parameters: Mapping[str, int]) -> str | None:
        """Name of the first configuration that has exactly these parameters, or None."""
        for name, configuration in self.configurations.items():
            if self.chosen(configuration.parameters) == parameters:
                return name
        return None

    def promised(self, parameters: Mapping[str, int]) -> Configuration | None:
        """The configuration of these parameters, with the clocks that it promises, or None."""
        return self.configurations.get(self.configuration(parameters) or "")

    def combinations(self) -> Iterator[dict[str, int]]:
        """Every supported combination of values, the last parameter changing fastest."""
        names = list(self.parameters)
        for numbers in itertools.product(*(self.parameters[name].values for name in names)):
            values = dict(zip(names, numbers, strict=True))
            if not any(exclusion.covers(values) for exclusion in self.excluded):
                yield values


def read_core(manifest: Path) -> Core:
    """The core that a manifest describes."""
    core = read_facts(manifest, Core, folder=manifest.resolve().parent, used=[])
    core = core.model_copy(update={"used": used_sources(manifest, core.uses)})
    _check(manifest, core)
    try:
        return with_sent_blocks(core)
    except UsageError as error:
        raise UsageError(f"{manifest}: {error}") from None


def sent_blocks(core: Core) -> int | None:
    """Blocks of the algorithm that the adapter sends for a message of the workload.

    None where the table does not tell: a core that is sent words may pad them itself, and its words
    may be smaller than a block.
    """
    table = core.adapter if isinstance(core.adapter, dict) else {}
    size, padding = table.get("block_bytes"), table.get("padding", "none")
    streamed = table.get("protocol") not in {"init_next", "start_done"}
    # What is no block or no padding is refused where the core is driven.
    if type(size) is not int or size < 1 or padding not in {"none", "zero", "sha2", "md5"}:
        return None
    # As `padded` of the adapters fills up: a byte and the length, or nothing but zeros.
    added = 0 if padding in {"none", "zero"} else 9 if size <= 64 else 17
    facts = algorithms().get(core.algorithm)
    if (streamed and padding == "none") or (facts is not None and facts.block_bytes != size):
        return None
    return max(1, -(-(core.workload.message_bytes + added) // size))


def with_sent_blocks(core: Core) -> Core:
    """The core with the blocks that its adapter sends; refuses a workload that has others.

    An algorithm may have blocks that nobody sends: those of HMAC's key and outer hash.
    """
    blocks, workload = sent_blocks(core), core.workload
    if blocks is None:
        return core
    if "blocks_per_message" not in workload.model_fields_set:
        changed = workload.model_copy(update={"blocks_per_message": blocks})
        return core.model_copy(update={"workload": changed})
    if workload.blocks_per_message not in {blocks, calls(core.algorithm, workload.message_bytes)}:
        raise UsageError(
            f"workload.blocks_per_message is {workload.blocks_per_message}, and the adapter sends "
            f"{blocks} for a message of {workload.message_bytes} bytes; write {blocks} or leave it "
            "out"
        )
    return core


def _check(manifest: Path, core: Core) -> None:
    """Refuses missing files and contradictory values, which the schema cannot see."""
    for path in core.source_paths():
        if not path.is_file():
            raise UsageError(f"{manifest}: there is no source {path}")
    _check_languages(manifest, core)
    for name, parameter in core.parameters.items():
        if parameter.default not in parameter.values:
            raise UsageError(f"{manifest}: parameters.{name}: its default is not among its values")
    for exclusion in core.excluded:
        unknown = exclusion.parameters.keys() - core.parameters.keys()
        if unknown:
            raise UsageError(f"{manifest}: excluded: there is no parameter {min(unknown)}")
    named: dict[tuple[tuple[str, int], ...], str] = {}
    for name, configuration in core.configurations.items():
        try:
            values = core.chosen(configuration.parameters)
        except UsageError as error:
            raise UsageError(f"{manifest}: configurations.{name}: {error}") from None
        other = named.setdefault(tuple(sorted(values.items())), name)
        if other != name:
            raise UsageError(
                f"{manifest}: configurations.{name}: it has the parameters of '{other}', and a "
                "configuration is known by its parameters; leave one out"
            )


def _check_languages(manifest: Path, core: Core) -> None:
    """Refuses what the translation of VHDL to Verilog cannot give."""
    vhdl = [path for path in core.source_paths() if is_vhdl(path)]
    if vhdl and len(vhdl) < len(core.source_paths()):
        raise UsageError(
            f"{manifest}: sources: {vhdl[0].name} is VHDL and others are Verilog; give all sources "
            "in one language (GHDL can translate VHDL to Verilog)"
        )
    if vhdl and core.parameters:
        raise UsageError(
            f"{manifest}: parameters: generics of VHDL stay at their defaults; give each value an "
            "entity of its own, and leave out [parameters]"
        )
