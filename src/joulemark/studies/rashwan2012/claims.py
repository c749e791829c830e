# SPDX-License-Identifier: Apache-2.0
"""The claims of the paper, judged by our measurement.

Two functions are told apart if every window of one is below every window of the other. The effect
of more cores is judged over all functions, builds and sizes together: by the median of the ratios,
all cores over one core, with its 95 % interval. What the windows or the interval leave open is not
tested.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations
from typing import Final

from joulemark.stats import mean, median
from joulemark.stats.clustered import Interval, median_interval, student
from joulemark.studies.rashwan2012.paper import (
    BUILDS,
    Build,
    FunctionCell,
    ProcessingFigure,
    Rashwan2012,
    RashwanFindings,
    Scope,
    told_apart,
)
from joulemark.studies.study import Answers, ClaimAnswer, Ground, either, not_tested
from joulemark.units import format_bytes

_MIRRORS: Final = 1.05
"""Highest ratio of apparent to absolute processing that counts as "slightly higher"."""
_SAME: Final = 1.01
"""Highest ratio of a cost on all cores to that on one core that counts as no change."""
_WIDER: Final = 1.05
"""Least ratio of two spreads, each of one window, by which one of them counts as wider."""
BOUNDS: Final = (
    "Two functions are told apart if every window of one is below every window of the other.",
    "They are not told apart by one window of either.",
    f"Apparent mirrors absolute processing at a median ratio of {1 / _MIRRORS:.3f} to {_MIRRORS}.",
    "The whole 95 % interval of that median must lie there, or beside it if it does not mirror.",
    "More cores change a cost if the 95 % interval of the median ratio leaves out 1.",
    f"More cores leave a cost as it is if that interval lies within {1 / _SAME:.3f} to {_SAME}.",
    "Sessions migrate more if the 95 % interval of the mean difference is above 0.",
    f"One spread over sessions is wider than another from {_WIDER} times on.",
)
_OF_OUR_AES: Final = " That is our AES, which reads no table at a secret place."


def answers(paper: Rashwan2012, findings: RashwanFindings) -> Answers:
    """Has an answer for each claim of the paper's file."""
    named = paper.experiment.largest_bytes
    largest = max((cell.size_bytes for cell in findings.figures), default=named)
    return {
        "architectures": lambda: not_tested("This is one machine; the paper compared four."),
        "size": lambda: _size(findings),
        "assistance": lambda: _assistance(findings, largest),
        "md5-fastest": lambda: _extreme(findings, "HMAC-MD5", named, fastest=True),
        "sha512-slowest": lambda: _extreme(findings, "HMAC-SHA512", named, fastest=False),
        "vmac-fastest": lambda: _extreme(
            findings, "VMAC-AES128", named, "hardware-assisted", fastest=True
        ),
        "serpent-slowest": lambda: _extreme(
            findings, "OMAC1-Serpent", named, "hardware-assisted", fastest=False
        ),
        "one-core": lambda: _one_core(findings),
        "apparent-falls": lambda: _all_cores(findings, "apparent", rises=False),
        "absolute-rises": lambda: _all_cores(findings, "absolute", rises=True),
        "migrations": lambda: _migrations(findings),
        "uneven": lambda: _uneven(findings),
    }


def _scope(findings: RashwanFindings) -> Scope:
    """Returns the largest set of cores, which figures 4 to 7 of the paper use."""
    return findings.scopes[-1]


def _apart(findings: RashwanFindings, cheap: FunctionCell, dear: FunctionCell) -> bool:
    return told_apart(cheap, dear, lambda cell: cell.values("absolute", cycles=findings.cycles))


def _size(findings: RashwanFindings) -> ClaimAnswer:
    """Judges whether the cheaper of two functions at a small size is the dearer at a large size."""
    sizes = sorted({cell.size_bytes for cell in findings.figures})
    if len(sizes) < 2:
        return not_tested(f"Fewer than two sizes have windows that count.{findings.void}")
    moved = {}
    for build in BUILDS:
        small, large = (
            findings.order(build, _scope(findings), size) for size in (sizes[0], sizes[-1])
        )
        for (cheap, dear), known in _moved(findings, small, large).items():
            moved[f"{cheap} and {dear} ({build})"] = known
    crossing = [names for names, known in moved.items() if known]
    first, last = format_bytes(sizes[0]), format_bytes(sizes[-1])
    if crossing:
        why = f"Cheaper at {first} and dearer at {last}, told apart at both: {'; '.join(crossing)}."
    else:
        why = f"No two functions change places between {first} and {last} and are told apart."
    return _any_moved(why, moved.values())


