# SPDX-License-Identifier: Apache-2.0
"""Options of commands that measure: store, CPU, energy, patience, and what is measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from joulemark.cli.shared.completion import algorithm_names, implementation_names
from joulemark.cli.shared.terminal import print_text
from joulemark.errors import UnavailableError, UsageError
from joulemark.measure.meter_choice import choose_meter
from joulemark.measure.plan import METHODS, EnergyPlan
from joulemark.meters import Roots
from joulemark.meters.instruments import make_meter
from joulemark.units import parse_difference

# Addresses of stores as the user gives them: a password is taken out before anything shows it.


def checked_address(context: typer.Context, parameter: typer.CallbackParam, value: Any) -> Any:
    """The address without its password, which this process remembers for the database alone."""
    if context.resilient_parsing or not isinstance(value, str) or "://" not in value:
        return value
    from joulemark.store.address import without_password  # noqa: PLC0415 - SQLAlchemy

    shown = without_password(value)
    source = context.get_parameter_source(parameter.name or "")
    if shown != value and source is not None and source.name == "COMMANDLINE":
        raise UsageError(
            "a password on the command line can be read by every user of this machine; put the "
            "whole address into the variable JOULEMARK_STORE, or the password into the file that "
            "PGPASSFILE names"
        )
    return shown


# Options that several commands share, so that each has one name, one default and one sentence.
#
# Use: `store: Annotated[str, STORE_OPTION] = DEFAULT_STORE`.

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
PERCENTILE_OPTION: Final[Any] = typer.Option(
    "--percentile",
    metavar="P",
    help="Also show this percentile of the times, as 99, with its interval; it needs many of them.",
)
THRESHOLD_OPTION: Final[Any] = typer.Option(
    "--threshold", metavar="DIFFERENCE", help="Smallest difference that counts, as 5% or 0.05."
)


# Options about energy: which meter, how it is used, where it is looked for.

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
        """The roots of the trees."""
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
        """The plan that the options ask for; None where no energy is wanted."""
        wanted = self.energy or self.meter or self.energy_method
        return self.metering(trees) if wanted else None

    def metering(self, trees: TreeOptions) -> EnergyPlan:
        """The plan for metering, every part of it checked."""
        method, rounds, window_s = self.energy_method, self.energy_rounds, self.energy_window
        if method is not None and method not in METHODS:
            raise UsageError(f"--energy-method {method}: choose one of {', '.join(METHODS)}")
        if not 1 <= rounds <= _MAX_ROUNDS:
            raise UsageError(f"--energy-rounds {rounds}: give a number from 1 to {_MAX_ROUNDS}")
        if window_s is not None and not 0.001 <= window_s <= _MAX_WINDOW_S:
            raise UsageError(
                f"--energy-window {window_s:g}: give 0.001 to {_MAX_WINDOW_S:g} seconds"
            )
        half_width = parse_difference(self.energy_precision, "--energy-precision")
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
            foreign_limit=parse_difference(self.foreign_limit, "--foreign-limit"),
            sysfs=str(roots.sysfs.resolve()),
            proc=str(roots.proc.resolve()),
        )


def warn_without_meter(plan: EnergyPlan) -> bool:
    """Warns, before the times are measured, that no meter here will give joules after them.

    A meter that was named is not tried: a pipe or a serial port can be read once only. Returns
    whether it warned; then the last sentence need not repeat the reason (`without_joules`).
    """
    if plan.meter is not None:
        return False
    try:
        chosen = choose_meter(None, Roots(Path(plan.sysfs), Path(plan.proc)), (None, None))
    except UnavailableError as error:
        print_text(f"joulemark: {error}; the times follow", err=True)
        return True
    chosen.meter.close()
    return False


def without_joules(reason: str, *, warned: bool) -> UnavailableError:
    """The last sentence of a command without joules, whose reason a warning may have given."""
    return UnavailableError(f"{'no joules' if warned else reason} (the times above stand)")


def check_meter(name: str | None) -> None:
    """Refuses now, not after the times, a meter whose name or argument makes no sense."""
    if name:
        make_meter(name, Roots())


def checked_watts(watts: float | None) -> float | None:
    """The power of `--modelled-power`."""
    if watts is None:
        return None
    if not (math.isfinite(watts) and 0 < watts <= _MAX_WATTS):
        raise UsageError(f"--modelled-power {watts:g}: give watts above 0, up to {_MAX_WATTS:g}")
    return watts


CPU_OPTION: Final[Any] = typer.Option(
    "--cpu",
    help="CPU to measure on; unless given the least busy one that no other run measures on, of the "
    "fastest kind where cores are of several kinds.",
)
HANG_LIMIT_OPTION: Final[Any] = typer.Option(
    "--hang-limit", help="Seconds without an answer after which code counts as hung."
)


def checked_hang_limit(limit_s: float) -> float:
    """The value of `--hang-limit`."""
    if not 0 < limit_s < math.inf:
        raise UsageError(f"--hang-limit {limit_s}: give a number of seconds above 0")
    return limit_s


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """The store of what is measured, or none."""

    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE
    no_store: Annotated[bool, NO_STORE_OPTION] = False

    @property
    def location(self) -> str | None:
        """The store's location; None if nothing is kept."""
        return None if self.no_store else self.store
