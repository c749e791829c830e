# SPDX-License-Identifier: Apache-2.0
"""What the three regimes found, in one shape: programs beside each other at each size."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from joulemark.analyse.results import Figure, Result
from joulemark.records.evidence import Evidence
from joulemark.stats.multiplicity import simultaneous_level
from joulemark.studies.castellon2022.savings import (
    ALPHA,
    Growth,
    Saving,
    Spread,
    growth,
    saving,
    spread,
    together,
)

__all__ = [
    "Comparison",
    "Energies",
    "Findings",
    "RegimeVisit",
    "Series",
    "compared",
    "energies",
    "grown",
    "visits",
]

GROWING = ("standard", "ecm_j8")
"""Programs whose growth from the first size to the last is a claim."""


class Series(BaseModel):
    """Events of one size: all programs of an event were taken side by side, by one process."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    programs: dict[str, list[float]]
    processes: list[int]
    """Of each event."""


class Comparison(BaseModel):
    """One size, in one regime."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    size_bytes: int
    programs: dict[str, Spread]
    """`standard`, `ecm_j1`, `ecm_j8`, and others of the regime; seconds or joules per HMAC."""
    saving: Saving
    """Of the engineered program (jump 8) beside the standard one."""
    order_saving: Saving
    """Of jump 8 beside jump 1: what the order is worth, with the page table in both."""


class RegimeVisit(BaseModel):
    """One size and order in the memory-bound regime; seconds per message."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    size_bytes: int
    order: str
    programs: dict[str, Spread]
    """With `read`, which hashes nothing."""
    saving: Saving
    order_saving: Saving
    slower_than_sequential: Saving | None
    """Of the standard program in this order beside the sequential one; below 0 it costs more."""
    reading_slower: Saving | None
    """The same of reading alone."""


class Energies(BaseModel):
    """Joules per HMAC of the kernel alone: of one kind, and of one evidence, for all programs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["net", "gross"]
    """Whether deep idle was subtracted: from every figure, or from none."""
    evidence: Evidence
    rows: list[Comparison]
    growth: dict[str, Growth]


class Findings(BaseModel):
    """Everything the claims are judged by."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kernel: list[Comparison]
    """Seconds, Joulemark's own harness."""
    ctypes: list[Comparison]
    """Seconds, one event per HMAC."""
    growth: dict[str, Growth]
    """Program -> growth from the first size to the last, through ctypes."""
    energy: Energies | None
    """Joules, Joulemark's own harness; null without a meter."""
    energy_reason: str | None
    """Why there are none."""
    memory: list[RegimeVisit] | None
    memory_reason: str | None
    cycles: dict[str, dict[int, Spread]]
    """Short name -> size -> core cycles per HMAC; empty where the clock is unknown."""
    seconds: dict[str, dict[int, Spread]]
    """The same in seconds, of everything in the kernel regime."""

    @property
    def decisive(self) -> tuple[str, list[Comparison]]:
        """What a claim about energy is judged by, in words with its evidence, and figures."""
        if self.energy is not None:
            return f"energy ({self.energy.evidence})", self.energy.rows
        return "time through ctypes (measured)", self.ctypes

    @property
    def decisive_growth(self) -> dict[str, Growth]:
        """Growth by the same."""
        return self.growth if self.energy is None else self.energy.growth

    @property
    def evidence(self) -> Evidence:
        """Of what is decisive."""
        return Evidence.MEASURED if self.energy is None else self.energy.evidence


def compared(series: Mapping[int, Series], scale: float = 1.0) -> list[Comparison]:
    """The sizes of one series, times `scale`, as comparisons whose intervals hold together.

    Each interval has the level at which all sizes hold at once with 95 %; p-values are Holm's.
    """
    level = simultaneous_level(ALPHA, len(series))
    rows = []
    for size, count_series in series.items():
        programs = {
            name: [value * scale for value in values]
            for name, values in count_series.programs.items()
        }
        rows.append(
            Comparison(
                size_bytes=size,
                programs={name: spread(values) for name, values in programs.items()},
                saving=_saved(programs, "standard", count_series.processes, level),
                order_saving=_saved(programs, "ecm_j1", count_series.processes, level),
            )
        )
    savings = together([row.saving for row in rows])
    orders = together([row.order_saving for row in rows])
    return [
        row.model_copy(update={"saving": saved, "order_saving": order})
        for row, saved, order in zip(rows, savings, orders, strict=True)
    ]


