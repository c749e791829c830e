# SPDX-License-Identifier: Apache-2.0
"""One row per result, for spreadsheets and data frames; SI units stand in the column names.

Cells with text from outside that a spreadsheet would take for a formula get an apostrophe in
front (OWASP, "CSV Injection").
"""

from __future__ import annotations

import csv
import io
from typing import Any

from joulemark.analyse.results import Figure, Result, ResultSet

__all__ = ["SUFFIX", "SUMMARY", "render"]

SUFFIX = ".csv"
SUMMARY = "one row per result, for spreadsheets and data frames"

_FIGURES = {
    "seconds_per_message": "time_s_per_message",
    "thread_cpu_seconds_per_message": "thread_cpu_time_s_per_message",
    "tsc_ticks_per_message": "tsc_ticks_per_message",
    "tsc_ticks_per_byte": "tsc_ticks_per_byte",
    "core_cycles_per_message": "core_cycles_per_message",
    "core_cycles_per_byte": "core_cycles_per_byte",
    "joules_per_byte": "energy_j_per_byte",
}
"""Field of a result -> stem of its columns."""
_PARTS = ("median", "low", "high", "minimum", "quartile_1", "quartile_3", "mad")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Also the full-width forms, which some spreadsheets read alike."""


def render(results: ResultSet, algorithm: str | None) -> bytes:  # noqa: ARG001 - already applied
    """The table, comma-separated, UTF-8, lines ending in CR LF (RFC 4180)."""
    rows = [_row(result) for result in results.results]
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, fieldnames=_header())
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue().encode()


def _header() -> list[str]:
    names = ["algorithm", "implementation", "chosen", "provider", "target", "size_bytes"]
    names += ["batch", "mode", "cache", "key_setup", "evidence", "rate_bytes_per_s"]
    for stem in _FIGURES.values():
        names += [f"{stem}_{part}" for part in _PARTS]
        names += [f"{stem}_evidence", f"{stem}_samples", f"{stem}_missing_because"]
    return [*names, "warnings"]


def _row(result: Result) -> dict[str, Any]:
    row: dict[str, Any] = {
        "algorithm": _text(result.algorithm),
        "implementation": _text(result.implementation),
        "chosen": _text(result.chosen or ""),
        "provider": _text(result.provider),
        "target": _text(result.target),
        "size_bytes": result.size_bytes,
        "batch": result.batch,
        "mode": result.mode.value,
        "cache": result.cache.value,
        "key_setup": result.key_setup.value,
        "evidence": result.evidence.value,
        "rate_bytes_per_s": "" if result.bytes_per_second is None else result.bytes_per_second,
        "warnings": _text(" | ".join(result.warnings)),
    }
    for field, stem in _FIGURES.items():
        figure: Figure | None = getattr(result, field)
        if figure is None:
            row[f"{stem}_missing_because"] = _text(result.reasons.get(field, "no reason recorded"))
            continue
        row |= {f"{stem}_{part}": getattr(figure, part) for part in _PARTS}
        row |= {f"{stem}_evidence": figure.evidence.value, f"{stem}_samples": figure.samples}
    return row


def _text(text: str) -> str:
    """Text that no spreadsheet runs as a formula."""
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA_STARTS) else text
