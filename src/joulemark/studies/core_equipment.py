# SPDX-License-Identifier: Apache-2.0
"""What studies of hardware cores share: equipment, an option, exit codes, and the flow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import typer

from joulemark.errors import UsageError
from joulemark.hardware.cores import chosen_variant, manifest_of
from joulemark.hardware.flow.points import PointOutcome, ReportPoint, run_points
from joulemark.hardware.flow.request import flow
from joulemark.hardware.gate.latch_memory import latch_memory
from joulemark.hardware.liberty.reader import read_library
from joulemark.hardware.manifest import read_core
from joulemark.records.core_figures import CORE_FIGURES
from joulemark.records.core_report import CoreReport
from joulemark.store.repository import Store
from joulemark.studies.papers import (
    CoreFigures,
    CorePoint,
    CoreReporter,
    MemoryFigures,
    MemoryPoint,
    MemoryReporter,
)

EXIT_CODES: Final = """\
  0    done, whatever the verdicts are
  2    refused, or a part that was asked for could not be done, such as a core
       whose tools are missing (the rest is shown, and written)
  130  interrupted; finished points are kept and the same command goes on
"""

LIBERTY_OPTION: Final[Any] = typer.Option(
    "--liberty",
    metavar="FILE",
    help="Cell library for area, timing and power; without it there are clocks, and area in "
    "generic gates.",
    show_default=False,
)


@dataclass(frozen=True, slots=True)
class CoreEquipment:
    """The flow that simulates and maps cores, and a model of memories beside them."""

    flow: Callable[[int], CoreReporter]
    """Number of seeds of the placer on an FPGA, 1 or more -> the flow with so many seeds."""
    memory: MemoryReporter


# The core flow for studies: it takes points of a study, and gives the figures of each point.

_RANDOM = 0.5
"""Share of the bits that differ between two random words."""


def reporter(
    folder: Path, *, seeds: int, observe: Callable[[PointOutcome, int, int], None]
) -> CoreReporter:
    """Returns the flow, which keeps every finished point.

    Args:
        folder: folder of the finished points.
        seeds: number of seeds of the placer, for points on an FPGA.
        observe: is told each outcome, how many outcomes there are so far, and how many there will
            be.
    """

    def report(points: Sequence[CorePoint]) -> list[CoreFigures | str]:
        outcomes = run_points([_point(point, seeds) for point in points], folder, observe=observe)
        return [
            outcome.reason or "no figure"
            if outcome.report is None
            else _figures(point, outcome.report)
            for point, outcome in zip(points, outcomes, strict=True)
        ]

    return report


def _point(point: CorePoint, seeds: int) -> ReportPoint:
    """Returns a study's point as a point of the flow, in generic gates without a library."""
    manifest = manifest_of(point.core)
    core = read_core(manifest)
    if point.target == "ecp5":
        request = flow("ecp5", seeds=seeds, placer=point.placer)
    elif point.liberty is None:
        request = flow("generic")
    else:
        request = flow(
            "asic",
            str(point.liberty),
            mapping=point.mapping,
            clock_hz=point.clock_hz,
            wire=point.wire,
            power=point.power,
        )
    given = [f"{name}={value}" for name, value in point.parameters.items()]
    return ReportPoint(core, manifest, chosen_variant(core, point.configuration, given), request)


def _figures(point: CorePoint, report: CoreReport) -> CoreFigures:
    """Returns the figures of a report without clock and reset trees, as papers before layout do."""

    def less(whole: float | None, trees: float | None) -> float | None:
        return None if whole is None else whole - (trees or 0.0)

    found = report.figures.get
    figures = {name: found(name) for name in CORE_FIGURES if name in CoreFigures.model_fields}
    period_s = figures["period_s"] = found("period_without_trees_s")
    figures["energy_per_block_j"] = found("energy_per_block_without_trees_j")
    for name in ("dynamic_w", "dynamic_no_glitch_w"):
        figures[name] = less(figures[name], found("clock_tree_w"))
    figures["leakage_w"] = less(figures["leakage_w"], found("trees_leakage_w"))
    if period_s is not None:
        figures["area_ge"] = found("area_without_trees_ge")
        figures["fmax_hz"] = 1 / period_s if period_s else None
    return CoreFigures(
        point=point,
        voltage_v=report.settings.get("voltage_v"),
        corner=report.device if report.target == "asic" else None,
        reasons=report.reasons,
        **figures,
    )


def memory_of(point: MemoryPoint) -> MemoryFigures | str:
    """Returns the figures of a memory of a library's latches, or why the library gives none."""
    try:
        memory = latch_memory(read_library(point.liberty), point.words, point.word_bits)
    except UsageError as error:
        return str(error)
    energies_j = [
        memory.energy_j(
            reads=reads, writes=writes, clocks=point.clocks, clock_hz=point.clock_hz, share=share
        )
        for reads, writes, share in (
            (point.reads, point.writes, _RANDOM),
            (point.reads_needed, point.writes_needed, 0.0),
            (point.reads, point.writes, 1.0),
        )
    ]
    return MemoryFigures(
        area_ge=memory.area_ge,
        leakage_w=memory.leakage_w,
        energy_j=energies_j[0],
        least_j=energies_j[1],
        most_j=energies_j[2],
        cells=dict(memory.cells),
    )


def stored_figures(store: Store, point: CorePoint) -> CoreFigures | None:
    """Returns the figures of a core in cells at the point's clock, by its newest stored report.

    The library of the point does not matter. None if no such report has the energy of a block.
    """
    for report in reversed(store.core_reports()):
        if (
            report.core == point.core
            and report.target == "asic"
            and report.settings.get("clock_hz") == point.clock_hz
            and report.figures.get("energy_per_block_without_trees_j") is not None
        ):
            return _figures(point, report)
    return None