def _assistance(findings: RashwanFindings, size_bytes: int) -> ClaimAnswer:
    orders = [findings.order(build, _scope(findings), size_bytes) for build in BUILDS]
    if min(map(len, orders)) < 2:
        return not_tested(
            f"Fewer than two functions have windows that count in both builds.{findings.void}"
        )
    moved = _moved(findings, *orders).values()
    named = ["; ".join(cell.function for cell in order) for order in orders]
    why = (
        f"At {format_bytes(size_bytes)}, cheapest first, in software: {named[0]}; with assistance: "
        f"{named[1]}. {sum(map(bool, moved))} pairs change places and are told apart in both "
        "builds."
    )
    return _any_moved(why, moved)


def _moved(
    findings: RashwanFindings, here: list[FunctionCell], there: list[FunctionCell]
) -> dict[tuple[str, str], bool | None]:
    """Pair of functions, the cheaper of `here` first -> whether it is the dearer of `there`.

    None if the two are not told apart here and there.
    """
    others = {cell.function: cell for cell in there}
    moved: dict[tuple[str, str], bool | None] = {}
    for cheap, dear in combinations(here, 2):
        first, second = others.get(cheap.function), others.get(dear.function)
        known = None
        if first is not None and second is not None and _apart(findings, cheap, dear):
            if _apart(findings, second, first):
                known = True
            elif _apart(findings, first, second):
                known = False
        moved[cheap.function, dear.function] = known
    return moved


def _any_moved(why: str, moved: Collection[bool | None]) -> ClaimAnswer:
    """Judges whether any pair changes places: none does if each keeps its places, told apart."""
    still_open = sum(known is None for known in moved)
    if any(moved) or (moved and not still_open):
        return either(Ground.MEASURED, why, holds=any(moved))
    return not_tested(f"{why} {still_open} of {len(moved)} pairs are not told apart in both.")


def _extreme(
    findings: RashwanFindings,
    function: str,
    size_bytes: int,
    build: Build = "software-only",
    *,
    fastest: bool,
) -> ClaimAnswer:
    if function in findings.absent:
        return not_tested(f"{function} is {findings.absent[function]}.")
    order = findings.order(build, _scope(findings), size_bytes)
    if len(order) < 2 or function not in {cell.function for cell in order}:
        return not_tested(
            f"{function} and another function need windows that count, at "
            f"{format_bytes(size_bytes)} in the build {build}.{findings.void}"
        )
    ends = order if fastest else order[::-1]
    at_end = ends[0]
    own = next(cell for cell in order if cell.function == function)
    others = [cell for cell in ends if cell is not own]

    def ahead(one: FunctionCell, other: FunctionCell) -> bool:
        return _apart(findings, *((one, other) if fastest else (other, one)))

    # The rival is one that decides: a function that is ahead, or else one that is not behind.
    ahead_of_it = [other for other in others if ahead(other, own)]
    rival = (ahead_of_it or [other for other in others if not ahead(own, other)] or others)[0]
    told = ahead(own, rival) or ahead(rival, own)
    absent = f", without {', '.join(findings.absent)}" if findings.absent else ""
    why = (
        f"At {format_bytes(size_bytes)} in the build {build} {at_end.function} is the "
        f"{'cheapest' if fastest else 'dearest'} of {len(order)} functions{absent}: "
        f"{function} {findings.absolute(own):.3g} {findings.unit} a byte, {rival.function} "
        f"{findings.absolute(rival):.3g}, {'told apart' if told else 'not told apart'}."
        f"{_OF_OUR_AES if at_end is rival and findings.reads_no_table(rival) else ''}"
    )
    return either(Ground.MEASURED, why, holds=at_end is own) if told else not_tested(why)


def ratios(findings: RashwanFindings, figure: ProcessingFigure) -> list[float]:
    """Returns the figure on all cores over that on one core, for each function, build and size."""
    value = findings.absolute if figure == "absolute" else findings.apparent
    return [value(all_cores) / value(cell) for cell, all_cores in findings.pairs()]


