# SPDX-License-Identifier: Apache-2.0
"""michail2005 from end to end: options, points of the core flow, verdicts, page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.report import NONE, Chart, JsonObject, Table, text_table
from joulemark.report.drawing import channel, chart_part, mark, palette_colour
from joulemark.report.words import core_figure_text
from joulemark.studies.equipment import EXIT_CODES, LIBERTY_OPTION, CoreEquipment
from joulemark.studies.michail2005.claims import BOUNDS, answers, voltage_exponent
from joulemark.studies.michail2005.measurement import DESIGNS, MichailFindings, find, ratio
from joulemark.studies.michail2005.paper import Michail2005, michail2005
from joulemark.studies.papers import CoreFigures
from joulemark.studies.study import PaperStudy, StudyPage, beside, done_words

# Charts of the gain of each idea of michail2005; the paper has tables only.

_RATIOS: Final = (("throughput_bit_per_s", "throughput"), ("area_ge", "area"))


def charts(findings: MichailFindings) -> list[Chart]:
    """Returns every chart, or the reason why it cannot be drawn."""
    return [_worth(findings), _energy(findings)]


def _bars(
    findings: MichailFindings,
    name: str,
    title: str,
    caption: str,
    unit: str,
    kinds: list[str],
    data: list[dict[str, str | float]],
) -> Chart:
    if not data:
        reason = "; ".join(findings.missing) or "no cell library was given (--liberty FILE)"
        return Chart(title, caption, None, reason, name)
    bars = {
        "x": channel("design:N", title=None, sort=list(DESIGNS), axis={"labelAngle": 0}),
        "xOffset": channel("kind:N", sort=kinds),
        "y": channel("value:Q", title=unit),
        "color": palette_colour("kind:N", kinds),
    }
    return chart_part(name, title, caption, data, [mark("bar", bars)])


def _worth(findings: MichailFindings) -> Chart:
    title = "Throughput and area by those of the conventional core"
    data: list[dict[str, str | float]] = [
        {"design": design, "kind": kind, "value": value}
        for design in DESIGNS
        for figure, kind in _RATIOS
        if (value := ratio(findings.sha256, figure, design)) is not None
    ]
    caption = (
        "SHA-256 in cells, four stages, speed mapping, 5 fF of wire for each input (modelled)."
    )
    unit, kinds = "times the conventional core", [kind for _, kind in _RATIOS]
    return _bars(findings, "worth_of_each_idea", title, caption, unit, kinds, data)


def _energy(findings: MichailFindings) -> Chart:
    title = "Dynamic energy of a block, with and without glitches"
    caption = (
        "SHA-256 in cells at each design's full clock, all stages busy, random messages (modelled "
        "from simulated toggles)."
    )
    kinds = ["with glitches", "without glitches"]
    data: list[dict[str, str | float]] = [
        {"design": design, "kind": kind, "value": value * 1e9}
        for design, figures in findings.full_clock.items()
        for kind in kinds
        if (value := figures.dynamic_j(glitches=kind == kinds[0])) is not None
    ]
    unit = "nJ per block (modelled)"
    return _bars(findings, "energy_of_a_block", title, caption, unit, kinds, data)


# The tables of michail2005: its two tables beside ours, and the gain of each idea.


def tables(paper: Michail2005, findings: MichailFindings) -> list[Table]:
    """Returns every table; "-" stands for a missing figure, whose reason is in the study's data."""
    return [
        _throughput(paper, "sha256", "Table 1, SHA-256", findings.sha256, findings.sha256_fpga),
        _throughput(paper, "hmac", "Table 2, HMAC", findings.hmac, findings.hmac_fpga),
        _ideas(findings),
        *([_stages(findings)] if findings.stages else []),
        *([_power(findings)] if findings.full_clock else []),
    ]


def _megahertz(value: float | None) -> str:
    return NONE if value is None else f"{value / 1e6:.1f} MHz"


def _rate(value: float | None) -> str:
    return NONE if value is None else f"{value / 1e6:.0f} Mbit/s"


def _area(value: float | None) -> str:
    return NONE if value is None else f"{value:.0f} GE"


def _throughput(
    paper: Michail2005,
    name: str,
    title: str,
    asic: dict[str, CoreFigures],
    fpga: dict[str, CoreFigures],
) -> Table:
    rows = []
    for design in ("conventional", "proposed"):
        printed = paper.core(name, design)
        rows.append(
            [
                design,
                f"published, {paper.experiment.device}",
                _megahertz(printed.frequency_hz),
                str(paper.clocks(design)),
                _rate(printed.throughput_bit_per_s),
                NONE,
            ]
        )
        for target, figures in (("modelled, ECP5-85k", fpga), ("modelled, cells", asic)):
            core = figures.get(design)
            if core is None:
                continue
            area = _area(core.area_ge) if core.luts is None else f"{core.luts:.0f} LUTs"
            clocks = NONE if core.clocks_per_block is None else f"{core.clocks_per_block:g}"
            rows.append(
                [
                    design,
                    target,
                    _megahertz(core.fmax_hz),
                    clocks,
                    _rate(core.throughput_bit_per_s),
                    area,
                ]
            )
    rows += [
        [
            f"others, {other.reference}",
            "published",
            _megahertz(other.frequency_hz),
            NONE,
            _rate(other.throughput_bit_per_s),
            NONE,
        ]
        for other in paper.other_core
        if other.core == name
    ]
    return text_table(
        title=title,
        caption="Four stages; clocks between blocks are simulated. Throughput is bits times "
        "frequency by clocks (equation 1). ASIC clocks are those of the critical path with 5 fF "
        f"of wire for each input.{_placers(fpga)}",
        headings=["design", "source", "frequency", "clocks", "throughput", "area"],
        rows=rows,
    )


