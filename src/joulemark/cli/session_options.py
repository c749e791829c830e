# SPDX-License-Identifier: Apache-2.0
"""Options and screens that `sessions` and `gather` share."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Final

import typer
from pydantic import JsonValue

from joulemark.cli.shared.completion import implementation_names
from joulemark.cli.shared.measuring_options import PLUGIN_OPTION
from joulemark.cli.shared.progress import ProgressBar
from joulemark.cli.shared.terminal import listed
from joulemark.cli.table import InterruptedRunError
from joulemark.environment import capture
from joulemark.environment.cpu import cpu_list
from joulemark.environment.facts import limit_of_cpu_time
from joulemark.errors import UnavailableError, UsageError
from joulemark.judging import Trouble, TroubleKind, WindowLimits
from joulemark.measure.inventory import Inventory, select_here
from joulemark.measure.pool import WorkerPool
from joulemark.measure.quiet import cpus_of_one_kind, require_one_kind
from joulemark.measure.session_rounds import (
    MessageLengths,
    P,
    PointRounds,
    Scenario,
    W,
    measured_points,
    require_cores,
    require_mac,
    require_sessions,
)
from joulemark.records.trial import parse_mix
from joulemark.report.style import is_known
from joulemark.units import parse_duration, parse_sizes

_EXIT_FAILED: Final = 2
EXIT_CODES: Final = """\b
Exit codes:
  0    measured: each figure stands on windows that count
  2    refused, or an implementation failed, or no window of something counts
       (the others are shown); after three in a row that others spoilt no more
       are taken
  130  interrupted
