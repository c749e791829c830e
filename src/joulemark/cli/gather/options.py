# SPDX-License-Identifier: Apache-2.0
"""The options of `joulemark gather`: how messages arrive, and how they are gathered."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Final

import typer

from joulemark import _core
from joulemark.cli.sessions.options import SessionOptions, WindowOptions
from joulemark.errors import UsageError
from joulemark.measure.gathering.run import Windows
from joulemark.measure.gathering.work import Gathering, GatherPoint, require_gatherers

__all__ = ["GatherOptions", "GatherWindowOptions", "gather_points_of", "windows_of"]

_RATE: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([kKmM]?)")
_PER_PREFIX: Final = {"": 1.0, "k": 1e3, "m": 1e6}
_HIGHEST_RATE: Final = 1e9
_WAIT: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(us|\u00b5s|\u03bcs|ms|s|)")
_PER_UNIT: Final = {"ms": 1e-3, "s": 1.0}
_LONGEST_WAIT_S: Final = 1.0
_SATURATED: Final = "saturated"


@dataclass(frozen=True, slots=True)
class GatherOptions:
    """How messages arrive, and how they are gathered."""

    rate: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help="Messages that arrive a second at all cores together, as in 100k,1M; saturated: "
            "there always is another.",
        ),
    ] = "100k,1M,saturated"
    wait: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help="How long the oldest message may wait for others, in microseconds unless a unit "
            "says otherwise: 0,5,20,50,100us. 0 is always measured.",
        ),
    ] = "0,5,20,50,100us"
    batch: Annotated[int, typer.Option(help="Messages of a batch at most.")] = 64

    def rates(self) -> list[float | None]:
        """Rates in messages a second; None is saturated.

        Raises:
            UsageError: one of them is neither a rate nor that word.
        """
        return list(dict.fromkeys(_rate(word.strip()) for word in self.rate.split(",")))

    def waits_ns(self) -> list[int]:
        """Waits in nanoseconds, ascending, 0 among them.

        Raises:
            UsageError: one of them is no length of time, or too long.
        """
        return sorted({0, *(_wait_ns(word.strip()) for word in self.wait.split(","))})


@dataclass(frozen=True, slots=True)
class GatherWindowOptions(WindowOptions):
    """The measurement window; shorter, since there are many points."""

    window: Annotated[
        str, typer.Option(help="Length of the measurement window, as in 1s or 0.5s.")
    ] = "0.3s"
    warmup: Annotated[str, typer.Option(help="From the start of the gatherers to the window.")] = (
        "0.05s"
    )
    longest: Annotated[
        str, typer.Option(help="To which a window that is too short may be lengthened.")
    ] = "3s"


def _rate(word: str) -> float | None:
    if word.lower() == _SATURATED:
        return None
    match = _RATE.fullmatch(word)
    found = float(match[1]) * _PER_PREFIX[match[2].lower()] if match else math.nan
    if not 1 <= found <= _HIGHEST_RATE:
        raise UsageError(
            f"--rate {word[:40]}: give messages a second from 1 to 1000M, as in 100k, or saturated"
        )
    return found


def _wait_ns(word: str) -> int:
    match = _WAIT.fullmatch(word.lower())
    seconds = float(match[1]) * _PER_UNIT.get(match[2], 1e-6) if match else math.nan
    if not 0 <= seconds <= _LONGEST_WAIT_S:
        raise UsageError(
            f"--wait {word[:40]}: give microseconds from 0 to one second, as in 20us or 1ms"
        )
    return round(seconds * 1e9)


def gather_points_of(
    asked: SessionOptions, gathered: GatherOptions, names: list[str]
) -> list[GatherPoint]:
    """A point for every implementation, length, rate and wait, and for messages one by one.

    Where messages always wait, a batch is full at once, and the wait changes nothing: 0 stands for
    all of them.

    Raises:
        UsageError: an option makes no sense.
    """
    cores, lengths = asked.core_numbers(), asked.lengths()
    require_gatherers(asked.sessions, cores)
    most = _core.GATHER_BATCH_MAX
    if not 2 <= gathered.batch <= most:
        raise UsageError(f"--batch {gathered.batch}: give a number from 2 to {most}")
    rates, waits = gathered.rates(), gathered.waits_ns()
    found = []
    for name, length, rate in product(names, lengths, rates):
        ways = [(1, 0), *((gathered.batch, wait) for wait in (waits if rate else [0]))]
        found += [
            GatherPoint(name, length, Gathering(asked.sessions, cores, batch, wait, rate))
            for batch, wait in ways
        ]
    return found


def windows_of(times: WindowOptions, sessions: int, cores: tuple[int, ...]) -> Windows:
    """The windows' times and numbers.

    Raises:
        UsageError: a time or a number makes no sense.
    """
    found = times.scenario(sessions, cores)
    return Windows(
        found.warm_up_ns, found.window_ns, found.longest_ns, found.attempts, times.rounds
    )
