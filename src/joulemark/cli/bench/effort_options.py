# SPDX-License-Identifier: Apache-2.0
"""The options of `bench` about where and how long software is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final

import typer

from joulemark.cli.shared.measuring_options import CPU_OPTION, HANG_LIMIT_OPTION, checked_hang_limit
from joulemark.cli.shared.quantities import fraction
from joulemark.errors import UsageError
from joulemark.measure.planning.trials import Precision
from joulemark.measure.study import QUICK, STANDARD, Effort
from joulemark.records.trial import HOST
from joulemark.units import parse_duration

__all__ = ["EffortOptions"]

_USUAL_BUDGET: Final = "120s"
_MAX_ROUNDS: Final = 10_000
_MAX_WINDOW_MS: Final = 10_000.0


@dataclass(frozen=True, slots=True)
class EffortOptions:
    """How much work goes into each trial, on which CPU."""

    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Fewer, shorter samples: seconds instead of a minute, wider intervals."
        ),
    ] = False
    rounds: Annotated[
        int | None,
        typer.Option(
            help="Rounds; each takes four samples of each trial. 30 unless given, up to 300 where "
            "there are few trials."
        ),
    ] = None
    window_ms: Annotated[
        float | None,
        typer.Option(help="Length of one sample in milliseconds; a longer message takes longer."),
    ] = None
    precision: Annotated[
        str | None,
        typer.Option(
            help="Go on with trials whose 95 % interval is wider than +- this, as in 1%, until the "
            "budget is spent."
        ),
    ] = None
    budget: Annotated[
        str | None,
        typer.Option(
            help=f"With --precision: begin no further rounds after this time, as in 90s or 5min; "
            f"{_USUAL_BUDGET} unless given."
        ),
    ] = None
    cpu: Annotated[int | None, CPU_OPTION] = None
    wait_quiet: Annotated[
        str | None,
        typer.Option(
            metavar="LIMIT",
            help="Wait until other programs leave the CPUs, at most so long, as in 10min; then "
            "measure.",
        ),
    ] = None
    hang_limit: Annotated[float, HANG_LIMIT_OPTION] = 30.0

    def check(self, targets: Sequence[str]) -> None:
        """Refuses options that make no sense with these targets.

        Raises:
            UsageError: an exact simulation would be repeated, or a limit is no time.
        """
        checked_hang_limit(self.hang_limit)
        if HOST in targets:
            return
        for option, given in (("--rounds", self.rounds), ("--window-ms", self.window_ms)):
            if given is not None:
                raise UsageError(
                    f"{option}: a simulation is exact and is done once; leave it out with "
                    f"--target {targets[0]}"
                )

    def effort(self) -> Effort:
        """Rounds, windows and precision.

        Raises:
            UsageError: one of them makes no sense.
        """
        base = QUICK if self.quick else STANDARD
        precision = _precision_of(self.precision, self.budget)
        visits = base.visits if self.rounds is None else 0
        rounds = base.rounds if self.rounds is None else self.rounds
        if not 1 <= rounds <= _MAX_ROUNDS:
            raise UsageError(f"--rounds {rounds}: give a number from 1 to {_MAX_ROUNDS}")
        window_ns = base.window_ns
        if self.window_ms is not None:
            if not 0.01 <= self.window_ms <= _MAX_WINDOW_MS:
                raise UsageError(
                    f"--window-ms {self.window_ms:g}: give 0.01 to {_MAX_WINDOW_MS:g} ms"
                )
            window_ns = round(self.window_ms * 1e6)
        return replace(base, rounds=rounds, visits=visits, window_ns=window_ns, precision=precision)

    def wait_s(self) -> float | None:
        """Longest time to wait for a quiet machine, in seconds; None: not at all.

        Raises:
            UsageError: it is no length of time.
        """
        return None if self.wait_quiet is None else parse_duration(self.wait_quiet, "--wait-quiet")


def _precision_of(wanted: str | None, budget: str | None) -> Precision | None:
    """The precision that the options ask for; None without `--precision`.

    Raises:
        UsageError: one of them makes no sense.
    """
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
