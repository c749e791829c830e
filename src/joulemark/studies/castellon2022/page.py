# SPDX-License-Identifier: Apache-2.0
"""The tables and charts of castellon2022: our figures beside those of the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from joulemark.report.drawing.specs import (
    DASHED,
    SOLID,
    Spec,
    channel,
    chart_part,
    mark,
    palette_colour,
)
from joulemark.report.drawing.specs import interval as interval_channels
from joulemark.report.sheet import Chart, Table, text_table
from joulemark.studies.castellon2022.claims import HEADLINE, amount, change, interval
from joulemark.studies.castellon2022.findings import (
    CastellonFindings,
    CostSpread,
    Energies,
    ProgramComparison,
    RegimeVisit,
    Saving,
)
from joulemark.studies.castellon2022.paper import Castellon2022, model_table
from joulemark.studies.study import beside
from joulemark.units import format_bytes, format_joules, format_percent, format_seconds, format_si


def tables(paper: Castellon2022, findings: CastellonFindings, clock: str | None) -> list[Table]:
    """Returns every table.

    `clock` is the evidence of the core cycles, `measured` or `modelled`, and None without any.
    """
    energy, memory = findings.energy, findings.memory
    return [
        _programs("Through ctypes, one HMAC per event", _CTYPES, paper, findings.ctypes),
        _programs("The kernel alone", _KERNEL, paper, findings.kernel),
        *([] if energy is None else [_energy(paper, energy)]),
        *([] if memory is None else [_memory(memory)]),
        _saved(findings, clock),
        model_table(paper),
    ]


_TOGETHER = (
    "The interval of a ratio counts each process once, and all sizes hold together with 95 %."
)
_CTYPES = (
    "As the paper measured: a C function called from Python, one call per event, wall time, in "
    "several processes. Mean and standard deviation as the paper reports; E against O as the "
    f"centre of the ratios of neighbouring events. {_TOGETHER}"
)
_KERNEL = (
    "Joulemark's harness, the message in the first-level cache, key set up once. O is the standard "
    "program, E the engineered one (jump 8); order alone is jump 8 beside jump 1. "
    f"{_TOGETHER}"
)
_ENERGY = {
    "net": "Joules per HMAC of all programs, net of deep idle; the interval is the widest that "
    "those of the two programs allow.",
    "gross": "Joules per HMAC of all programs, gross: idle power is in them, since it could not be "
    "subtracted for every one; the interval is the widest that those of the two programs allow.",
}


def _energy(paper: Castellon2022, energy: Energies) -> Table:
    title = f"Energy, the kernel alone ({energy.evidence}, {energy.kind})"
    return _programs(
        title, _ENERGY[energy.kind], paper, energy.rows, evidence=energy.evidence, joules=True
    )


def _spread_text(spread: CostSpread, *, joules: bool) -> str:
    show = format_joules if joules else format_seconds
    deviation = "" if spread.deviation is None else f" ± {show(spread.deviation)}"
    return f"{show(spread.mean)}{deviation}"


def _programs(
    title: str,
    caption: str,
    paper: Castellon2022,
    rows: Sequence[ProgramComparison],
    *,
    evidence: str = "measured",
    joules: bool = False,
) -> Table:
    def stated(row: ProgramComparison) -> str:
        saving = paper.saving_at(row.size_bytes)
        return f"{100 * saving.low:g} to {format_percent(saving.high, digits=3)} less"

    def printed(row: ProgramComparison) -> str:
        energy = paper.energy_at(row.size_bytes)
        if energy is None:
            return "-"
        return f"{energy.standard_joules * 1e6:.0f} / {energy.engineered_joules * 1e6:.0f}"

    return beside(
        title,
        caption,
        rows,
        {
            "Message": lambda row: format_bytes(row.size_bytes),
            f"O ({evidence})": lambda row: _spread_text(row.programs["standard"], joules=joules),
            f"E ({evidence})": lambda row: _spread_text(row.programs["ecm_j8"], joules=joules),
            "E against O, of means": lambda row: change(row.saving.of_means),
            f"E against O ({evidence})": lambda row: interval(row.saving),
            f"order alone ({evidence})": lambda row: interval(row.order_saving),
            "E against O (published)": stated,
            "O / E, µJ (published)": printed,
        },
    )


def _memory(visits: Sequence[RegimeVisit]) -> Table:
    def relative(saving: Saving | None) -> str:
        return "-" if saving is None else change(saving.median)

    def median_of(program: str) -> Callable[[RegimeVisit], str]:
        return lambda visit: format_seconds(visit.programs[program].median)

    return beside(
        "Messages in DRAM",
        "CPU time per message (measured), in a buffer far beyond the last-level cache. Row "
        "by row and same bank are what the simplest mapping of addresses to banks would make of "
        "strides of 8 KiB and 128 KiB; the real mapping cannot be known from user space. One "
        "process took them all, so the intervals leave its layout out.",
        visits,
        {
            "Message": lambda visit: format_bytes(visit.size_bytes),
            "Order": lambda visit: visit.order,
            "Read alone": median_of("read"),
            "O": median_of("standard"),
            "E": median_of("ecm_j8"),
            "E against O": lambda visit: interval(visit.saving),
            "reading, against sequential": lambda visit: relative(visit.reading_slower),
            "O, against sequential": lambda visit: relative(visit.slower_than_sequential),
        },
    )


def _saved(findings: CastellonFindings, clock: str | None) -> Table:
    source = findings.cycles or findings.seconds
    base = source["standard"]

    def shown(value: float) -> str:
        return f"{value:.0f}" if findings.cycles else format_si(value, "s")

    lines = []
    for size, baseline in base.items():
        for name, by_size in source.items():
            if name == "standard" or size not in by_size:
                continue
            saved = baseline.median - by_size[size].median
            share = change(saved / baseline.median)
            lines.append([format_bytes(size), name, amount(saved, shown(abs(saved))), share])
        headline, name = HEADLINE * baseline.median, "castellon2022, headline (published)"
        cost = amount(headline, shown(headline))
        lines.append([format_bytes(size), name, cost, change(HEADLINE)])
    unit = f"core cycles ({clock})" if findings.cycles else "time (measured)"
    return text_table(
        title="Everything against the paper's standard program",
        caption=f"Medians of {unit} per HMAC, the kernel alone. The published line is 17 % of our "
        "own baseline.",
        headings=["Message", "Implementation", f"against O, {unit}", "share"],
        rows=lines,
    )


# Charts: the paper's Fig. 7 and Fig. 8, the orders in DRAM, and other savings.

_PROGRAMS: Final = {"standard": "O, standard", "ecm_j8": "E, jump 8"}
_BASELINE: Final = "standard"


def charts(paper: Castellon2022, findings: CastellonFindings) -> list[Chart]:
    """Returns every chart, or the reason why it cannot be drawn."""
    return [
        _bars("fig7_ctypes", "Fig. 7, through ctypes", findings.ctypes, "µs per HMAC (measured)"),
        _bars("fig7_kernel", "Fig. 7, the kernel alone", findings.kernel, "µs per HMAC (measured)"),
        _energy_bars(findings),
        _savings(paper, findings),
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
        for spread in [row.programs[key]]
    ]
    order = list(_PROGRAMS.values())
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
    series = {
        "E, through ctypes": [(row.size_bytes, row.saving) for row in findings.ctypes],
        "E, kernel alone": [(row.size_bytes, row.saving) for row in findings.kernel],
        "order alone (jump 8 beside jump 1)": [
            (row.size_bytes, row.order_saving) for row in findings.kernel
        ],
    }
    if findings.energy is not None:
        name = f"E, energy ({findings.energy.evidence})"
        series[name] = [(row.size_bytes, row.saving) for row in findings.energy.rows]
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
        "What the engineered program saves: ratio of neighbouring events, each process counted "
        "once, all sizes together with 95 % (measured), and the range the paper states "
        "(published). Below the dashed line it costs more."
    )
    return chart_part("fig8_savings", "Fig. 8, savings", caption, data, layers)


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
    names = [name for name in source if name != _BASELINE]
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
