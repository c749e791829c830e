# SPDX-License-Identifier: Apache-2.0
"""The claims of the paper, judged by what was measured here.

Two functions are told apart where every window of one is below every window of the other. What
more cores do is judged over all functions, builds and sizes together: the median of the ratios,
all cores over one core, with its 95 % interval.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final, Literal

from joulemark.stats.interval import Interval, median_interval
from joulemark.stats.location import mean, median
from joulemark.studies.outcome import Answer, Ground, Verdict, either, not_tested
from joulemark.studies.rashwan2012.findings import (
    BUILDS,
    Build,
    Cell,
    Findings,
    Scope,
    told_apart,
)
from joulemark.studies.rashwan2012.paper import Rashwan2012
from joulemark.studies.study import Answers
from joulemark.units import format_bytes

__all__ = ["answers", "ratios"]

_MIRRORS: Final = 1.05
"""Apparent at most 5 % above absolute is "slightly higher"."""
Figure = Literal["absolute", "apparent"]


def answers(paper: Rashwan2012, found: Findings) -> Answers:
    """How each claim is judged, by id."""
    largest = max((cell.size_bytes for cell in found.cells), default=paper.experiment.largest_bytes)
    return {
        "architectures": lambda: not_tested("This is one machine; the paper compared four."),
        "size": lambda: _size(found),
        "assistance": lambda: _assistance(found, largest),
        "md5-fastest": lambda: _extreme(found, "HMAC-MD5", largest, fastest=True),
        "sha512-slowest": lambda: _extreme(found, "HMAC-SHA512", largest, fastest=False),
        "vmac-fastest": lambda: _extreme(
            found, "VMAC-AES128", largest, "hardware-assisted", fastest=True
        ),
        "serpent-slowest": lambda: _extreme(
            found, "OMAC1-Serpent", largest, "hardware-assisted", fastest=False
        ),
        "one-core": lambda: _one_core(found),
        "apparent-falls": lambda: _all_cores(found, "apparent", rises=False),
        "absolute-rises": lambda: _all_cores(found, "absolute", rises=True),
        "migrations": lambda: _migrations(found),
        "uneven": lambda: _uneven(found),
    }


def _scope(found: Findings) -> Scope:
    """As figures 4 to 7 have it: with all cores in use."""
    return found.scopes[-1]


def _apart(found: Findings, cheap: Cell, dear: Cell) -> bool:
    return told_apart(cheap, dear, lambda cell: cell.values("absolute", cycles=found.cycles))


def _size(found: Findings) -> Answer:
    """Pairs of functions of which one is cheaper at a small size, the other at a large one."""
    sizes = sorted({cell.size_bytes for cell in found.cells})
    if len(sizes) < 2:
        return not_tested("One size alone was measured.")
    crossing = []
    for build in BUILDS:
        small, large = (found.order(build, _scope(found), size) for size in (sizes[0], sizes[-1]))
        at_large = {cell.function: cell for cell in large}
        for cheap, dear in combinations(small, 2):
            later = at_large.get(cheap.function), at_large.get(dear.function)
            if later[0] is None or later[1] is None:
                continue
            if _apart(found, cheap, dear) and _apart(found, later[1], later[0]):
                crossing.append(f"{cheap.function} and {dear.function} ({build})")
    first, last = format_bytes(sizes[0]), format_bytes(sizes[-1])
    why = (
        f"Cheaper at {first} and dearer at {last}, told apart at both: {'; '.join(crossing)}."
        if crossing
        else f"No two functions change places between {first} and {last} and are told apart."
    )
    return either(Ground.MEASURED, why, holds=bool(crossing))


def _assistance(found: Findings, size_bytes: int) -> Answer:
    orders = [found.order(build, _scope(found), size_bytes) for build in BUILDS]
    if min(map(len, orders)) < 2:
        return not_tested("Fewer than two functions were measured in both builds.")
    there = {order.function: order for order in orders[1]}
    swapped = [
        f"{cheap.function} and {dear.function}"
        for cheap, dear in combinations(orders[0], 2)
        if cheap.function in there and dear.function in there
        and _apart(found, cheap, dear)
        and _apart(found, there[dear.function], there[cheap.function])
    ]  # fmt: skip
    named = ["; ".join(cell.function for cell in order) for order in orders]
    why = (
        f"At {format_bytes(size_bytes)}, cheapest first, in software: {named[0]}; with assistance: "
        f"{named[1]}. {len(swapped)} pairs change places and are told apart in both builds."
    )
    return either(Ground.MEASURED, why, holds=bool(swapped))


def _extreme(
    found: Findings,
    function: str,
    size_bytes: int,
    build: Build = "software-only",
    *,
    fastest: bool,
) -> Answer:
    if function in found.absent:
        return _absent(found, function)
    order = found.order(build, _scope(found), size_bytes)
    if len(order) < 2 or function not in {cell.function for cell in order}:
        return not_tested(f"{function} and another function are needed in the build {build}.")
    ends = order if fastest else order[::-1]
    at_end = ends[0]
    own = next(cell for cell in order if cell.function == function)
    rival = ends[1] if at_end is own else at_end
    cheap, dear = (own, rival) if (at_end is own) == fastest else (rival, own)
    told = _apart(found, cheap, dear)
    absent = f", without {', '.join(found.absent)}" if found.absent else ""
    why = (
        f"At {format_bytes(size_bytes)} in the build {build} {at_end.function} is the "
        f"{'cheapest' if fastest else 'dearest'} of {len(order)} functions{absent}: "
        f"{function} {found.absolute(own):.3g} {found.unit} a byte, {rival.function} "
        f"{found.absolute(rival):.3g}, {'told apart' if told else 'not told apart'}."
    )
    return either(Ground.MEASURED, why, holds=at_end is own) if told else not_tested(why)


def _absent(found: Findings, function: str) -> Answer:
    why = found.absent.get(function)
    return not_tested(f"{function} is {why}." if why else f"{function} was not compared.")


def ratios(found: Findings, figure: Figure, *, counted: bool = False) -> list[float]:
    """Of each function, build and size: the figure on all cores over that on one core.

    Args:
        found: the measurement.
        figure: which.
        counted: only where every window counts, on one core and on all.
    """
    value = found.absolute if figure == "absolute" else found.apparent
    return [
        value(all_cores) / value(cell)
        for cell, all_cores in found.pairs()
        if not counted or (cell.counts and all_cores.counts)
    ]


def _told(name: str, values: list[float], interval: Interval) -> str:
    return (
        f"{name} {median(values):.3f} [{interval.low:.3f}, {interval.high:.3f}] over "
        f"{len(values)} functions, builds and sizes"
    )


def _one_core(found: Findings) -> Answer:
    cells = [cell for cell in found.cells if cell.scope == "one core"]
    if not cells:
        return not_tested("Nothing was measured on one core.")
    values = [found.apparent(cell) / found.absolute(cell) for cell in cells]
    interval = median_interval(values)
    quiet = [found.apparent(cell) / found.absolute(cell) for cell in cells if cell.counts]
    why = f"Apparent over absolute: {_told('median', values, interval)}"
    why += f"; {len(quiet)} of them have windows that all count"
    why += f", median {median(quiet):.3f}." if quiet else "."
    if not quiet:
        return not_tested(f"{why} Others used the core in every window.")
    return either(Ground.MEASURED, why, holds=1 / _MIRRORS <= median(quiet) <= _MIRRORS)


def _all_cores(found: Findings, figure: Figure, *, rises: bool) -> Answer:
    if not list(found.pairs()):
        return not_tested("This machine has one core to be used.")
    # Apparent processing follows what others did to the cores; CPU time does not.
    values = ratios(found, figure, counted=figure == "apparent")
    if not values:
        return not_tested("Others used the cores in every window, and apparent has that in it.")
    interval = median_interval(values)
    cores = len(found.cores)
    why = f"On {cores} cores over one: {_told(f'{figure}, median', values, interval)}."
    if interval.low <= 1 <= interval.high:
        return Answer(Verdict.FAILS, Ground.MEASURED, f"{why} No change is shown.")
    return either(Ground.MEASURED, why, holds=(interval.low > 1) == rises)


def _migrations(found: Findings) -> Answer:
    pairs = list(found.pairs())
    if not pairs:
        return not_tested("This machine has one core to be used.")
    before, after = (
        mean([row.migrations_per_s for cell in side for row in cell.windows])
        for side in zip(*pairs, strict=True)
    )
    why = (
        f"All sessions together changed the core {after:.3g} times a second on "
        f"{len(found.cores)} cores (mean over functions, builds and sizes), and {before:.3g} "
        "times on one."
    )
    return either(Ground.MEASURED, why, holds=after > before)


def _uneven(found: Findings) -> Answer:
    """Spread of apparent processing over sessions, beside that of absolute processing."""
    rows = [per_thread for per_thread in found.per_thread if per_thread.scope == _scope(found)]
    if not rows:
        return not_tested("No session was measured by itself.")
    taken = [s.apparent_ticks for s in rows[0].sessions if s.apparent_ticks is not None]
    spent = [s.absolute_ticks for s in rows[0].sessions if s.absolute_ticks is not None]
    if len(taken) < 2:
        return not_tested("Fewer than two sessions had a turn in the window.")
    wide, narrow = max(taken) / min(taken), max(spent) / min(spent)
    why = (
        f"{len(taken)} sessions of one workload: the highest apparent is {wide:.2f} times the "
        f"lowest, while the highest absolute is {narrow:.2f} times the lowest. What differs is "
        "how much each was scheduled."
        + (
            f" The window does not count: {', '.join(rows[0].troubles)}."
            if rows[0].troubles
            else ""
        )
    )
    return either(Ground.MEASURED, why, holds=wide > narrow)
