# SPDX-License-Identifier: Apache-2.0
"""The points of the core flow that michail2005 needs, and their figures.

Four SHA-256 cores separate the two ideas: merging two rounds, and computing terms ahead of time.
Four cores each of SHA-1 and SHA-512 show whether their gain carries over to these hashes. Each
core is mapped once: area, clock, and the power of the SHA-256 cores come from one point. The
library's other corners come last, at a clock that follows from the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from joulemark.studies.papers import CoreFigures, CorePoint, CoreReporter

DESIGNS: Final = ("conventional", "merged", "precomputed", "proposed")
"""Neither idea, merging alone, precomputation alone, both; configurations of sha256_pipeline."""
HASHES: Final = {
    "SHA-1": "sha1_pipeline",
    "SHA-256": "sha256_pipeline",
    "SHA-512": "sha512_pipeline",
}
"""Hash -> the core of the paper's method on it, whose configurations have the same names."""
_WIRE: Final = "5fF"
"""Capacitance for each input: a library's wire-load model by area is meant for one block, and
overstates the wires of a pipeline of half a square millimetre many times."""
HMAC_DESIGNS: Final = ("conventional", "proposed")
STAGES: Final = (1, 2, 4, 8)
"""Stages of the proposed SHA-256 core that are compared; the paper's cores have four."""
_PAPER_STAGES: Final = 4
_SHARE: Final = 0.8
"""Clock of a gate-level run over the core's highest. The run has one delay per cell, that of the
slowest arc, so delays along a path add up to more than the timing analysis finds."""


@dataclass(slots=True)
class MichailFindings:
    """Design -> figures; a design without figures is absent, and `missing` has the reason."""

    sha256: dict[str, CoreFigures] = field(default_factory=dict)
    """Area and clock in cells."""
    hmac: dict[str, CoreFigures] = field(default_factory=dict)
    sha256_fpga: dict[str, CoreFigures] = field(default_factory=dict)
    hmac_fpga: dict[str, CoreFigures] = field(default_factory=dict)
    hashes: dict[str, dict[str, CoreFigures]] = field(default_factory=dict)
    """Hash of HASHES -> its cores in cells, those of SHA-256 among them; empty if SHA-1 and
    SHA-512 are not wanted."""
    hashes_fpga: dict[str, dict[str, CoreFigures]] = field(default_factory=dict)
    stages: dict[int, CoreFigures] = field(default_factory=dict)
    """Number of stages -> the proposed SHA-256 core with them, in cells; without a library, in
    generic gates."""
    full_clock: dict[str, CoreFigures] = field(default_factory=dict)
    """Power of each SHA-256 core at its own highest clock."""
    half_clock: CoreFigures | None = None
    """Power of the proposed SHA-256 core at half the clock of the conventional one, by the energy
    of its clock."""
    corners: list[CoreFigures] = field(default_factory=list)
    """The same power in each characterised corner, that of `half_clock` first."""
    missing: list[str] = field(default_factory=list)


def ratio(figures: dict[str, CoreFigures], figure: str, of: str = "proposed") -> float | None:
    """Returns a figure of a design over that of the conventional one; None if either is missing."""
    if of not in figures or "conventional" not in figures:
        return None
    above, below = getattr(figures[of], figure), getattr(figures["conventional"], figure)
    return None if above is None or not below else above / below


def block_bits(name: str) -> int:
    """Returns the bits of a block of a hash of HASHES."""
    return 1024 if name == "SHA-512" else 512


