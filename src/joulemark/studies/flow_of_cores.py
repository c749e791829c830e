# SPDX-License-Identifier: Apache-2.0
"""The flow of cores as studies ask for it: points in, figures out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from joulemark.errors import UsageError
from joulemark.hardware.core.manifest import read_core
from joulemark.hardware.core.parameters import chosen_variant
from joulemark.hardware.core.report import CoreReport
from joulemark.hardware.core.shipped import manifest_of
from joulemark.hardware.flow.points import Outcome, Point, run_points
from joulemark.hardware.flow.request import flow
from joulemark.hardware.liberty.reader import read_library
from joulemark.hardware.power.latch_memory import latch_memory
from joulemark.records.evidence import Evidence
from joulemark.store.cores import CoreReportRecord
from joulemark.store.repository import Store
from joulemark.studies.core_figures import (
    CoreFigures,
    CorePoint,
    CoreReporter,
    MemoryFigures,
    MemoryPoint,
)

__all__ = ["memory_of", "reporter", "stored_figures"]

_RANDOM = 0.5
"""Share of the bits that differ between two random words."""


def reporter(
    folder: Path, *, seeds: int, observe: Callable[[Outcome, int, int], None]
) -> CoreReporter:
    """Makes figures of points, and keeps every finished point.

    Args:
        folder: where points are kept.
        seeds: of the placer, for points on an FPGA.
        observe: is told each outcome, how many there are so far, and of how many.
    """

    def report(points: Sequence[CorePoint]) -> list[CoreFigures | str]:
        made = run_points([_point(point, seeds) for point in points], folder, observe=observe)
        return [
            outcome.reason or "no figure"
            if outcome.report is None
            else _figures(point, outcome.report)
            for point, outcome in zip(points, made, strict=True)
        ]

    return report


def _point(point: CorePoint, seeds: int) -> Point:
    """A study's point as the flow has it; without a library, generic gates."""
    manifest = manifest_of(point.core)
    core = read_core(manifest)
    if point.target == "ecp5":
        asked = flow("ecp5", seeds=seeds, placer=point.placer)
    elif point.liberty is None:
        asked = flow("generic")
    else:
        asked = flow(
            "asic", str(point.liberty), mapping=point.mapping, clock_hz=point.clock_hz,
            wire=point.wire, power=point.power,
        )  # fmt: skip
    return Point(core, manifest, chosen_variant(core, point.configuration, []), asked)


def _figures(point: CorePoint, report: CoreReport) -> CoreFigures:
    """A study's figures: those of a library without trees, as papers before layout have them."""

    def less(whole: float | None, trees: float | None) -> float | None:
        return None if whole is None else whole - (trees or 0.0)

    figures = {
        name: figure for name, figure in report.figures.items() if name in CoreFigures.model_fields
    }
    period_s = figures["period_s"] = report.figures["period_without_trees_s"]
    figures["energy_per_block_j"] = report.figures["energy_per_block_without_trees_j"]
    for name in ("dynamic_w", "dynamic_no_glitch_w"):
        figures[name] = less(figures[name], report.figures["clock_tree_w"])
    figures["leakage_w"] = less(figures["leakage_w"], report.figures["trees_leakage_w"])
    if period_s is not None:
        figures["area_ge"] = report.figures["area_without_trees_ge"]
        figures["fmax_hz"] = 1 / period_s if period_s else None
    return CoreFigures(
        point=point,
        voltage_v=report.settings.get("voltage_v"),
        corner=report.device if report.target == "asic" else None,
        reasons=report.absent,
        **figures,
    )


def memory_of(point: MemoryPoint) -> MemoryFigures | str:
    """A memory of latches by a library's cells, or why the library does not say."""
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
        area_ge=memory.area_ge, leakage_w=memory.leakage_w, energy_j=energies_j[0],
        least_j=energies_j[1], most_j=energies_j[2], cells=dict(memory.cells),
    )  # fmt: skip


def stored_figures(store: Store, point: CorePoint) -> CoreFigures | None:
    """The newest report in the store of a core in cells at the point's clock; None without one.

    Args:
        store: which is read.
        point: its library does not count: any report with the energy of a block will do.
    """
    for stored in reversed(store.core_reports()):
        report = stored.report
        if (
            report.core == point.core
            and report.target == "asic"
            and report.settings.get("clock_hz") == point.clock_hz
            and report.figures.get("energy_per_block_without_trees_j") is not None
        ):
            return _figures(point, _report_of(report))
    return None


def _report_of(record: CoreReportRecord) -> CoreReport:
    """A stored report as the flow made it."""
    return CoreReport(
        core=record.core, title=record.core, algorithm=record.algorithm,
        configuration=record.configuration, parameters=dict(record.parameters),
        target=record.target, device=str(record.settings.get("device", "")),
        evidence={name: Evidence(word) for name, word in record.evidence.items()},
        absent=dict(record.reasons), settings=dict(record.settings), **record.figures,
    )  # fmt: skip
