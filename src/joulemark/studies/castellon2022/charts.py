# SPDX-License-Identifier: Apache-2.0
"""The charts of castellon2022: its figures 7 and 8, orders in DRAM, jumps, other savings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from joulemark.report import Chart
from joulemark.report.drawing import DASHED, SOLID, Spec, channel, chart_part, mark, palette_colour
from joulemark.report.drawing import interval as interval_channels
from joulemark.studies.castellon2022.claims import HEADLINE
from joulemark.studies.castellon2022.findings import CastellonFindings, ProgramComparison
from joulemark.studies.castellon2022.paper import Castellon2022
from joulemark.studies.castellon2022.regimes import OTHER_JUMPS
from joulemark.studies.castellon2022.savings import Saving
from joulemark.units import format_bytes

# Charts: the paper's Fig. 7 and Fig. 8, jumps, the orders in DRAM, and other savings.

_PROGRAMS: Final = {
    "standard": "O, by bytes",
    "standard_chunks": "O, by chunks",
    "ecm_j8": "E, by bytes",
    "ecm_chunks_j8": "E, by chunks",
}
_BASELINE: Final = "standard"


def charts(paper: Castellon2022, findings: CastellonFindings) -> list[Chart]:
    """Returns every chart, or the reason why it cannot be drawn."""
    return [
        _bars("fig7_ctypes", "Fig. 7, through ctypes", findings.ctypes, "µs per HMAC (measured)"),
        _bars("fig7_kernel", "Fig. 7, the kernel alone", findings.kernel, "µs per HMAC (measured)"),
        _energy_bars(findings),
        _savings(paper, findings),
        _jumps(findings),
        _memory_bars(findings),
        _cycles(findings),
    ]


def _sizes(rows: Sequence[Any]) -> list[str]:
    return [format_bytes(size) for size in sorted({row.size_bytes for row in rows})]


def _message(order: Sequence[str]) -> Spec:
    return channel("message:N", title="message", sort=list(order), axis={"labelAngle": 0})


def _bars(name: str, title: str, rows: Sequence[ProgramComparison], unit: str) -> Chart:
    data = [
        {
            "message": format_bytes(row.size_bytes),
            "program": words,
            "value": spread.mean * 1e6,
            "low": max(0.0, spread.mean - (spread.deviation or 0.0)) * 1e6,
            "high": (spread.mean + (spread.deviation or 0.0)) * 1e6,
        }
        for row in rows
        for key, words in _PROGRAMS.items()
        if key in row.programs
        for spread in [row.programs[key]]
    ]
    order = [words for key, words in _PROGRAMS.items() if key in rows[0].programs]
    base = {"x": _message(_sizes(rows)), "xOffset": channel("program:N", sort=order)}
    bars = {
        **base,
        "y": channel("value:Q", title=unit),
        "color": palette_colour("program:N", order),
        "tooltip": _tooltip("message:N", "program:N", unit=unit),
    }
    layers = [
        mark("bar", bars),
        mark(
            "rule",
            {**base, **interval_channels("y", "low:Q", "high:Q", {"title": unit})},
            strokeWidth=1.5,
        ),
    ]
    caption = (
        "The standard program beside the engineered one: mean, with one standard deviation either "
        "way as in the paper. The paper's bars are in microjoules of a whole machine "
        "(published: 9600 and 8380 at the small end, 17213 and 14866 at 1024 B)."
    )
    return chart_part(name, title, caption, data, layers)


def _ends(unit: str) -> Spec:
    return interval_channels("y", "low:Q", "high:Q", {"title": unit})


def _tooltip(*fields: str, unit: str, digits: int = 4) -> list[Spec]:
    value = channel("value:Q", title=unit, format=f".{digits}~g")
    return [*map(channel, fields), value]


def _energy_bars(findings: CastellonFindings) -> Chart:
    title = "Fig. 7, energy of the kernel alone"
    if findings.energy is None:
        why = "There are no joules to draw; the notes say why."
        return Chart(title, "", None, why, "fig7_energy")
    unit = f"µJ per HMAC ({findings.energy.evidence}, {findings.energy.kind})"
    return _bars("fig7_energy", title, findings.energy.rows, unit)


def _savings(paper: Castellon2022, findings: CastellonFindings) -> Chart:
    by, rows = findings.decisive
    pairs: dict[str, list[tuple[int, Saving | None]]] = {
        f"both by bytes, {by}": [(row.size_bytes, row.saving) for row in rows],
        f"both by chunks, {by}": [(row.size_bytes, row.chunks_saving) for row in rows],
        f"O by bytes, E by chunks, {by}": [(row.size_bytes, row.mixed_saving) for row in rows],
        "order alone, by bytes, kernel": [
            (row.size_bytes, row.order_saving) for row in findings.kernel
        ],
        "order alone, by chunks, kernel": [
            (row.size_bytes, row.chunks_order_saving) for row in findings.kernel
        ],
    }
    series = {
        name: [(size, saving) for size, saving in points if saving is not None]
        for name, points in pairs.items()
    }
    data = [
        {
            "message": format_bytes(size),
            "what": what,
            "value": 100 * saving.median,
            "low": 100 * saving.low,
            "high": 100 * saving.high,
        }
        for what, points in series.items()
        for size, saving in points
    ]
    published = "E, published range"
    data += [
        {
            "message": format_bytes(size),
            "what": published,
            "value": 50 * (printed.low + printed.high),
            "low": 100 * printed.low,
            "high": 100 * printed.high,
        }
        for size in paper.experiment.sizes_bytes
        for printed in [paper.saving_at(size)]
    ]
    names = [*series, published]
    unit = "saved, %"
    base = {
        "x": _message(_sizes(findings.kernel)),
        "xOffset": channel("what:N", sort=names),
        "color": palette_colour("what:N", names),
    }
    points = {
        **base,
        "y": channel("value:Q", title=unit),
        "shape": channel("what:N", title=None, scale={"domain": names}),
        "tooltip": _tooltip("message:N", "what:N", unit=unit, digits=3),
    }
    zero = {"data": {"values": [{"zero": 0}]}}
    layers = [
        mark(
            "rule",
            {**base, **interval_channels("y", "low:Q", "high:Q", {"title": unit})},
            strokeWidth=1.5,
        ),
        mark("point", points, filled=True, size=60),
        mark("rule", {"y": channel("zero:Q", title=unit)}, above=zero, strokeDash=[4, 4]),
    ]
    caption = (
        "What the engineered program saves by the fillings of both programs, and what the order "
        "alone saves (jump 8 beside jump 1): ratio of neighbouring events, each process counted "
        "once, all sizes together with 95 %, and the range the paper states (published). Below "
        "the dashed line it costs more."
    )
    return chart_part("fig8_savings", "Fig. 8, savings", caption, data, layers)


def _jumps(findings: CastellonFindings) -> Chart:
    """Cost of each jump against jump 1, by message."""
    title = "Cost by jump, the kernel alone"
    if not findings.jumps:
        return Chart(title, "", None, "No other jump was measured.", "cost_by_jump")
    sizes = [format_bytes(size) for size in sorted({row.size_bytes for row in findings.jumps})]
    unit = "cost against jump 1, % (measured)"
    data = [
        {
            "jump": str(row.jump),
            "message": format_bytes(row.size_bytes),
            "value": -100 * row.saving.median,
            "low": -100 * row.saving.high,
            "high": -100 * row.saving.low,
        }
        for row in findings.jumps
    ]
    base = {
        "x": channel("jump:N", title="jump", sort=None, axis={"labelAngle": 0}),
        "xOffset": channel("message:N", sort=sizes),
        "color": palette_colour("message:N", sizes),
    }
    points = {
        **base,
        "y": channel("value:Q", title=unit),
        "tooltip": _tooltip("jump:N", "message:N", unit=unit, digits=3),
    }
    layers = [mark("rule", {**base, **_ends(unit)}, strokeWidth=1.5), mark("point", points)]
    caption = (
        "The engineered program that copies whole chunks, with each jump against the same program "
        "with jump 1, which keeps the order. By the paper's model, jump 8 should be the cheapest "
        "and jump 1 the dearest. Intervals hold together with 95 %."
    )
    return chart_part("cost_by_jump", title, caption, data, layers)


def _memory_bars(findings: CastellonFindings) -> Chart:
    title = "Messages in DRAM, by order of visit"
    if findings.memory is None:
        return Chart(title, "", None, findings.memory_reason or "", "memory_orders")
    words = {"read": "read alone", "standard": "O, standard", "ecm_j8": "E, jump 8"}
    unit = "ns of CPU time per message (measured)"
    rows = [
        {
            "visit": f"{format_bytes(visit.size_bytes)}, {visit.order}",
            "program": text,
            "value": visit.programs[key].median * 1e9,
        }
        for visit in findings.memory
        for key, text in words.items()
    ]
    order = list(words.values())
    bars = {
        "y": channel("visit:N", title=None, sort=None),
        "yOffset": channel("program:N", sort=order),
        "x": channel("value:Q", title=unit),
        "color": palette_colour("program:N", order),
        "tooltip": _tooltip("visit:N", "program:N", unit=unit),
    }
    caption = (
        "Median CPU time per message in a buffer far beyond the last-level cache. Reading alone "
        "shows what the order costs; hashing hides most of it."
    )
    return chart_part("memory_orders", title, caption, rows, [mark("bar", bars)])


def _cycles(findings: CastellonFindings) -> Chart:
    source = findings.cycles or findings.seconds
    unit = "core cycles saved per HMAC" if findings.cycles else "ns saved per HMAC"
    scale = 1.0 if findings.cycles else 1e9
    base = source[_BASELINE]
    names = [name for name in source if name not in {_BASELINE, *OTHER_JUMPS}]
    published = "published: 17 % of O"
    rows = [
        {
            "message": format_bytes(size),
            "size": size,
            "what": name,
            "value": (base[size].median - spread.median) * scale,
            "share": 100 * (1 - spread.median / base[size].median),
        }
        for name in names
        for size, spread in source[name].items()
        if size in base
    ]
    rows += [
        {
            "message": format_bytes(size),
            "size": size,
            "what": published,
            "value": HEADLINE * spread.median * scale,
            "share": 100 * HEADLINE,
        }
        for size, spread in base.items()
    ]
    names.append(published)
    order = [format_bytes(size) for size in sorted(base)]
    is_published = {"field": "what", "equal": published}
    lines = {
        "x": _message(order),
        "y": channel("value:Q", title=unit),
        "color": palette_colour("what:N", names),
        "strokeDash": {"condition": {"test": is_published, "value": DASHED}, "value": SOLID},
        "tooltip": [
            *_tooltip("message:N", "what:N", unit=unit),
            channel("share:Q", title="share of the baseline, %", format=".3~g"),
        ],
    }
    caption = (
        "Against the paper's standard program, the kernel alone, key set up once; medians. The "
        "engine takes its messages in batches where the harness can hand it batches, and "
        "everything else takes one at a time."
    )
    layers = [mark("line", lines, point=True, strokeWidth=2)]
    return chart_part("cycles_saved", "What saves more", caption, rows, layers)
