# SPDX-License-Identifier: Apache-2.0
"""Options that the commands of `joulemark core` share, and how their values are read."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from joulemark.cli.terminal import print_json
from joulemark.errors import UsageError

if TYPE_CHECKING:
    from joulemark.hardware.core.manifest import Core

__all__ = [
    "CACHE_OPTION",
    "CLOCK_OPTION",
    "CONFIGURATION_OPTION",
    "CORE_ARGUMENT",
    "EXPORT_OPTION",
    "JSON_OPTION",
    "KEEP_OPTION",
    "LIBERTY_OPTION",
    "MAPPINGS_OPTION",
    "MAPPING_OPTION",
    "MEMORY_OPTION",
    "NO_CACHE_OPTION",
    "PARAM_OPTION",
    "PLACER_OPTION",
    "SEEDS_OPTION",
    "TARGET_OPTION",
    "VOLTAGE_OPTION",
    "WIRE_OPTION",
    "asked_json",
    "cache_folder",
    "hertz",
    "named_core",
    "on_output",
    "write_json",
]

_OUTPUT: Final = Path("-")
_HERTZ: Final = re.compile(
    r"(?P<number>[0-9.]+(?:e[+-]?[0-9]+)?)\s*(?P<prefix>[kMG]?)(?:Hz)?", re.IGNORECASE
)
_PREFIXES: Final = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}


def _core_names(incomplete: str) -> list[str]:
    """Cores of ours that begin with what was typed; never fails."""
    try:
        from joulemark.hardware.core.shipped import shipped_manifests  # noqa: PLC0415

        return [name for name in shipped_manifests() if name.startswith(incomplete)]
    except Exception:  # noqa: BLE001 - a completion must not complain
        return []


CORE_ARGUMENT: Final[Any] = typer.Argument(
    metavar="CORE",
    help="Name of a core (see 'joulemark core list') or path of a manifest; ':small' or "
    "':STAGES=4,ROUNDS=1' after it chooses a configuration or parameters.",
    show_default=False,
    autocompletion=_core_names,
)
PARAM_OPTION: Final[Any] = typer.Option(
    "--param",
    metavar="NAME=NUMBER",
    help="Parameter of the core; may be given several times.",
    show_default=False,
)
CONFIGURATION_OPTION: Final[Any] = typer.Option(
    "--configuration",
    metavar="NAME",
    help="Named set of parameters of the core's manifest.",
    show_default=False,
)
TARGET_OPTION: Final[Any] = typer.Option(
    "--target",
    metavar="TARGET",
    help="ecp5, ice40, asic (needs --liberty) or generic (gates without a library); ecp5 unless "
    "a library is given.",
    show_default=False,
)
LIBERTY_OPTION: Final[Any] = typer.Option(
    "--liberty",
    metavar="FILE",
    help="Cell library, plain or .gz; or osu018, which Debian's qflow-tech-osu018 brings.",
    show_default=False,
)
MAPPING_OPTION: Final[Any] = typer.Option(
    "--mapping", metavar="area|speed", help="What mapping to cells aims at."
)
MAPPINGS_OPTION: Final[Any] = typer.Option(
    "--mappings",
    metavar="N",
    help="Seeded mappings to cells, of which the median and the range are given; 3 unless given, "
    "or 1 for a large core.",
    show_default=False,
)
MEMORY_OPTION: Final[Any] = typer.Option(
    "--memory-bits",
    metavar="N",
    help="Largest memory that is mapped to flip-flops for asic and generic, which have no block "
    "RAMs; 8192 unless given.",
    show_default=False,
)
CLOCK_OPTION: Final[Any] = typer.Option(
    "--clock", metavar="HZ", help="Clock of the power figures, as 500k, 100MHz or 5e5."
)
VOLTAGE_OPTION: Final[Any] = typer.Option(
    "--voltage",
    metavar="V",
    help="Supply of the power figures; the library's unless given. Another one scales dynamic "
    "power with its square, which is an extrapolation.",
    show_default=False,
)
WIRE_OPTION: Final[Any] = typer.Option(
    "--wire",
    metavar="MODEL",
    help="Capacitance of wires: library (its own model), none, or per input such as 5fF; library "
    "unless given, none for osu018, which has no model.",
    show_default=False,
)
SEEDS_OPTION: Final[Any] = typer.Option(
    "--seeds",
    metavar="N",
    help="Starting points of the placer; 2 unless given, and 5 for figures to publish.",
    show_default=False,
)
PLACER_OPTION: Final[Any] = typer.Option(
    "--placer",
    metavar="NAME",
    help="heap or static, for designs that crowd; static where heap finds no way unless given.",
    show_default=False,
)
JSON_OPTION: Final[Any] = typer.Option(
    "--json",
    metavar="FILE",
    help="Write JSON to this file too; - prints it instead of the table.",
    show_default=False,
)
KEEP_OPTION: Final[Any] = typer.Option(
    "--keep",
    metavar="DIR",
    help="Leave the tools' files and logs in this folder.",
    show_default=False,
)
EXPORT_OPTION: Final[Any] = typer.Option(
    "--export",
    metavar="DIR",
    help="Write netlist, constraints, delays and activity for other tools into this new folder; "
    "needs a cell library. The report is then made again, whatever the cache has.",
    show_default=False,
)
CACHE_OPTION: Final[Any] = typer.Option(
    "--cache",
    envvar="JOULEMARK_CORE_CACHE",
    metavar="DIR",
    help="Where finished reports are kept; joulemark/cores in the user's cache folder unless "
    "given.",
    show_default=False,
)
NO_CACHE_OPTION: Final[Any] = typer.Option(
    "--no-cache", help="Make every report anew and keep none in the cache."
)


def named_core(text: str, configuration: str | None) -> tuple[str | None, Core, list[str]]:
    """Configuration, core and parameters of `CORE[:...]`.

    Raises:
        UsageError: there is no such core, or two configurations are named.
    """
    from joulemark.hardware.core.parameters import split_core  # noqa: PLC0415
    from joulemark.hardware.core.shipped import find_core  # noqa: PLC0415

    name, inside, values = split_core(text)
    if inside is not None and configuration not in {None, inside}:
        raise UsageError(f"{text} and --configuration {configuration} name two configurations")
    return configuration or inside, find_core(name), values


def cache_folder(given: Path | None, *, none: bool) -> Path | None:
    """The folder of reports, or None."""
    from joulemark.hardware.flow.cache import default_folder  # noqa: PLC0415

    return None if none else (given or default_folder())


def hertz(text: str) -> float:
    """A frequency as `500k`, `100 MHz` or `5e5`.

    Raises:
        UsageError: it is no frequency above 0.
    """
    found = _HERTZ.fullmatch(text.strip())
    try:
        value = float(found["number"]) * _PREFIXES[found["prefix"].lower()] if found else 0.0
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise UsageError(f"--clock {text}: give a frequency such as 500k, 100MHz or 5e5")
    return value


def asked_json(path: Path | None) -> bool:
    """Whether JSON is wanted; refuses a file that cannot be written before any work is done.

    Raises:
        UsageError: the file cannot be written.
    """
    if path is None or on_output(path):
        return path is not None
    if path.is_dir():
        raise UsageError(f"--json {path} is a folder; name a file in it")
    place = path if path.exists() else path.parent
    if not place.exists():
        raise UsageError(f"--json {path}: there is no folder {place}")
    if not os.access(place, os.W_OK):
        raise UsageError(f"--json {path} cannot be written (Permission denied)")
    return True


def on_output(path: Path | None) -> bool:
    """Whether JSON goes to standard output, in place of the table."""
    return path == _OUTPUT


def write_json(path: Path | None, value: Any) -> None:
    """Writes or prints a document.

    Raises:
        UsageError: the file cannot be written.
    """
    import json  # noqa: PLC0415

    if path is None:
        return
    if on_output(path):
        print_json(value)
        return
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    try:
        path.write_text(f"{text}\n", "utf-8")
    except OSError as error:
        raise UsageError(f"--json {path} cannot be written ({error.strerror})") from error
