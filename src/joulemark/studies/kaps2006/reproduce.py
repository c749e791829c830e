# SPDX-License-Identifier: Apache-2.0
"""kaps2006 from end to end: both cores through the flow, then the packet, verdicts, one outcome."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any, Final

from joulemark import __version__
from joulemark.catalogue.bibliography import bibliography
from joulemark.studies.core_figures import CoreFigures, CorePoint, CoreReporter
from joulemark.studies.kaps2006.charts import packet_charts
from joulemark.studies.kaps2006.claims import PAYLOADS_BYTES, Cores, judge
from joulemark.studies.kaps2006.packets import crossover_bytes, packet_energies
from joulemark.studies.kaps2006.paper import Kaps2006, kaps2006
from joulemark.studies.kaps2006.tables import tables
from joulemark.studies.outcome import StudyOutcome

__all__ = ["CORES", "reproduce"]

STUDY: Final = "kaps2006"
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
) -> StudyOutcome:
    """Both cores at the paper's clock, then the energy of its packets.

    Args:
        reporter: the core flow; None leaves the cores out, the packet then rests on the paper.
        liberty: cell library; without it there are clocks, and no area, timing or power.
        machine: what the figures were computed on, for the record.
    """
    paper = kaps2006()
    missing: list[str] = []
    found = _figures(paper, reporter, liberty, missing)
    reason = _NO_HARDWARE if reporter is None else "; ".join(missing)
    asked = reporter is not None
    cores = Cores(found["sha1"], found["aes"], reason, asked)
    ours = Cores(found["our sha1"], found["our aes"], reason, asked)
    return StudyOutcome(
        study=STUDY,
        title=paper.title,
        reference=bibliography()[paper.references[0]].cited(),
        reference_url=str(bibliography()[paper.references[0]].url),
        started_at=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        joulemark_version=__version__,
        machine=machine,
        summary=_summary(cores, ours),
        notes=_notes(paper, cores),
        claims=judge(paper, cores),
        tables=tables(paper, cores, ours),
        charts=packet_charts(paper, cores, ours),
        data=_data(paper, found),
        missing=missing,
    )


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


def _energy_words(cores: Cores) -> str | None:
    if cores.sha1 is None or cores.aes is None:
        return None
    sha1, aes = cores.sha1.energy_per_block_j, cores.aes.energy_per_block_j
    if sha1 is None or aes is None:
        return None
    return f"{sha1 * 1e9:.2f} nJ a block of SHA-1 and {aes * 1e9:.2f} nJ a block of AES"


def _summary(cores: Cores, ours: Cores) -> str:
    paper = "The paper prints 21.65 nJ a block of SHA-1 and 25.45 nJ a block of AES."
    built, better = _energy_words(cores), _energy_words(ours)
    if built is None:
        why = cores.reason or "no cell library was given"
        return f"{paper} Claims are judged by its own figures: {why}."
    text = f"{paper} Its two designs, built from its text, take {built} in the library given"
    return f"{text}; our own cores for the same clock take {better}." if better else f"{text}."


def _notes(paper: Kaps2006, cores: Cores) -> list[str]:
    process = (
        f"The paper's process: {paper.experiment.process}; its library and its netlists were not "
        "published. A ratio between two cores of one flow can be compared, a watt cannot."
    )
    notes = [
        process,
        f"SHA-1's padding: {paper.packet.padding_interpretation}.",
        _LAYOUT,
    ]
    notes.extend(
        f"{core.point.core}: {core.corner}."
        for core in (cores.sha1, cores.aes)
        if core is not None and core.corner is not None
    )
    return notes


def _data(paper: Kaps2006, found: dict[str, CoreFigures | None]) -> dict[str, Any]:
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
