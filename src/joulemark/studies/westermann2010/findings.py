# SPDX-License-Identifier: Apache-2.0
"""The findings about each function, and the order of the functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from joulemark.analyse.results import Figure
from joulemark.analyse.verdict import Comparison, Verdict
from joulemark.studies.westermann2010.paper import Bits

__all__ = ["Findings", "Function", "ranks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
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
class Findings:
    """The whole measurement."""

    functions: list[Function]
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

    def of(self, name: str, bits: Bits) -> Function | None:
        """Returns one function; None if it was not measured."""
        return next((f for f in self.functions if (f.name, f.bits) == (name, bits)), None)

    def table(self, bits: Bits) -> list[Function]:
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
    functions: Sequence[Function], value: Callable[[Function], float | None]
) -> dict[str, int]:
    """Returns the rank of each function that has the value, by name; the lowest value is first."""
    values = ((value(function), function.name) for function in functions)
    known = sorted((number, name) for number, name in values if number is not None)
    return {name: place for place, (_, name) in enumerate(known, start=1)}
