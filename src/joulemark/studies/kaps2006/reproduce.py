# SPDX-License-Identifier: Apache-2.0
"""kaps2006 from end to end: both cores through the flow, then the packet, verdicts, one outcome."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from joulemark.studies.core_figures import (
    CoreFigures,
    CorePoint,
    CoreReporter,
    MemoryFigures,
    MemoryPoint,
    MemoryReporter,
)
from joulemark.studies.kaps2006.charts import packet_charts
from joulemark.studies.kaps2006.claims import PAYLOADS_BYTES, answers
from joulemark.studies.kaps2006.conclusion import conclusion_words
from joulemark.studies.kaps2006.cores import Cores
from joulemark.studies.kaps2006.packets import crossover_bytes, packet_energies
from joulemark.studies.kaps2006.paper import Kaps2006, kaps2006
from joulemark.studies.kaps2006.tables import tables
from joulemark.studies.outcome import StudyOutcome
from joulemark.studies.study import Page, outcome_of
from joulemark.units import format_joules

__all__ = ["CORES", "reproduce"]

CORES: Final = {
    "sha1": ("sha1_serial", "kaps2006"),
    "aes": ("aes128_serial", "default"),
}
"""The paper's cores: folder in hdl/ and configuration."""
OURS: Final = {
    "sha1": ("sha1_latch", "default"),
    "aes": ("aes128_latch", "default"),
}
"""What we would build for the same purpose."""
_LAYOUT: Final = (
    "Our figures are medians over seeded mappings, without the clock and reset trees that core "
    "report models, since the paper's have none, and without placement: wires are the library's "
    "wire-load model."
)
_NO_HARDWARE: Final = "the cores were not asked for; give --hardware, and --liberty FILE for power"


def reproduce(
    reporter: CoreReporter | None,
    liberty: Path | None,
    *,
    machine: str,
    memory: MemoryReporter | None = None,
) -> StudyOutcome:
    """Both cores at the paper's clock, then the energy of its packets.

    Args:
        reporter: the core flow; None leaves the cores out, the packet then rests on the paper.
        liberty: cell library; without it there are clocks and area in generic gates, and no timing
            or power.
        machine: what the figures were computed on, for the record.
        memory: says what the memory takes that SHA-1's design leaves outside; None leaves it out.
    """
    paper = kaps2006()
    missing: list[str] = []
    found = _figures(paper, reporter, liberty, missing)
    reason = _NO_HARDWARE if reporter is None else "; ".join(missing)
    asked = reporter is not None
    cores = Cores(found["sha1"], found["aes"], reason, asked)
    ours = Cores(found["our sha1"], found["our aes"], reason, asked)
    outside = _outside(paper, liberty if reporter else None, memory)
    counted = outside if isinstance(outside, MemoryFigures) else None
    page = Page(
        summary=_summary(paper, cores, ours, counted),
        notes=_notes(paper, cores, ours, outside),
        tables=tables(paper, cores, ours, counted),
        charts=packet_charts(paper, cores, ours),
        data=_data(paper, found, counted),
        missing=missing,
    )
    return outcome_of(paper, answers(paper, cores, ours, counted), page, machine=machine)


def _figures(
    paper: Kaps2006, reporter: CoreReporter | None, liberty: Path | None, missing: list[str]
) -> dict[str, CoreFigures | None]:
    """Every core of `CORES` and `OURS`, the latter under "our ..."."""
    places = {**CORES, **{f"our {name}": place for name, place in OURS.items()}}
    if reporter is None:
        return dict.fromkeys(places)
    points = [
        CorePoint(
            core=core, configuration=configuration, target="asic", liberty=liberty,
            clock_hz=paper.experiment.clock_hz,
        )
        for core, configuration in places.values()
    ]  # fmt: skip
    found: dict[str, CoreFigures | None] = {}
    for name, point, answer in zip(places, points, reporter(points), strict=True):
        if isinstance(answer, str):
            missing.append(f"{point.core}: {answer}")
        found[name] = None if isinstance(answer, str) else answer
    return found


