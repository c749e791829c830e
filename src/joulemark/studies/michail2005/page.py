# SPDX-License-Identifier: Apache-2.0
"""The tables and charts of michail2005: its own tables beside ours, and the gain of each idea."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from joulemark.report import NONE, Chart, Table, text_table
from joulemark.report.drawing import channel, chart_part, mark, palette_colour
from joulemark.report.words import core_figure_text
from joulemark.studies.michail2005.measurement import DESIGNS, MichailFindings, block_bits, ratio
from joulemark.studies.michail2005.paper import Michail2005
from joulemark.studies.papers import CoreFigures
from joulemark.studies.study import beside

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
        *([_hashes(findings)] if findings.hashes else []),
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
            source = "simulated, not mapped" if area == NONE else target
            clocks = NONE if core.clocks_per_block is None else f"{core.clocks_per_block:g}"
            rows.append(
                [
                    design,
                    source,
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


def _hashes(findings: MichailFindings) -> Table:
    rows = []
    for target, area, parts in (
        ("cells", "area_ge", findings.hashes),
        ("ECP5-85k", "luts", findings.hashes_fpga),
    ):
        unit = "GE" if area == "area_ge" else "LUTs"
        for name, figures in parts.items():
            for design, core in figures.items():
                clocks, size = core.clocks_per_block, getattr(core, area)
                rate = core.throughput_bit_per_s
                rows.append(
                    [
                        f"{name}, {design}",
                        target,
                        NONE if clocks is None else f"{clocks:g}",
                        _megahertz(core.fmax_hz),
                        _rate(None if rate is None else rate * block_bits(name) / 512),
                        _text(ratio(figures, "throughput_bit_per_s", design)),
                        NONE if size is None else f"{size:.0f} {unit}",
                        _text(ratio(figures, area, design)),
                    ]
                )
    return text_table(
        title="What each idea is worth on SHA-1, SHA-256 and SHA-512",
        caption="Modelled, but for the clocks between blocks, which are simulated. Four stages; "
        "in cells speed mapping, 5 fF of wire for each input. The paper prints no table of SHA-1; "
        "its section 5 says about 40 % more throughput than any earlier core, for 7.5 % more area.",
        headings=[
            "hash, design",
            "target",
            "clocks",
            "frequency",
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
    return _text(None if value is None or not base else value / base)


def _text(times: float | None) -> str:
    return NONE if times is None else f"{times:.2f}"


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
