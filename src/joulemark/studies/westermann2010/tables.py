# SPDX-License-Identifier: Apache-2.0
"""Tables 1 and 2 as printed and as measured here, both lengths side by side, and the audit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from joulemark.analyse.results import Figure
from joulemark.analyse.verdict import Comparison, Verdict
from joulemark.report.sheet import Table, text_table
from joulemark.stats import doubled_midranks, mean, student_tail
from joulemark.studies.westermann2010.paper import (
    BITS,
    Bits,
    PublishedFunction,
    Westermann2010,
)
from joulemark.units import format_percent, format_seconds

# The findings about each function, and the order of the functions.


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredFunction:
    """One function of the paper's tables, measured here."""

    name: str
    """Name of the function in the paper."""
    bits: Bits
    implementation: str
    candidate: bool
    message_seconds: Figure | None
    message_joules: Figure | None
    """Joules net of the idle machine; None without a meter."""
    message_bytes: int
    messages: int
    """Number of messages of the paper's measurement."""

    @property
    def seconds(self) -> float | None:
        """Time of the paper's whole work."""
        figure = self.message_seconds
        return None if figure is None else figure.median * self.messages

    @property
    def interval_s(self) -> tuple[float, float] | None:
        """95 % interval of `seconds`."""
        figure = self.message_seconds
        return None if figure is None else (figure.low * self.messages, figure.high * self.messages)

    @property
    def net_watts(self) -> float | None:
        """Power beyond that of the idle machine."""
        if self.message_joules is None or self.message_seconds is None:
            return None
        return self.message_joules.median / self.message_seconds.median

    @property
    def joules_per_byte(self) -> float | None:
        """Energy of a byte in a long message, net of the idle machine."""
        figure = self.message_joules
        return None if figure is None else figure.median / self.message_bytes

    @property
    def seconds_per_byte(self) -> float | None:
        """Time of a byte in a long message."""
        figure = self.message_seconds
        return None if figure is None else figure.median / self.message_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class WestermannFindings:
    """The whole measurement."""

    functions: list[MeasuredFunction]
    pairs: list[Comparison]
    """Comparisons of every two functions of one table, judged together."""
    versions: list[Comparison]
    """Comparisons of 256 bits, the baseline, and 512 bits of each candidate, judged together."""
    absent: list[str]
    """Algorithms that this build does not have."""
    missing: list[str]
    no_energy: str | None
    """Why there are no joules; None if there are joules."""
    window_s: float
    rounds: int
    run_id: int
    warnings: list[str]

    def of(self, name: str, bits: Bits) -> MeasuredFunction | None:
        """Returns one function; None if it was not measured."""
        return next((f for f in self.functions if (f.name, f.bits) == (name, bits)), None)

    def table(self, bits: Bits) -> list[MeasuredFunction]:
        """Returns the functions of one table, the fastest first."""
        rows = [row for row in self.functions if row.bits == bits and row.seconds is not None]
        return sorted(rows, key=lambda row: row.seconds or 0.0)

    def verdict(self, fast: tuple[str, Bits], slow: tuple[str, Bits]) -> bool | None:
        """Whether the first of two functions of one table is faster; None if that is open."""
        function, other = self.of(*fast), self.of(*slow)
        if function is None or other is None:
            return None
        # The contender of a comparison is the one that its verdict speaks of.
        orders = {
            (other.implementation, function.implementation): (Verdict.FASTER, Verdict.SLOWER),
            (function.implementation, other.implementation): (Verdict.SLOWER, Verdict.FASTER),
        }
        for pair in self.pairs:
            yes, no = orders.get((pair.baseline, pair.contender), (None, None))
            if pair.verdict in {yes, no}:
                return pair.verdict is yes
        return None


def ranks(
    functions: Sequence[MeasuredFunction], value: Callable[[MeasuredFunction], float | None]
) -> dict[str, int]:
    """Returns the rank of each function that has the value, by name; the lowest value is first."""
    values = ((value(function), function.name) for function in functions)
    known = sorted((number, name) for number, name in values if number is not None)
    return {name: place for place, (_, name) in enumerate(known, start=1)}