def _told(name: str, values: list[float], interval: Interval) -> str:
    return (
        f"{name} {median(values):.3f} [{interval.low:.3f}, {interval.high:.3f}] over "
        f"{len(values)} functions, builds and sizes"
    )


def _one_core(findings: RashwanFindings) -> ClaimAnswer:
    cells = [cell for cell in findings.figures if cell.scope == "one core"]
    if not cells:
        return not_tested(f"No window on one core counts.{findings.void}")
    values = [findings.apparent(cell) / findings.absolute(cell) for cell in cells]
    interval = median_interval(values)
    why = f"Apparent over absolute: {_told('median', values, interval)}."
    return either(Ground.MEASURED, why, holds=_within(interval, _MIRRORS))


def _within(interval: Interval, most: float) -> bool | None:
    """Whether a ratio lies within 1 / most and most; None if its interval has parts of both."""
    if interval.high < 1 / most or interval.low > most:
        return False
    return True if 1 / most <= interval.low and interval.high <= most else None


def _all_cores(findings: RashwanFindings, figure: ProcessingFigure, *, rises: bool) -> ClaimAnswer:
    values = ratios(findings, figure)
    if not values:
        return _no_pairs(findings)
    interval = median_interval(values)
    cores = len(findings.cores)
    why = f"On {cores} cores over one: {_told(f'{figure}, median', values, interval)}."
    if not interval.low <= 1 <= interval.high:
        return either(Ground.MEASURED, why, holds=(interval.low > 1) == rises)
    holds = False if _within(interval, _SAME) else None
    return either(Ground.MEASURED, f"{why} No change is shown.", holds=holds)


def _no_pairs(findings: RashwanFindings) -> ClaimAnswer:
    if len(findings.scopes) < 2:
        return not_tested("This machine has one core to be used.")
    return not_tested(
        f"Nothing has windows that count both on one core and on all cores.{findings.void}"
    )


def _migrations(findings: RashwanFindings) -> ClaimAnswer:
    pairs = list(findings.pairs())
    if not pairs:
        return _no_pairs(findings)
    before, after = (
        [mean([row.migrations_per_s for row in cell.good]) for cell in side]
        for side in zip(*pairs, strict=True)
    )
    why = (
        f"All sessions together changed the core {mean(after):.3g} times a second on "
        f"{len(findings.cores)} cores (mean over functions, builds and sizes), and "
        f"{mean(before):.3g} times on one."
    )
    if len(pairs) < 2:
        return not_tested(f"{why} One pair has no interval.")
    more = student([later - earlier for earlier, later in zip(before, after, strict=True)])
    holds = True if more.low > 0 else False if more.high <= 0 else None
    why = f"{why} The difference is {more.estimate:.3g} [{more.low:.3g}, {more.high:.3g}]."
    return either(Ground.MEASURED, why, holds=holds)


def _uneven(findings: RashwanFindings) -> ClaimAnswer:
    """Judges whether apparent processing spreads wider over sessions than absolute processing."""
    rows = [row for row in findings.per_thread if row.scope == _scope(findings)]
    if not rows:
        return not_tested("No session was measured by itself.")
    sessions, troubles = rows[0].sessions, rows[0].troubles
    if troubles:
        return not_tested(f"The window does not count: {', '.join(troubles)}.")
    apparent = [row.apparent_ticks for row in sessions if row.apparent_ticks is not None]
    absolute = [row.absolute_ticks for row in sessions if row.absolute_ticks is not None]
    if len(apparent) < 2:
        return not_tested("Fewer than two sessions had a turn in the window.")
    wide, narrow = max(apparent) / min(apparent), max(absolute) / min(absolute)
    why = (
        f"{len(apparent)} sessions of one workload: the highest apparent is {wide:.2f} times the "
        f"lowest, while the highest absolute is {narrow:.2f} times the lowest."
    )
    if max(wide / narrow, narrow / wide) < _WIDER:
        return not_tested(f"{why} The two spreads of one window are too alike to tell.")
    cause = "how much each was scheduled" if wide > narrow else "what a byte cost each"
    return either(Ground.MEASURED, f"{why} What differs is {cause}.", holds=wide > narrow)
