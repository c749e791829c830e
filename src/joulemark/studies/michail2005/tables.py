# SPDX-License-Identifier: Apache-2.0
"""The tables of michail2005: its two tables beside ours, and the gain of each idea."""

from __future__ import annotations

from joulemark.report.figures import core_figure_text
from joulemark.studies.core_figures import CoreFigures
from joulemark.studies.michail2005.findings import DESIGNS, Findings
from joulemark.studies.michail2005.paper import Michail2005
from joulemark.studies.outcome import Table

__all__ = ["tables"]

_NONE = "-"


def tables(paper: Michail2005, findings: Findings) -> list[Table]:
    """Returns every table; "-" stands for a missing figure, whose reason is in the study's data."""
    return [
        _throughput(paper, "sha256", "Table 1, SHA-256", findings.sha256, findings.sha256_fpga),
        _throughput(paper, "hmac", "Table 2, HMAC", findings.hmac, findings.hmac_fpga),
        _ideas(findings),
        *([_power(findings)] if findings.full_clock else []),
    ]


def _megahertz(value: float | None) -> str:
    return _NONE if value is None else f"{value / 1e6:.1f} MHz"


def _rate(value: float | None) -> str:
    return _NONE if value is None else f"{value / 1e6:.0f} Mbit/s"


def _area(value: float | None) -> str:
    return _NONE if value is None else f"{value:.0f} GE"


def _throughput(
    paper: Michail2005, name: str, title: str, asic: dict[str, CoreFigures],
    fpga: dict[str, CoreFigures],
) -> Table:  # fmt: skip
    rows = []
    for design in ("conventional", "proposed"):
        printed = paper.core(name, design)
        rows.append(
            [design, f"published, {paper.experiment.device}", _megahertz(printed.frequency_hz),
             str(paper.clocks(design)), _rate(printed.throughput_bit_per_s), _NONE]
        )  # fmt: skip
        for target, figures in (("modelled, ECP5-85k", fpga), ("modelled, cells", asic)):
            core = figures.get(design)
            if core is None:
                continue
            area = _area(core.area_ge) if core.luts is None else f"{core.luts:.0f} LUTs"
            clocks = _NONE if core.clocks_per_block is None else f"{core.clocks_per_block:g}"
            rows.append(
                [design, target, _megahertz(core.fmax_hz), clocks,
                 _rate(core.throughput_bit_per_s), area]
            )  # fmt: skip
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
        core = findings.sha256.get(design)
        if core is not None:
            rows.append(
                [design, core_figure_text("critical_path_s", core.critical_path_s),
                 _rate(core.throughput_bit_per_s), _times(core.throughput_bit_per_s, base_rate),
                 _area(core.area_ge), _times(core.area_ge, base_area)]
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
    rows = [
        _power_row(f"{design}, its full clock", figures)
        for design, figures in findings.full_clock.items()
    ]
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
