# SPDX-License-Identifier: Apache-2.0
"""What was found of each function, and which of them are told apart."""

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
    """As the paper calls it."""
    bits: Bits
    implementation: str
    candidate: bool
    message_seconds: Figure | None
    message_joules: Figure | None
    """Net of the idle machine; None without a meter."""
    message_bytes: int
    messages: int
    """Of the paper's measurement."""

    @property
    def seconds(self) -> float | None:
        """Of the paper's whole work."""
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
        """Net of the idle machine."""
        return (
            None if self.message_joules is None else self.message_joules.median / self.message_bytes
        )

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
    """Every two functions of one table, judged together."""
    versions: list[Comparison]
    """256 bits, the baseline, against 512 bits, judged together."""
    absent: list[str]
    """Algorithms that this build does not have."""
    missing: list[str]
    no_energy: str | None
    """Why there are no joules; None where there are some."""
    window_s: float
    rounds: int
    run_id: int
    warnings: list[str]

    def of(self, name: str, bits: Bits) -> Function | None:
        """One function, where it was measured."""
        return next((f for f in self.functions if (f.name, f.bits) == (name, bits)), None)

    def table(self, bits: Bits) -> list[Function]:
        """Those of one table, fastest first."""
        rows = [
            function
            for function in self.functions
            if function.bits == bits and function.seconds is not None
        ]
        return sorted(rows, key=lambda row: row.seconds or 0.0)

    def verdict(self, fast: tuple[str, Bits], slow: tuple[str, Bits]) -> bool | None:
        """Whether the first of two functions of one table is faster; None where that is open."""
        function, other = self.of(*fast), self.of(*slow)
        if function is None or other is None:
            return None
        for pair in self.pairs:
            names = (pair.baseline, pair.contender)
            if names == (other.implementation, function.implementation):
                return _faster(pair.verdict)
            if names == (function.implementation, other.implementation):
                answer = _faster(pair.verdict)
                return None if answer is None else not answer
        return None


def _faster(verdict: Verdict) -> bool | None:
    """Of the contender."""
    return {Verdict.FASTER: True, Verdict.SLOWER: False}.get(verdict)


def ranks(
    functions: Sequence[Function], value: Callable[[Function], float | None]
) -> dict[str, int]:
    """Rank by a value from the lowest up, by name; without it no rank."""
    known = [
        (found, function.name) for function in functions if (found := value(function)) is not None
    ]
    return {name: place for place, (_, name) in enumerate(sorted(known), start=1)}
