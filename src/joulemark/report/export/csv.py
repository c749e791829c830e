# SPDX-License-Identifier: Apache-2.0
"""One row per result, for spreadsheets and data frames; SI units stand in the column names.

Cells with text from outside that a spreadsheet would take for a formula get an apostrophe in
front (OWASP, "CSV Injection").
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from joulemark.analyse.results import Figure, Result, ResultSet
from joulemark.records.figures import FIGURES, FigureGroup, figures_in
from joulemark.report.absent import reason_of
from joulemark.report.energy import headline

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
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, fieldnames=_header(figures, metered=metered))
    writer.writeheader()
    writer.writerows(
        _row(result, figures) | (_source(result) if metered else {}) for result in every
    )
    return stream.getvalue().encode()


def _header(figures: Mapping[str, str], *, metered: bool) -> list[str]:
    names = ["algorithm", "implementation", "chosen", "provider", "target", "size_bytes", "mix"]
    names += ["mean_bytes", "batch", "batch_calls", "mode", "cache", "key_setup", "evidence"]
    names += ["rate_bytes_per_s"]
    names += _DOMAIN if metered else ()
    for stem in figures.values():
        names += [f"{stem}_{part}" for part in _PARTS]
        names += [f"{stem}_evidence", f"{stem}_samples", f"{stem}_missing_because"]
    return [*names, "warnings"]


def _row(result: Result, figures: Mapping[str, str]) -> dict[str, str | float]:
    row: dict[str, str | float] = {
        "algorithm": plain_text(result.algorithm),
        "implementation": plain_text(result.implementation),
        "chosen": plain_text(result.chosen or ""),
        "provider": plain_text(result.provider),
        "target": plain_text(result.target),
        "size_bytes": result.size_bytes,
        "mix": result.mix,
        "mean_bytes": "" if result.mean_bytes is None else result.mean_bytes,
        "batch": result.batch,
        "batch_calls": "" if result.batch_calls is None else str(result.batch_calls).lower(),
        "mode": result.mode.value,
        "cache": result.cache.value,
        "key_setup": result.key_setup.value,
        "evidence": result.evidence.value,
        "rate_bytes_per_s": "" if result.bytes_per_second is None else result.bytes_per_second,
        "warnings": plain_text(" | ".join(doubt.sentence for doubt in result.warnings)),
    }
    for field, stem in figures.items():
        figure: Figure | None = getattr(result, field)
        if figure is None:
            row[f"{stem}_missing_because"] = plain_text(reason_of(result, field).sentence)
            continue
        row |= {f"{stem}_{part}": getattr(figure, part) for part in _PARTS}
        row |= {f"{stem}_evidence": figure.evidence.value, f"{stem}_samples": figure.samples}
    return row


def _source(result: Result) -> dict[str, str]:
    """Domain of the energy figures; empty cells for a result that no meter watched."""
    domain = headline(result)
    words = (domain.domain, domain.meter, domain.method) if domain else ("", "", "")
    return dict(zip(_DOMAIN, map(plain_text, words), strict=True))


def plain_text(text: str) -> str:
    """The text, with an apostrophe if a spreadsheet would run it as a formula."""
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA_STARTS) else text
