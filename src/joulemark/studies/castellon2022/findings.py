# SPDX-License-Identifier: Apache-2.0
"""The findings of the three regimes in one shape: programs beside each other at each size."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Literal

import numpy as np

from joulemark.analyse.results import Figure, Result
from joulemark.records.figures import Evidence
from joulemark.stats import (
    as_sample,
    holm,
    mean,
    median,
    simultaneous_level,
    standard_deviation,
)
from joulemark.stats.clustered import clustered_shift, student
from joulemark.studies.papers import PaperRecord

# Statistics of one program beside another: the paper's own, and ours.
#
# The paper has mean and standard deviation of 1000 events. We take the ratio of events that were
# neighbours in time, by the rule of every comparison of this project: events of one process share
# its layout in memory, so each process counts once (joulemark.stats.clustered explains why).

ALPHA = 0.05
"""Chance of even one false "costs less" or "costs more" over the sizes of one series."""


class CostSpread(PaperRecord):
    """The costs of one program at one size."""

    mean: float
    deviation: float | None
    """Standard deviation; null if there is one event."""
    median: float
    events: int


class Saving(PaperRecord):
    """The share that a contender saves: 1 - contender / baseline, above 0 if it costs less."""

    median: float
    """Centre of the processes; centre of the events if there is one process."""
    low: float
    high: float
    level: float | None
    """Confidence of the interval; null if it is the widest that two intervals allow."""
    of_means: float
    """1 - mean / mean, as the paper computes it."""
    events: int
    processes: int
    """Processes that took the events; the layout of a single one cannot be told from the program.
    """
    p_value: float | None
    """Two-sided, of "costs the same"; null if it is unknown."""
    p_adjusted: float | None = None
    """The p-value by Holm, for all sizes of the series together."""

    @property
    def costs_less(self) -> bool:
        """Whether it is shown, for all sizes of the series together, that the contender saves."""
        return self.low > 0 and (self.p_adjusted is None or self.p_adjusted < ALPHA)


class Growth(PaperRecord):
    """How much more the last size costs than the first, as a share of the first; 95 % interval."""

    median: float
    low: float | None
    """Null with one process."""
    high: float | None


def spread(values: Sequence[float]) -> CostSpread:
    """Returns mean, deviation and median of at least one value, in the unit of the values."""
    return CostSpread(
        mean=mean(values),
        deviation=standard_deviation(values) if len(values) > 1 else None,
        median=median(values),
        events=len(values),
    )


def saving(
    baseline: Sequence[float],
    contender: Sequence[float],
    processes: Sequence[Hashable],
    *,
    level: float = 1 - ALPHA,
) -> Saving:
    """Returns what the contender saves, by pairs of events that were taken next to each other.

    Args:
        baseline: costs of its events, above 0; at least one.
        contender: costs of its events, above 0; as many, in the same order.
        processes: as many labels; events with one label were taken by one process.
        level: confidence of the interval.
    """
    before, after = as_sample(baseline), as_sample(contender)
    if not before.size == after.size == len(processes):
        raise ValueError("pairs need two series of one length, and a process for each")
    shift = clustered_shift(np.log(after / before), processes, level=level)
    return Saving(
        median=1 - math.exp(shift.estimate),
        low=1 - math.exp(shift.high),
        high=1 - math.exp(shift.low),
        level=level,
        of_means=1 - mean(after) / mean(before),
        events=int(before.size),
        processes=len(set(processes)),
        p_value=shift.p_value,
    )


def together(savings: Sequence[Saving]) -> list[Saving]:
    """Returns the savings of one series with p-values adjusted for each other, if all are known."""
    known = [saved.p_value for saved in savings if saved.p_value is not None]
    if len(known) < len(savings):
        return list(savings)
    return [
        saved.model_copy(update={"p_adjusted": p})
        for saved, p in zip(savings, holm(known), strict=True)
    ]


def growth(
    first: Sequence[float], last: Sequence[float], processes: tuple[Sequence[Hashable], ...]
) -> Growth:
    """Returns the growth from one size to another, process by process.

    Args:
        first: costs of the first size, above 0.
        last: costs of the last size, above 0.
        processes: labels of the first size's events, and of the last size's.
    """
    small, large = (
        _by_process(values, labels) for values, labels in zip((first, last), processes, strict=True)
    )
    shared = [label for label in small if label in large]
    centres = [math.log(median(large[label]) / median(small[label])) for label in shared]
    if len(centres) < 2:
        return Growth(median=median(last) / median(first) - 1, low=None, high=None)
    shift = student(centres)
    return Growth(
        median=math.expm1(shift.estimate), low=math.expm1(shift.low), high=math.expm1(shift.high)
    )


def _by_process(values: Sequence[float], labels: Sequence[Hashable]) -> dict[Hashable, list[float]]:
    by_process: dict[Hashable, list[float]] = {}
    for value, label in zip(values, labels, strict=True):
        by_process.setdefault(label, []).append(value)
    return by_process


GROWING = ("standard", "ecm_j8")
"""Programs whose growth from the first size to the last is a claim."""


class EventSeries(PaperRecord):
    """Events of one size: all programs of an event were taken side by side, by one process."""

    programs: dict[str, list[float]]
    """Program -> cost of each event."""
    processes: list[int]
    """Number of the process of each event."""


class ProgramComparison(PaperRecord):
    """The programs beside each other at one size, in one regime."""

    size_bytes: int
    programs: dict[str, CostSpread]
    """`standard`, `ecm_j1`, `ecm_j8`, and others of the regime; seconds or joules per HMAC."""
    saving: Saving
    """Saving of the engineered program (jump 8) beside the standard program."""
    order_saving: Saving
    """Saving of jump 8 beside jump 1, which is due to the order: both have the page table."""


class RegimeVisit(PaperRecord):
    """The programs at one size and order in the memory-bound regime; seconds per message."""

    size_bytes: int
    order: str
    programs: dict[str, CostSpread]
    """Programs, and `read`, which hashes nothing."""
    saving: Saving
    order_saving: Saving
    slower_than_sequential: Saving | None
    """Saving of the standard program in this order beside the sequential order; below 0 the order
    costs more; null for the sequential order."""
    reading_slower: Saving | None
    """The same saving of reading alone."""


class Energies(PaperRecord):
    """Joules per HMAC of the kernel alone: of one kind, and of one evidence, for all programs."""

    kind: Literal["net", "gross"]
    """Whether deep idle was subtracted from every figure, or from no figure."""
    evidence: Evidence
    rows: list[ProgramComparison]
    growth: dict[str, Growth]


class CastellonFindings(PaperRecord):
    """The figures by which the claims are judged."""

    kernel: list[ProgramComparison]
    """Seconds of the kernel alone, in Joulemark's harness."""
    ctypes: list[ProgramComparison]
    """Seconds through ctypes, one HMAC per event."""
    growth: dict[str, Growth]
    """Program -> growth from the first size to the last, through ctypes."""
    energy: Energies | None
    """Joules of the kernel alone, in Joulemark's harness; null without a meter."""
    energy_reason: str | None
    """Why there are no joules."""
    memory: list[RegimeVisit] | None
    memory_reason: str | None
    cycles: dict[str, dict[int, CostSpread]]
    """Short name -> size -> core cycles per HMAC of the kernel alone; empty if any are unknown."""
    seconds: dict[str, dict[int, CostSpread]]
    """Short name -> size -> seconds per HMAC of the kernel alone."""

    @property
    def decisive(self) -> tuple[str, list[ProgramComparison]]:
        """The figures by which a claim about energy is judged, and their name with evidence."""
        if self.energy is not None:
            return f"energy ({self.energy.evidence})", self.energy.rows
        return "time through ctypes (measured)", self.ctypes

    @property
    def decisive_growth(self) -> dict[str, Growth]:
        """The growth of the decisive figures."""
        return self.growth if self.energy is None else self.energy.growth

    @property
    def evidence(self) -> Evidence:
        """The evidence of the decisive figures."""
        return Evidence.MEASURED if self.energy is None else self.energy.evidence