def _saved(
    programs: Mapping[str, Sequence[float]], baseline: str, processes: Sequence[Hashable],
    level: float,
) -> Saving:  # fmt: skip
    return saving(programs[baseline], programs["ecm_j8"], processes, level=level)


def grown(series: Mapping[int, Series]) -> dict[str, Growth]:
    """Growth of the two programs from the smallest size to the largest."""
    first, last = series[min(series)], series[max(series)]
    return {
        name: growth(
            first.programs[name], last.programs[name], (first.processes, last.processes)
        )
        for name in GROWING
    }  # fmt: skip


def visits(
    nanoseconds: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]],
) -> list[RegimeVisit]:
    """The memory-bound series as visits; one process took them all."""
    found = []
    for size, orders in nanoseconds.items():
        calm = orders["sequential"]
        for order, programs in orders.items():
            process = [0] * len(programs["standard"])
            series = Series(
                programs={name: list(values) for name, values in programs.items()},
                processes=process,
            )
            (comparison,) = compared({int(size): series}, 1e-9)
            other = order != "sequential"
            found.append(
                RegimeVisit(
                    size_bytes=int(size),
                    order=order,
                    programs=comparison.programs,
                    saving=comparison.saving,
                    order_saving=comparison.order_saving,
                    slower_than_sequential=saving(calm["standard"], programs["standard"], process)
                    if other
                    else None,
                    reading_slower=saving(calm["read"], programs["read"], process)
                    if other
                    else None,
                )
            )
    return found


def energies(
    results: Sequence[Result], names: Mapping[str, str], sizes_bytes: Sequence[int]
) -> Energies | None:
    """Joules of the kernel regime; None unless every program has a figure at every size.

    Net joules where all have them, else gross joules where all have them: a net figure is never
    compared with a gross one, which holds the idle power too. The interval of a saving is the
    widest that the two intervals allow, since windows of two programs are not pairs.

    Args:
        results: of the run.
        names: short name -> implementation.
        sizes_bytes: of the study.
    """
    kinds: tuple[Literal["net", "gross"], ...] = ("net", "gross")
    for kind in kinds:
        found = _joules(results, names, sizes_bytes, kind)
        if found is not None:
            return _energies_of(found, kind)
    return None


def _joules(
    results: Sequence[Result], names: Mapping[str, str], sizes_bytes: Sequence[int], kind: str
) -> dict[int, dict[str, Figure]] | None:
    """Size -> short name -> joules per message, all of one kind."""
    found: dict[int, dict[str, Figure]] = {}
    for size in sizes_bytes:
        at_size = {result.implementation: result for result in results if result.size_bytes == size}
        for short, name in names.items():
            smallest = at_size.get(name)
            if smallest is None:
                return None
            figure = (
                smallest.joules_per_message if kind == "net" else smallest.gross_joules_per_message
            )
            if figure is None or figure.median <= 0:
                return None
            found.setdefault(size, {})[short] = figure
    return found


def _energies_of(
    joules: Mapping[int, Mapping[str, Figure]], kind: Literal["net", "gross"]
) -> Energies | None:
    evidences = {figure.evidence for figures in joules.values() for figure in figures.values()}
    if len(evidences) != 1:
        return None
    rows = [
        Comparison(
            size_bytes=size,
            programs={short: _spread_of(figure) for short, figure in figures.items()},
            saving=_saving_of(figures["standard"], figures["ecm_j8"]),
            order_saving=_saving_of(figures["ecm_j1"], figures["ecm_j8"]),
        )
        for size, figures in joules.items()
    ]
    first, last = joules[min(joules)], joules[max(joules)]
    grown_by = {name: _growth_of(first[name], last[name]) for name in GROWING}
    return Energies(kind=kind, evidence=evidences.pop(), rows=rows, growth=grown_by)


def _growth_of(first: Figure, last: Figure) -> Growth:
    known = first.low > 0
    return Growth(
        median=last.median / first.median - 1,
        low=last.low / first.high - 1 if known else None,
        high=last.high / first.low - 1 if known else None,
    )


def _spread_of(figure: Figure) -> Spread:
    return Spread(mean=figure.median, deviation=None, median=figure.median, events=figure.samples)


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
