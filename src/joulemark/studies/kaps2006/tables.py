# SPDX-License-Identifier: Apache-2.0
"""The tables of kaps2006: its Table 1 and Table 2, as printed and as found here."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.studies.core_figures import CoreFigures
from joulemark.studies.kaps2006.claims import Cores
from joulemark.studies.kaps2006.packets import packet_energies
from joulemark.studies.kaps2006.paper import Kaps2006, PublishedCore
from joulemark.studies.outcome import Table
from joulemark.units import format_joules, format_seconds, format_si

__all__ = ["tables"]

_NONE = "-"


def tables(paper: Kaps2006, cores: Cores, ours: Cores) -> list[Table]:
    """Every table.

    A core without figures has no row; "-" stands for a figure it lacks, whose reason is in the
    study's data.
    """
    return [_cores(paper, cores, ours), _packets(paper, cores, ours)]


def _cores(paper: Kaps2006, cores: Cores, ours: Cores) -> Table:
    rows = []
    for title, name, built, better in (
        ("SHA-1", "sha1", cores.sha1, ours.sha1),
        ("AES-128", "aes", cores.aes, ours.aes),
    ):
        rows.append([f"{title}, published", *_published(paper, paper.core(name))])
        for words, core in (("its design here", built), ("our design", better)):
            if core is not None:
                rows.append([f"{title}, {words}", *_found(core)])
    return Table(
        title="Table 1, the cores at 500 kHz",
        caption="Clocks are simulated; area, path and power of our rows are modelled from a cell "
        "library and simulated toggles, wire load and glitches included. GE are areas of the "
        "library's NAND2. Rows of different processes compare designs, not processes. For our rows "
        "the shortest clock period stands in place of the critical path: it counts latches too.",
        headings=["core", "clocks", "GE", "of it storage", "critical path", "leakage", "dynamic",
                  "total", "energy of a block"],
        rows=rows,
    )  # fmt: skip


def _published(paper: Kaps2006, core: PublishedCore) -> list[str]:
    powers = (core.static_w, core.dynamic_w, core.total_w)
    return [
        str(core.clocks), f"{core.area_ge:.0f}", _NONE, format_seconds(core.critical_path_s),
        *(format_si(watts, "W", digits=4) for watts in powers),
        format_joules(core.block_j(paper.experiment.clock_hz), digits=4),
    ]  # fmt: skip


def _found(core: CoreFigures) -> list[str]:
    def watts(value: float | None) -> str:
        return _NONE if value is None else format_si(value, "W")

    def number(value: float | None) -> str:
        return _NONE if value is None else f"{value:.0f}"

    period, energy = core.period_s, core.energy_per_block_j
    return [
        number(core.clocks_per_block), number(core.area_ge), number(core.storage_ge),
        _NONE if period is None else format_seconds(period),
        watts(core.leakage_w), watts(core.dynamic_w), watts(core.total_w),
        _NONE if energy is None else format_joules(energy),
    ]  # fmt: skip


def _nanojoules(joules: float) -> str:
    """With the two digits that the paper prints."""
    return f"{joules * 1e9:.2f} nJ"


def _block_energies(cores: Cores) -> tuple[float, float] | None:
    """Joules of a block of AES and of SHA-1."""
    if cores.sha1 is None or cores.aes is None:
        return None
    aes, sha1 = cores.aes.energy_per_block_j, cores.sha1.energy_per_block_j
    return None if aes is None or sha1 is None else (aes, sha1)


def _packets(paper: Kaps2006, cores: Cores, ours: Cores) -> Table:
    clock = paper.experiment.clock_hz
    printed = (paper.core("aes").block_j(clock), paper.core("sha1").block_j(clock))
    rows: list[list[str]] = []
    for published in paper.published_energy:
        service, payload = published.service, published.payload_bytes
        rows.append([service, "as printed", *map(_nanojoules, (published.aes_j, published.sha1_j))])
        sources: Sequence[tuple[str, tuple[float, float] | None, bool]] = (
            ("recomputed from Table 1", printed, False),
            ("recomputed, padding counted", printed, True),
            ("its designs here, padding counted", _block_energies(cores), True),
            ("our designs, padding counted", _block_energies(ours), True),
        )
        for name, energies, exact in sources:
            if energies is None:
                continue
            (one,) = packet_energies(
                paper.packet, service, range(payload, payload + 1), *energies, exact=exact
            )
            rows.append([service, name, *map(_nanojoules, (one.aes_j, one.sha1_j))])
    return Table(
        title="Table 2, a packet with 29 bytes of payload",
        caption="Published rows are the paper's; the others are modelled: blocks by the energy of "
        "a block.",
        headings=["service", "source", "AES", "SHA-1"],
        rows=rows,
    )
