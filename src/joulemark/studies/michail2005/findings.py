# SPDX-License-Identifier: Apache-2.0
"""The points of the core flow that michail2005 needs, and what they came to.

Four SHA-256 cores separate the two ideas: merging two rounds, and computing terms ahead of time.
Area and clock come first; power is then asked for at clocks that follow from them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from joulemark.studies.core_figures import CoreFigures, CorePoint, CoreReporter

__all__ = ["DESIGNS", "Findings", "find", "ratio"]

DESIGNS: Final = ("conventional", "merged", "precomputed", "proposed")
"""Neither idea, merging alone, precomputation alone, both; configurations of sha256_pipeline."""
_WIRE: Final = "5fF"
"""For each input: a library's wire-load model by area is meant for one block, and overstates the
wires of a pipeline of half a square millimetre many times."""
HMAC_DESIGNS: Final = ("conventional", "proposed")
_MARGIN: Final = 1.25
"""A gate-level run needs a period above the critical path: its delays are one value per cell, that
of the slowest arc, and add up to more along a path than the timing analysis finds."""


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
    corners: list[CoreFigures] = field(default_factory=list)
    """The same in each characterised corner."""
    missing: list[str] = field(default_factory=list)


def ratio(figures: dict[str, CoreFigures], figure: str, of: str = "proposed") -> float | None:
    """One figure of a design by the conventional one's; None where either is missing."""
    if of not in figures or "conventional" not in figures:
        return None
    above, below = getattr(figures[of], figure), getattr(figures["conventional"], figure)
    return None if above is None or not below else above / below


def find(
    reporter: CoreReporter, liberty: Path | None, *, corners: tuple[Path, ...] = (),
    fpga: bool = True,
) -> Findings:  # fmt: skip
    """Every point of the study.

    Args:
        reporter: the core flow.
        liberty: cell library at the main corner; None leaves out timing and power in cells.
        corners: the same library at other corners, for the argument about voltage.
        fpga: whether to place and route, which takes minutes.
    """
    findings = Findings()
    wanted = [
        *_timed("sha256_pipeline", DESIGNS, liberty, findings.sha256),
        *_timed("hmac_sha256", HMAC_DESIGNS, liberty, findings.hmac),
    ]
    if fpga:
        wanted += _placed("sha256_pipeline", "heap", findings.sha256_fpga)
        wanted += _placed("hmac_sha256", "static", findings.hmac_fpga)
    _ask(reporter, wanted, findings.missing)
    _power(reporter, findings, corners)
    return findings


@dataclass(frozen=True, slots=True)
class _WantedPoint:
    """A point, and where its figures go."""

    point: CorePoint
    design: str
    into: dict[str, CoreFigures]


def _timed(
    core: str, designs: tuple[str, ...], liberty: Path | None, into: dict[str, CoreFigures]
) -> list[_WantedPoint]:
    return [
        _WantedPoint(
            CorePoint(
                core=core, configuration=design, target="asic", liberty=liberty, mapping="speed",
                wire=_WIRE, power=False,
            ),
            design, into,
        )
        for design in designs
    ]  # fmt: skip


def _placed(
    core: str, placer: Literal["heap", "static"], into: dict[str, CoreFigures]
) -> list[_WantedPoint]:
    """Both designs of a core by one placer: heap does not route the proposed HMAC core."""
    return [
        _WantedPoint(
            CorePoint(core=core, configuration=design, target="ecp5", placer=placer), design, into
        )
        for design in HMAC_DESIGNS
    ]


def _ask(reporter: CoreReporter, wanted: list[_WantedPoint], missing: list[str]) -> None:
    for wish, answer in zip(wanted, reporter([each.point for each in wanted]), strict=True):
        if isinstance(answer, str):
            text = f"{wish.point.core}, {wish.design}, {wish.point.target}: {answer}"
            if text not in missing:
                missing.append(text)
        else:
            wish.into[wish.design] = answer


def _power(reporter: CoreReporter, findings: Findings, corners: tuple[Path, ...]) -> None:
    wanted = [
        _WantedPoint(
            _powered(timed, 1 / (timed.critical_path_s * _MARGIN)), design, findings.full_clock
        )
        for design, timed in findings.sha256.items()
        if timed.critical_path_s is not None
    ]
    conventional, proposed = findings.sha256.get("conventional"), findings.sha256.get("proposed")
    at_half: dict[str, CoreFigures] = {}
    libraries: list[Path] = []
    if (
        conventional is not None and proposed is not None
        and conventional.critical_path_s is not None and proposed.point.liberty is not None
    ):  # fmt: skip
        half_hz = 0.5 / (conventional.critical_path_s * _MARGIN)
        libraries = list(dict.fromkeys((proposed.point.liberty, *corners)))
        wanted += [
            _WantedPoint(_powered(proposed, half_hz, library), str(library), at_half)
            for library in libraries
        ]
    _ask(reporter, wanted, findings.missing)
    findings.corners += [at_half[name] for name in map(str, libraries) if name in at_half]
    if libraries:
        findings.half_clock = at_half.get(str(libraries[0]))


def _powered(timed: CoreFigures, clock_hz: float, liberty: Path | None = None) -> CorePoint:
    update = {"power": True, "clock_hz": clock_hz}
    return timed.point.model_copy(
        update=update if liberty is None else {**update, "liberty": liberty}
    )
