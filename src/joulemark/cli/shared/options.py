# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share, so that each has one name, one default and one sentence.

Use: `store: Annotated[str, STORE_OPTION] = DEFAULT_STORE`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import typer

from joulemark.cli.shared.completion import algorithm_names, implementation_names
from joulemark.cli.shared.store_address import checked_address

__all__ = [
    "ALGORITHM_ARGUMENT",
    "ALL_OPTION",
    "ALPHA_OPTION",
    "DEFAULT_PROC",
    "DEFAULT_STORE",
    "DEFAULT_SYSFS",
    "INCLUDE_OPTION",
    "JSON_OPTION",
    "NO_STORE_OPTION",
    "PATTERN_ARGUMENT",
    "PLUGIN_OPTION",
    "PROC_OPTION",
    "RUN_OPTION",
    "STORE_OPTION",
    "SYSFS_OPTION",
    "THRESHOLD_OPTION",
]

DEFAULT_STORE: Final = "joulemark.db"
DEFAULT_SYSFS: Final = Path("/sys")
DEFAULT_PROC: Final = Path("/proc")

STORE_OPTION: Final[Any] = typer.Option(
    "--store",
    envvar="JOULEMARK_STORE",
    metavar="FILE",
    callback=checked_address,
    help="Where runs are kept: an SQLite file, or the URL of a PostgreSQL database.",
)
NO_STORE_OPTION: Final[Any] = typer.Option(
    "--no-store", help="Keep nothing in the store of runs; what is shown is all there is."
)
RUN_OPTION: Final[Any] = typer.Option(
    "--run", metavar="N", help="Number of the run (see 'joulemark runs'); the latest unless given."
)
SYSFS_OPTION: Final[Any] = typer.Option(
    "--sysfs",
    envvar="JOULEMARK_SYSFS",
    metavar="DIR",
    help="Where meters look for the kernel's sysfs, such as a host's mounted in a container.",
)
PROC_OPTION: Final[Any] = typer.Option(
    "--proc",
    envvar="JOULEMARK_PROC",
    metavar="DIR",
    help="Where meters look for the kernel's procfs.",
)
INCLUDE_OPTION: Final[Any] = typer.Option(
    "--include", "-I", metavar="DIR", help="Folder of headers; may be given several times."
)
JSON_OPTION: Final[Any] = typer.Option("--json", help="Print JSON instead of a table.")
ALL_OPTION: Final[Any] = typer.Option(
    "--all", help="Show every implementation and length in long tables, however many there are."
)
PLUGIN_OPTION: Final[Any] = typer.Option(
    "--plugin",
    metavar="FILE",
    help="A shared object with implementations of your own; may be given several times.",
)
ALGORITHM_ARGUMENT: Final[Any] = typer.Argument(
    metavar="ALGORITHM",
    help="Name in the catalogue, such as hmac-sha256 (see 'joulemark list').",
    autocompletion=algorithm_names,
)
PATTERN_ARGUMENT: Final[Any] = typer.Argument(
    metavar="PATTERN",
    help="Algorithm (hmac-sha256), implementation (hmac-sha256/shani), glob ('hmac-*') or family "
    "(family:sha3).",
    autocompletion=implementation_names,
)
ALPHA_OPTION: Final[Any] = typer.Option(
    "--alpha", help="Chance of even one false 'faster' or 'slower' among all lines together."
)
THRESHOLD_OPTION: Final[Any] = typer.Option(
    "--threshold", metavar="DIFFERENCE", help="Smallest difference that counts, as 5% or 0.05."
)
