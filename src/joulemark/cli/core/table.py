# SPDX-License-Identifier: Apache-2.0
"""Reports of cores as text: one report down, several side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import typer

from joulemark.cli.shared.terminal import columns, heading
from joulemark.hardware.core.report import CoreReport
from joulemark.units import format_joules, format_seconds, format_si

__all__ = ["notes", "print_comparison", "print_report", "ratios"]

Form = Callable[[Any], str]


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) and abs(value) < 10_000 else f"{value:.0f}"


def _watts(value: Any) -> str:
    return format_si(value, "W")


ROWS: Final[tuple[tuple[str, str, Form], ...]] = (
    ("clocks_per_block", "clocks per block", _number),
    ("latency_clocks", "latency in clocks", _number),
    ("luts", "LUTs", _number),
    ("flip_flops", "flip-flops", _number),
    ("block_rams", "block RAMs", _number),
    ("multipliers", "multipliers", _number),
    ("fmax_mhz", "highest clock, MHz", lambda value: f"{value:.1f}"),
    ("fmax_lowest_mhz", "  lowest of the seeds", lambda value: f"{value:.1f}"),
    ("fmax_highest_mhz", "  highest of the seeds", lambda value: f"{value:.1f}"),
    ("throughput_bit_per_s", "throughput", lambda value: format_si(value, "bit/s")),
    ("bit_per_s_per_lut", "throughput per LUT", lambda value: format_si(value, "bit/s")),
    ("area_um2", "area, square micrometres", _number),
    ("area_ge", "area, NAND2 gates", _number),
    ("area_lowest_ge", "  lowest of the mappings", _number),
    ("area_highest_ge", "  highest of the mappings", _number),
    ("storage_ge", "  storage", _number),
    ("logic_ge", "  logic", _number),
    ("clock_tree_ge", "  clock tree (modelled)", _number),
    ("reset_tree_ge", "  reset tree (modelled)", _number),
    ("area_without_trees_ge", "  without trees", _number),
    ("period_s", "shortest clock period", format_seconds),
    ("period_lowest_s", "  lowest of the mappings", format_seconds),
    ("period_highest_s", "  highest of the mappings", format_seconds),
    ("clock_skew_s", "  skew of the clock tree (modelled)", format_seconds),
    ("period_without_trees_s", "  without trees", format_seconds),
    ("clock_insertion_s", "clock tree, insertion delay (modelled)", format_seconds),
    ("critical_path_s", "critical path", format_seconds),
    ("critical_path_pin_cap_s", "  without wires", format_seconds),
    ("leakage_w", "leakage", _watts),
    ("trees_leakage_w", "  clock and reset trees (modelled)", _watts),
    ("dynamic_w", "dynamic power", _watts),
    ("clock_tree_w", "  clock tree (modelled)", _watts),
    ("dynamic_no_glitch_w", "  without glitches", _watts),
    ("dynamic_pin_cap_w", "  without wires", _watts),
    ("energy_per_block_j", "energy per block", format_joules),
    ("energy_per_block_lowest_j", "  lowest of the mappings", format_joules),
    ("energy_per_block_highest_j", "  highest of the mappings", format_joules),
    ("energy_per_block_without_trees_j", "  without trees", format_joules),
    ("energy_per_byte_j", "energy per byte", format_joules),
    ("energy_per_mac_j", "energy per message", format_joules),
)
"""Figure, what it is called, how it is written."""
_OF_CLOCK: Final = ("fmax_mhz", "period_s", "throughput_bit_per_s")
_NOTED_BITS: Final = 1024
"""Of a memory that is worth a word under the table; smaller ones are registers by any name."""
_RATIOS: Final = ("luts", "area_ge", "fmax_mhz", "throughput_bit_per_s", "energy_per_block_j")


def print_report(report: CoreReport) -> None:
    """One report: figures with their evidence, then why others are missing."""
    name = f", configuration {report.configuration}" if report.configuration else ""
    heading(f"{report.core}: {report.title}{name}")
    columns([(one, str(value)) for one, value in report.parameters.items()])
    typer.echo(f"  {report.target}: {report.device}{_conditions(report.settings)}")
    rows = [
        (title, form(value), ", ".join(_evidence(report, field)))
        for field, title, form in ROWS
        if (value := getattr(report, field)) is not None and not _one_mapping(report, field)
    ]
    columns(rows, right=[1])
    if report.modules:
        heading("By module")
        columns(
            [
                (
                    one.name or "(top)", f"{one.area_ge:.0f} GE", f"{one.storage_ge:.0f} storage",
                    "" if one.leakage_w is None else _watts(one.leakage_w),
                    "" if one.dynamic_w is None else _watts(one.dynamic_w),
                )
                for one in report.modules
            ],
            right=[1, 2, 3, 4],
        )  # fmt: skip
    for note in notes(report):
        typer.echo(f"  {note}")
    reasons: dict[str, list[str]] = {}
    for field, title, _ in ROWS:
        if field in report.absent and not title.startswith(" "):
            reasons.setdefault(report.absent[field], []).append(title.partition(",")[0])
    for reason, titles in reasons.items():
        typer.echo(f"  no {', '.join(titles)}: {reason}")


def _one_mapping(report: CoreReport, field: str) -> bool:
    """Whether the figure is an end of a range over mappings that is none."""
    return report.mappings == 1 and ("lowest" in field or "highest" in field)


def _unchecked(report: CoreReport) -> str | None:
    """Why the clock was not checked, or None."""
    said: str | None = report.settings.get("clocking", {}).get("unchecked")
    return said


def _evidence(report: CoreReport, field: str) -> list[str]:
    word = report.evidence.get(field)
    if word is None:
        return []
    return [word, "unchecked"] if field in _OF_CLOCK and _unchecked(report) else [word]


def notes(report: CoreReport) -> list[str]:
    """What has to be known of the figures of a report wherever they are set beside others."""
    said = [*_placed(report.settings), *_clocking(report)]
    if outside := report.settings.get("outside_memory"):
        said.append(
            f"part of its memory is outside the core and in none of these figures: "
            f"{outside['text']}"
        )
    return said + [
        f"the memory {one['name']}, {one['words']} x {one['word_bits']} bits, is made of "
        "flip-flops here"
        for one in report.settings.get("memories", ())
        if one["words"] * one["word_bits"] >= _NOTED_BITS
    ]


def _clocking(report: CoreReport) -> Iterator[str]:
    """What the figures of a clock in cells do not say by themselves."""
    facts = report.settings.get("clocking", {})
    if why := _unchecked(report):
        yield f"clocks are not checked; the period is the critical path and the skew: {why}"
    slack, skew = facts.get("hold_slack_s"), report.clock_skew_s
    if slack is not None and skew is not None and slack < skew:
        yield (
            f"hold times leave {format_seconds(slack)} at {facts['hold_limit']}, less than the "
            f"modelled skew of {format_seconds(skew)}: layout would add delay cells, which are not "
            "counted"
        )
    without = report.settings.get("recovery_by_setup")
    if without:
        yield (f"the library has no recovery times for {', '.join(without)}: set-up times stand in")
    if "trees" in report.settings and report.settings["trees"]["buffer"] is None:
        yield "no clock and reset trees are modelled: the library has no buffer"


def _placed(settings: Mapping[str, Any]) -> Iterator[str]:
    """What placed the core on an FPGA, and what that means where it was not the first choice."""
    seeds: dict[tuple[str, str], list[str]] = {}
    for seed, placer, router in zip(
        settings.get("seeds", ()), settings.get("placer_by_seed", ()),
        settings.get("router_by_seed", ()), strict=False,
    ):  # fmt: skip
        seeds.setdefault((placer, router), []).append(str(seed))
    for (placer, router), numbers in seeds.items():
        word = "seeds" if len(numbers) > 1 else "seed"
        yield f"{word} {', '.join(numbers)} placed by {placer}, routed by {router}"
    if settings.get("fallback_seeds"):
        yield (
            "the first placer found no way for these seeds in "
            f"{settings['effort_cpu_s'] / 60:g} min of CPU time: "
            f"{', '.join(map(str, settings['fallback_seeds']))}. The report is not kept for "
            "another time; --placer static goes straight to the other placer, and is kept"
        )


def _conditions(settings: Mapping[str, Any]) -> str:
    if "clock_hz" not in settings:
        return ""
    scaled = ", dynamic power scaled by its square" if settings.get("voltage_scaled") else ""
    found = settings.get("mappings", ())
    over = f"median of {len(found)} mappings" if len(found) > 1 else "one mapping"
    return (
        f"; power at {format_si(float(settings['clock_hz']), 'Hz')} and "
        f"{settings['voltage_v']:g} V{scaled}; {settings['mapping']} mapping, {over}; "
        f"wires: {settings['wire_model']}"
    )


def print_comparison(reports: Sequence[CoreReport]) -> None:
    """Reports side by side, one line each, and ratios to the first."""
    shown = [
        (field, title, form)
        for field, title, form in ROWS
        if any(getattr(one, field) is not None for one in reports)
    ]
    first = reports[0]
    table = [["", *(_name(one) for one in reports), "evidence"]]
    for field, title, form in shown:
        words = {word for one in reports for word in _evidence(one, field)}
        values = [getattr(one, field) for one in reports]
        cells = ["-" if one is None else form(one) for one in values]
        table.append([title, *cells, "/".join(sorted(words))])
    for field, values_to_first in ratios(reports).items():
        title = next(one for name, one, _ in ROWS if name == field)
        cells = ["-" if one is None else f"{one:.2f}" for one in values_to_first]
        table.append([f"{title}, to {_name(first)}", *cells, "ratio"])
    columns(table, right=range(1, len(reports) + 1))
    for one in reports:
        for note in notes(one):
            typer.echo(f"  {_name(one)}: {note}")


def ratios(reports: Sequence[CoreReport]) -> dict[str, list[float | None]]:
    """Each report's figure over the first report's, for the figures that are compared."""
    found = {}
    for field in _RATIOS:
        base = getattr(reports[0], field)
        if not base:
            continue
        values = [getattr(one, field) for one in reports]
        found[field] = [None if one is None else one / base for one in values]
    return found


def _name(report: CoreReport) -> str:
    variant = report.configuration or ",".join(f"{k}={v}" for k, v in report.parameters.items())
    return (
        f"{report.core}:{variant}@{report.target}" if variant else f"{report.core}@{report.target}"
    )
