# SPDX-License-Identifier: Apache-2.0
"""The options of `joulemark energy`: how often the command runs, and what meters it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from joulemark.cli.shared.energy_options import (
    FOREIGN_LIMIT_OPTION,
    METER_OPTION,
    MODELLED_POWER_OPTION,
    TreeOptions,
    check_meter,
)
from joulemark.cli.shared.quantities import fraction
from joulemark.errors import UsageError
from joulemark.measure.planning.energy import EnergyPlan
from joulemark.records.command import CommandPlan

__all__ = ["MeteringOptions", "RepeatOptions"]

_MAX_ROUNDS: Final = 1000
_MAX_REPEAT: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class RepeatOptions:
    """How often the command runs."""

    rounds: Annotated[int, typer.Option(help="Windows in which the command is metered.")] = 5
    warmup: Annotated[int, typer.Option(help="Runs before, which are not metered.")] = 1
    repeat: Annotated[
        int, typer.Option(help="Runs in one window, for a command that is short.")
    ] = 1
    ignore_failure: Annotated[
        bool, typer.Option("--ignore-failure", help="Measure a command that fails all the same.")
    ] = False

    def plan(self) -> CommandPlan:
        """The runs of the command.

        Raises:
            UsageError: a number is too small or too large.
        """
        for name, value, least, most in (
            ("rounds", self.rounds, 1, _MAX_ROUNDS),
            ("warmup", self.warmup, 1, _MAX_ROUNDS),
            ("repeat", self.repeat, 1, _MAX_REPEAT),
        ):
            if not least <= value <= most:
                raise UsageError(f"--{name} {value}: give a number from {least} to {most}")
        return CommandPlan(
            rounds=self.rounds, warmup=self.warmup, repeat=self.repeat,
            ignore_failure=self.ignore_failure,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class MeteringOptions:
    """What meters the command, and where it runs."""

    meter: Annotated[str | None, METER_OPTION] = None
    cpu: Annotated[
        int | None, typer.Option(help="The only CPU that the command may use; all unless given.")
    ] = None
    foreign_limit: Annotated[str, FOREIGN_LIMIT_OPTION] = "1%"
    modelled_power: Annotated[float | None, MODELLED_POWER_OPTION] = None

    def plan(self, trees: TreeOptions) -> EnergyPlan:
        """The meter, and the share of other programs that it tolerates.

        Raises:
            UsageError: one of the options makes no sense.
        """
        roots = trees.roots()
        check_meter(self.meter)
        return EnergyPlan(
            meter=self.meter,
            foreign_limit=fraction(self.foreign_limit, "--foreign-limit"),
            sysfs=str(roots.sysfs),
            proc=str(roots.proc),
        )
