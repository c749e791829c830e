# SPDX-License-Identifier: Apache-2.0
"""One row per result, for spreadsheets and data frames; SI units stand in the column names.

Cells with text from outside that a spreadsheet would take for a formula get an apostrophe in
front (OWASP, "CSV Injection").
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from joulemark.analyse import Figure, Result, ResultSet
from joulemark.records.figures import FIGURES, FigureGroup, figures_in
from joulemark.report.circumstances import headline
from joulemark.report.columns import reason_of

SUFFIX = ".csv"
SUMMARY = "one row per result, for spreadsheets and data frames"

_ALWAYS = {
    kind.field: kind.csv_stem
    for kind in figures_in(FigureGroup.TIME, FigureGroup.COUNTS, FigureGroup.ENERGY)
    if kind.group is not FigureGroup.ENERGY or kind.field == "joules_per_byte"
}
"""Figures that always have columns: field of a result -> stem of its columns."""
_WHERE_PRESENT = {
    kind.field: kind.csv_stem for kind in FIGURES if kind.csv_stem and kind.field not in _ALWAYS
}
"""Figures that have columns only if at least one result has them: field -> stem. Energy without
another word is net of deep idle."""
_DOMAIN = ("energy_domain", "energy_meter", "energy_method")
"""Columns of the domain that the energy belongs to, its meter and method; only with a meter."""
_PARTS = ("median", "low", "high", "minimum", "quartile_1", "quartile_3", "mad")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Also the full-width forms, which some spreadsheets read alike."""


def render(results: ResultSet, algorithm: str | None) -> bytes:  # noqa: ARG001 - already applied
    """The table, comma-separated, UTF-8, lines ending in CR LF (RFC 4180)."""
    every = results.results
    more = {
        field: stem
        for field, stem in _WHERE_PRESENT.items()
        if any(getattr(result, field) for result in every)
    }
    figures = _ALWAYS | more
    metered = any(result.energy for result in every)
    rows = (_row(result, figures) | (_source(result) if metered else {}) for result in every)
    return csv_bytes(_header(figures, metered=metered), rows)


def _header(figures: Mapping[str, str], *, metered: bool) -> list[str]:
    names = ["algorithm", "implementation", "chosen", "provider", "target", "size_bytes", "mix"]
    names += ["mean_bytes", "batch", "batch_calls", "mode", "cache", "key_setup", "evidence"]
    names += ["rate_bytes_per_s"]
    names += _DOMAIN if metered else ()
    for stem in figures.values():
        names += [f"{stem}_{part}" for part in _PARTS]
        names += [f"{stem}_evidence", f"{stem}_samples", f"{stem}_missing_because"]
    return [*names, "warnings"]


def _row(result: Result, figures: Mapping[str, str]) -> dict[str, str | float | None]:
    row: dict[str, str | float | None] = {
        "algorithm": result.algorithm,
        "implementation": result.implementation,
        "chosen": result.chosen or "",
        "provider": result.provider,
        "target": result.target,
        "size_bytes": result.size_bytes,
        "mix": result.mix,
        "mean_bytes": result.mean_bytes,
        "batch": result.batch,
        "batch_calls": None if result.batch_calls is None else str(result.batch_calls).lower(),
        "mode": result.mode.value,
        "cache": result.cache.value,
        "key_setup": result.key_setup.value,
        "evidence": result.evidence.value,
        "rate_bytes_per_s": result.bytes_per_second,
        "warnings": " | ".join(doubt.sentence for doubt in result.warnings),
    }
    for field, stem in figures.items():
        figure: Figure | None = getattr(result, field)
        if figure is None:
            row[f"{stem}_missing_because"] = reason_of(result, field).sentence
            continue
        row |= {f"{stem}_{part}": getattr(figure, part) for part in _PARTS}
        row |= {f"{stem}_evidence": figure.evidence.value, f"{stem}_samples": figure.samples}
    return row


def _source(result: Result) -> dict[str, str | float | None]:
    """Domain of the energy figures; empty cells for a result that no meter watched."""
    domain = headline(result)
    words = (domain.domain, domain.meter, domain.method) if domain else ("", "", "")
    return dict(zip(_DOMAIN, words, strict=True))


def csv_bytes(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    """A table with the names of its columns first, UTF-8, lines ending in CR LF (RFC 4180).

    Args:
        columns: names of columns.
        rows: what a row lacks, or has as None, is an empty cell.
    """
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(columns)
    writer.writerows([_plain(row.get(name)) for name in columns] for row in rows)
    return stream.getvalue().encode("utf-8", "replace")


def _plain(value: Any) -> Any:
    """The value; a text that a spreadsheet would run as a formula gets an apostrophe."""
    formula = isinstance(value, str) and value.lstrip(" ").startswith(_FORMULA_STARTS)
    return f"'{value}" if formula else "" if value is None else value