# Figures that follow from the paper's own tables, by arithmetic alone.


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """Returns Spearman's coefficient: Pearson's of the ranks, ties at their mean rank.

    C. Spearman, Am. J. Psychol. 15 (1904) 72.

    Example:
        >>> rank_correlation([1.0, 2.0, 3.0], [10.0, 40.0, 20.0])
        0.5
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} values have no pairs among {len(second)}")
    ranks = [[float(rank) for rank in doubled_midranks(series)] for series in (first, second)]
    deviations = [[rank - mean(series) for rank in series] for series in ranks]
    spreads = [sum(deviation * deviation for deviation in series) for series in deviations]
    if not all(spreads):
        raise ValueError("equal values have no order")
    product = sum(one * other for one, other in zip(*deviations, strict=True))
    return float(product / (spreads[0] * spreads[1]) ** 0.5)


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's coefficient of power and time in one table."""

    bits: Bits
    all_rows: float
    candidates: float
    """Coefficient without MD5, SHA-1 and SHA-2."""
    time_and_energy: float
    """Coefficient of time and energy per byte, over all rows."""
    rows: int

    @property
    def chance(self) -> float:
        """Two-sided probability of `all_rows` or more for independent series, by Student's t.

        E. S. Pitman, J. R. Stat. Soc. Suppl. 4 (1937) 225: an approximation from ten pairs on.
        """
        value = abs(self.all_rows)
        freedom = self.rows - 2
        return 2 * student_tail(value * math.sqrt(freedom / (1 - value * value)), freedom)


def correlations(paper: Westermann2010) -> dict[Bits, Correlation]:
    """Returns the correlations of both tables."""

    def correlation(rows: Sequence[PublishedFunction], first: str, second: str) -> float:
        return rank_correlation(*([getattr(row, key) for row in rows] for key in (first, second)))

    return {
        bits: Correlation(
            bits,
            correlation(paper.table(bits), "watts", "seconds"),
            correlation(paper.table(bits, candidates=True), "watts", "seconds"),
            correlation(paper.table(bits), "seconds", "joules_per_byte"),
            len(paper.table(bits)),
        )
        for bits in BITS
    }


def energy_error(paper: Westermann2010) -> float:
    """Returns the largest relative error of a printed energy, from power times time over bytes."""
    total_bytes = paper.experiment.total_bytes
    return max(
        abs(row.watts * row.seconds / total_bytes / row.joules_per_byte - 1)
        for row in paper.published
    )


def power_spread(paper: Westermann2010, bits: Bits) -> float:
    """Returns the highest over the lowest power of the candidates, less 1."""
    watts = [row.watts for row in paper.table(bits, candidates=True)]
    return max(watts) / min(watts) - 1


_NONE: Final = "-"
_NUMBER: Final = {256: 1, 512: 2}
"""Length of a digest -> number of the paper's table."""


def tables(paper: Westermann2010, findings: WestermannFindings) -> list[Table]:
    """Returns every table; "-" stands for a missing function or figure."""
    return [
        *(_times(paper, findings, bits) for bits in BITS),
        *(_energies(paper, findings, bits) for bits in BITS),
        _versions(findings),
        _audit(paper),
    ]


def _times(paper: Westermann2010, findings: WestermannFindings, bits: Bits) -> Table:
    printed = sorted(paper.table(bits), key=lambda row: row.seconds)
    published = {
        row.name: f"{place}: {row.seconds:.2f} s" for place, row in enumerate(printed, start=1)
    }
    here = findings.table(bits)
    places = ranks(here, lambda function: function.seconds)
    names = sorted(published, key=lambda name: places.get(name, len(published) + 1))
    rows = [
        [
            name,
            str(places.get(name, _NONE)),
            *_time(findings.of(name, bits)),
            _alike(findings, here, name),
            published[name],
        ]
        for name in names
    ]
    return text_table(
        title=f"Table {_NUMBER[bits]}, {bits} bits: time",
        caption="Time of 1024 messages of 16 MiB with its 95 % interval (measured), and rank and "
        "time of the paper (published, Core 2 Duo). 'Not told apart' names the functions that are "
        "shown to be neither faster nor slower, all pairs of the table judged together.",
        headings=[
            "function",
            "rank",
            "time",
            "ns/byte",
            "implementation",
            "not told apart",
            "paper",
        ],
        rows=rows,
    )


def _energies(paper: Westermann2010, findings: WestermannFindings, bits: Bits) -> Table:
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
    return text_table(
        title=f"Table {_NUMBER[bits]}, {bits} bits: power and energy per byte",
        caption="Rank and figure, net of the idle machine, here and in the paper (published).",
        headings=["function", "power", "energy per byte", "paper, power", "paper, energy"],
        rows=rows,
    )


def _ranked(place: int | None, value: float | None, unit: str, factor: float) -> str:
    return _NONE if place is None else f"{place}: {_number(value, factor)} {unit}"


def _time(ours: MeasuredFunction | None) -> tuple[str, str, str]:
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


def _alike(findings: WestermannFindings, here: list[MeasuredFunction], name: str) -> str:
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


def _versions(findings: WestermannFindings) -> Table:
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
    return text_table(
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
        [
            "energies from power and time",
            "printed",
            "all follow",
            f"largest difference {format_percent(energy_error(paper))}",
        ]
    )
    return text_table(
        title="Audit of the paper's tables",
        caption="Computed from the printed rows alone.",
        headings=["figure", "the paper", "recomputed", "and"],
        rows=rows,
    )