def _outside(
    paper: Kaps2006, liberty: Path | None, memory: MemoryReporter | None
) -> MemoryFigures | str:
    """Figures of the memory that holds SHA-1's block, or why there are none."""
    if liberty is None or memory is None:
        return "give --liberty FILE"
    asked = paper.block_memory
    return memory(
        MemoryPoint(
            liberty=liberty, words=asked.words, word_bits=asked.word_bits, reads=asked.reads,
            writes=asked.writes, reads_needed=asked.reads_needed,
            writes_needed=asked.writes_needed, clocks=paper.core("sha1").clocks,
            clock_hz=paper.experiment.clock_hz,
        )
    )  # fmt: skip


def _energy_words(energies: tuple[float, float]) -> str:
    aes, sha1 = energies
    return f"{sha1 * 1e9:.2f} nJ a block of SHA-1 and {aes * 1e9:.2f} nJ a block of AES"


def _summary(paper: Kaps2006, cores: Cores, ours: Cores, memory: MemoryFigures | None) -> str:
    clock = paper.experiment.clock_hz
    printed = (paper.core("aes").block_j(clock), paper.core("sha1").block_j(clock))
    text = f"The paper prints {_energy_words(printed)}."
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
    return f"{text} Our own cores for the same clock take {_energy_words(better)}. " + (
        conclusion_words(paper, ours) or ""
    )


def _memory_words(memory: MemoryFigures | None) -> str:
    if memory is None:
        return ""
    return (
        f", without the memory outside that holds SHA-1's block, which takes about "
        f"{format_joules(memory.energy_j)} more if made of latches"
    )


def _notes(paper: Kaps2006, cores: Cores, ours: Cores, outside: MemoryFigures | str) -> list[str]:
    process = (
        f"The paper's process: {paper.experiment.process}; its library and its netlists were not "
        "published. A ratio between two cores of one flow can be compared, a watt cannot."
    )
    notes = [
        process,
        f"SHA-1's padding: {paper.packet.padding_interpretation}.",
        _LAYOUT,
    ]
    if cores.asked:
        notes.append(_memory_note(paper, outside))
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
    asked = paper.block_memory
    accesses = asked.reads + asked.writes
    if isinstance(outside, str):
        return (
            f"SHA-1's figures leave out the memory that holds its block, {accesses} accesses a "
            f"block: {outside}."
        )
    cells = ", ".join(f"{count} {name}" for name, count in outside.cells.items())
    return (
        f"SHA-1's design leaves its block in a memory outside ({asked.words} words of "
        f"{asked.word_bits} bits, {accesses} accesses a block: {asked.interpretation}). One of "
        f"latches takes {outside.area_ge:.0f} GE and {format_joules(outside.energy_j)} a block by "
        f"the library's cells ({cells}) if half of the bits change at each access; "
        f"{format_joules(outside.least_j)} if none does and only what is needed is accessed, "
        f"{format_joules(outside.most_j)} if all do. It is in the rows that say so, and in no "
        "other."
    )


def _data(
    paper: Kaps2006, found: dict[str, CoreFigures | None], memory: MemoryFigures | None
) -> dict[str, Any]:
    crossings = {}
    for key, sha1, aes in (("paper's designs", "sha1", "aes"), ("ours", "our sha1", "our aes")):
        pair = (found[sha1], found[aes])
        crossings[key] = _crossover(paper, *pair)
    return {
        "published": paper.model_dump(mode="json", exclude={"claims"}),
        "cores": {
            name: None if one is None else one.model_dump(mode="json")
            for name, one in found.items()
        },
        "block_memory": None if memory is None else memory.model_dump(mode="json"),
        "crossover_bytes": crossings,
    }


def _crossover(paper: Kaps2006, sha1: CoreFigures | None, aes: CoreFigures | None) -> int | None:
    if sha1 is None or aes is None:
        return None
    if sha1.energy_per_block_j is None or aes.energy_per_block_j is None:
        return None
    return crossover_bytes(
        packet_energies(
            paper.packet, "both", PAYLOADS_BYTES, aes.energy_per_block_j, sha1.energy_per_block_j,
            exact=True,
        )
    )  # fmt: skip
