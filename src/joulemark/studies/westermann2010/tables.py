# SPDX-License-Identifier: Apache-2.0
"""Tables 1 and 2 as printed and as measured here, both lengths side by side, and the audit."""

from __future__ import annotations

from typing import Final

from joulemark.analyse.verdict import Verdict
from joulemark.studies.outcome import Table
from joulemark.studies.westermann2010.audit import correlations, energy_error
from joulemark.studies.westermann2010.findings import Findings, Function, ranks
from joulemark.studies.westermann2010.paper import BITS, Bits, Westermann2010
from joulemark.units import format_percent, format_seconds

__all__ = ["tables"]

_NONE: Final = "-"
_NUMBER: Final = {256: 1, 512: 2}
"""Length of a digest -> number of the paper's table."""


def tables(paper: Westermann2010, findings: Findings) -> list[Table]:
    """Returns every table; "-" stands for a missing function or figure."""
    return [
        *(_times(paper, findings, bits) for bits in BITS),
        *(_energies(paper, findings, bits) for bits in BITS),
        _versions(findings),
        _audit(paper),
    ]


def _times(paper: Westermann2010, findings: Findings, bits: Bits) -> Table:
    printed = sorted(paper.table(bits), key=lambda row: row.seconds)
    published = {
        row.name: f"{place}: {row.seconds:.2f} s" for place, row in enumerate(printed, start=1)
    }
    here = findings.table(bits)
    places = ranks(here, lambda function: function.seconds)
    names = sorted(published, key=lambda name: places.get(name, len(published) + 1))
    rows = [
        [name, str(places.get(name, _NONE)), *_time(findings.of(name, bits)),
         _alike(findings, here, name), published[name]]
        for name in names
    ]  # fmt: skip
    return Table(
        title=f"Table {_NUMBER[bits]}, {bits} bits: time",
        caption="Time of 1024 messages of 16 MiB with its 95 % interval (measured), and rank and "
        "time of the paper (published, Core 2 Duo). 'Not told apart' names the functions that are "
        "shown to be neither faster nor slower, all pairs of the table judged together.",
        headings=["function", "rank", "time", "ns/byte", "implementation", "not told apart",
                  "paper"],
        rows=rows,
    )  # fmt: skip


def _energies(paper: Westermann2010, findings: Findings, bits: Bits) -> Table:
    by_watts = sorted(paper.table(bits), key=lambda row: row.watts)
    by_joules = sorted(paper.table(bits), key=lambda row: row.joules_per_byte)
    here = findings.table(bits)
    power = ranks(here, lambda function: function.net_watts)
    energy = ranks(here, lambda function: function.joules_per_byte)
    rows = []
    for place, row in enumerate(by_joules, start=1):
        ours = findings.of(row.name, bits)
        rows.append(
            [
                row.name,
                _ranked(power.get(row.name), ours.net_watts if ours else None, "W", 1),
                _ranked(energy.get(row.name), ours.joules_per_byte if ours else None, "nJ", 1e9),
                f"{by_watts.index(row) + 1}: {row.watts:.2f} W",
                f"{place}: {row.joules_per_byte * 1e9:.2f} nJ",
            ]
        )
    return Table(
        title=f"Table {_NUMBER[bits]}, {bits} bits: power and energy per byte",
        caption="Rank and figure, net of the idle machine, here and in the paper (published).",
        headings=["function", "power", "energy per byte", "paper, power", "paper, energy"],
        rows=rows,
    )


def _ranked(place: int | None, value: float | None, unit: str, factor: float) -> str:
    return _NONE if place is None else f"{place}: {_number(value, factor)} {unit}"


def _time(ours: Function | None) -> tuple[str, str, str]:
    if ours is None or ours.seconds is None or ours.interval_s is None:
        return (_NONE, _NONE, _NONE)
    low, high = ours.interval_s
    return (
        f"{format_seconds(ours.seconds)} [{format_seconds(low)}, {format_seconds(high)}]",
        _number(ours.seconds_per_byte, 1e9),
        ours.implementation,
    )


def _number(value: float | None, factor: float) -> str:
    return _NONE if value is None else f"{value * factor:.3g}"


def _alike(findings: Findings, here: list[Function], name: str) -> str:
    """Names the functions of the table that this function is not told apart from."""
    names = {function.implementation: function.name for function in here}
    alike = set()
    for pair in findings.pairs:
        two = [names.get(pair.baseline, ""), names.get(pair.contender, "")]
        if name not in two or pair.verdict in {Verdict.FASTER, Verdict.SLOWER}:
            continue
        if pair.verdict is Verdict.TOO_FEW:
            return "too few rounds"
        alike.update(two)
    return ", ".join(sorted(alike - {name, ""})) or _NONE


def _versions(findings: Findings) -> Table:
    names = {function.implementation: function.name for function in findings.functions}
    rows = [
        [
            names[version.baseline],
            f"{version.ratio:.3f} [{version.low:.3f}, {version.high:.3f}]",
            f"{version.p_adjusted:.2g}",
            str(version.verdict),
        ]
        for version in sorted(findings.versions, key=lambda comparison: comparison.ratio)
    ]
    return Table(
        title="256 bits against 512 bits",
        caption="Time of the 512-bit version over that of the 256-bit version, with intervals that "
        "hold together and p-values corrected by Holm (measured).",
        headings=["candidate", "ratio", "adjusted p", "the 512-bit version is"],
        rows=rows,
    )


def _audit(paper: Westermann2010) -> Table:
    values = correlations(paper)
    stated = {256: "0.37", 512: "0.14"}
    rows = [
        [
            f"rank correlation of power and time, {bits} bits",
            stated[bits],
            f"{values[bits].all_rows:.2f} over {values[bits].rows} rows",
            f"{values[bits].candidates:.2f} over the 14 candidates",
        ]
        for bits in BITS
    ]
    rows.append(
        ["energies from power and time", "printed", "all follow",
         f"largest difference {format_percent(energy_error(paper))}"]
    )  # fmt: skip
    return Table(
        title="Audit of the paper's tables",
        caption="Computed from the printed rows alone.",
        headings=["figure", "the paper", "recomputed", "and"],
        rows=rows,
    )
