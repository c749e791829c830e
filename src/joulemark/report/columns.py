# SPDX-License-Identifier: Apache-2.0
"""The figures of a result as table columns; the page and the Markdown export show the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from joulemark.analyse.results import Figure, Result
from joulemark.report.figures import joules_text, number_text, seconds_text

__all__ = ["COLUMNS", "Column", "present", "reasons"]


@dataclass(frozen=True, slots=True)
class Column:
    """One figure in tables."""

    field: str
    """Name in `Result`."""
    heading: str
    text: Callable[[Figure], str]

    def of(self, result: Result) -> Figure | None:
        """The figure, where it exists."""
        figure: Figure | None = getattr(result, self.field)
        return figure


_NAMED = 4
"""Implementations named in one sentence before the rest is only counted."""

COLUMNS = (
    Column("seconds_per_message", "Time per message", seconds_text),
    Column("core_cycles_per_byte", "Core cycles per byte", number_text),
    Column("tsc_ticks_per_byte", "TSC ticks per byte", number_text),
    Column("joules_per_byte", "Energy per byte", joules_text),
)


def present(results: Iterable[Result]) -> list[Column]:
    """Columns in which at least one result has a figure."""
    found = list(results)
    return [column for column in COLUMNS if any(column.of(result) for result in found)]


def reasons(results: Iterable[Result]) -> list[str]:
    """Why figures are missing, each sentence once, as in "Energy per byte: no counter."."""
    found = list(results)
    sentences: dict[str, None] = {}
    for column in COLUMNS:
        lacking: dict[str, list[str]] = {}
        for result in found:
            if column.of(result) is None:
                reason = result.reasons.get(column.field, "no reason recorded")
                lacking.setdefault(reason, []).append(result.implementation)
        for reason, names in lacking.items():
            who = "" if len(names) == len(found) else f" ({_few(names)})"
            sentences[f"{column.heading}{who}: {reason.rstrip('.')}."] = None
    return list(sentences)


def _few(names: list[str]) -> str:
    """Names in their order, each once, at most a handful of them."""
    once = list(dict.fromkeys(names))
    shown = ", ".join(once[:_NAMED])
    return f"{shown} and {len(once) - _NAMED} more" if len(once) > _NAMED else shown
