# SPDX-License-Identifier: Apache-2.0
"""kaps2006 from end to end: sentences of its page, options, verdicts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.errors import UsageError
from joulemark.report import JsonObject, Table
from joulemark.studies.equipment import EXIT_CODES, LIBERTY_OPTION, CoreEquipment
from joulemark.studies.kaps2006.claims import BOUNDS, answers
from joulemark.studies.kaps2006.conclusion import (
    PAYLOADS_BYTES,
    conclusion_words,
    crossings,
    differing_payloads,
    neighbours,
    table_2,
)
from joulemark.studies.kaps2006.measurement import Cores, KapsFindings, measure
from joulemark.studies.kaps2006.open_cpus import (
    blocks_of,
    open_cpu_charts,
    open_cpu_tables,
    point_of,
    words,
)
from joulemark.studies.kaps2006.page import exact_tables, firmware_table, packet_charts, tables
from joulemark.studies.kaps2006.paper import (
    COMMAND,
    SERVICES,
    Kaps2006,
    crossover_bytes,
    kaps2006,
    packet_energies,
)
from joulemark.studies.papers import CoreFigures, MemoryFigures
from joulemark.studies.study import PaperStudy, StudyPage, done_words
from joulemark.units import format_joules, format_percent

_LAYOUT: Final = (
    "Our figures are medians over seeded mappings, without the clock and reset trees that core "
    "report models, since the paper's have none, and without placement: wires are the library's "
    "wire-load model."
)


def page(paper: Kaps2006, findings: KapsFindings) -> StudyPage:
    """Returns the page beside the claims."""
    return StudyPage(
        done=_done(findings),
        summary=_summary(paper, findings),
        notes=[*_notes(paper, findings), *_firmware_notes(findings)],
        tables=[
            *tables(paper, findings),
            *open_cpu_tables(findings),
            *exact_tables(paper),
            *_firmware_tables(paper, findings),
        ],
        charts=[*packet_charts(paper, findings), *open_cpu_charts(paper, findings)],
        data=_data(paper, findings),
        missing=findings.missing,
    )


def _done(findings: KapsFindings) -> str:
    """What was built here and what was not."""
    cores = {"the paper's two cores": findings.cores, "our two cores": findings.ours}
    built = [name for name, pair in cores.items() if pair.block_clocks is not None]
    absent = [name for name in cores if name not in built]
    firmware = findings.firmware
    if isinstance(firmware, str):
        absent.append("firmware")
    elif firmware.from_store:
        built.append("firmware for an ATmega128L, by counts of this store")
    else:
        absent.append("firmware (its counts came with Joulemark)")
    if findings.open_cpus:
        built.append(words(findings.open_cpus))
    return done_words(built, absent, verb="built")


def _energy_words(energies: tuple[float, float]) -> str:
    aes, sha1 = energies
    return f"{sha1 * 1e9:.2f} nJ a block of SHA-1 and {aes * 1e9:.2f} nJ a block of AES"


def _firmware_tables(paper: Kaps2006, findings: KapsFindings) -> list[Table]:
    firmware = findings.firmware
    return [] if isinstance(firmware, str) else [firmware_table(paper, firmware)]


def _firmware_notes(findings: KapsFindings) -> list[str]:
    firmware = findings.firmware
    if isinstance(firmware, str):
        return [f"Firmware: {firmware}."]
    if firmware.from_store:
        return []
    why = (
        "Firmware: the store has no counts of all four algorithms on mcu:atmega128, so the "
        f"table has those that come with Joulemark. '{COMMAND}' counts them here."
    )
    return [why]


def _lead(paper: Kaps2006, findings: KapsFindings) -> str:
    """Writes the first sentences, about the paper's own figures and about firmware."""
    at = crossings(paper)["both", False]
    stated = paper.packet.crossover_bytes
    sides = {packet.payload_bytes: packet for packet in neighbours(paper, exact=False)}
    text = (
        f"By the paper's own figures SHA-1 takes less energy for authentication and encryption "
        f"from {at} bytes of payload on, not from {stated}"
    )
    if at is not None:
        before, after = sides[at - 1], sides[at]
        text += (
            f" ({before.aes_blocks} blocks of AES and {before.sha1_blocks} of SHA-1 at {at - 1} "
            f"bytes, {after.aes_blocks} and {after.sha1_blocks} at {at}). "
        )
    off = max(abs(row.off) for row in table_2(paper) if row.quantity != "energy of a bit")
    text += (
        "Every energy, power and time of its Table 2 follows from Table 1 within "
        f"{format_percent(off)}."
    )
    if isinstance(findings.firmware, str):
        return text
    longest = findings.firmware.packet(paper.packet, "mac", paper.packet.payload_bytes_max)
    if longest is None:
        return text
    return (
        f"{text} In firmware on an ATmega128L, as TinySec ran, authentication of "
        f"{longest.payload_bytes} bytes takes {format_joules(longest.aes_j)} with AES and "
        f"{format_joules(longest.sha1_j)} with HMAC-SHA-1 (modelled)."
    )


