# SPDX-License-Identifier: Apache-2.0
"""Options about where and how long software is measured: CPU, quiet, precision, budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import typer

from joulemark.cli.quantities import fraction
from joulemark.errors import UsageError
from joulemark.units import parse_duration

if TYPE_CHECKING:
    from joulemark.measure.planning.trials import Precision

__all__ = [
    "BUDGET_OPTION",
    "CPU_OPTION",
    "PRECISION_OPTION",
    "WAIT_QUIET_OPTION",
    "precision",
    "wait",
    "wait_seconds",
]

_USUAL_BUDGET: Final = "120s"

PRECISION_OPTION: Final[Any] = typer.Option(
    help="Go on with trials whose 95 % interval is wider than +- this, as in 1%, until the budget "
    "is spent.",
    show_default=False,
)
BUDGET_OPTION: Final[Any] = typer.Option(
    help=f"With --precision: begin no further rounds after this time, as in 90s or 5min; "
    f"{_USUAL_BUDGET} unless given.",
    show_default=False,
)
CPU_OPTION: Final[Any] = typer.Option(
    help="CPU to measure on; the least busy one that no other run measures on unless given.",
    show_default=False,
)
WAIT_QUIET_OPTION: Final[Any] = typer.Option(
    metavar="LIMIT",
    help="Wait until other programs leave the CPUs, at most so long, as in 10min; then measure.",
    show_default=False,
)


def precision(wanted: str | None, budget: str | None) -> Precision | None:
    """What the options ask for.

    Raises:
        UsageError: one of them makes no sense.
    """
    from joulemark.measure.planning.trials import Precision  # noqa: PLC0415 - scipy is slow

    if wanted is None:
        if budget is not None:
            raise UsageError(
                "--budget is the limit of --precision; name both, as in --precision 1%"
            )
        return None
    half_width = fraction(wanted, "--precision")
    if not 0 < half_width < 1:
        raise UsageError(f"--precision {wanted}: give a share above 0 and below 100%, as in 1%")
    return Precision(half_width, parse_duration(budget or _USUAL_BUDGET, "--budget"))


def wait_seconds(limit: str | None) -> float | None:
    """How long to wait for a quiet machine; None: not at all.

    Raises:
        UsageError: it is no length of time.
    """
    return None if limit is None else parse_duration(limit, "--wait-quiet")


def wait(limit_s: float) -> None:
    """Waits for a quieter machine, and says so."""
    from joulemark.measure.quiet import wait_until_quiet  # noqa: PLC0415 - only where asked

    said = False

    def told(share: float) -> None:
        nonlocal said
        if not said:
            typer.echo(
                f"waiting for a quieter machine, at most {limit_s:.0f} s: programs use "
                f"{share:.0%} of a CPU",
                err=True,
            )
            said = True

    if not wait_until_quiet(limit_s, told):
        typer.echo(
            "the machine did not become quiet in that time; measuring all the same", err=True
        )
