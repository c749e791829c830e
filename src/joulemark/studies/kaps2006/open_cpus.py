# SPDX-License-Identifier: Apache-2.0
"""AES and SHA-1 as firmware on the netlists of open CPUs, beside the cores of kaps2006.

The paper compares two cores. A sensor may as well have a small CPU that computes both, in cells of
the same library: the energy of a block is then found by the method of the cores, without glitches.
A block is the difference of two messages, since a packet needs some of either length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from joulemark.measure.gate_trials import GateFindings
from joulemark.report import Chart, Table
from joulemark.report.drawing import channel, chart_part, mark, palette_colour
from joulemark.studies.kaps2006.conclusion import PAYLOADS_BYTES
from joulemark.studies.kaps2006.measurement import KapsFindings
from joulemark.studies.kaps2006.paper import Kaps2006, packet_energies
from joulemark.studies.papers import FirmwareBlock, FirmwareBlocks, FirmwarePoint
from joulemark.studies.study import beside
from joulemark.units import format_joules

TARGETS: Final = ("gate:serv", "gate:picorv32", "gate:ibex")
CODE: Final = {"AES": "cbc-mac-aes128/mcu32", "SHA-1": "hmac-sha1/portable"}
"""The paper's MAC by either primitive -> the kernel with fewest core cycles on a CPU of 32 bits."""
LENGTHS_BYTES: Final = (16, 80)
"""One block of AES and two calls of SHA-1; five blocks, and three calls."""
_BLOCKS: Final = {"AES": 4, "SHA-1": 1}
"""Blocks that the longer message has more."""


def point_of(paper: Kaps2006) -> FirmwarePoint:
    """What is asked of the CPUs: the paper's MACs at its clock."""
    return FirmwarePoint(
        targets=TARGETS,
        implementations=tuple(CODE.values()),
        lengths_bytes=LENGTHS_BYTES,
        clock_hz=paper.experiment.clock_hz,
    )


def blocks_of(found: GateFindings, clock_hz: float) -> tuple[list[FirmwareBlocks], list[str]]:
    """A block of AES and of SHA-1 on each CPU at this clock, and why a CPU has none."""
    rows = {(row.target, row.implementation, row.size_bytes): row.joules for row in found.rows}
    known, missing = [], [f"{each.implementation}: {each.reason}" for each in found.failures]
    for target, facts in found.cpus.items():
        blocks = {}
        for name, code in CODE.items():
            short, long = (rows.get((target, code, size)) for size in LENGTHS_BYTES)
            if short is None or long is None:
                break
            memory_j = [
                sum(use.joules(each.core_cycles / clock_hz) for use in each.memories.values())
                for each in (short, long)
            ]
            blocks[name] = FirmwareBlock(
                clocks=(long.core_cycles - short.core_cycles) / _BLOCKS[name],
                energy_j=(long.core_j - short.core_j) / _BLOCKS[name],
                memory_j=(memory_j[1] - memory_j[0]) / _BLOCKS[name],
            )
        if len(blocks) == len(CODE):
            known.append(
                FirmwareBlocks(
                    target=target, area_ge=facts.area_ge, aes=blocks["AES"], sha1=blocks["SHA-1"]
                )
            )
    return known, missing


def _sources(findings: KapsFindings) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yields a name, and joules of a block of AES and of SHA-1."""
    for name, cores in (("its designs", findings.cores), ("our designs", findings.ours)):
        if cores.block_energies_j is not None:
            yield name, cores.block_energies_j
    for cpu in findings.open_cpus:
        yield cpu.target, (cpu.aes.energy_j, cpu.sha1.energy_j)


def open_cpu_tables(findings: KapsFindings) -> list[Table]:
    """The table of blocks on open CPUs; none if none was asked for."""
    cores = findings.ours.block_energies_j or findings.cores.block_energies_j
    if not findings.open_cpus:
        return []
    rows = [
        (cpu, name, block, None if cores is None else cores[place])
        for cpu in findings.open_cpus
        for place, (name, block) in enumerate((("AES", cpu.aes), ("SHA-1", cpu.sha1)))
    ]
    return [
        beside(
            "A block in firmware on open CPUs, in cells of the same library",
            "Clocks are simulated, joules and areas modelled, without glitches and before layout. "
            f"Kernels: {' and '.join(CODE.values())}; a block is the difference of messages of "
            f"{LENGTHS_BYTES[0]} and {LENGTHS_BYTES[1]} bytes. Memory for code and data, by a "
            "model of its macros, stands apart.",
            rows,
            {
                "CPU": lambda row: row[0].target,
                "block": lambda row: row[1],
                "area": lambda row: f"{row[0].area_ge:.0f} GE",
                "clocks": lambda row: f"{row[2].clocks:.0f}",
                "energy": lambda row: format_joules(row[2].energy_j),
                "memory apart": lambda row: format_joules(row[2].memory_j),
                "over our core": lambda row: (
                    "-" if row[3] is None else f"{row[2].energy_j / row[3]:.3g}"
                ),
            },
        )
    ]


def open_cpu_charts(paper: Kaps2006, findings: KapsFindings) -> list[Chart]:
    """Fig. 3 with the open CPUs, on a log axis; none if none was asked for."""
    if not findings.open_cpus:
        return []
    data = [
        {"payload": packet.payload_bytes, "energy": joules * 1e9, "core": core, "source": source}
        for source, blocks in _sources(findings)
        for packet in packet_energies(paper.packet, "mac", PAYLOADS_BYTES, *blocks, exact=True)
        for core, joules in (("AES", packet.aes_j), ("SHA-1", packet.sha1_j))
    ]
    caption = (
        "Authentication of a packet by the energy of a block, SHA-1's padding counted: cores, and "
        "firmware on open CPUs without glitches and without memories."
    )
    lines = {
        "x": channel("payload:Q", title="payload (bytes); a TinySec packet has at most 29"),
        "y": channel("energy:Q", title="nJ per packet (modelled)", scale={"type": "log"}),
        "color": palette_colour("core:N", list(CODE)),
        "strokeDash": channel("source:N", title=None),
    }
    layers = [mark("line", lines, interpolate="step-before")]
    title = "Fig. 3 with firmware on open CPUs"
    return [chart_part("open_cpus", title, caption, data, layers)]


def words(cpus: Sequence[FirmwareBlocks]) -> str:
    """The part of the study that was built, as in "firmware on gate:serv, gate:ibex"."""
    return f"firmware on {', '.join(cpu.target for cpu in cpus)}"
