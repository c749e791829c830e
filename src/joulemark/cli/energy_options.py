# SPDX-License-Identifier: Apache-2.0
"""The options of `bench` about energy, and the plan they mean."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from joulemark.cli.quantities import fraction
from joulemark.errors import UsageError

if TYPE_CHECKING:
    from joulemark.measure.planning.energy import EnergyPlan

__all__ = [
    "ENERGY_METHOD_OPTION",
    "ENERGY_OPTION",
    "ENERGY_PRECISION_OPTION",
    "ENERGY_ROUNDS_OPTION",
    "ENERGY_WINDOW_OPTION",
    "FOREIGN_LIMIT_OPTION",
    "METER_OPTION",
    "MODELLED_POWER_OPTION",
    "energy_plan",
    "modelled_watts",
]

_MAX_ROUNDS: Final = 1000
_MAX_WINDOW_S: Final = 3600.0
_MAX_WATTS: Final = 100_000.0

ENERGY_OPTION: Final[Any] = typer.Option(
    "--energy", help="Meter joules too, in windows of their own after the samples of time."
)
METER_OPTION: Final[Any] = typer.Option(
    "--meter",
    metavar="NAME",
    help="Meter to use (see 'joulemark doctor'); the best that is usable unless given. "
    "Implies --energy.",
    show_default=False,
)
ENERGY_METHOD_OPTION: Final[Any] = typer.Option(
    "--energy-method",
    metavar="METHOD",
    help="edges (counters), gauge (power samples) or westermann2010 (that paper's procedure); "
    "what suits the meter unless given.",
    show_default=False,
)
ENERGY_ROUNDS_OPTION: Final[Any] = typer.Option(
    "--energy-rounds", help="Energy windows of each trial."
)
ENERGY_WINDOW_OPTION: Final[Any] = typer.Option(
    "--energy-window",
    metavar="SECONDS",
    help="Length of each energy window; from the meter's update period unless given.",
    show_default=False,
)
ENERGY_PRECISION_OPTION: Final[Any] = typer.Option(
    "--energy-precision",
    metavar="FRACTION",
    help="Half interval of one window's gross energy, from which its length follows, as 1%.",
)
FOREIGN_LIMIT_OPTION: Final[Any] = typer.Option(
    "--foreign-limit",
    metavar="FRACTION",
    help="CPU time of other programs, as a share of a window, above which it is taken again.",
)
MODELLED_POWER_OPTION: Final[Any] = typer.Option(
    "--modelled-power",
    metavar="WATTS",
    help="Also show time times this power, as modelled joules in columns of their own.",
    show_default=False,
)


def energy_plan(asked: Mapping[str, Any]) -> EnergyPlan | None:
    """What the options mean; None where no energy was asked for.

    Args:
        asked: `energy`, `meter`, `method`, `rounds`, `window_s`, `precision`, `foreign_limit`,
            `sysfs` and `proc`, as given.

    Raises:
        UsageError: one of them makes no sense.
    """
    from joulemark.measure.planning.energy import METHODS, EnergyPlan  # noqa: PLC0415
    from joulemark.meters.contract import Roots  # noqa: PLC0415
    from joulemark.meters.instruments import make_meter  # noqa: PLC0415

    method, rounds, window_s = asked["method"], asked["rounds"], asked["window_s"]
    if not (asked["energy"] or asked["meter"] or method):
        return None
    if method is not None and method not in METHODS:
        raise UsageError(f"--energy-method {method}: choose one of {', '.join(METHODS)}")
    if not 1 <= rounds <= _MAX_ROUNDS:
        raise UsageError(f"--energy-rounds {rounds}: give a number from 1 to {_MAX_ROUNDS}")
    if window_s is not None and not 0.001 <= window_s <= _MAX_WINDOW_S:
        raise UsageError(f"--energy-window {window_s:g}: give 0.001 to {_MAX_WINDOW_S:g} seconds")
    precision = fraction(asked["precision"], "--energy-precision")
    if not 0 < precision <= 1:
        raise UsageError(f"--energy-precision {asked['precision']}: give more than 0 and at most 1")
    if asked["meter"]:
        # A name or argument that makes no sense is refused now, not after the times.
        make_meter(asked["meter"], Roots())
    return EnergyPlan(
        meter=asked["meter"],
        method=method,
        rounds=rounds,
        window_s=window_s,
        precision=precision,
        foreign_limit=fraction(asked["foreign_limit"], "--foreign-limit"),
        sysfs=str(_folder(asked["sysfs"], "--sysfs")),
        proc=str(_folder(asked["proc"], "--proc")),
    )


def _folder(path: Path, option: str) -> Path:
    if not path.is_dir():
        raise UsageError(f"{option} {path}: there is no such folder")
    return path.resolve()


def modelled_watts(watts: float | None) -> float | None:
    """The stated power.

    Raises:
        UsageError: it is no power that a machine can have.
    """
    if watts is None:
        return None
    if not (math.isfinite(watts) and 0 < watts <= _MAX_WATTS):
        raise UsageError(f"--modelled-power {watts:g}: give watts above 0, up to {_MAX_WATTS:g}")
    return watts
