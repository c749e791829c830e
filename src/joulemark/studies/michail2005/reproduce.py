# SPDX-License-Identifier: Apache-2.0
"""michail2005 from end to end: points of the core flow, verdicts, one outcome."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from joulemark.studies.core_figures import CoreFigures, CoreReporter
from joulemark.studies.michail2005.charts import charts
from joulemark.studies.michail2005.claims import answers, voltage_exponent
from joulemark.studies.michail2005.findings import Findings, find, ratio
from joulemark.studies.michail2005.paper import Michail2005, michail2005
from joulemark.studies.michail2005.tables import tables
from joulemark.studies.outcome import StudyOutcome
from joulemark.studies.study import Page, outcome_of

__all__ = ["reproduce"]

_LAYOUT: Final = (
    "Figures in cells are of one mapping, without the clock and reset trees that core report "
    "models, since the paper's have none, and without placement: wires count 5 fF for each input "
    "that they reach."
)


def reproduce(
    reporter: CoreReporter,
    liberty: Path | None,
    *,
    machine: str,
    corners: tuple[Path, ...] = (),
    fpga: bool = True,
) -> StudyOutcome:
    """Every core of the paper and what lies between them, then what it says of each claim.

    Args:
        reporter: the core flow.
        liberty: cell library; without it there is no area in cells and no power.
        machine: what the figures were computed on, for the record.
        corners: the same library at other corners.
        fpga: whether to place and route too.
    """
    paper = michail2005()
    findings = find(reporter, liberty, corners=corners, fpga=fpga)
    page = Page(
        summary=_summary(paper, findings),
        notes=_notes(paper, findings),
        tables=tables(paper, findings),
        charts=charts(findings),
        data=_data(paper, findings),
        missing=findings.missing,
    )
    return outcome_of(paper, answers(paper, findings), page, machine=machine)


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
    notes = [
        device,
        f"Tags: {paper.experiment.tags_interpretation}.",
        _LAYOUT,
    ]
    for one in findings.sha256.values():
        if one.corner is not None:
            notes.append(f"Main corner: {one.corner}.")
            break
    return notes


def _dump(figures: dict[str, CoreFigures]) -> dict[str, Any]:
    return {design: one.model_dump(mode="json") for design, one in figures.items()}


def _data(paper: Michail2005, findings: Findings) -> dict[str, Any]:
    return {
        "published": paper.model_dump(mode="json", exclude={"claims"}),
        "sha256": _dump(findings.sha256),
        "hmac": _dump(findings.hmac),
        "sha256_fpga": _dump(findings.sha256_fpga),
        "hmac_fpga": _dump(findings.hmac_fpga),
        "full_clock": _dump(findings.full_clock),
        "corners": [one.figures.model_dump(mode="json") for one in findings.corners],
        "voltage_exponent": voltage_exponent(findings.corners),
    }
