# SPDX-License-Identifier: Apache-2.0
"""The page of kaps2006: its first sentences, its notes and its figures."""

from __future__ import annotations

from typing import Any, Final

from joulemark.studies.core_figures import CoreFigures, MemoryFigures
from joulemark.studies.kaps2006.charts import packet_charts
from joulemark.studies.kaps2006.claims import PAYLOADS_BYTES
from joulemark.studies.kaps2006.conclusion import conclusion_words
from joulemark.studies.kaps2006.cores import Cores, Found
from joulemark.studies.kaps2006.packets import crossover_bytes, packet_energies
from joulemark.studies.kaps2006.paper import Kaps2006
from joulemark.studies.kaps2006.tables import tables
from joulemark.studies.study import Page
from joulemark.units import format_joules

__all__ = ["page"]

_LAYOUT: Final = (
    "Our figures are medians over seeded mappings, without the clock and reset trees that core "
    "report models, since the paper's have none, and without placement: wires are the library's "
    "wire-load model."
)


def page(paper: Kaps2006, found: Found) -> Page:
    """Everything beside the claims."""
    return Page(
        summary=_summary(paper, found.cores, found.ours, found.memory),
        notes=_notes(paper, found.cores, found.ours, found.outside),
        tables=tables(paper, found),
        charts=packet_charts(paper, found),
        data=_data(paper, found),
        missing=found.missing,
    )


def _energy_words(energies: tuple[float, float]) -> str:
    aes, sha1 = energies
    return f"{sha1 * 1e9:.2f} nJ a block of SHA-1 and {aes * 1e9:.2f} nJ a block of AES"


def _summary(paper: Kaps2006, cores: Cores, ours: Cores, memory: MemoryFigures | None) -> str:
    text = f"The paper prints {_energy_words(paper.block_energies_j)}."
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


def _data(paper: Kaps2006, found: Found) -> dict[str, Any]:
    def dumped(one: CoreFigures | MemoryFigures | None) -> dict[str, Any] | None:
        return None if one is None else one.model_dump(mode="json")

    return {
        "published": paper.model_dump(mode="json", exclude={"claims"}),
        "cores": {
            "sha1": dumped(found.cores.sha1),
            "aes": dumped(found.cores.aes),
            "our sha1": dumped(found.ours.sha1),
            "our aes": dumped(found.ours.aes),
        },
        "block_memory": dumped(found.memory),
        "crossover_bytes": {
            "paper's designs": _crossover(paper, found.cores),
            "ours": _crossover(paper, found.ours),
        },
    }


def _crossover(paper: Kaps2006, cores: Cores) -> int | None:
    blocks = cores.block_energies_j
    if blocks is None:
        return None
    return crossover_bytes(
        packet_energies(paper.packet, "both", PAYLOADS_BYTES, *blocks, exact=True)
    )
