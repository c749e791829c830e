# SPDX-License-Identifier: Apache-2.0
"""The claims of the paper, judged by our measurement.

Two functions are told apart if every window of one is below every window of the other. The effect
of more cores is judged over all functions, builds and sizes together: by the median of the ratios,
all cores over one core, with its 95 % interval.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final

from joulemark.stats import mean, median
from joulemark.stats.clustered import Interval, median_interval
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
from joulemark.studies.study import Answers, ClaimAnswer, ClaimVerdict, Ground, either, not_tested
from joulemark.units import format_bytes

_MIRRORS: Final = 1.05
"""Highest ratio of apparent to absolute processing that counts as "slightly higher"."""
BOUNDS: Final = (
    "Two functions are told apart if every window of one is below every window of the other.",
    f"Apparent mirrors absolute processing at a median ratio of {1 / _MIRRORS:.3f} to {_MIRRORS}.",
    "More cores change a cost if the 95 % interval of the median ratio leaves out 1.",
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
    crossing = []
    for build in BUILDS:
        small, large = (
            findings.order(build, _scope(findings), size) for size in (sizes[0], sizes[-1])
        )
        at_large = {cell.function: cell for cell in large}
        for cheap, dear in combinations(small, 2):
            if _swapped(findings, cheap, dear, at_large):
                crossing.append(f"{cheap.function} and {dear.function} ({build})")
    first, last = format_bytes(sizes[0]), format_bytes(sizes[-1])
    why = (
        f"Cheaper at {first} and dearer at {last}, told apart at both: {'; '.join(crossing)}."
        if crossing
        else f"No two functions change places between {first} and {last} and are told apart."
    )
    return either(Ground.MEASURED, why, holds=bool(crossing))


def _assistance(findings: RashwanFindings, size_bytes: int) -> ClaimAnswer:
    orders = [findings.order(build, _scope(findings), size_bytes) for build in BUILDS]
    if min(map(len, orders)) < 2:
        return not_tested(
            f"Fewer than two functions have windows that count in both builds.{findings.void}"
        )
    assisted = {cell.function: cell for cell in orders[1]}
    swapped = sum(
        _swapped(findings, cheap, dear, assisted) for cheap, dear in combinations(orders[0], 2)
    )
    named = ["; ".join(cell.function for cell in order) for order in orders]
    why = (
        f"At {format_bytes(size_bytes)}, cheapest first, in software: {named[0]}; with assistance: "
        f"{named[1]}. {swapped} pairs change places and are told apart in both builds."
    )
    return either(Ground.MEASURED, why, holds=bool(swapped))


def _swapped(
    findings: RashwanFindings,
    cheap: FunctionCell,
    dear: FunctionCell,
    others: dict[str, FunctionCell],
) -> bool:
    """Whether two functions change places in other cells, and are told apart here and there."""
    cheaper, dearer = others.get(dear.function), others.get(cheap.function)
    if cheaper is None or dearer is None:
        return False
    return _apart(findings, cheap, dear) and _apart(findings, cheaper, dearer)


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
    rival = ends[1] if at_end is own else at_end
    cheap, dear = (own, rival) if (at_end is own) == fastest else (rival, own)
    told = _apart(findings, cheap, dear)
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
    why = f"Apparent over absolute: {_told('median', values, median_interval(values))}."
    return either(Ground.MEASURED, why, holds=1 / _MIRRORS <= median(values) <= _MIRRORS)


def _all_cores(findings: RashwanFindings, figure: ProcessingFigure, *, rises: bool) -> ClaimAnswer:
    values = ratios(findings, figure)
    if not values:
        return _no_pairs(findings)
    interval = median_interval(values)
    cores = len(findings.cores)
    why = f"On {cores} cores over one: {_told(f'{figure}, median', values, interval)}."
    if interval.low <= 1 <= interval.high:
        return ClaimAnswer(ClaimVerdict.FAILS, Ground.MEASURED, f"{why} No change is shown.")
    return either(Ground.MEASURED, why, holds=(interval.low > 1) == rises)


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
        mean([row.migrations_per_s for cell in side for row in cell.good])
        for side in zip(*pairs, strict=True)
    )
    why = (
        f"All sessions together changed the core {after:.3g} times a second on "
        f"{len(findings.cores)} cores (mean over functions, builds and sizes), and {before:.3g} "
        "times on one."
    )
    return either(Ground.MEASURED, why, holds=after > before)


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
        f"lowest, while the highest absolute is {narrow:.2f} times the lowest. What differs is "
        "how much each was scheduled."
    )
    return either(Ground.MEASURED, why, holds=wide > narrow)
