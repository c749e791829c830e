# SPDX-License-Identifier: Apache-2.0
"""michail2005 from end to end: options, points of the core flow, verdicts, page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from joulemark.studies.core_equipment import EXIT_CODES, LIBERTY_OPTION, CoreEquipment
from joulemark.studies.michail2005.charts import charts
from joulemark.studies.michail2005.claims import answers, voltage_exponent
from joulemark.studies.michail2005.findings import Findings, find, ratio
from joulemark.studies.michail2005.paper import Michail2005, michail2005
from joulemark.studies.michail2005.tables import tables
from joulemark.studies.study import Page, Study, done_words

__all__ = ["STUDY"]

_LAYOUT: Final = (
    "Figures in cells are of one mapping, without the clock and reset trees that core report "
    "models, since the paper's have none, and without placement: wires count 5 fF for each input "
    "that they reach."
)


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
    fpga: Annotated[
        bool, typer.Option("--fpga/--no-fpga", help="Whether to place and route on an ECP5 too.")
    ] = True
    seeds: Annotated[
        int,
        typer.Option(
            "--seeds",
            metavar="N",
            help="Seeds of the placer on the FPGA; the clock is their median.",
        ),
    ] = 1


def _measure(_paper: Michail2005, options: _Options, equipment: CoreEquipment) -> Findings:
    flow = equipment.flow(options.seeds)
    return find(flow, options.liberty, corners=tuple(options.corner or ()), fpga=options.fpga)


def _page(paper: Michail2005, findings: Findings) -> Page:
    return Page(
        done=_done(findings),
        summary=_summary(paper, findings),
        notes=_notes(paper, findings),
        tables=tables(paper, findings),
        charts=charts(findings),
        data=_data(paper, findings),
        missing=findings.missing,
    )


def _done(findings: Findings) -> str:
    """What was built here and what was not."""
    parts = {
        "SHA-256 and HMAC cores in cells": findings.sha256 and findings.hmac,
        "both on an FPGA": findings.sha256_fpga and findings.hmac_fpga,
        "their power": findings.full_clock,
    }
    built = [name for name, figures in parts.items() if figures]
    absent = [name for name, figures in parts.items() if not figures]
    return done_words(built, absent, verb="built")


def _summary(paper: Michail2005, findings: Findings) -> str:
    printed = (
        f"The paper reports {100 * paper.printed_gain('sha256'):.0f} % more throughput for SHA-256 "
        f"and {100 * paper.printed_gain('hmac'):.0f} % for HMAC, at 9.5 and 11.5 % more area."
    )
    gain = ratio(findings.sha256, "throughput_bit_per_s")
    area = ratio(findings.sha256, "area_ge")
    alone = ratio(findings.sha256, "throughput_bit_per_s", "merged")
    if gain is None or area is None or alone is None:
        return f"{printed} There is no throughput in cells here: give --liberty FILE."
    return (
        f"{printed} Here merging with precomputation gives {100 * (gain - 1):.0f} % more for "
        f"{100 * (area - 1):.0f} % more area, merging alone {100 * (alone - 1):.0f} % (modelled, "
        "SHA-256 in cells)."
    )


def _notes(paper: Michail2005, findings: Findings) -> list[str]:
    device = (
        f"The paper's device, {paper.experiment.device}, has no open tools; ratios between two "
        "cores of one flow can be compared, megahertz cannot."
    )
    corners = [figures.corner for figures in findings.sha256.values() if figures.corner is not None]
    main = [f"Main corner: {corner}." for corner in corners[:1]]
    return [device, f"Tags: {paper.experiment.tags_interpretation}.", _LAYOUT, *main]


def _data(paper: Michail2005, findings: Findings) -> dict[str, Any]:
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
        "corners": [corner.model_dump(mode="json") for corner in findings.corners],
        "voltage_exponent": voltage_exponent(findings.corners),
    }


STUDY: Final = Study(
    paper=michail2005,
    options=_Options,
    equipment="cores",
    measure=_measure,
    judge=answers,
    page=_page,
    exit_codes=EXIT_CODES,
    examples=(
        "joulemark reproduce michail2005 --no-fpga",
        "joulemark reproduce michail2005 --liberty typical.lib --corner slow.lib",
    ),
)