def find(
    reporter: CoreReporter,
    liberty: Path | None,
    *,
    corners: tuple[Path, ...] = (),
    hmac: bool = False,
    fpga: bool = False,
    stages: bool = False,
    other_hashes: bool = False,
) -> MichailFindings:
    """Makes every point of the study by the core flow.

    Args:
        reporter: the core flow.
        liberty: cell library at the main corner; None leaves out timing and power in cells.
        corners: the same library at other corners, for the argument about voltage.
        hmac: whether to map the HMAC cores too; without, they have their clocks alone.
        fpga: whether to place and route, which takes hours.
        stages: whether to map the proposed core with other numbers of stages too, which takes more
            time than all other points.
        other_hashes: whether to build the cores of SHA-1 and SHA-512 too.
    """
    findings = MichailFindings()
    wanted = [
        *_in_cells("sha256_pipeline", DESIGNS, liberty, findings.sha256, power=True),
        *_of_designs(
            _cell_point("hmac_sha256", "", liberty).model_copy(update={"mapped": hmac}),
            HMAC_DESIGNS,
            findings.hmac,
        ),
    ]
    if fpga:
        wanted += _on_fpga("sha256_pipeline", "heap", findings.sha256_fpga)
        wanted += _on_fpga("hmac_sha256", "static", findings.hmac_fpga)
    for name, core in HASHES.items() if other_hashes else ():
        known = core == "sha256_pipeline"
        findings.hashes[name] = cells = findings.sha256 if known else {}
        wanted += [] if known else _in_cells(core, DESIGNS, liberty, cells)
        if fpga:
            findings.hashes_fpga[name] = placed = findings.sha256_fpga if known else {}
            wanted += [] if known else _on_fpga(core, "heap", placed)
    others: dict[str, CoreFigures] = {}
    wanted += _with_stages(liberty, others) if stages else []
    _report(reporter, wanted, findings.missing)
    findings.stages = {int(stages): figures for stages, figures in others.items()}
    if stages and "proposed" in findings.sha256:
        findings.stages[_PAPER_STAGES] = findings.sha256["proposed"]
    _add_power(reporter, findings, corners)
    return findings


@dataclass(frozen=True, slots=True)
class _WantedPoint:
    """A point, and the dictionary that takes its figures."""

    point: CorePoint
    key: str
    into: dict[str, CoreFigures]


def _cell_point(
    core: str, configuration: str, liberty: Path | None, *, power: bool = False
) -> CorePoint:
    powered = power and liberty is not None
    return CorePoint(
        core=core,
        configuration=configuration,
        target="asic",
        liberty=liberty,
        mapping="speed",
        wire=_WIRE,
        power=powered,
        clock_share=_SHARE if powered else None,
    )


def _in_cells(
    core: str,
    designs: tuple[str, ...],
    liberty: Path | None,
    into: dict[str, CoreFigures],
    *,
    power: bool = False,
) -> list[_WantedPoint]:
    return _of_designs(_cell_point(core, "", liberty, power=power), designs, into)


def _with_stages(liberty: Path | None, into: dict[str, CoreFigures]) -> list[_WantedPoint]:
    """Returns the proposed core with each other number of stages."""
    point = _cell_point("sha256_pipeline", "proposed", liberty)
    return [
        _WantedPoint(point.model_copy(update={"parameters": {"STAGES": stages}}), str(stages), into)
        for stages in STAGES
        if stages != _PAPER_STAGES
    ]


def _on_fpga(
    core: str, placer: Literal["heap", "static"], into: dict[str, CoreFigures]
) -> list[_WantedPoint]:
    """Returns both designs of a core by one placer: heap does not route the proposed HMAC core."""
    point = CorePoint(core=core, configuration="", target="ecp5", placer=placer)
    return _of_designs(point, HMAC_DESIGNS, into)


def _of_designs(
    point: CorePoint, designs: tuple[str, ...], into: dict[str, CoreFigures]
) -> list[_WantedPoint]:
    return [
        _WantedPoint(point.model_copy(update={"configuration": design}), design, into)
        for design in designs
    ]


def _report(reporter: CoreReporter, wanted: list[_WantedPoint], missing: list[str]) -> None:
    for wish, outcome in zip(wanted, reporter([each.point for each in wanted]), strict=True):
        if isinstance(outcome, str):
            text = f"{wish.point.core}, {wish.key}, {wish.point.target}: {outcome}"
            if text not in missing:
                missing.append(text)
        else:
            wish.into[wish.key] = outcome


def _add_power(
    reporter: CoreReporter, findings: MichailFindings, corners: tuple[Path, ...]
) -> None:
    findings.full_clock = {
        design: figures
        for design, figures in findings.sha256.items()
        if figures.dynamic_w is not None
    }
    conventional = findings.full_clock.get("conventional")
    proposed = findings.full_clock.get("proposed")
    if conventional is None or proposed is None:
        return
    half_hz = 0.5 * conventional.point.clock_hz
    findings.half_clock = proposed.at_clock(half_hz)
    others = [path for path in dict.fromkeys(corners) if path != proposed.point.liberty]
    at_half: dict[str, CoreFigures] = {}
    point = findings.half_clock.point
    wanted = [
        _WantedPoint(point.model_copy(update={"liberty": path}), str(path), at_half)
        for path in others
    ]
    _report(reporter, wanted, findings.missing)
    known = [at_half[name] for name in map(str, others) if name in at_half]
    findings.corners = [findings.half_clock, *known]
