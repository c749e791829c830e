# SPDX-License-Identifier: Apache-2.0
"""What studies of hardware cores share: equipment, an option, exit codes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import typer

from joulemark.studies.core_figures import CoreReporter, MemoryReporter

EXIT_CODES: Final = """\
  0    done, whatever the verdicts are
  2    refused, or a part that was asked for could not be done, such as a core
       whose tools are missing (the rest is shown, and written)
  130  interrupted; finished points are kept and the same command goes on
"""

LIBERTY_OPTION: Final[Any] = typer.Option(
    "--liberty",
    metavar="FILE",
    help="Cell library for area, timing and power; without it there are clocks, and area in "
    "generic gates.",
    show_default=False,
)


@dataclass(frozen=True, slots=True)
class CoreEquipment:
    """The flow that simulates and maps cores, and a model of memories beside them."""

    flow: Callable[[int], CoreReporter]
    """Number of seeds of the placer on an FPGA, 1 or more -> the flow with so many seeds."""
    memory: MemoryReporter
