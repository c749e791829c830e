# SPDX-License-Identifier: Apache-2.0
"""The figures of a result as table columns, and why figures are missing.

Joules that an instrument or a simulation gave and joules from a stated power are different
columns, whatever else is shown: the second kind is headed "Modelled".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from joulemark.analyse import DomainEnergy, Figure, Result, ResultSet
from joulemark.records.figures import (
    ENERGY_FIELDS,
    Absence,
    AbsenceKind,
    Evidence,
    FigureGroup,
    FigureKind,
    figure_kind,
    figures_in,
)
from joulemark.records.trial import RTL, is_firmware
from joulemark.report import NONE, Cell, interval_cell
from joulemark.report.words import UNIT_TEXT, quartiles_text


@dataclass(frozen=True, slots=True)
class Column:
    """One figure in tables."""

    field: str
    """Name in `Result`, or in `DomainEnergy`."""
    heading: str
    text: Callable[[Figure], str]
    firmware_alone: bool = False
    """Whether it is empty for other targets, which have the figure too."""

    def of(self, result: Result | DomainEnergy) -> Figure | None:
        """The figure of this column; None if it does not exist or does not belong here."""
        if self.firmware_alone and not (isinstance(result, Result) and is_firmware(result.target)):
            return None
        figure: Figure | None = getattr(result, self.field)
        return figure

    def cell(self, result: Result | DomainEnergy) -> Cell:
        """The figure with its interval and evidence word."""
        figure = self.of(result)
        if figure is None:
            return Cell(NONE)
        return interval_cell(self.text(figure), figure.evidence.value, figure.median)


def column_of(kind: FigureKind, heading: str | None = None) -> Column:
    """The column of a kind of figure, whose unit decides how it is written.

    Args:
        kind: a line of the table of figures.
        heading: used in place of the kind's heading.
    """
    return Column(kind.field, heading or kind.heading, UNIT_TEXT[kind.unit])


def _columns(group: FigureGroup) -> tuple[Column, ...]:
    return tuple(column_of(kind) for kind in figures_in(group))


ENERGY = _columns(FigureGroup.ENERGY)
"""Figures of a meter, all of the headline domain."""
MODELLED = _columns(FigureGroup.MODELLED)
"""Figures that are time times a power that the user stated."""
CLOCKS = _columns(FigureGroup.CLOCKS)
"""Figures that only the simulation of a hardware core gives."""
FIRMWARE = (
    replace(column_of(figure_kind("core_cycles_per_message")), firmware_alone=True),
    *_columns(FigureGroup.FIRMWARE),
)
"""Figures that the simulation of a microcontroller gives."""
_TIME = column_of(figure_kind("seconds_per_message"))

COLUMNS = (
    _TIME,
    *ENERGY,
    *MODELLED,
    replace(_TIME, heading="Minimum, quartiles", text=quartiles_text),
    column_of(figure_kind("core_cycles_per_byte")),
    column_of(figure_kind("tsc_ticks_per_byte")),
    *CLOCKS,
    *FIRMWARE,
)


def present(results: Iterable[Result]) -> list[Column]:
    """Columns in which at least one result has a figure."""
    every = list(results)
    return [column for column in COLUMNS if any(column.of(result) for result in every)]


# Why figures are missing, in as few sentences as say it all.
#
# One cause often takes several figures at once: without a meter all five figures in joules and
# watts are missing. Figures that are missing for the same reason in the same results share one
# sentence. Figures that nobody asked for are not missing.

Lacking = TypeVar("Lacking")
"""A figure, as a column or in words."""

_NAMED = 4
"""Implementations named in one sentence before the rest is only counted."""
UNRECORDED = Absence("no reason recorded")
_OF_A_MACHINE = tuple(column for column in COLUMNS if column not in (*CLOCKS, *FIRMWARE))
_CLOCKED = tuple(column for column in _OF_A_MACHINE if column.field != "core_cycles_per_byte")
"""Columns that a machine with a clock and a meter has, and a simulated microcontroller has not."""
_NET = {column for column in ENERGY if "net of" in column.heading}
_OF_CORES = (_OF_A_MACHINE, *((column,) for column in CLOCKS))
"""Columns of simulated cores whose gaps are explained together."""
_OF_FIRMWARE = (
    tuple(column for column in _CLOCKED if column.field != "tsc_ticks_per_byte"),
    *((column,) for column in FIRMWARE),
)
"""Columns of firmware targets whose gaps are explained together."""


def reasons(results: Iterable[Result], *, energy_said: bool = False) -> list[str]:
    """Each sentence once, as in "Energy (shani): the counter was reset during the windows.".

    Args:
        results: whose figures are missing.
        energy_said: whether the same output says elsewhere why there are no joules.
    """
    software: list[Result] = []
    cores: list[Result] = []
    firmware: list[Result] = []
    for result in results:
        kind = (
            cores if result.target == RTL else firmware if is_firmware(result.target) else software
        )
        kind.append(result)
    families = [
        columns for columns in _families(software) if not (energy_said and columns == ENERGY)
    ]
    sentences = (
        *_sentences(software, families),
        *_sentences(cores, _OF_CORES),
        *_sentences(firmware, _OF_FIRMWARE),
    )
    return list(dict.fromkeys(sentences))


def _sentences(results: Sequence[Result], families: Sequence[tuple[Column, ...]]) -> Iterator[str]:
    for family in families:
        lacking: dict[tuple[Absence, tuple[Column, ...]], list[str]] = {}
        for result in results:
            for reason, columns in _gaps(result, family).items():
                lacking.setdefault((reason, tuple(columns)), []).append(result.implementation)
        for (reason, missing), names in lacking.items():
            yield gap_sentence(_subject(missing), names, len(results), reason)


def gap_sentence(subject: str, names: Sequence[str], total: int, reason: Absence) -> str:
    """Which figures are missing, of which results unless of all `total`, and why."""
    who = "" if len(names) == total else f" ({few(names)})"
    return f"{subject}{who}: {reason.sentence.rstrip('.')}."


def reason_of(result: Result, field: str) -> Absence:
    """Why a result lacks a figure.

    A reason for one figure of a meter holds for the others that have no reason: a run without a
    meter gives its reason once, under `joules_per_byte`.
    """
    own = result.reasons.get(field)
    if own is None and field in ENERGY_FIELDS and result.joules_per_message is None:
        lacking = (name for name in ENERGY_FIELDS if getattr(result, name) is None)
        own = next((result.reasons[name] for name in lacking if name in result.reasons), None)
    return own or UNRECORDED


_INTERVAL: Final = re.compile(r"its interval is (\+-\S+ %|more than 100 %)")


def one_refusal(gaps: Mapping[Absence, list[Lacking]]) -> dict[Absence, list[Lacking]]:
    """Joins the gaps of figures whose intervals are too wide, under one reason.

    Figures of one line are refused for one cause. The reason is that of the first, with the
    narrowest and the widest interval of all.
    """
    wide = {
        reason: found[1]
        for reason in gaps
        if reason.kind is AbsenceKind.REFUSED and (found := _INTERVAL.search(reason.text))
    }
    if len(set(wide.values())) < 2:
        return dict(gaps)
    narrowest, *_, widest = sorted(wide.values(), key=_percent)
    first = next(iter(wide))
    text = _INTERVAL.sub(f"their intervals are {narrowest} to {widest}", first.text)
    joined = replace(first, text=text)
    merged: dict[Absence, list[Lacking]] = {}
    for reason, missing in gaps.items():
        merged.setdefault(joined if reason in wide else reason, []).extend(missing)
    return merged


def _percent(size: str) -> float:
    """The percentage of an interval's size in words."""
    return 100.0 if size.startswith("more") else float(size.removeprefix("+-").split()[0])


