# SPDX-License-Identifier: Apache-2.0
"""michail2005 from end to end: options, points of the core flow, verdicts, page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.hardware.flow.place import EFFORT_CPU_S
from joulemark.report import JsonObject
from joulemark.studies.equipment import EXIT_CODES, LIBERTY_OPTION, CoreEquipment
from joulemark.studies.michail2005.claims import BOUNDS, answers, carried_words, voltage_exponent
from joulemark.studies.michail2005.measurement import MichailFindings, find, ratio
from joulemark.studies.michail2005.page import charts, tables
from joulemark.studies.michail2005.paper import Michail2005, michail2005
from joulemark.studies.study import PaperStudy, StudyPage, done_words

_LAYOUT: Final = (
    "Figures in cells are of one mapping, without the clock and reset trees that core report "
    "models, since the paper's have none, and without placement: wires count 5 fF for each input "
    "that they reach."
)


# Halves of CPU times on an EPYC, family 25, model 1 (Nov 2026), since two CPUs share the work.

_CELLS_S: Final = 550.0
"""In generic gates; not measured to the end: two SHA-256 cores took 254 s of CPU time each until
they were stopped, in the compilation of their netlists by Verilator."""
_LIBRARY_S: Final = 525.0
"""1050 s of CPU time, of which each SHA-256 core takes about 250 s."""
_CORNER_S: Final = 125.0
"""Time of a core at another corner."""
_HMAC_S: Final = 380.0
"""Not measured: 130 s of CPU time of a SHA-256 core without power, times its 2.9 times as many
cells, for two cores."""
_STAGES_S: Final = 180.0
"""Not measured: the 130 s times eleven stages for four."""
_HASHES_S: Final = 900.0
"""252 s of CPU time for the cores of SHA-1, 322 and 449 s for the conventional and the proposed
core of SHA-512, and as much for the two between them, which were not measured."""
_FPGA_S: Final = 4 * EFFORT_CPU_S / 2
"""The most that placing may take, with one seed."""


@dataclass(frozen=True, slots=True)
class _Options:
    """Cells, corners, and whether the FPGA is wanted."""

    liberty: Annotated[Path | None, LIBERTY_OPTION] = None
    corner: Annotated[
        list[Path] | None,
        typer.Option(
            "--corner",
            metavar="FILE",
            help="The same library at another corner, to test the argument about voltage; may be "
            "given several times.",
            show_default=False,
        ),
    ] = None
    hmac: Annotated[
        bool,
        typer.Option(
            "--hmac",
            help="Map both HMAC cores too, for their area and throughput: about "
            f"{_HMAC_S / 60:.0f} min more with a library.",
        ),
    ] = False
    fpga: Annotated[
        bool,
        typer.Option(
            "--fpga/--no-fpga",
            help="Whether to place and route the cores on an ECP5 too: up to half an hour of CPU "
            "time for each of four cores and each seed.",
        ),
    ] = False
    stages: Annotated[
        bool,
        typer.Option(
            "--stages",
            help="Map the proposed core with 1, 2 and 8 stages too, for the claim that four are "
            f"best: about {_STAGES_S / 60:.0f} min more with a library.",
        ),
    ] = False
    other_hashes: Annotated[
        bool,
        typer.Option(
            "--other-hashes",
            help="Build the method on SHA-1 and SHA-512 too, to see whether its gain carries over: "
            f"about {_HASHES_S / 60:.0f} min more with a library.",
        ),
    ] = False
    seeds: Annotated[
        int,
        typer.Option(
            "--seeds",
            metavar="N",
            help="Seeds of the placer on the FPGA; the clock is their median.",
        ),
    ] = 1


def _seconds(options: _Options) -> float:
    fpga_s = _FPGA_S * options.seeds * (2 if options.other_hashes else 1) if options.fpga else 0.0
    cells_s = _CELLS_S if options.liberty is None else _LIBRARY_S
    corners_s = _CORNER_S * len(options.corner or ()) if options.liberty is not None else 0.0
    more = ((options.hmac, _HMAC_S), (options.stages, _STAGES_S), (options.other_hashes, _HASHES_S))
    return fpga_s + cells_s + corners_s + sum(seconds for wanted, seconds in more if wanted)


def _measure(_paper: Michail2005, options: _Options, equipment: CoreEquipment) -> MichailFindings:
    flow = equipment.flow(options.seeds)
    return find(
        flow,
        options.liberty,
        corners=tuple(options.corner or ()),
        hmac=options.hmac,
        fpga=options.fpga,
        stages=options.stages,
        other_hashes=options.other_hashes,
    )


def _page(paper: Michail2005, findings: MichailFindings) -> StudyPage:
    return StudyPage(
        done=_done(findings),
        summary=_summary(paper, findings),
        notes=_notes(paper, findings),
        tables=tables(paper, findings),
        charts=charts(findings),
        data=_data(paper, findings),
        missing=findings.missing,
    )


def _done(findings: MichailFindings) -> str:
    """What was built here and what was not."""
    parts: dict[str, object] = {
        "SHA-256 cores in cells": findings.sha256,
        "HMAC cores in cells": any(core.area_ge for core in findings.hmac.values()),
        "both on an FPGA": findings.sha256_fpga and findings.hmac_fpga,
        "the power of SHA-256": findings.full_clock,
    }
    if findings.hashes:
        parts["the method on SHA-1 and SHA-512"] = all(findings.hashes.values())
    built = [name for name, figures in parts.items() if figures]
    absent = [name for name, figures in parts.items() if not figures]
    return done_words(built, absent, verb="built")


def _summary(paper: Michail2005, findings: MichailFindings) -> str:
    printed = (
        f"The paper reports {100 * paper.printed_gain('sha256'):.0f} % more throughput for SHA-256 "
        f"and {100 * paper.printed_gain('hmac'):.0f} % for HMAC, at 9.5 and 11.5 % more area."
    )
    gain = ratio(findings.sha256, "throughput_bit_per_s")
    area = ratio(findings.sha256, "area_ge")
    alone = ratio(findings.sha256, "throughput_bit_per_s", "merged")
    if gain is None or area is None or alone is None:
        here = "There is no throughput in cells here: give --liberty FILE."
    else:
        here = (
            f"Here merging with precomputation gives {100 * (gain - 1):.0f} % more for "
            f"{100 * (area - 1):.0f} % more area, merging alone {100 * (alone - 1):.0f} % "
            "(modelled, SHA-256 in cells)."
        )
    return " ".join(filter(None, (printed, here, carried_words(findings))))


def _notes(paper: Michail2005, findings: MichailFindings) -> list[str]:
    device = (
        f"The paper's device, {paper.experiment.device}, has no open tools; ratios between two "
        "cores of one flow can be compared, megahertz cannot."
    )
    corners = [figures.corner for figures in findings.sha256.values() if figures.corner is not None]
    main = [f"Main corner: {corner}." for corner in corners[:1]]
    return [device, f"Tags: {paper.experiment.tags_interpretation}.", _LAYOUT, *main]


def _data(paper: Michail2005, findings: MichailFindings) -> JsonObject:
    parts = ("sha256", "hmac", "sha256_fpga", "hmac_fpga", "full_clock")
    return {
        "published": paper.model_dump(mode="json", exclude={"claims"}),
        **{
            part: {
                design: figures.model_dump(mode="json")
                for design, figures in getattr(findings, part).items()
            }
            for part in parts
        },
        **{
            part: {
                name: {design: core.model_dump(mode="json") for design, core in figures.items()}
                for name, figures in getattr(findings, part).items()
            }
            for part in ("hashes", "hashes_fpga")
        },
        "carried": carried_words(findings),
        "stages": {
            str(stages): figures.model_dump(mode="json")
            for stages, figures in sorted(findings.stages.items())
        },
        "corners": [corner.model_dump(mode="json") for corner in findings.corners],
        "voltage_exponent": voltage_exponent(findings.corners),
    }


STUDY: Final = PaperStudy(
    paper=michail2005,
    options=_Options,
    equipment="cores",
    measure=_measure,
    judge=answers,
    page=_page,
    seconds=_seconds,
    bounds=BOUNDS,
    exit_codes=EXIT_CODES,
    examples=(
        "joulemark reproduce michail2005 --liberty typical.lib",
        "joulemark reproduce michail2005 --liberty typical.lib --other-hashes",
        "joulemark reproduce michail2005 --liberty typical.lib --corner slow.lib",
    ),
)
