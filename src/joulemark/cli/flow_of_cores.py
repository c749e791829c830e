# SPDX-License-Identifier: Apache-2.0
"""The core flow as studies ask for it, with what is happening on standard error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from joulemark.cli.refusals import InterruptedRunError
from joulemark.errors import UsageError

if TYPE_CHECKING:
    from joulemark.hardware.core.report import CoreReport
    from joulemark.hardware.flow.points import Outcome, Point
    from joulemark.studies.core_figures import (
        CoreFigures,
        CorePoint,
        CoreReporter,
        MemoryFigures,
        MemoryPoint,
    )

__all__ = ["flow", "memory_of"]

_RANDOM = 0.5
"""Share of the bits that differ between two random words."""


@contextmanager
def flow(cache: Path | None, *, seeds: int) -> Iterator[tuple[CoreReporter, str]]:
    """A reporter that keeps every finished point, and the machine in words.

    Args:
        cache: where points are kept; the user's cache folder unless given.
        seeds: of the placer, for points on an FPGA.

    Raises:
        InterruptedRunError: the user pressed Ctrl-C; the message says what is kept.
    """
    from rich.console import Console  # noqa: PLC0415

    from joulemark.environment import capture  # noqa: PLC0415
    from joulemark.hardware.flow.cache import default_folder  # noqa: PLC0415
    from joulemark.hardware.flow.points import run_points  # noqa: PLC0415

    console = Console(stderr=True)
    folder = cache or default_folder()

    def observe(outcome: Outcome, done: int, total: int) -> None:
        state = "kept" if outcome.kept else "done" if outcome.report is not None else "failed"
        console.print(f"{done}/{total} {outcome.point.text}: {state}", highlight=False)

    def report(points: Sequence[CorePoint]) -> list[CoreFigures | str]:
        made = run_points([_point(point, seeds) for point in points], folder, observe=observe)
        return [
            one.reason or "no figure" if one.report is None else _figures(point, one.report)
            for point, one in zip(points, made, strict=True)
        ]

    try:
        yield report, str(capture().as_dict().get("cpu_model") or "an unnamed CPU")
    except KeyboardInterrupt:
        raise InterruptedRunError(
            f"stopped; finished points are in {folder}, and the same command goes on"
        ) from None


def _point(point: CorePoint, seeds: int) -> Point:
    """A study's point as the flow has it; without a library, generic gates."""
    from joulemark.hardware.core.manifest import read_core  # noqa: PLC0415
    from joulemark.hardware.core.parameters import chosen_variant  # noqa: PLC0415
    from joulemark.hardware.core.shipped import manifest_of  # noqa: PLC0415
    from joulemark.hardware.flow.points import Point  # noqa: PLC0415
    from joulemark.hardware.flow.request import flow as checked_flow  # noqa: PLC0415

    manifest = manifest_of(point.core)
    core = read_core(manifest)
    if point.target == "ecp5":
        asked = checked_flow("ecp5", seeds=seeds, placer=point.placer)
    elif point.liberty is None:
        asked = checked_flow("generic")
    else:
        asked = checked_flow(
            "asic", str(point.liberty), mapping=point.mapping, clock_hz=point.clock_hz,
            wire=point.wire, power=point.power,
        )  # fmt: skip
    return Point(core, manifest, chosen_variant(core, point.configuration, []), asked)


def _figures(point: CorePoint, report: CoreReport) -> CoreFigures:
    """A study's figures: those of a library without trees, as papers before layout have them."""
    from joulemark.studies.core_figures import CoreFigures  # noqa: PLC0415

    def less(whole: float | None, trees: float | None) -> float | None:
        return None if whole is None else whole - (trees or 0.0)

    in_cells = report.period_without_trees_s is not None
    period_s = report.period_without_trees_s
    fmax_hz = None if report.fmax_mhz is None else report.fmax_mhz * 1e6
    if in_cells:
        fmax_hz = 1 / period_s if period_s else None
    return CoreFigures(
        point=point,
        clocks_per_block=report.clocks_per_block,
        latency_clocks=report.latency_clocks,
        area_ge=report.area_without_trees_ge if in_cells else report.area_ge,
        storage_ge=report.storage_ge,
        luts=report.luts,
        fmax_hz=fmax_hz,
        critical_path_s=report.critical_path_s,
        period_s=period_s,
        leakage_w=less(report.leakage_w, report.trees_leakage_w),
        dynamic_w=less(report.dynamic_w, report.clock_tree_w),
        dynamic_no_glitch_w=less(report.dynamic_no_glitch_w, report.clock_tree_w),
        energy_per_block_j=report.energy_per_block_without_trees_j,
        voltage_v=report.settings.get("voltage_v"),
        corner=report.device if report.target == "asic" else None,
        reasons=report.absent,
    )


def memory_of(point: MemoryPoint) -> MemoryFigures | str:
    """A memory of latches by a library's cells, or why the library does not say."""
    from joulemark.hardware.liberty.reader import read_library  # noqa: PLC0415
    from joulemark.hardware.power.latch_memory import latch_memory  # noqa: PLC0415
    from joulemark.studies.core_figures import MemoryFigures  # noqa: PLC0415

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
