# SPDX-License-Identifier: Apache-2.0
"""What studies that measure on the CPU of this machine share: equipment, an option, exit codes."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import typer

from joulemark.environment.facts import Environment
from joulemark.measure.inventory import Inventory
from joulemark.measure.plan import EnergyPlan
from joulemark.measure.runner import RunObserver
from joulemark.store.repository import Store

FRESH_OPTION: Final[Any] = typer.Option(
    "--fresh", help="Measure everything again instead of going on with what is there."
)


def exit_codes(failures: str) -> str:
    """Returns the lines of help about exit codes.

    Args:
        failures: names what a study may fail to do, and says what is kept then.
    """
    refused = f"refused, or a part that was asked for could not be done: {failures}"
    return (
        "  0    measured, whatever the verdicts are\n"
        + textwrap.fill(refused, 80, initial_indent="  2    ", subsequent_indent=" " * 7)
        + "\n  130  interrupted; the same command goes on\n"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuEquipment:
    """The implementations of this machine, their meter, and the places of the series."""

    inventory: Inventory
    store: Store
    """Keeps the samples of the harness; a run in it is continued."""
    environment: Environment
    """The facts of this machine."""
    folder: Path
    """Existing folder for raw series that the harness does not take."""
    energy: EnergyPlan | None = None
    observer: RunObserver | None = None
    """Is told of the harness's progress."""
    say: Callable[[str], None] = lambda _text: None
    """Is told the name of the part that begins."""
