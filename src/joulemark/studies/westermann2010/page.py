# SPDX-License-Identifier: Apache-2.0
"""The page of westermann2010: its first sentences, its notes and its figures."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from joulemark.studies.study import Page
from joulemark.studies.westermann2010.audit import correlations, rank_correlation
from joulemark.studies.westermann2010.charts import charts
from joulemark.studies.westermann2010.findings import Findings, Function
from joulemark.studies.westermann2010.paper import BITS, Bits, Westermann2010
from joulemark.studies.westermann2010.tables import tables
from joulemark.units import format_seconds

__all__ = ["page"]


def page(paper: Westermann2010, found: Findings) -> Page:
    """Everything beside the claims."""
    return Page(
        summary=_summary(paper, found),
        notes=_notes(paper, found),
        tables=tables(paper, found),
        charts=charts(paper, found),
        data=_data(paper, found),
        missing=found.missing,
    )


def _summary(paper: Westermann2010, found: Findings) -> str:
    parts = []
    for bits in BITS:
        rows = found.table(bits)
        if rows:
            first, last = rows[0], rows[-1]
            parts.append(
                f"With {bits} bits {first.name} is the fastest of {len(rows)} functions "
                f"({_per_byte(first)}) and {last.name} the slowest ({_per_byte(last)})"
            )
        if (likeness := _likeness(paper, found, bits)) is not None:
            parts[-1] += f"; the paper's order and ours have a rank correlation of {likeness:.2f}"
    values = correlations(paper)
    audit = (
        "The paper's own rank correlations of power and time, 0.37 and 0.14, do not follow from "
        f"its tables, which give {values[256].all_rows:.2f} and {values[512].all_rows:.2f}; its "
        "energies do follow."
    )
    return " ".join([*(f"{part}." for part in parts), audit])


def _per_byte(function: Function) -> str:
    return f"{format_seconds(function.seconds_per_byte or 0.0)} a byte"


def _likeness(paper: Westermann2010, found: Findings, bits: Bits) -> float | None:
    """Spearman's coefficient of published and measured times of the candidates."""
    pairs = [
        (function.seconds, ours.seconds)
        for function in paper.table(bits, candidates=True)
        if (ours := found.of(function.name, bits)) is not None and ours.seconds is not None
    ]
    if len(pairs) < 3:
        return None
    return rank_correlation([pair for pair, _ in pairs], [value for _, value in pairs])


def _notes(paper: Westermann2010, found: Findings) -> list[str]:
    bytes_of = paper.experiment.bytes_interpretation
    notes = [
        (
            f"{found.rounds} rounds, each function {format_seconds(found.window_s)} in each; every "
            "round visits them in another order. Windows are equally long, not of equally many "
            "bytes, so that fast and slow functions are known equally well; the time of 16 GiB is "
            "1024 times that of a message of 16 MiB."
        ),
        f"The paper: {paper.experiment.machine}. {bytes_of[0].upper()}{bytes_of[1:]}.",
        (
            "Each function is Joulemark's fastest implementation for this CPU, of the version that "
            "was a candidate in the second round."
        ),
    ]
    if found.absent:
        notes.append(f"Not in this build: {', '.join(found.absent)}.")
    if found.no_energy:
        notes.append(f"No joules: {found.no_energy}.")
    return [*notes, *found.warnings]


def _data(paper: Westermann2010, found: Findings) -> dict[str, Any]:
    return {
        "run": found.run_id,
        "window_s": found.window_s,
        "rounds": found.rounds,
        "functions": [
            {
                "name": function.name,
                "bits": function.bits,
                "implementation": function.implementation,
                "seconds": function.seconds,
                "interval_s": function.interval_s,
                "net_watts": function.net_watts,
                "joules_per_byte": function.joules_per_byte,
            }
            for function in found.functions
        ],
        "pairs": [asdict(pair) for pair in found.pairs],
        "versions": [asdict(version) for version in found.versions],
        "absent": found.absent,
        "correlations": {
            str(bits): asdict(correlation) for bits, correlation in correlations(paper).items()
        },
    }
