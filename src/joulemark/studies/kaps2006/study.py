# SPDX-License-Identifier: Apache-2.0
"""kaps2006 from end to end: options, cores by the flow or by the store, verdicts, page."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.store.repository import Store
from joulemark.studies.core_equipment import (
    EXIT_CODES,
    LIBERTY_OPTION,
    CoreEquipment,
    stored_figures,
)
from joulemark.studies.kaps2006.claims import answers
from joulemark.studies.kaps2006.exact import Cores, KapsFindings
from joulemark.studies.kaps2006.page import page
from joulemark.studies.kaps2006.paper import Firmware, Kaps2006, firmware_of, kaps2006
from joulemark.studies.papers import CoreFigures, CorePoint, MemoryFigures, MemoryPoint
from joulemark.studies.study import PaperStudy

_CORES: Final = (
    ("sha1_serial", "kaps2006"),
    ("aes128_serial", "default"),
    ("sha1_latch", "default"),
    ("aes128_latch", "default"),
)
"""Folder in hdl/ and configuration: the paper's SHA-1 and AES, then our SHA-1 and AES for the same
purpose."""
_NO_HARDWARE: Final = "the cores were not asked for; give --hardware, and --liberty FILE for power"
_NO_LIBRARY: Final = "give --liberty FILE"


@dataclass(frozen=True, slots=True)
class _Options:
    """Whether cores are built, and of which cells."""

    hardware: Annotated[
        bool,
        typer.Option(
            "--hardware",
            help="Simulate, map and weigh the cores; else the packets rest on the paper's figures.",
        ),
    ] = False
    liberty: Annotated[Path | None, LIBERTY_OPTION] = None
    store: Annotated[
        str,
        typer.Option(
            "--store",
            envvar="JOULEMARK_STORE",
            metavar="FILE",
            help="Where reports of cores and counts of firmware are looked for, if it is there.",
        ),
    ] = "joulemark.db"


def _measure(paper: Kaps2006, options: _Options, equipment: CoreEquipment) -> KapsFindings:
    with _open(options.store) as store:
        firmware = firmware_of(store)
        if not options.hardware:
            return _without_flow(paper, store, firmware)
    points = _points(paper, options.liberty)
    outcomes = equipment.flow(1)(points)
    missing = [
        f"{point.core}: {reason}"
        for point, reason in zip(points, outcomes, strict=True)
        if isinstance(reason, str)
    ]
    sha1, aes, our_sha1, our_aes = (
        figures if isinstance(figures, CoreFigures) else None for figures in outcomes
    )
    reason = "; ".join(missing)
    return KapsFindings(
        Cores(sha1, aes, reason),
        Cores(our_sha1, our_aes, reason),
        outside=_outside(paper, options.liberty, equipment),
        missing=missing,
        firmware=firmware,
    )


def _points(paper: Kaps2006, liberty: Path | None) -> list[CorePoint]:
    return [
        CorePoint(
            core=core,
            configuration=configuration,
            target="asic",
            liberty=liberty,
            clock_hz=paper.experiment.clock_hz,
        )
        for core, configuration in _CORES
    ]


def _open(location: str) -> AbstractContextManager[Store | None]:
    """Opens the store, if it is there."""
    if "://" not in location and not Path(location).exists():
        return nullcontext(None)
    return Store.open(location, create=False, reading=True)


def _without_flow(paper: Kaps2006, store: Store | None, firmware: Firmware | str) -> KapsFindings:
    """Takes the cores from their reports in the store; a core without its partner is left out."""

    def pair(points: Sequence[CorePoint]) -> Cores:
        sha1, aes = (None if store is None else stored_figures(store, point) for point in points)
        if sha1 is None or aes is None:
            return Cores(None, None, _NO_HARDWARE, asked=False)
        return Cores(sha1, aes, "")

    points = _points(paper, None)
    return KapsFindings(
        pair(points[:2]), pair(points[2:]), outside=_NO_LIBRARY, missing=[], firmware=firmware
    )


def _outside(
    paper: Kaps2006, liberty: Path | None, equipment: CoreEquipment
) -> MemoryFigures | str:
    """Returns the figures of the memory that holds SHA-1's block, or why there are none."""
    if liberty is None:
        return _NO_LIBRARY
    memory = paper.block_memory.model_dump(exclude={"place", "interpretation"})
    clocks, clock_hz = paper.core("sha1").clocks, paper.experiment.clock_hz
    return equipment.memory(
        MemoryPoint(liberty=liberty, **memory, clocks=clocks, clock_hz=clock_hz)
    )


STUDY: Final = PaperStudy(
    paper=kaps2006,
    options=_Options,
    equipment="cores",
    measure=_measure,
    judge=answers,
    page=page,
    exit_codes=EXIT_CODES,
    examples=(
        "joulemark reproduce kaps2006",
        "joulemark reproduce kaps2006 --hardware --liberty sg13g2_stdcell_typ_1p20V_25C.lib",
    ),
)