def compare(series: Mapping[int, EventSeries], scale: float = 1.0) -> list[ProgramComparison]:
    """Compares the programs at each size, costs times `scale`, with intervals that hold together.

    Each interval has the level at which all sizes hold at once with 95 %; p-values are Holm's.
    """
    level = simultaneous_level(ALPHA, len(series))
    rows = []
    for size, events in series.items():
        programs = {
            name: [value * scale for value in values] for name, values in events.programs.items()
        }
        ours, processes = programs["ecm_j8"], events.processes
        rows.append(
            ProgramComparison(
                size_bytes=size,
                programs={name: spread(values) for name, values in programs.items()},
                saving=saving(programs["standard"], ours, processes, level=level),
                order_saving=saving(programs["ecm_j1"], ours, processes, level=level),
            )
        )
    savings = together([row.saving for row in rows])
    orders = together([row.order_saving for row in rows])
    return [
        row.model_copy(update={"saving": saved, "order_saving": order})
        for row, saved, order in zip(rows, savings, orders, strict=True)
    ]


def growths(series: Mapping[int, EventSeries]) -> dict[str, Growth]:
    """Returns the growth of the two programs from the smallest size to the largest."""
    first, last = series[min(series)], series[max(series)]
    processes = (first.processes, last.processes)
    return {name: growth(first.programs[name], last.programs[name], processes) for name in GROWING}


