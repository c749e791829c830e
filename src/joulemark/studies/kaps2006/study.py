# SPDX-License-Identifier: Apache-2.0
"""kaps2006 from end to end: the cores through the flow, then the packet and the verdicts."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.store.repository import Store
from joulemark.studies.core_equipment import EXIT_CODES, LIBERTY_OPTION, CoreEquipment
from joulemark.studies.core_figures import CoreFigures, CorePoint, MemoryFigures, MemoryPoint
from joulemark.studies.flow_of_cores import stored_figures
from joulemark.studies.kaps2006.claims import answers
from joulemark.studies.kaps2006.cores import Cores, Findings
from joulemark.studies.kaps2006.firmware import Firmware, firmware_of
from joulemark.studies.kaps2006.page import page
from joulemark.studies.kaps2006.paper import Kaps2006, kaps2006
from joulemark.studies.study import Study

__all__ = ["STUDY"]

_CORES: Final = (
    ("sha1_serial", "kaps2006"),
    ("aes128_serial", "default"),
    ("sha1_latch", "default"),
    ("aes128_latch", "default"),
)
"""Folder in hdl/ and configuration: the paper's SHA-1 and AES, then what we would build for the
same purpose."""
_NO_HARDWARE: Final = "the cores were not asked for; give --hardware, and --liberty FILE for power"


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


def _measure(paper: Kaps2006, asked: _Options, equipment: CoreEquipment) -> Findings:
    with _opened(asked.store) as store:
        firmware = firmware_of(store)
        if not asked.hardware:
            return _without_flow(paper, store, firmware)
    points = _points(paper, asked.liberty)
    made = equipment.flow(1)(points)
    missing = [
        f"{point.core}: {core_figures}"
        for point, core_figures in zip(points, made, strict=True)
        if isinstance(core_figures, str)
    ]
    sha1, aes, our_sha1, our_aes = (
        core_figures if isinstance(core_figures, CoreFigures) else None for core_figures in made
    )
    reason = "; ".join(missing)
    return Findings(
        Cores(sha1, aes, reason), Cores(our_sha1, our_aes, reason),
        outside=_outside(paper, asked.liberty, equipment), missing=missing, firmware=firmware,
    )  # fmt: skip


def _points(paper: Kaps2006, liberty: Path | None) -> list[CorePoint]:
    return [
        CorePoint(
            core=core, configuration=configuration, target="asic", liberty=liberty,
            clock_hz=paper.experiment.clock_hz,
        )
        for core, configuration in _CORES
    ]  # fmt: skip


def _opened(location: str) -> AbstractContextManager[Store | None]:
    """The store, if it is there."""
    if "://" not in location and not Path(location).exists():
        return nullcontext(None)
    return Store.open(location, create=False, reading=True)


def _without_flow(paper: Kaps2006, store: Store | None, firmware: Firmware | str) -> Findings:
    """Cores by their reports in the store; a pair that is not whole counts as none."""
    made = [
        None if store is None else stored_figures(store, point) for point in _points(paper, None)
    ]

    def pair(sha1: CoreFigures | None, aes: CoreFigures | None) -> Cores:
        if sha1 is None or aes is None:
            return Cores(None, None, _NO_HARDWARE, asked=False)
        return Cores(sha1, aes, "")

    return Findings(
        pair(made[0], made[1]), pair(made[2], made[3]), outside="give --liberty FILE", missing=[],
        firmware=firmware,
    )  # fmt: skip


def _outside(
    paper: Kaps2006, liberty: Path | None, equipment: CoreEquipment
) -> MemoryFigures | str:
    """Figures of the memory that holds SHA-1's block, or why there are none."""
    if liberty is None:
        return "give --liberty FILE"
    asked = paper.block_memory
    return equipment.memory(
        MemoryPoint(
            liberty=liberty, words=asked.words, word_bits=asked.word_bits, reads=asked.reads,
            writes=asked.writes, reads_needed=asked.reads_needed,
            writes_needed=asked.writes_needed, clocks=paper.core("sha1").clocks,
            clock_hz=paper.experiment.clock_hz,
        )
    )  # fmt: skip


STUDY: Final = Study(
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
