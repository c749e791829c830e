# SPDX-License-Identifier: Apache-2.0
"""Cores and their reports as text: the list, one report down, several side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final

from joulemark.cli.shared.command import Command
from joulemark.cli.shared.terminal import (
    JSON_FILE_OPTION,
    columns,
    heading,
    on_output,
    print_text,
    require_writable_json,
    write_json,
)
from joulemark.hardware.cores import shipped_manifests
from joulemark.hardware.manifest import read_core
from joulemark.records.core_figures import CORE_FIGURES, CoreFigure, FigurePlace
from joulemark.records.core_report import CoreReport, CoreSettings
from joulemark.report.words import core_figure_text
from joulemark.units import format_bytes, format_percent, format_seconds, format_si

_OF_CLOCK: Final = ("fmax_hz", "period_s", "throughput_bit_per_s")
_NOTED_BITS: Final = 1024
"""Least bits of a memory that a note names. Smaller memories are registers by any name."""
_RATIOS: Final = (
    "luts",
    "area_ge",
    "fmax_hz",
    "throughput_bit_per_s",
    "energy_per_block_j",
    "energy_per_mac_j",
)
_OF_MESSAGES: Final = ("energy_per_mac_j",)
"""Figures that say nothing without the length of the message."""


def print_report(report: CoreReport) -> None:
    """Prints one report: a sentence, figures with evidence, then why others are missing."""
    heading(report_sentence(report))
    name = f", configuration {report.configuration}" if report.configuration else ""
    print_text(f"  {report.core}: {report.title}{name}")
    columns([(parameter, str(value)) for parameter, value in report.parameters.items()])
    print_text(f"  {report.target}: {report.device}{_conditions(report.settings)}")
    rows = [
        (
            _title(kind, report.message_bytes),
            core_figure_text(kind.field, value),
            ", ".join(_evidence(report, kind)),
        )
        for kind in _kinds()
        if (value := report.figures[kind.field]) is not None
        # With one mapping a range is none.
        and (kind.end is None or report.figures["mappings"] != 1)
    ]
    columns(rows, right=[1])
    if by_clock := energies_by_clock(report):
        of = "" if report.message_bytes is None else f" of {format_bytes(report.message_bytes)}"
        heading(f"Energy per message{of} by clock (modelled)")
        columns(
            [
                ("clock", "energy", "leakage"),
                *(
                    (
                        core_figure_text("fmax_hz", clock_hz),
                        core_figure_text("energy_per_mac_j", joules),
                        format_percent(leaking),
                    )
                    for clock_hz, joules, leaking in by_clock
                ),
            ],
            right=[0, 1, 2],
        )
    if report.modules:
        heading("By module")
        columns(
            [
                (
                    module.name or "(top)",
                    f"{module.area_ge:.0f} GE",
                    f"{module.storage_ge:.0f} storage",
                    "" if module.leakage_w is None else format_si(module.leakage_w, "W"),
                    "" if module.dynamic_w is None else format_si(module.dynamic_w, "W"),
                )
                for module in report.modules
            ],
            right=[1, 2, 3, 4],
        )
    for note in notes(report):
        print_text(f"  {note}")
    reasons: dict[str, list[str]] = {}
    for kind in _kinds():
        if kind.field in report.reasons and not kind.part_of:
            reasons.setdefault(report.reasons[kind.field], []).append(kind.short_heading)
    for reason, titles in reasons.items():
        print_text(f"  not in this report: {', '.join(titles)} ({reason})")


_CLOCKS_HZ: Final = (1e5, 1e6, 1e7)
"""Clocks of which the energy is said beside that of the report and the highest one."""


def energies_by_clock(report: CoreReport) -> list[tuple[float, float, float]]:
    """Clock, energy of a message, and share of leakage in it; empty for a report without power.

    Switching takes the same energy at every clock, and leakage its power for longer at a slow one.
    """
    figures, at_hz = report.figures, report.settings.get("clock_hz")
    leakage_w, dynamic_w = figures["leakage_w"], figures["dynamic_w"]
    message_j, most_hz = figures["energy_per_mac_j"], figures["fmax_hz"]
    if not (at_hz and leakage_w and dynamic_w and message_j and most_hz):
        return []
    leaking_j = message_j * leakage_w / (leakage_w + dynamic_w)
    found = []
    for clock_hz in sorted({*_CLOCKS_HZ, at_hz, most_hz}):
        if clock_hz <= most_hz:
            leaking_there_j = leaking_j * at_hz / clock_hz
            joules = message_j - leaking_j + leaking_there_j
            found.append((clock_hz, joules, leaking_there_j / joules))
    return found


_SAID: Final = (
    ("takes {}", ("luts", "area_ge")),
    ("runs at {}", ("fmax_hz",)),
    ("does {}", ("throughput_bit_per_s",)),
    ("needs {} clocks a block", ("clocks_per_block",)),
    ("spends {} a block", ("energy_per_block_j",)),
)
"""Predicates of the sentence, each of the first of these figures that a report has."""


def report_sentence(report: CoreReport) -> str:
    """What a core takes and does, as in "siphash on ecp5 takes 1104 LUTs and runs at 96 MHz"."""
    said = []
    for predicate, fields in _SAID:
        field = next((name for name in fields if report.figures[name] is not None), None)
        if field is not None:
            unit = " LUTs" if field == "luts" else ""
            said.append(predicate.format(core_figure_text(field, report.figures[field]) + unit))
    what = ", ".join(said[:-1]) + (f" and {said[-1]}" if len(said) > 1 else "".join(said))
    words = sorted({*report.evidence.values()})
    return f"{report.core} on {report.target} {what or 'has no figure'} ({', '.join(words)})"


def _kinds() -> list[CoreFigure]:
    return [kind for kind in CORE_FIGURES.values() if kind.place is not FigurePlace.DATA]


def _title(kind: CoreFigure, message_bytes: int | None) -> str:
    of = ""
    if kind.field in _OF_MESSAGES and message_bytes is not None:
        of = f" of {format_bytes(message_bytes)}"
    return f"{'  ' if kind.part_of else ''}{kind.short_heading}{of}"


def _unchecked(report: CoreReport) -> str | None:
    """Why the clock was not checked, or None."""
    return report.settings.get("clocking", {}).get("unchecked")


def _evidence(report: CoreReport, kind: CoreFigure) -> list[str]:
    word = report.evidence.get(kind.field)
    if word is None:
        return []
    return [word, "unchecked"] if kind.field in _OF_CLOCK and _unchecked(report) else [word]


def notes(report: CoreReport) -> list[str]:
    """Sentences that belong to the figures of a report wherever these stand beside others."""
    said = [*_placed(report.settings), *_clocking(report)]
    if varied := report.settings.get("clocks_varied"):
        said.append(f"clocks depend on the message: {varied}; the figures are of random messages")
    if outside := report.settings.get("outside_memory"):
        said.append(f"these figures leave out a memory outside the core: {outside['text']}")
    return said + [
        f"the memory {setting['name']}, {setting['words']} x {setting['word_bits']} bits, is made "
        "of flip-flops here"
        for setting in report.settings.get("memories", ())
        if setting["words"] * setting["word_bits"] >= _NOTED_BITS
    ]


def _clocking(report: CoreReport) -> Iterator[str]:
    """Sentences on what the figures of a clock in cells do not show."""
    facts = report.settings.get("clocking", {})
    if why := _unchecked(report):
        yield f"clocks are not checked; the period is the critical path and the skew: {why}"
    slack, skew = facts.get("hold_slack_s"), report.figures["clock_skew_s"]
    if slack is not None and skew is not None and slack < skew:
        yield (
            f"hold times leave {format_seconds(slack)} at {facts['hold_limit']}, less than the "
            f"modelled skew of {format_seconds(skew)}: layout would add delay cells, which are not "
            "counted"
        )
    without = report.settings.get("recovery_by_setup")
    if without:
        yield (
            f"the library has no recovery times for {', '.join(without)}: set-up times are used "
            "instead"
        )
    if "trees" in report.settings and report.settings["trees"]["buffer"] is None:
        yield "no clock and reset trees are modelled: the library has no buffer"


def _placed(settings: CoreSettings) -> Iterator[str]:
    """Sentences on what placed the core on an FPGA, and why that was not the first placer."""
    seeds: dict[tuple[str, str], list[str]] = {}
    for seed, placer, router in zip(
        settings.get("seeds", ()),
        settings.get("placer_by_seed", ()),
        settings.get("router_by_seed", ()),
        strict=False,
    ):
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


def _conditions(settings: CoreSettings) -> str:
    if "clock_hz" not in settings:
        return ""
    scaled = ", dynamic power scaled by its square" if settings.get("voltage_scaled") else ""
    found = settings.get("mappings", ())
    over = f"median of {len(found)} mappings" if len(found) > 1 else "one mapping"
    return (
        f"; power at {format_si(settings['clock_hz'], 'Hz')} and "
        f"{settings['voltage_v']:g} V{scaled}; {settings['mapping']} mapping, {over}; "
        f"wires: {settings['wire_model']}"
    )


def print_comparison(reports: Sequence[CoreReport]) -> None:
    """Prints reports side by side, a line for each figure, and ratios to the first report."""
    names = _names(reports)
    table = [["", *names, "evidence"]]
    lengths = sorted({report.message_bytes for report in reports}, key=lambda size: size or 0)
    for kind in _kinds():
        # One length in a row: figures of messages have a row for each.
        for length in lengths if kind.field in _OF_MESSAGES else [None]:
            values = [
                report.figures[kind.field] if length in (None, report.message_bytes) else None
                for report in reports
            ]
            if any(value is not None for value in values):
                words = {word for report in reports for word in _evidence(report, kind)}
                cells = [core_figure_text(kind.field, value) for value in values]
                table.append([_title(kind, length), *cells, "/".join(sorted(words))])
    for field, values_to_first in ratios(reports).items():
        title = f"{CORE_FIGURES[field].short_heading}, to {names[0]}"
        cells = ["-" if value is None else f"{value:.2f}" for value in values_to_first]
        table.append([title, *cells, "ratio"])
    columns(table, right=range(1, len(reports) + 1), prose=(0,))
    for name, report in zip(names, reports, strict=True):
        for note in notes(report):
            print_text(f"  {name}: {note}")


def ratios(reports: Sequence[CoreReport]) -> dict[str, list[float | None]]:
    """The figures that are compared, each over the figure of the first report."""
    found = {}
    for field in _RATIOS:
        base = reports[0].figures[field]
        if not base or (field in _OF_MESSAGES and len({r.message_bytes for r in reports}) > 1):
            continue
        values = [report.figures[field] for report in reports]
        found[field] = [None if figure is None else figure / base for figure in values]
    return found


def _names(reports: Sequence[CoreReport]) -> list[str]:
    """Core, variant and target; reports that share them, as of two manifests, have a number."""
    names = [_name(report) for report in reports]
    return [
        f"{name} ({names[: place + 1].count(name)})" if names.count(name) > 1 else name
        for place, name in enumerate(names)
    ]


def _name(report: CoreReport) -> str:
    variant = report.configuration or ",".join(f"{k}={v}" for k, v in report.parameters.items())
    return (
        f"{report.core}:{variant}@{report.target}" if variant else f"{report.core}@{report.target}"
    )


# `joulemark core list`: the cores that come with Joulemark.

LIST_VERSION = 1
"""Version of the JSON that `core list` writes."""
_HEADINGS = ("configuration", "clocks/block", "latency", "")


def list_cores(json_: Annotated[Path | None, JSON_FILE_OPTION] = None) -> None:
    """List the cores that come with Joulemark and their named configurations."""
    found = [read_core(path) for path in shipped_manifests().values()]
    require_writable_json(json_)
    if json_ is not None:
        rows = [
            {"core": core.name, **core.model_dump(mode="json", exclude={"name"})} for core in found
        ]
        write_json(json_, {"schema_version": LIST_VERSION, "cores": rows})
    if on_output(json_):
        return
    for core in found:
        heading(f"{core.name}  ({core.title}): {core.algorithm}")
        if core.about:
            columns([(core.about,)], prose=(0,))
        columns(
            [
                (name, ",".join(map(str, part.values)), f"default {part.default}", part.about)
                for name, part in core.parameters.items()
            ],
            prose=(3,),
        )
        columns(
            [
                _HEADINGS,
                *(
                    (
                        f"{core.name}:{name}",
                        _clocks(configuration.clocks_per_block),
                        _clocks(configuration.latency_clocks),
                        configuration.about,
                    )
                    for name, configuration in core.configurations.items()
                ),
            ],
            right=(1, 2),
            prose=(3,),
        )


def _clocks(number: int | None) -> str:
    return "-" if number is None else str(number)


LIST: Final = Command(list_cores, ("joulemark core list", "joulemark core list --json cores.json"))
