# SPDX-License-Identifier: Apache-2.0
"""The points of the core flow that michail2005 needs, and what they came to.

Four SHA-256 cores separate the two ideas: merging two rounds, and computing terms ahead of time.
Area and clock come first; power is then asked for at clocks that follow from them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from joulemark.errors import UnavailableError
from joulemark.studies.core_figures import CoreFigures, CorePoint, CoreReporter

__all__ = ["DESIGNS", "Corner", "Findings", "find", "ratio"]

DESIGNS: Final = ("conventional", "merged", "precomputed", "proposed")
"""Neither idea, merging alone, precomputation alone, both; configurations of sha256_pipeline."""
HMAC_DESIGNS: Final = ("conventional", "proposed")
_MARGIN: Final = 1.02
"""A gate-level run needs a period a little above the critical path: its delays are one value per
cell, rounded up to a picosecond."""


@dataclass(frozen=True, slots=True)
class Corner:
    """The proposed core at half the conventional clock, in one characterised corner."""

    liberty: Path
    figures: CoreFigures


@dataclass(slots=True)
class Findings:
    """Figures by design; a design without any is absent, its reason in `missing`."""

    sha256: dict[str, CoreFigures] = field(default_factory=dict)
    """ASIC, area and clock."""
    hmac: dict[str, CoreFigures] = field(default_factory=dict)
    sha256_fpga: dict[str, CoreFigures] = field(default_factory=dict)
    hmac_fpga: dict[str, CoreFigures] = field(default_factory=dict)
    full_clock: dict[str, CoreFigures] = field(default_factory=dict)
    """Power of each SHA-256 core at its own highest clock."""
    half_clock: CoreFigures | None = None
    """Power of the proposed SHA-256 core at half the clock of the conventional one."""
    corners: list[Corner] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def ratio(
    figures: dict[str, CoreFigures], figure: str, of: str = "proposed", to: str = "conventional"
) -> float | None:
    """One figure of a design by that of another; None where either is missing."""
    if of not in figures or to not in figures:
        return None
    above, below = getattr(figures[of], figure), getattr(figures[to], figure)
    return None if above is None or not below else above / below


@dataclass(slots=True)
class _Collector:
    reporter: CoreReporter
    say: Callable[[str], None]
    missing: list[str]

    def figures(self, point: CorePoint, what: str) -> CoreFigures | None:
        self.say(f"{point.core}, {point.configuration}: {what}")
        try:
            return self.reporter(point)
        except UnavailableError as error:
            text = f"{point.core}, {what}: {error}"
            if text not in self.missing:
                self.missing.append(text)
            return None


def find(
    reporter: CoreReporter,
    liberty: Path | None,
    *,
    corners: tuple[Path, ...] = (),
    fpga: bool = True,
    say: Callable[[str], None] = lambda _: None,
) -> Findings:
    """Every point of the study.

    Args:
        reporter: the core flow.
        liberty: cell library at the main corner; None leaves out everything of the ASIC but clocks.
        corners: the same library at other corners, for the argument about voltage.
        fpga: whether to place and route, which takes minutes.
        say: told which point is being computed.
    """
    findings = Findings()
    ask = _Collector(reporter, say, findings.missing)
    for core, designs, into in (
        ("sha256_pipeline", DESIGNS, findings.sha256),
        ("hmac_sha256", HMAC_DESIGNS, findings.hmac),
    ):
        for design in designs:
            point = CorePoint(
                core=core, configuration=design, target="asic", liberty=liberty, mapping="speed",
                power=False,
            )  # fmt: skip
            found = ask.figures(point, "area and clock")
            if found is not None:
                into[design] = found
    if fpga:
        _place_and_route(ask, findings)
    _power(ask, findings, corners)
    return findings


def _place_and_route(ask: _Collector, findings: Findings) -> None:
    for core, into in (
        ("sha256_pipeline", findings.sha256_fpga),
        ("hmac_sha256", findings.hmac_fpga),
    ):
        for design in HMAC_DESIGNS:
            found = ask.figures(
                CorePoint(core=core, configuration=design, target="ecp5"), "place and route"
            )
            if found is not None:
                into[design] = found


def _power(ask: _Collector, findings: Findings, corners: tuple[Path, ...]) -> None:
    for design, timed in findings.sha256.items():
        if timed.critical_path_s is not None:
            clock = 1 / (timed.critical_path_s * _MARGIN)
            powered = ask.figures(
                timed.point.model_copy(update={"power": True, "clock_hz": clock}),
                "power at its full clock",
            )
            if powered is not None:
                findings.full_clock[design] = powered
    conventional, proposed = findings.sha256.get("conventional"), findings.sha256.get("proposed")
    if conventional is None or proposed is None or conventional.critical_path_s is None:
        return
    half = 0.5 / (conventional.critical_path_s * _MARGIN)
    for liberty in dict.fromkeys((proposed.point.liberty, *corners)):
        point = proposed.point.model_copy(
            update={"power": True, "clock_hz": half, "liberty": liberty}
        )
        found = ask.figures(point, f"power at half the conventional clock, {_name(liberty)}")
        if found is None or liberty is None:
            continue
        findings.corners.append(Corner(liberty, found))
        if liberty == proposed.point.liberty:
            findings.half_clock = found


def _name(liberty: Path | None) -> str:
    return "no library" if liberty is None else liberty.name
