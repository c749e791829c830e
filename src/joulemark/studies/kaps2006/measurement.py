# SPDX-License-Identifier: Apache-2.0
"""The two cores of kaps2006 that are compared, by the flow or by the store, and a memory."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from joulemark.store.repository import Store
from joulemark.studies.equipment import CoreEquipment, stored_figures
from joulemark.studies.kaps2006.paper import Firmware, Kaps2006, firmware_of
from joulemark.studies.papers import (
    CoreFigures,
    CorePoint,
    FirmwareBlocks,
    MemoryFigures,
    MemoryPoint,
)


@dataclass(frozen=True, slots=True)
class Cores:
    """A SHA-1 and an AES core in our flow; None stands for a core without figures."""

    sha1: CoreFigures | None
    aes: CoreFigures | None
    reason: str
    """Why a core has no figures; empty if both have figures."""
    asked: bool = True
    """Whether cores were asked for at all."""

    def both(self, figure: str) -> tuple[float, float] | None:
        """Returns a figure of AES and of SHA-1; None if it is unknown of either."""
        aes, sha1 = (getattr(core, figure, None) for core in (self.aes, self.sha1))
        return None if aes is None or sha1 is None else (aes, sha1)

    @property
    def block_energies_j(self) -> tuple[float, float] | None:
        """Energies of a block of AES and of SHA-1; None if either is unknown."""
        return self.both("energy_per_block_j")

    @property
    def block_clocks(self) -> tuple[float, float] | None:
        """Clocks of a block of AES and of SHA-1; None if either is unknown."""
        return self.both("clocks_per_block")


@dataclass(frozen=True, slots=True)
class KapsFindings:
    """The figures, beside the paper's own, by which the claims are judged."""

    cores: Cores
    """The paper's designs in our flow."""
    ours: Cores
    """Our designs for the same purpose, which stand beside the paper's conclusion."""
    outside: MemoryFigures | str
    """Figures of the memory that holds SHA-1's block, or why there are none."""
    missing: list[str]
    """Cores without figures, each with its reason."""
    firmware: Firmware | str
    """Counts of firmware on an ATmega128L, or why there are none."""
    open_cpus: Sequence[FirmwareBlocks] = ()
    """AES and SHA-1 in firmware on the netlists of open CPUs; none if none was asked for."""

    @property
    def memory(self) -> MemoryFigures | None:
        """Figures of the memory outside; None if the library gives none."""
        return None if isinstance(self.outside, str) else self.outside


def with_memory(cores: Cores, memory: MemoryFigures | None) -> Cores | None:
    """Returns the cores with SHA-1's block memory counted; None if either energy is unknown."""
    sha1 = cores.sha1
    if memory is None or sha1 is None or sha1.energy_per_block_j is None:
        return None
    energy_j = sha1.energy_per_block_j + memory.energy_j
    clocks = sha1.clocks_per_block
    leakage_w = None if sha1.leakage_w is None else sha1.leakage_w + memory.leakage_w
    total_w = None if clocks is None else energy_j * sha1.point.clock_hz / clocks
    dynamic_w = None if total_w is None or leakage_w is None else total_w - leakage_w
    counted = sha1.model_copy(
        update={
            "area_ge": None if sha1.area_ge is None else sha1.area_ge + memory.area_ge,
            "storage_ge": None,
            "leakage_w": leakage_w,
            "dynamic_w": dynamic_w,
            "energy_per_block_j": energy_j,
        }
    )
    return replace(cores, sha1=counted)


_CORES: Final = (
    ("sha1_serial", "kaps2006"),
    ("aes128_serial", "default"),
    ("sha1_latch", "default"),
    ("aes128_latch", "default"),
)
"""Folder in hdl/ and configuration: the paper's SHA-1 and AES, then our SHA-1 and AES for the same
purpose."""
_NO_HARDWARE: Final = "the cores were not asked for; give --hardware, and --liberty FILE for power"
_TWO_LIBRARIES: Final = "the store's newest reports of the two cores are of two libraries"
_NO_LIBRARY: Final = "give --liberty FILE"


def measure(
    paper: Kaps2006,
    equipment: CoreEquipment,
    liberty: Path | None,
    store_location: str,
    *,
    hardware: bool,
) -> KapsFindings:
    """Builds the cores, or takes their figures from reports in the store.

    Args:
        paper: the facts.
        equipment: the flow of cores and the model of memories.
        liberty: the cell library; without it there is neither power nor a memory.
        store_location: where reports of cores and counts of firmware are looked for.
        hardware: whether cores are built.
    """
    with _open(store_location) as store:
        firmware = firmware_of(store)
        if not hardware:
            return _without_flow(paper, store, firmware)
    points = _points(paper, liberty)
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
        outside=_outside(paper, liberty, equipment),
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
    return Store.existing(location)


def _without_flow(paper: Kaps2006, store: Store | None, firmware: Firmware | str) -> KapsFindings:
    """Takes the cores from their reports in the store; a core without its partner is left out."""

    def pair(points: Sequence[CorePoint]) -> Cores:
        sha1, aes = (None if store is None else stored_figures(store, point) for point in points)
        if sha1 is None or aes is None:
            return Cores(None, None, _NO_HARDWARE, asked=False)
        if sha1.corner != aes.corner:
            return Cores(None, None, _TWO_LIBRARIES, asked=False)
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