"""
"""Part of the help of commands that measure windows of many connections."""

_MOST_ROUNDS: Final = 1000
_FEWEST_WINDOWS: Final = 6
"""Windows that carry a 95 % interval of their median (`stats.clustered.highest_level`)."""
_MOST_ATTEMPTS: Final = 20
_LONGEST_S: Final = 600.0


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """Connections, messages and cores."""

    patterns: Annotated[
        list[str],
        typer.Argument(
            metavar="ALGORITHM[/VARIANT]",
            help="A MAC, or one implementation of it; an algorithm alone is its preferred one.",
            autocompletion=implementation_names,
        ),
    ]
    sessions: Annotated[
        int, typer.Option(metavar="N", help="Connections at once, each a thread: 1 to 1000.")
    ] = 100
    size: Annotated[
        str,
        typer.Option(
            help="Message sizes: 64,1KiB or 16..1024; imix or uniform:16-1500 is mixed traffic."
        ),
    ] = "64,1KiB"
    cores: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Cores that all sessions share, as in 0,1 or 0-3; all of the fastest kind that "
            "may be used unless given.",
        ),
    ] = None
    plugin: Annotated[list[str] | None, PLUGIN_OPTION] = None

    def lengths(self) -> list[MessageLengths]:
        """Lengths and mixes, in the order given."""
        found = []
        for word in self.size.split(","):
            if word.strip().lower().startswith(("imix", "uniform")):
                found.append(MessageLengths(mix=parse_mix(word)))
            else:
                found += [MessageLengths(size) for size in parse_sizes(word)]
        for lengths in found:
            require_sessions(self.sessions, lengths)
        return list(dict.fromkeys(found))

    def core_numbers(self) -> tuple[int, ...]:
        """The cores, ascending, all of one kind."""
        if self.cores is None:
            return tuple(cpus_of_one_kind(os.sched_getaffinity(0))[0])
        found = _core_list(self.cores)
        require_cores(found, "--cores")
        require_one_kind(found, "--cores")
        return found

    def implementations(self, inventory: Inventory) -> list[str]:
        """The implementations that the patterns name, `auto` resolved; own code first."""
        names: dict[str, None] = {}
        for pattern in self.patterns:
            for failure in inventory.unavailable:
                if failure.implementation == pattern:
                    raise UnavailableError(f"{pattern} is unavailable: {failure.reason}")
            auto = f"{pattern}/auto"
            found = [auto] if auto in inventory.facts else select_here([pattern], inventory)
            for name in found:
                facts = inventory.facts_of(name)
                require_mac(facts)
                algorithm = name.split("/", 1)[0]
                names[name if facts.chosen is None else f"{algorithm}/{facts.chosen}"] = None
        return sorted(names, key=lambda name: is_known(inventory.facts_of(name).provider))


def _core_list(text: str) -> tuple[int, ...]:
    found: set[int] = set()
    for word in text.split(","):
        first, dash, last = word.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()) or len(word) > 10:
            raise UsageError(f"--cores {text[:40]}: give numbers and ranges, as in 0,1 or 0-3")
        low, high = int(first), int(last or first)
        if low > high or high >= 1024:
            raise UsageError(f"--cores {word.strip()}: give ascending numbers below 1024")
        found |= set(range(low, high + 1))
    return tuple(sorted(found))


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """The measurement window, and how often it is repeated."""

    window: Annotated[
        str, typer.Option(help="Length of the measurement window, as in 1s or 0.5s.")
    ] = "1s"
    warmup: Annotated[str, typer.Option(help="From the start of the sessions to the window.")] = (
        "0.3s"
    )
    rounds: Annotated[
        int,
        typer.Option(help="Windows of each implementation and length; 6 carry a 95 % interval."),
    ] = 3
    attempts: Annotated[
        int,
        typer.Option(
            help="Windows taken at most in a round until one counts; longer, or begun later, where "
            "that helps."
        ),
    ] = 4
    longest: Annotated[
        str, typer.Option(help="To which a window that is too short may be lengthened.")
    ] = "10s"

    def scenario(self, sessions: int, cores: tuple[int, ...]) -> Scenario:
        """The scenario, with times in nanoseconds."""
        if not 1 <= self.rounds <= _MOST_ROUNDS:
            raise UsageError(f"--rounds {self.rounds}: give a number from 1 to {_MOST_ROUNDS}")
        if not 1 <= self.attempts <= _MOST_ATTEMPTS:
            raise UsageError(
                f"--attempts {self.attempts}: give a number from 1 to {_MOST_ATTEMPTS}"
            )
        return Scenario(
            sessions=sessions,
            cores=cores,
            warm_up_ns=_ns(self.warmup, "--warmup"),
            window_ns=_ns(self.window, "--window"),
            longest_ns=_ns(self.longest, "--longest"),
            attempts=self.attempts,
        )


def _ns(text: str, option: str) -> int:
    seconds = parse_duration(text, option)
    if not 0.001 <= seconds <= _LONGEST_S:
        raise UsageError(f"{option} {text}: give a time from 0.001s to {_LONGEST_S:.0f}s")
    return round(seconds * 1e9)


# The measurement.


def measured(
    inventory: Inventory,
    points: Sequence[P],
    rounds: int,
    windows_of: Callable[[WorkerPool, Inventory, P], Callable[[int, int], W]],
    judge: Callable[[W, WindowLimits], list[Trouble]],
    *,
    kept: str,
) -> list[PointRounds[P, W]]:
    """Takes at least one round over all points, with a progress bar.

    `windows_of` gives the function that takes a point's windows, `judge` names their troubles, and
    `kept` is what is said after Ctrl-C of windows that were taken.
    """
    try:
        with ProgressBar("starting", "windows") as bar:

            def announce(done: int, total: int, point: P) -> None:
                bar.move(done, total, f"{point.implementation}, {point.lengths.title}")

            return measured_points(inventory, points, rounds, windows_of, judge, announce)
    except KeyboardInterrupt:
        raise InterruptedRunError(f"stopped; {kept}") from None


_NAMED: Final = 2
"""Points that the sentence names."""
_WHY: Final = {
    TroubleKind.OVER_UTILISED: (
        "the sessions do not have their cores alone",
        "wait for a quiet moment, or name other --cores",
    ),
    TroubleKind.UNSTEADY: (
        "they were not steady",
        "a --longest above the window would help, or fewer --sessions",
    ),
    TroubleKind.TOO_SHORT: (
        "they were too short",
        "a --longest above the window would help, or fewer --sessions",
    ),
}
"""Kind of trouble -> what it means for windows, and the remedy."""


def no_answer(
    found: Sequence[PointRounds[P, W]], title: Callable[[PointRounds[P, W]], str]
) -> str | None:
    """Why points have no figure, and what would help; None if each has one.

    A point that failed is not named here: its failure says why.
    """
    lacking = [point for point in found if not point.good and point.failure is None]
    taken = [attempt for point in found for each in point.rounds for attempt in each.attempts]
    bad = [attempt for attempt in taken if attempt.troubles]
    if not lacking or not bad:
        return None
    kinds = Counter(trouble.kind for attempt in bad for trouble in attempt.troubles)
    kind = TroubleKind.OVER_UTILISED
    if kind not in kinds:
        kind = kinds.most_common(1)[0][0]
    example = next(
        trouble.sentence for attempt in bad for trouble in attempt.troubles if trouble.kind is kind
    )
    means, remedy = _WHY[kind]
    limit = limit_of_cpu_time(capture())
    whose = (
        ""
        if len(lacking) == len(found)
        else (f" of {listed([title(point) for point in lacking], _NAMED)}")
    )
    return (
        f"no figure{whose}, as {len(bad)} of {len(taken)} windows do not count: {means} "
        f"({example}); {remedy}{'' if limit is None else f'. {limit}'}"
    )


def require_answer(
    found: Sequence[PointRounds[P, W]], title: Callable[[PointRounds[P, W]], str], more: str = ""
) -> None:
    """Ends the command as failed if a point has no figure; `more` stands behind the reason."""
    if (why := no_answer(found, title)) is not None:
        raise UnavailableError(why + more)
    if any(point.failure is not None for point in found):
        raise typer.Exit(_EXIT_FAILED)


# What both screens, and the JSON of both, say of points and of the machine.


def cores_text(cores: Sequence[int]) -> str:
    """Numbers of cores, as in "cores 0-3"."""
    return f"{'core' if len(cores) == 1 else 'cores'} {cpu_list(cores)}"


def failed_points(
    found: Sequence[PointRounds[P, W]], title: Callable[[PointRounds[P, W]], str]
) -> list[str]:
    """A sentence for each point that failed."""
    return [
        f"{title(point)} failed ({point.failure.kind}): {point.failure.reason}"
        for point in found
        if point.failure is not None
    ]


def conditions(found: Sequence[PointRounds[P, W]], held_by_others: Sequence[int]) -> Iterator[str]:
    """Sentences on too few windows, other runs on the same cores, and a limit of CPU time."""
    few = sorted({len(point.good) for point in found if 1 < len(point.good) < _FEWEST_WINDOWS})
    if few:
        yield (
            f"the intervals, ± too, are the range of "
            f"{' or '.join(map(str, few))} windows: fewer than {_FEWEST_WINDOWS} carry no 95 % "
            f"interval (--rounds {_FEWEST_WINDOWS})"
        )
    if held_by_others:
        yield f"another run of joulemark measures on {cores_text(held_by_others)} too"
    if limit := limit_of_cpu_time(capture()):
        yield limit


def point_json(point: PointRounds[P, W]) -> dict[str, JsonValue]:
    """What a point is, whether it counts or failed, and every window."""
    lengths = point.point.lengths
    return {
        "implementation": point.point.implementation,
        "size_bytes": None if lengths.mix else lengths.size_bytes,
        "mix": lengths.mix or None,
        "valid": point.counts,
        "failure": None if point.failure is None else asdict(point.failure),
        "rounds": [[asdict(attempt) for attempt in taken.attempts] for taken in point.rounds],
    }
