# SPDX-License-Identifier: Apache-2.0
"""What the three regimes found, in one shape: programs beside each other at each size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from joulemark.analyse.results import Figure, Result
from joulemark.studies.castellon2022.savings import Saving, Spread, saving, spread

__all__ = ["Comparison", "Findings", "Visit", "compared", "energies", "visits"]


class Comparison(BaseModel):
    """One size, in one regime."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    size_bytes: int
    programs: dict[str, Spread]
    """`standard`, `ecm_j1`, `ecm_j8`, and others of the regime; seconds or joules per HMAC."""
    saving: Saving
    """Of the engineered program (jump 8) beside the standard one."""
    order_saving: Saving
    """Of jump 8 beside jump 1: what the order is worth, with the page table in both."""


class Visit(BaseModel):
    """One size and order in the memory-bound regime; seconds per message."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    size_bytes: int
    order: str
    programs: dict[str, Spread]
    """With `read`, which hashes nothing."""
    saving: Saving
    order_saving: Saving
    slower_than_sequential: Saving | None
    """Of the standard program in this order beside the sequential one; below 0 it costs more."""
    reading_slower: Saving | None
    """The same of reading alone."""


class Findings(BaseModel):
    """Everything the claims are judged by."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kernel: list[Comparison]
    """Seconds, Joulemark's own harness."""
    ctypes: list[Comparison]
    """Seconds, one event per HMAC."""
    energy: list[Comparison] | None
    """Joules, Joulemark's own harness; null without a meter."""
    energy_reason: str | None
    """Why there are none."""
    memory: list[Visit] | None
    memory_reason: str | None
    cycles: dict[str, dict[int, Spread]]
    """Short name -> size -> core cycles per HMAC; empty where the clock is unknown."""
    seconds: dict[str, dict[int, Spread]]
    """The same in seconds, of everything in the kernel regime."""

    @property
    def decisive(self) -> tuple[str, list[Comparison]]:
        """What a claim about energy is judged by, in words and figures."""
        if self.energy is not None:
            return "energy", self.energy
        return "time through ctypes", self.ctypes


def compared(
    size_bytes: int, series: Mapping[str, Sequence[float]], scale: float = 1.0
) -> Comparison:
    """Series of one size, times `scale`, as a comparison."""
    scaled = {name: [value * scale for value in values] for name, values in series.items()}
    return Comparison(
        size_bytes=size_bytes,
        programs={name: spread(values) for name, values in scaled.items()},
        saving=saving(scaled["standard"], scaled["ecm_j8"]),
        order_saving=saving(scaled["ecm_j1"], scaled["ecm_j8"]),
    )


def visits(nanoseconds: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]]) -> list[Visit]:
    """The memory-bound series as visits."""
    found = []
    for size, orders in nanoseconds.items():
        calm = orders["sequential"]
        for order, series in orders.items():
            one = compared(int(size), series, 1e-9)
            other = order != "sequential"
            found.append(
                Visit(
                    size_bytes=int(size),
                    order=order,
                    programs=one.programs,
                    saving=one.saving,
                    order_saving=one.order_saving,
                    slower_than_sequential=saving(calm["standard"], series["standard"])
                    if other
                    else None,
                    reading_slower=saving(calm["read"], series["read"]) if other else None,
                )
            )
    return found


def energies(
    results: Sequence[Result], names: Mapping[str, str], sizes_bytes: Sequence[int]
) -> list[Comparison] | None:
    """Joules of the kernel regime; None unless every program has a figure at every size.

    Gross joules stand in where no idle could be subtracted. The interval of a saving is the
    widest that the two intervals allow, since windows of two programs are not pairs.

    Args:
        results: of the run.
        names: short name -> implementation.
        sizes_bytes: of the study.
    """
    found = []
    for size in sizes_bytes:
        at_size = {one.implementation: one for one in results if one.size_bytes == size}
        figures: dict[str, Figure] = {}
        for short, name in names.items():
            result = at_size.get(name)
            figure = result and (result.joules_per_message or result.gross_joules_per_message)
            if not figure or figure.median <= 0:
                return None
            figures[short] = figure
        found.append(
            Comparison(
                size_bytes=size,
                programs={short: _spread_of(figure) for short, figure in figures.items()},
                saving=_saving_of(figures["standard"], figures["ecm_j8"]),
                order_saving=_saving_of(figures["ecm_j1"], figures["ecm_j8"]),
            )
        )
    return found


def _spread_of(figure: Figure) -> Spread:
    return Spread(mean=figure.median, deviation=None, median=figure.median, events=figure.samples)


def _saving_of(before: Figure, after: Figure) -> Saving:
    median = 1 - after.median / before.median
    unknown = before.low <= 0
    return Saving(
        median=median,
        low=-1.0 if unknown else 1 - after.high / before.low,
        high=1.0 if unknown else 1 - after.low / before.high,
        of_means=median,
        events=min(before.samples, after.samples),
    )
