# SPDX-License-Identifier: Apache-2.0
"""The findings of the three regimes in one shape: programs beside each other at each size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from pydantic import Field

from joulemark.analyse import Figure, Result
from joulemark.records.figures import Evidence
from joulemark.stats import simultaneous_level
from joulemark.studies.castellon2022.savings import (
    ALPHA,
    CostSpread,
    Growth,
    Saving,
    growth,
    saving,
    spread,
    together,
)
from joulemark.studies.papers import PaperRecord

GROWING = ("standard", "ecm_j8", "standard_chunks", "ecm_chunks_j8")
"""Programs whose growth from the first size to the last is a claim: O and E, by both fillings."""
PAIRS = {
    "saving": ("standard", "ecm_j8"),
    "order_saving": ("ecm_j1", "ecm_j8"),
    "chunks_saving": ("standard_chunks", "ecm_chunks_j8"),
    "chunks_order_saving": ("ecm_chunks_j1", "ecm_chunks_j8"),
    "mixed_saving": ("standard", "ecm_chunks_j8"),
}
"""Field of a `ProgramComparison` -> baseline and contender."""


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
    """`standard`, `ecm_j1`, `ecm_j8`, the same with `_chunks`, and others of the regime; seconds or
    joules per HMAC."""
    saving: Saving
    """Saving of the engineered program (jump 8) beside the standard one, both byte by byte."""
    order_saving: Saving
    """Saving of jump 8 beside jump 1, which is due to the order: both have the page table."""
    chunks_saving: Saving | None = None
    """As `saving`, both with copies of whole chunks; null where those were not measured."""
    chunks_order_saving: Saving | None = None
    mixed_saving: Saving | None = None
    """Saving of the engineered program that copies whole chunks beside the standard one that is
    filled byte by byte."""


Savings = Mapping[int, Saving]
"""Size -> saving at that size, at all sizes, by one filling."""
_FILLINGS: Final = {
    "both filled byte by byte": "saving",
    "both copying whole chunks": "chunks_saving",
    "O byte by byte, E copying whole chunks": "mixed_saving",
}
"""Words for the fillings -> field of a comparison."""


def by_filling(rows: Sequence[ProgramComparison]) -> dict[str, Savings]:
    """Words for each filling that was measured -> its savings."""
    return {
        filling: {row.size_bytes: getattr(row, field) for row in rows}
        for filling, field in _FILLINGS.items()
        if all(getattr(row, field) is not None for row in rows)
    }


class JumpSaving(PaperRecord):
    """What a jump saves beside jump 1, by the engineered program that copies whole chunks."""

    size_bytes: int
    jump: int
    saving: Saving


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


_OF_VISIT = ("size_bytes", "programs", "saving", "order_saving")
"""Fields of a comparison that a visit has too: its programs are filled byte by byte."""


class Energies(PaperRecord):
    """Joules per HMAC of the kernel alone: of one kind, and of one evidence, for all programs."""

    kind: Literal["net", "gross"]
    """Whether deep idle was subtracted from every figure, or from no figure."""
    evidence: Evidence
    rows: list[ProgramComparison]
    growth: dict[str, Growth]


class CompilerFindings(PaperRecord):
    """The kernel alone, as a compiler that was named builds all programs."""

    compiler: str
    version: str
    flags: str
    kernel: list[ProgramComparison]
    energy: Energies | None

    @property
    def decisive(self) -> list[ProgramComparison]:
        """The figures by which a claim about energy is judged: joules, else the time."""
        return self.kernel if self.energy is None else self.energy.rows


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
    jumps: list[JumpSaving] = Field(default_factory=list)
    """Every jump but 1, the kernel alone."""
    compilers: list[CompilerFindings] = Field(default_factory=list)
    """The same programs by each compiler that was named."""

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
        """The evidence of a verdict on energy; by time it is modelled: energy goes as time."""
        return Evidence.MODELLED if self.energy is None else self.energy.evidence


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
        rows.append(
            ProgramComparison(
                size_bytes=size,
                programs={name: spread(values) for name, values in programs.items()},
                **{
                    pair: saving(programs[first], programs[other], events.processes, level=level)
                    for pair, (first, other) in PAIRS.items()
                    if first in programs and other in programs
                },
            )
        )
    return _adjusted(rows)


def _adjusted(rows: Sequence[ProgramComparison]) -> list[ProgramComparison]:
    """The rows with p-values of each pair adjusted for all sizes together."""
    adjusted: list[dict[str, Saving]] = [{} for _ in rows]
    for pair in PAIRS:
        known = [(update, getattr(row, pair)) for update, row in zip(adjusted, rows, strict=True)]
        if any(saved is None for _, saved in known):
            continue
        for (update, _), saved in zip(known, together([saved for _, saved in known]), strict=True):
            update[pair] = saved
    return [row.model_copy(update=update) for row, update in zip(rows, adjusted, strict=True)]


def jump_savings(series: Mapping[int, EventSeries], jumps: Mapping[int, str]) -> list[JumpSaving]:
    """What each jump saves beside jump 1, with intervals that hold together.

    `jumps` has a program for each jump.
    """
    level = simultaneous_level(ALPHA, len(series) * (len(jumps) - 1))
    return [
        JumpSaving(
            size_bytes=size,
            jump=jump,
            saving=saving(
                events.programs[jumps[1]], events.programs[name], events.processes, level=level
            ),
        )
        for jump, name in jumps.items()
        if jump != 1
        for size, events in series.items()
    ]


def growths(series: Mapping[int, EventSeries]) -> dict[str, Growth]:
    """Returns the growth of the programs from the smallest size to the largest."""
    first, last = series[min(series)], series[max(series)]
    processes = (first.processes, last.processes)
    return {
        name: growth(first.programs[name], last.programs[name], processes)
        for name in GROWING
        if name in first.programs
    }


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
                    **{name: getattr(comparison, name) for name in _OF_VISIT},
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
            **{
                pair: _saving_of(figures[before], figures[after])
                for pair, (before, after) in PAIRS.items()
                if before in figures and after in figures
            },
        )
        for size, figures in joules.items()
    ]
    first, last = joules[min(joules)], joules[max(joules)]
    growth_by_name = {
        name: _growth_of(first[name], last[name]) for name in GROWING if name in first
    }
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