def _summary(paper: Kaps2006, findings: KapsFindings) -> str:
    cores, ours, memory = findings.cores, findings.ours, findings.memory
    text = f"{_lead(paper, findings)} The paper prints {_energy_words(paper.block_energies_j)}."
    built, better = cores.block_energies_j, ours.block_energies_j
    if built is None:
        why = cores.reason or "no cell library was given"
        text = f"{text} Claims are judged by its own figures: {why}."
    else:
        text = (
            f"{text} Its two designs, built from its text, take {_energy_words(built)} in the "
            f"library given{_memory_words(memory)}."
        )
    if better is None:
        return text
    return (
        f"{text} Our own cores for the same clock take {_energy_words(better)}. "
        f"{conclusion_words(paper, better)}"
    )


def _memory_words(memory: MemoryFigures | None) -> str:
    if memory is None:
        return ""
    return (
        f", without the memory outside that holds SHA-1's block, which takes about "
        f"{format_joules(memory.energy_j)} more if made of latches"
    )


def _notes(paper: Kaps2006, findings: KapsFindings) -> list[str]:
    cores, ours = findings.cores, findings.ours
    process = (
        f"The paper's process: {paper.experiment.process}; its library and its netlists were not "
        "published. A ratio between two cores of one flow can be compared, a watt cannot."
    )
    notes = [process, f"SHA-1's padding: {paper.packet.padding_interpretation}.", _LAYOUT]
    if cores.asked:
        notes.append(_memory_note(paper, findings.outside))
    if ours.sha1 is not None and ours.block_energies_j is not None:
        notes.append(
            f"{ours.sha1.point.core} works on one block from the standard's initial value. HMAC "
            "needs one that chains, and SHACAL-1 one that takes any value, which cost more, so "
            "figures by our own cores favour SHA-1."
        )
    notes.extend(
        f"{core.point.core}: {core.corner}."
        for core in (cores.sha1, cores.aes)
        if core is not None and core.corner is not None
    )
    return notes


def _memory_note(paper: Kaps2006, outside: MemoryFigures | str) -> str:
    memory = paper.block_memory
    accesses = memory.reads + memory.writes
    if isinstance(outside, str):
        return (
            f"SHA-1's figures leave out the memory that holds its block, {accesses} accesses a "
            f"block: {outside}."
        )
    cells = ", ".join(f"{count} {name}" for name, count in outside.cells.items())
    return (
        f"SHA-1's design leaves its block in a memory outside ({memory.words} words of "
        f"{memory.word_bits} bits, {accesses} accesses a block: {memory.interpretation}). One of "
        f"latches takes {outside.area_ge:.0f} GE and {format_joules(outside.energy_j)} a block by "
        f"the library's cells ({cells}) if half of the bits change at each access; "
        f"{format_joules(outside.least_j)} if none does and only what is needed is accessed, "
        f"{format_joules(outside.most_j)} if all do. It is in the rows that say so, and in no "
        "other."
    )


