# SPDX-License-Identifier: Apache-2.0
"""The tables of michail2005: its two tables beside ours, and what each idea is worth."""

from __future__ import annotations

from joulemark.report.figures import core_figure_text
from joulemark.studies.core_figures import CoreFigures
from joulemark.studies.michail2005.findings import DESIGNS, Findings
from joulemark.studies.michail2005.paper import Michail2005
from joulemark.studies.outcome import Table

__all__ = ["tables"]

_NONE = "-"


def tables(paper: Michail2005, findings: Findings) -> list[Table]:
    """Every table; "-" where there is no figure, with the reason in the study's data."""
    made = [
        _throughput(paper, "sha256", "Table 1, SHA-256", findings.sha256, findings.sha256_fpga),
        _throughput(paper, "hmac", "Table 2, HMAC", findings.hmac, findings.hmac_fpga),
        _ideas(findings),
    ]
    if findings.full_clock:
        made.append(_power(findings))
    return made


def _megahertz(value: float | None) -> str:
    return _NONE if value is None else f"{value / 1e6:.1f} MHz"


def _rate(value: float | None) -> str:
    return _NONE if value is None else f"{value / 1e6:.0f} Mbit/s"


def _throughput(
    paper: Michail2005, core: str, title: str, asic: dict[str, CoreFigures],
    fpga: dict[str, CoreFigures],
) -> Table:  # fmt: skip
    rows = []
    for design in ("conventional", "proposed"):
        printed = paper.core(core, design)
        rows.append(
            [design, f"published, {paper.experiment.device}", _megahertz(printed.frequency_hz),
             str(paper.clocks(design)), _rate(printed.throughput_bit_per_s), _NONE]
        )  # fmt: skip
        for target, figures in (("modelled, ECP5-85k", fpga), ("modelled, cells", asic)):
            core_figures = figures.get(design)
            if core_figures is None:
                continue
            area = (
                f"{core_figures.luts:.0f} LUTs"
                if core_figures.luts is not None
                else (
                    f"{core_figures.area_ge:.0f} GE" if core_figures.area_ge is not None else _NONE
                )
            )
            clocks = core_figures.clocks_per_block
            rows.append(
                [
                    design,
                    target,
                    _megahertz(core_figures.fmax_hz),
                    _NONE if clocks is None else f"{clocks:g}",
                    _rate(core_figures.throughput_bit_per_s),
                    area,
                ]
            )
    return Table(
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


def _ideas(findings: Findings) -> Table:
    base = findings.sha256.get("conventional")
    base_rate = None if base is None else base.throughput_bit_per_s
    base_area = None if base is None else base.area_ge
    rows = []
    for design in DESIGNS:
        core_figures = findings.sha256.get(design)
        if core_figures is None:
            continue
        rows.append(
            [design, core_figure_text("critical_path_s", core_figures.critical_path_s),
             _rate(core_figures.throughput_bit_per_s),
             _times(core_figures.throughput_bit_per_s, base_rate),
             _NONE if core_figures.area_ge is None else f"{core_figures.area_ge:.0f} GE",
             _times(core_figures.area_ge, base_area)]
        )  # fmt: skip
    return Table(
        title="What each idea is worth, SHA-256 in cells",
        caption="Modelled: speed mapping, 5 fF of wire for each input. Neither idea, merging two "
        "rounds alone, precomputation alone, both.",
        headings=["design", "critical path", "throughput", "by conventional", "area",
                  "by conventional"],
        rows=rows,
    )  # fmt: skip


def _times(value: float | None, base: float | None) -> str:
    return _NONE if value is None or not base else f"{value / base:.2f}"


def _power(findings: Findings) -> Table:
    rows = []
    for design, figures in findings.full_clock.items():
        rows.append(_power_row(f"{design}, its full clock", figures))
    for corner in findings.corners:
        volts = "" if corner.voltage_v is None else f", {corner.voltage_v:g} V"
        rows.append(_power_row(f"proposed, half the conventional clock{volts}", corner))
    return Table(
        title="Power of the SHA-256 cores",
        caption="Modelled from simulated toggles of a gate-level run on random messages, all "
        "stages busy, glitches and 5 fF of wire for each input included.",
        headings=["run", "clock", "leakage", "dynamic", "without glitches", "energy of a block"],
        rows=rows,
    )


def _power_row(name: str, figures: CoreFigures) -> list[str]:
    shown = ("leakage_w", "dynamic_w", "dynamic_no_glitch_w", "energy_per_block_j")
    texts = (core_figure_text(field, getattr(figures, field)) for field in shown)
    return [name, _megahertz(figures.point.clock_hz), *texts]
