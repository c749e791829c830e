# SPDX-License-Identifier: Apache-2.0
"""Options about energy: which meter, how it is used, where it is looked for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from joulemark.cli.shared.options import DEFAULT_PROC, DEFAULT_SYSFS, PROC_OPTION, SYSFS_OPTION
from joulemark.cli.shared.quantities import fraction
from joulemark.errors import UnavailableError, UsageError
from joulemark.measure.energy.choose import choose_meter
from joulemark.measure.planning.energy import METHODS, EnergyPlan
from joulemark.meters.contract import Roots
from joulemark.meters.instruments import make_meter

__all__ = [
    "ENERGY_ROUNDS_OPTION",
    "ENERGY_WINDOW_OPTION",
    "FOREIGN_LIMIT_OPTION",
    "METER_OPTION",
    "MODELLED_POWER_OPTION",
    "EnergyOptions",
    "TreeOptions",
    "check_meter",
    "checked_watts",
    "warn_without_meter",
    "without_joules",
]

_MAX_ROUNDS: Final = 1000
_MAX_WINDOW_S: Final = 3600.0
_MAX_WATTS: Final = 100_000.0

ENERGY_ROUNDS_OPTION: Final[Any] = typer.Option(
    "--energy-rounds", help="Energy windows of each trial."
)
ENERGY_WINDOW_OPTION: Final[Any] = typer.Option(
    "--energy-window",
    metavar="SECONDS",
    help="Length of each energy window; from the meter's update period unless given.",
)
FOREIGN_LIMIT_OPTION: Final[Any] = typer.Option(
    "--foreign-limit",
    metavar="FRACTION",
    help="CPU time of other programs, as a share of a window, above which it is taken again.",
)
METER_OPTION: Final[Any] = typer.Option(
    "--meter",
    metavar="NAME",
    help="Meter to use (see 'joulemark doctor'); the best that is usable unless given.",
)
MODELLED_POWER_OPTION: Final[Any] = typer.Option(
    "--modelled-power",
    metavar="WATTS",
    help="Also show time times this power, as modelled joules in separate columns.",
)


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """Where meters look for the kernel's trees."""

    sysfs: Annotated[Path, SYSFS_OPTION] = DEFAULT_SYSFS
    proc: Annotated[Path, PROC_OPTION] = DEFAULT_PROC

    def roots(self) -> Roots:
        """The roots of the trees.

        Raises:
            UsageError: one is no folder.
        """
        for option, folder in (("--sysfs", self.sysfs), ("--proc", self.proc)):
            if not folder.is_dir():
                raise UsageError(
                    f"{option} {folder}: there is no such folder; name the root of a tree"
                )
        return Roots(self.sysfs, self.proc)


@dataclass(frozen=True, slots=True)
class EnergyOptions:
    """Whether energy is metered, and how."""

    energy: Annotated[
        bool,
        typer.Option(
            "--energy", help="Meter joules too, in separate windows after the samples of time."
        ),
    ] = False
    meter: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Meter to use (see 'joulemark doctor'); the best that is usable unless given. "
            "Implies --energy.",
        ),
    ] = None
    energy_method: Annotated[
        str | None,
        typer.Option(
            metavar="METHOD",
            help="edges (counters), gauge (power samples) or westermann2010 (that paper's "
            "procedure); what suits the meter unless given.",
        ),
    ] = None
    energy_rounds: Annotated[int, ENERGY_ROUNDS_OPTION] = 10
    energy_window: Annotated[float | None, ENERGY_WINDOW_OPTION] = None
    energy_precision: Annotated[
        str,
        typer.Option(
            metavar="FRACTION",
            help="Half interval of one window's gross energy, from which its length follows, as "
            "1%.",
        ),
    ] = "1%"
    foreign_limit: Annotated[str, FOREIGN_LIMIT_OPTION] = "1%"
    modelled_power: Annotated[float | None, MODELLED_POWER_OPTION] = None

    def plan(self, trees: TreeOptions) -> EnergyPlan | None:
        """The plan that the options ask for; None where no energy is wanted.

        Raises:
            UsageError: one of them makes no sense.
        """
        wanted = self.energy or self.meter or self.energy_method
        return self.metering(trees) if wanted else None

    def metering(self, trees: TreeOptions) -> EnergyPlan:
        """The plan for metering, every part of it checked.

        Raises:
            UsageError: an option makes no sense.
        """
        method, rounds, window_s = self.energy_method, self.energy_rounds, self.energy_window
        if method is not None and method not in METHODS:
            raise UsageError(f"--energy-method {method}: choose one of {', '.join(METHODS)}")
        if not 1 <= rounds <= _MAX_ROUNDS:
            raise UsageError(f"--energy-rounds {rounds}: give a number from 1 to {_MAX_ROUNDS}")
        if window_s is not None and not 0.001 <= window_s <= _MAX_WINDOW_S:
            raise UsageError(
                f"--energy-window {window_s:g}: give 0.001 to {_MAX_WINDOW_S:g} seconds"
            )
        half_width = fraction(self.energy_precision, "--energy-precision")
        if not 0 < half_width <= 1:
            raise UsageError(
                f"--energy-precision {self.energy_precision}: give more than 0 and at most 1"
            )
        check_meter(self.meter)
        roots = trees.roots()
        return EnergyPlan(
            meter=self.meter,
            method=method,
            rounds=rounds,
            window_s=window_s,
            precision=half_width,
            foreign_limit=fraction(self.foreign_limit, "--foreign-limit"),
            sysfs=str(roots.sysfs.resolve()),
            proc=str(roots.proc.resolve()),
        )


def warn_without_meter(plan: EnergyPlan) -> bool:
    """Warns, before the times are measured, that no meter here will give joules after them.

    A meter that was named is not tried: a pipe or a serial port can be read once only.

    Returns:
        Whether it warned; then the last sentence need not repeat the reason (`without_joules`).
    """
    if plan.meter is not None:
        return False
    try:
        chosen = choose_meter(None, Roots(Path(plan.sysfs), Path(plan.proc)), (None, None))
    except UnavailableError as error:
        typer.echo(f"joulemark: {error}; the times follow", err=True)
        return True
    chosen.meter.close()
    return False


def without_joules(reason: str, *, warned: bool) -> UnavailableError:
    """The last sentence of a command that found no joules.

    Args:
        reason: why there are none.
        warned: whether the reason was given before the times.
    """
    return UnavailableError(f"{'no joules' if warned else reason} (the times above stand)")


def check_meter(name: str | None) -> None:
    """Refuses now, not after the times, a meter whose name or argument makes no sense.

    Raises:
        UsageError: there is no such meter, or its argument is wrong.
    """
    if name:
        make_meter(name, Roots())


def checked_watts(watts: float | None) -> float | None:
    """The power of `--modelled-power`.

    Raises:
        UsageError: no machine can have it.
    """
    if watts is None:
        return None
    if not (math.isfinite(watts) and 0 < watts <= _MAX_WATTS):
        raise UsageError(f"--modelled-power {watts:g}: give watts above 0, up to {_MAX_WATTS:g}")
    return watts