def _data(paper: Kaps2006, findings: KapsFindings) -> JsonObject:
    def dump(figures: CoreFigures | MemoryFigures | None) -> JsonObject | None:
        return None if figures is None else figures.model_dump(mode="json")

    return {
        "published": paper.model_dump(mode="json", exclude={"claims"}),
        "cores": {
            "sha1": dump(findings.cores.sha1),
            "aes": dump(findings.cores.aes),
            "our sha1": dump(findings.ours.sha1),
            "our aes": dump(findings.ours.aes),
        },
        "block_memory": dump(findings.memory),
        "table_2": [asdict(row) for row in table_2(paper)],
        "differing_payloads_bytes": differing_payloads(paper.packet),
        "firmware": _firmware_data(paper, findings),
        "open_cpus": [cpu.model_dump(mode="json") for cpu in findings.open_cpus],
        "crossover_bytes": {
            "as published": crossings(paper)["both", False],
            "exact": crossings(paper)["both", True],
            "paper's designs": _crossover(paper, findings.cores),
            "ours": _crossover(paper, findings.ours),
        },
    }


def _firmware_data(paper: Kaps2006, findings: KapsFindings) -> JsonObject | None:
    firmware = findings.firmware
    if isinstance(firmware, str):
        return None
    packets = {
        service: [
            asdict(packet)
            for payload in PAYLOADS_BYTES
            if (packet := firmware.packet(paper.packet, service, payload)) is not None
        ]
        for service in SERVICES
    }
    return {"sources": firmware.sources, "core_cycle_j": firmware.cycle_j, "packets": packets}


def _crossover(paper: Kaps2006, cores: Cores) -> int | None:
    blocks = cores.block_energies_j
    if blocks is None:
        return None
    return crossover_bytes(
        packet_energies(paper.packet, "both", PAYLOADS_BYTES, *blocks, exact=True)
    )


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
    open_cpus: Annotated[
        bool,
        typer.Option(
            "--open-cpus",
            help="Run AES and SHA-1 as firmware on SERV, PicoRV32 and Ibex in the cells of "
            "--liberty, too; the first time maps these CPUs for some ten minutes.",
        ),
    ] = False
    store: Annotated[
        str,
        typer.Option(
            "--store",
            envvar="JOULEMARK_STORE",
            metavar="FILE",
            help="Where reports of cores and counts of firmware are looked for, if it is there.",
        ),
    ] = "joulemark.db"


_PACKETS_S: Final = 5.0
_CORES_S: Final = 60.0
_POWER_S: Final = 60.0
"""Time that a library adds, by which power is modelled."""
_OPEN_CPUS_S: Final = 600.0
"""Time of mapping the open CPUs and of compiling their netlists, which are kept."""


def _seconds(options: _Options) -> float:
    cores_s = _CORES_S + (0.0 if options.liberty is None else _POWER_S)
    cpus_s = _OPEN_CPUS_S if options.open_cpus else 0.0
    return _PACKETS_S + (cores_s if options.hardware else 0.0) + cpus_s


def _measure(paper: Kaps2006, options: _Options, equipment: CoreEquipment) -> KapsFindings:
    liberty = options.liberty
    if options.open_cpus and liberty is None:
        raise UsageError("--open-cpus maps CPUs to cells: give their library with --liberty FILE")
    findings = measure(paper, equipment, liberty, options.store, hardware=options.hardware)
    if not options.open_cpus or liberty is None:
        return findings
    point = point_of(paper)
    cpus, missing = blocks_of(equipment.firmware(point, liberty), point.clock_hz)
    return replace(findings, open_cpus=cpus, missing=[*findings.missing, *missing])


STUDY: Final = PaperStudy(
    paper=kaps2006,
    options=_Options,
    equipment="cores",
    measure=_measure,
    judge=answers,
    page=page,
    seconds=_seconds,
    bounds=BOUNDS,
    exit_codes=EXIT_CODES,
    examples=(
        "joulemark reproduce kaps2006",
        "joulemark reproduce kaps2006 --hardware --liberty sg13g2_stdcell_typ_1p20V_25C.lib",
        "joulemark reproduce kaps2006 --hardware --open-cpus --liberty typical.lib",
    ),
)