def few(names: Iterable[str]) -> str:
    """Lists names in their order, each once, and counts those beyond the first four."""
    once = list(dict.fromkeys(names))
    shown = ", ".join(once[:_NAMED])
    return f"{shown} and {len(once) - _NAMED} more" if len(once) > _NAMED else shown


def missing_reason(results: ResultSet, *fields: str) -> Absence:
    """Why no result has a figure: the most frequent reason.

    Args:
        results: all without the figure.
        fields: the figure's name, then names of figures whose absence explains its own.
    """
    if not results.results:
        return Absence("Nothing was measured in this run.")
    for field in fields:
        counts = Counter(
            result.reasons[field] for result in results.results if field in result.reasons
        )
        if counts:
            return min(counts, key=lambda reason: (-counts[reason], reason.sentence))
    return Absence("No result carries this figure, and no reason was recorded.")


def _families(results: Sequence[Result]) -> list[tuple[Column, ...]]:
    """Columns whose gaps are explained together; modelled joules only where there are some."""
    others = (*ENERGY, *MODELLED, *CLOCKS, *FIRMWARE)
    alone = [(column,) for column in COLUMNS if column not in others]
    modelled = any(column.of(result) for column in MODELLED for result in results)
    return [*alone, ENERGY, *([MODELLED] if modelled else [])]


def _gaps(result: Result, family: Sequence[Column]) -> dict[Absence, list[Column]]:
    """Reason -> the columns of this result that are missing for it and were asked for."""
    gaps: dict[Absence, list[Column]] = {}
    for column in family:
        reason = reason_of(result, column.field)
        if column.of(result) is None and reason.kind is not AbsenceKind.NOT_ASKED:
            gaps.setdefault(reason, []).append(column)
    return one_refusal(gaps)


def _subject(columns: tuple[Column, ...]) -> str:
    """The missing columns in words: their headings, or the name of a whole family."""
    if columns == ENERGY:
        return "Energy"
    if columns and set(columns) == _NET:
        return "Net energy"
    if columns == _OF_FIRMWARE[0]:
        return "Time and energy"
    if columns == _OF_A_MACHINE:
        return "Time, cycles of a CPU and energy"
    if columns == MODELLED:
        return "Modelled energy"
    first, *others = (column.heading for column in columns)
    return ", ".join([first, *(f"{name[0].lower()}{name[1:]}" for name in others)])


def is_simulated(results: Iterable[Result]) -> bool:
    """Whether any energy here was not read from an instrument but from a simulated one."""
    every = list(results)
    kinds = {
        figure.evidence for result in every for column in ENERGY if (figure := column.of(result))
    }
    kinds |= {domain.evidence for result in every for domain in result.energy}
    return Evidence.SIMULATED in kinds