def _placers(fpga: dict[str, CoreFigures]) -> str:
    names = dict.fromkeys(str(figures.point.placer) for figures in fpga.values())
    return f" On the ECP5 nextpnr's placer is {' and '.join(names)}." if names else ""


def _ideas(findings: MichailFindings) -> Table:
    base = findings.sha256.get("conventional")
    base_rate = None if base is None else base.throughput_bit_per_s
    base_area = None if base is None else base.area_ge
    rows = []
    for design in DESIGNS:
        core = findings.sha256.get(design)
        if core is not None:
            rows.append(
                [
                    design,
                    core_figure_text("critical_path_s", core.critical_path_s),
                    _rate(core.throughput_bit_per_s),
                    _times(core.throughput_bit_per_s, base_rate),
                    _area(core.area_ge),
                    _times(core.area_ge, base_area),
                ]
            )
    return text_table(
        title="What each idea is worth, SHA-256 in cells",
        caption="Modelled: speed mapping, 5 fF of wire for each input. Neither idea, merging two "
        "rounds alone, precomputation alone, both.",
        headings=[
            "design",
            "critical path",
            "throughput",
            "by conventional",
            "area",
            "by conventional",
        ],
        rows=rows,
    )


def _stages(findings: MichailFindings) -> Table:
    single = findings.stages.get(1)
    base = None if single is None else single.throughput_bit_per_s

    def per_area(core: CoreFigures) -> str:
        rate, area = core.throughput_bit_per_s, core.area_ge
        return NONE if rate is None or not area else f"{rate / area / 1e3:.1f} kbit/s a GE"

    return text_table(
        title="Stages of the proposed SHA-256 core, in cells",
        caption="Modelled: speed mapping, 5 fF of wire for each input. The paper calls four the "
        "best compromise.",
        headings=["stages", "throughput", "by one stage", "area", "throughput by area"],
        rows=[
            [
                str(stages),
                _rate(core.throughput_bit_per_s),
                _times(core.throughput_bit_per_s, base),
                _area(core.area_ge),
                per_area(core),
            ]
            for stages, core in sorted(findings.stages.items())
        ],
    )


def _times(value: float | None, base: float | None) -> str:
    return NONE if value is None or not base else f"{value / base:.2f}"


def _power(findings: MichailFindings) -> Table:
    runs = [(f"{design}, its full clock", run) for design, run in findings.full_clock.items()]
    for corner in findings.corners:
        volts = "" if corner.voltage_v is None else f", {corner.voltage_v:g} V"
        runs.append((f"proposed, half the conventional clock{volts}", corner))

    def figure(field: str) -> Callable[[tuple[str, CoreFigures]], str]:
        return lambda run: core_figure_text(field, getattr(run[1], field))

    return beside(
        "Power of the SHA-256 cores",
        "Modelled from simulated toggles of a gate-level run on random messages, all "
        "stages busy, glitches and 5 fF of wire for each input included.",
        runs,
        {
            "run": lambda run: run[0],
            "clock": lambda run: _megahertz(run[1].point.clock_hz),
            "leakage": figure("leakage_w"),
            "dynamic": figure("dynamic_w"),
            "without glitches": figure("dynamic_no_glitch_w"),
            "energy of a block": figure("energy_per_block_j"),
        },
    )


_LAYOUT: Final = (
    "Figures in cells are of one mapping, without the clock and reset trees that core report "
    "models, since the paper's have none, and without placement: wires count 5 fF for each input "
    "that they reach."
)


_FPGA_S: Final = 180.0
_CELLS_S: Final = 60.0
_LIBRARY_S: Final = 300.0
_STAGES_S: Final = 1000.0
_POWER_S: Final = 60.0
"""Time of a core's power at one corner."""


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
    stages: Annotated[
        bool,
        typer.Option(
            "--stages",
            help="Map the proposed core with 1, 2 and 8 stages too, for the claim that four are "
            "best; takes longer than the rest.",
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
    fpga_s = _FPGA_S * options.seeds if options.fpga else 0.0
    cells_s = _CELLS_S if options.liberty is None else _LIBRARY_S
    corners_s = _POWER_S * len(options.corner or ()) if options.liberty is not None else 0.0
    stages_s = _STAGES_S if options.stages else 0.0
    return fpga_s + cells_s + corners_s + stages_s


def _measure(_paper: Michail2005, options: _Options, equipment: CoreEquipment) -> MichailFindings:
    flow = equipment.flow(options.seeds)
    return find(
        flow,
        options.liberty,
        corners=tuple(options.corner or ()),
        fpga=options.fpga,
        stages=options.stages,
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
    parts = {
        "SHA-256 and HMAC cores in cells": findings.sha256 and findings.hmac,
        "both on an FPGA": findings.sha256_fpga and findings.hmac_fpga,
        "their power": findings.full_clock,
    }
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
        return f"{printed} There is no throughput in cells here: give --liberty FILE."
    return (
        f"{printed} Here merging with precomputation gives {100 * (gain - 1):.0f} % more for "
        f"{100 * (area - 1):.0f} % more area, merging alone {100 * (alone - 1):.0f} % (modelled, "
        "SHA-256 in cells)."
    )


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
        "joulemark reproduce michail2005 --no-fpga",
        "joulemark reproduce michail2005 --liberty typical.lib --corner slow.lib",
    ),
)
