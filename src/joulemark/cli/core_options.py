# SPDX-License-Identifier: Apache-2.0
"""How a core is named, how its figures are made, and where finished reports are kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from joulemark.cli.shared.command import SpreadOptions
from joulemark.cli.shared.terminal import JSON_FILE_OPTION
from joulemark.errors import UsageError
from joulemark.hardware.cores import chosen_variant, find_core, shipped_manifests, split_core
from joulemark.hardware.flow.cache import CACHE_VARIABLE, default_folder
from joulemark.hardware.flow.place import DEVICES
from joulemark.hardware.flow.request import Flow, flow
from joulemark.hardware.manifest import Core
from joulemark.units import parse_size

# Options that say which core, and with which parameters.


def _core_names(incomplete: str) -> list[str]:
    """Cores of ours whose names begin with what was typed; never fails."""
    try:
        return [name for name in shipped_manifests() if name.startswith(incomplete)]
    except Exception:  # noqa: BLE001 - a completion must not complain
        return []


CORE_ARGUMENT: Final[Any] = typer.Argument(
    metavar="CORE",
    help="Name of a core (see 'joulemark core list') or path of a manifest; ':small' or "
    "':STAGES=4,ROUNDS=1' after it chooses a configuration or parameters.",
    autocompletion=_core_names,
)
KEEP_OPTION: Final[Any] = typer.Option(
    "--keep", metavar="DIR", help="Leave the tools' files and logs in this folder."
)


@dataclass(frozen=True, slots=True)
class CoreChoice:
    """One core and its parameters."""

    core: Annotated[str, CORE_ARGUMENT]
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=NUMBER", help="Parameter of the core; may be given several times."
        ),
    ] = None
    configuration: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Named set of parameters of the core's manifest."),
    ] = None

    def core_and_parameters(self) -> tuple[Core, dict[str, int]]:
        """The core, and a value for every parameter."""
        name, core, more = named_core(self.core, self.configuration)
        _, parameters = chosen_variant(core, name, [*more, *(self.param or [])])
        return core, parameters


def named_core(text: str, configuration: str | None) -> tuple[str | None, Core, list[str]]:
    """Configuration, core and parameters of `CORE[:...]`."""
    name, inside, values = split_core(text)
    if inside is not None and configuration not in {None, inside}:
        raise UsageError(f"{text} and --configuration {configuration} name two configurations")
    return configuration or inside, find_core(name), values


_HERTZ: Final = re.compile(
    r"(?P<number>[0-9.]+(?:e[+-]?[0-9]+)?)\s*(?P<prefix>[kMG]?)(?:Hz)?", re.IGNORECASE
)
_PREFIXES: Final = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}


@dataclass(frozen=True, slots=True)
class FlowOptions:
    """Options for the tools of a flow."""

    liberty: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Cell library, plain or .gz; or osu018, of Debian 12's package qflow-tech-osu018.",
        ),
    ] = None
    mapping: Annotated[
        str, typer.Option(metavar="area|speed", help="What mapping to cells aims at.")
    ] = "area"
    clock: Annotated[
        str, typer.Option(metavar="HZ", help="Clock of the power figures, as 500k, 100MHz or 5e5.")
    ] = "500k"
    voltage: Annotated[
        float | None,
        typer.Option(
            metavar="V",
            help="Supply of the power figures; the library's unless given. Another one scales "
            "dynamic power with its square, which is an extrapolation.",
        ),
    ] = None
    wire: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Capacitance of wires: library (its own model), none, or per input such as 5fF; "
            "library unless given, none for osu018, which has no model.",
        ),
    ] = None
    mappings: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Seeded mappings to cells, of which the median and the range are given; 3 unless "
            "given, or 1 for a large core.",
        ),
    ] = None
    seeds: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Starting points of the placer; 2 unless given, and 5 for figures to publish.",
        ),
    ] = None
    placer: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="heap or static, for designs that crowd; static where heap finds no way unless "
            "given.",
        ),
    ] = None
    memory_bits: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Largest memory that is mapped to flip-flops for asic and generic, which have no "
            "block RAMs; 8192 unless given.",
        ),
    ] = None
    message: Annotated[
        str | None,
        typer.Option(
            metavar="BYTES",
            help="Length of the messages, as 29 or 1KiB; that of the manifest's workload unless "
            "given.",
        ),
    ] = None

    def flow(self, target: str | None, *, modules: bool = False, power: bool = True) -> Flow:
        """The flow of one target; what suits the library unless the target is given."""
        return flow(
            target,
            self.liberty,
            mapping=self.mapping,
            clock_hz=hertz(self.clock),
            voltage_v=self.voltage,
            wire=self.wire,
            mappings=self.mappings,
            seeds=self.seeds,
            placer=self.placer,
            modules=modules,
            power=power,
            memory_bits=self.memory_bits,
            message_bytes=None if self.message is None else parse_size(self.message),
        )

    def flows(self, targets: Sequence[str]) -> list[Flow]:
        """The flows of several targets, each of which gets the options that it takes."""
        if len(targets) < 2:
            return [self.flow(target) for target in targets or (None,)]
        return [
            replace(
                self,
                liberty=self.liberty if target == "asic" else None,
                mappings=self.mappings if target == "asic" else None,
                seeds=self.seeds if target in DEVICES else None,
                placer=self.placer if target in DEVICES else None,
                memory_bits=self.memory_bits if target not in DEVICES else None,
            ).flow(target)
            for target in targets
        ]


@dataclass(frozen=True, slots=True)
class CacheOptions:
    """Where finished reports are kept."""

    cache: Annotated[
        Path | None,
        typer.Option(
            envvar=CACHE_VARIABLE,
            metavar="DIR",
            help="Where finished reports are kept; joulemark/cores in the user's cache folder "
            "unless given.",
        ),
    ] = None
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Make every report again and keep none in the cache.")
    ] = False

    @property
    def folder(self) -> Path | None:
        """The folder of the reports; None if none are kept."""
        return None if self.no_cache else (self.cache or default_folder())


@dataclass(frozen=True, slots=True, kw_only=True)
class ManyOptions:
    """Where many reports go, where they are kept, and how many are made at a time."""

    json_: Annotated[Path | None, JSON_FILE_OPTION] = None
    cache: CacheOptions
    jobs: Annotated[
        int | None,
        typer.Option(metavar="N", help="Reports made at a time; one per CPU unless given."),
    ] = None
    spread: SpreadOptions

    def check(self) -> None:
        """Refuses what makes no sense, before any work is done."""
        if self.jobs is not None and self.jobs < 1:
            raise UsageError(f"--jobs {self.jobs}: give a number from 1")
        self.spread.check(self.jobs)


def hertz(text: str) -> float:
    """A frequency as `500k`, `100 MHz` or `5e5`."""
    found = _HERTZ.fullmatch(text.strip())
    try:
        value = float(found["number"]) * _PREFIXES[found["prefix"].lower()] if found else 0.0
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise UsageError(f"--clock {text}: give a frequency such as 500k, 100MHz or 5e5")
    return value