def visits(
    nanoseconds: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]],
) -> list[RegimeVisit]:
    """Returns the memory-bound series as visits; one process took them all."""
    rows = []
    for size, orders in nanoseconds.items():
        for order, programs in orders.items():
            process = [0] * len(programs["standard"])
            events = {name: list(values) for name, values in programs.items()}
            series = {int(size): EventSeries(programs=events, processes=process)}
            (comparison,) = compare(series, 1e-9)
            slower, reading = (
                None
                if order == "sequential"
                else saving(orders["sequential"][name], programs[name], process)
                for name in ("standard", "read")
            )
            rows.append(
                RegimeVisit(
                    order=order,
                    slower_than_sequential=slower,
                    reading_slower=reading,
                    **vars(comparison),
                )
            )
    return rows


def energies(
    results: Sequence[Result], names: Mapping[str, str], sizes_bytes: Sequence[int]
) -> Energies | None:
    """Returns the joules of the kernel alone; None unless all programs have them at all sizes.

    They are net joules if all programs have net joules, else gross: a net figure is never compared
    with a gross figure, which holds the idle power too. The interval of a saving is the widest that
    the two intervals allow, since windows of two programs are not pairs.

    Args:
        results: results of the run.
        names: short name -> implementation.
        sizes_bytes: sizes of the study.
    """
    kinds: tuple[Literal["net", "gross"], ...] = ("net", "gross")
    for kind in kinds:
        joules = _joules(results, names, sizes_bytes, kind)
        if joules is not None:
            return _energies_of(joules, kind)
    return None


def _joules(
    results: Sequence[Result], names: Mapping[str, str], sizes_bytes: Sequence[int], kind: str
) -> dict[int, dict[str, Figure]] | None:
    """Returns size -> short name -> joules per message of one kind; None if a figure is missing."""
    joules = "joules_per_message" if kind == "net" else "gross_joules_per_message"
    figures: dict[int, dict[str, Figure]] = {}
    for size in sizes_bytes:
        at_size = {result.implementation: result for result in results if result.size_bytes == size}
        for short, name in names.items():
            result = at_size.get(name)
            figure = None if result is None else getattr(result, joules)
            if figure is None or figure.median <= 0:
                return None
            figures.setdefault(size, {})[short] = figure
    return figures


def _energies_of(
    joules: Mapping[int, Mapping[str, Figure]], kind: Literal["net", "gross"]
) -> Energies | None:
    evidences = {figure.evidence for figures in joules.values() for figure in figures.values()}
    if len(evidences) != 1:
        return None
    rows = [
        ProgramComparison(
            size_bytes=size,
            programs={short: _spread_of(figure) for short, figure in figures.items()},
            saving=_saving_of(figures["standard"], figures["ecm_j8"]),
            order_saving=_saving_of(figures["ecm_j1"], figures["ecm_j8"]),
        )
        for size, figures in joules.items()
    ]
    first, last = joules[min(joules)], joules[max(joules)]
    growth_by_name = {name: _growth_of(first[name], last[name]) for name in GROWING}
    return Energies(kind=kind, evidence=evidences.pop(), rows=rows, growth=growth_by_name)


def _growth_of(first: Figure, last: Figure) -> Growth:
    known = first.low > 0
    return Growth(
        median=last.median / first.median - 1,
        low=last.low / first.high - 1 if known else None,
        high=last.high / first.low - 1 if known else None,
    )


def _spread_of(figure: Figure) -> CostSpread:
    return CostSpread(
        mean=figure.median, deviation=None, median=figure.median, events=figure.samples
    )


def _saving_of(before: Figure, after: Figure) -> Saving:
    median = 1 - after.median / before.median
    unknown = before.low <= 0
    return Saving(
        median=median,
        low=-1.0 if unknown else 1 - after.high / before.low,
        high=1.0 if unknown else 1 - after.low / before.high,
        level=None,
        of_means=median,
        events=min(before.samples, after.samples),
        processes=1,
        p_value=None,
    )
