# SPDX-License-Identifier: Apache-2.0
"""The tables and charts of rashwan2012: processing over size, by session, and on more cores."""

from __future__ import annotations

from typing import Final

from joulemark.report import NONE, Chart, Table, text_table
from joulemark.report.drawing import Row, Spec, channel, chart_part, interval, mark, palette_colour
from joulemark.stats import median
from joulemark.studies.rashwan2012.paper import (
    BUILDS,
    FIGURES,
    LIBRARIES,
    STAND_IN,
    Build,
    FunctionCell,
    OtherLibrary,
    PerThread,
    RashwanFindings,
    Scope,
    WindowRow,
)
from joulemark.studies.study import beside
from joulemark.units import format_bytes, format_percent, format_seconds

_ABREAST: Final = 4
"""Functions in a table, which then fits a terminal."""


def tables(findings: RashwanFindings) -> list[Table]:
    """Returns every table; "-" stands for a missing figure."""
    names = _names(findings)
    groups = [names[place : place + _ABREAST] for place in range(0, len(names), _ABREAST)]
    costs = [
        _costs(findings, build, scope, group)
        for build in BUILDS
        for scope in findings.scopes
        for group in groups
    ]
    return [
        *costs,
        _cores(findings),
        _by_cores(findings),
        _libraries(findings),
        _key_setups(findings),
        _steps(findings),
        _windows(findings),
        _absent(findings),
    ]


def _names(findings: RashwanFindings) -> list[str]:
    return list(dict.fromkeys(cell.function for cell in findings.cells))


def _costs(findings: RashwanFindings, build: Build, scope: Scope, names: list[str]) -> Table:
    sizes = sorted({cell.size_bytes for cell in findings.cells})
    rows = [
        [
            format_bytes(size),
            *(_cost(findings, findings.cell(name, build, scope, size)) for name in names),
        ]
        for size in sizes
    ]
    return text_table(
        title=f"{build}, {scope}: {', '.join(names)}",
        caption=f"Absolute / apparent processing in {findings.unit} per byte; medians of the "
        f"windows that count, of {findings.rounds} (measured).",
        headings=["size", *names],
        rows=rows,
    )


def _cost(findings: RashwanFindings, cell: FunctionCell | None) -> str:
    return (
        NONE if cell is None else f"{findings.absolute(cell):.3g} / {findings.apparent(cell):.3g}"
    )


def _cores(findings: RashwanFindings) -> Table:
    rows = []
    for name in _names(findings):
        for build in BUILDS:
            pairs = [
                (cell, more)
                for cell, more in findings.pairs()
                if (cell.function, cell.build) == (name, build)
            ]
            if not pairs:
                continue
            absolute = [findings.absolute(more) / findings.absolute(cell) for cell, more in pairs]
            apparent = [findings.apparent(more) / findings.apparent(cell) for cell, more in pairs]
            moved = [row.migrations_per_s for _, more in pairs for row in more.good]
            rows.append(
                [
                    name,
                    build,
                    f"{median(absolute):.3f}",
                    f"{median(apparent):.3f}",
                    f"{median(moved):.3g}",
                ]
            )
    return text_table(
        title=f"{len(findings.cores)} cores over one core",
        caption="Medians over the sizes (measured): the ratio of absolute and of apparent "
        "processing, and changes of the core of all sessions together.",
        headings=["function", "build", "absolute", "apparent", "migrations per s"],
        rows=rows,
    )


def _by_cores(findings: RashwanFindings) -> Table:
    rows = [row for row in findings.by_cores if row.cell.good]
    first = {findings.apparent(row.cell) for row in rows if row.cores == 1}
    return beside(
        "Processing against the number of cores",
        f"{_of_sessions(findings)}, in {findings.unit} per byte; medians of the windows that "
        f"count, of {findings.rounds} (measured). The last column is one core's apparent "
        "processing divided by the number of cores.",
        rows,
        {
            "cores": lambda row: str(row.cores),
            "absolute": lambda row: f"{findings.absolute(row.cell):.3g}",
            "apparent": lambda row: f"{findings.apparent(row.cell):.3g}",
            "divided": lambda row: f"{min(first) / row.cores:.3g}" if first else NONE,
        },
    )


def _of_sessions(findings: RashwanFindings) -> str:
    """Names the function of single sessions, its length and the sessions."""
    cell = findings.by_cores[0].cell if findings.by_cores else None
    if cell is None:
        return "No function"
    return (
        f"{cell.function} ({cell.implementation}) at {format_bytes(cell.size_bytes)} in "
        f"{findings.sessions} sessions"
    )


def _libraries(findings: RashwanFindings) -> Table:
    largest = max((cell.size_bytes for cell in findings.cells), default=0)
    ours = [
        OtherLibrary(library=findings.library, cell=cell)
        for cell in findings.figures
        if (cell.function, cell.size_bytes) == (STAND_IN, largest)
    ]
    return beside(
        f"{STAND_IN} of every library that is here",
        f"Absolute processing in {findings.unit} per byte at {format_bytes(largest)}; medians of "
        "the windows that count (measured). OpenSSL and Crypto++ read tables where they find no "
        "instructions for AES; our portable variant reads none.",
        [row for row in (*ours, *findings.elsewhere) if row.cell.good],
        {
            "library": lambda row: LIBRARIES[row.library].title,
            "build": lambda row: row.cell.build,
            "cores": lambda row: row.cell.scope,
            "implementation": lambda row: row.cell.implementation,
            "absolute": lambda row: f"{findings.absolute(row.cell):.3g}",
        },
    )


def _key_setups(findings: RashwanFindings) -> Table:
    return beside(
        "Key set-up",
        "Set-up and wiping of a key: a message with a fresh key less one with a kept key, by the "
        "medians, with the bounds that both 95 % intervals allow; one session alone on a core "
        "(measured). No figure above contains it.",
        findings.key_setups,
        {
            "function": lambda row: row.function,
            "build": lambda row: row.build,
            "set-up": lambda row: format_seconds(row.seconds),
            "bounds": lambda row: f"{format_seconds(row.low_s)} to {format_seconds(row.high_s)}",
            "a message": lambda row: (
                f"{format_seconds(row.message_seconds)} ({format_bytes(row.message_bytes)})"
            ),
        },
    )


def _steps(findings: RashwanFindings) -> Table:
    return beside(
        "The number of sessions, adjusted",
        "The paper's workflow (figure 3): long windows on each set of cores are validated, and the "
        "number of sessions is adjusted until they count, or the reason says why it cannot be.",
        findings.steps,
        {
            "sessions": lambda step: str(step.sessions),
            "cores": lambda step: step.scope,
            "window": lambda step: format_seconds(step.window_s),
            "own share": lambda step: format_percent(step.own_share, digits=3),
            "troubles": lambda step: ", ".join(step.troubles) or NONE,
            "step": lambda step: step.step,
        },
    )


def _windows(findings: RashwanFindings) -> Table:
    taken = {
        scope: [row for cell in findings.cells if cell.scope == scope for row in cell.windows]
        for scope in findings.scopes
    }

    def troubles(rows: list[WindowRow]) -> str:
        return ", ".join(sorted({kind for row in rows for kind in row.troubles})) or NONE

    def share(rows: list[WindowRow]) -> str:
        return format_percent(median([row.own_share for row in rows]), digits=3)

    return beside(
        "Validation of the windows",
        "Windows that were taken, attempts that it took, how many do not count after all "
        "attempts, so that no figure uses them, and the share of the cores that the sessions "
        "had (median).",
        [scope for scope in findings.scopes if taken[scope]],
        {
            "cores": str,
            "windows": lambda scope: str(len(taken[scope])),
            "attempts": lambda scope: str(sum(row.attempts for row in taken[scope])),
            "do not count": lambda scope: str(sum(bool(row.troubles) for row in taken[scope])),
            "own share": lambda scope: share(taken[scope]),
            "because": lambda scope: troubles(taken[scope]),
        },
    )


def _absent(findings: RashwanFindings) -> Table:
    return text_table(
        title="Functions of the paper that are not here",
        caption="The figures above have nothing in their place.",
        headings=["function", "why"],
        rows=[[name, why] for name, why in findings.absent.items()],
    )


# Charts.

_SIZE: Final[dict[Build, tuple[str, str]]] = {
    "hardware-assisted": ("fig4_5", "Fig. 4 and 5"),
    "software-only": ("fig6_7", "Fig. 6 and 7"),
}
_THREADS: Final[dict[Scope, tuple[str, str]]] = {
    "one core": ("fig8_9", "Fig. 8 and 9"),
    "all cores": ("fig10_11", "Fig. 10 and 11"),
}
_KINDS: Final = {
    "wall_ticks": "wall clock",
    "absolute_ticks": "absolute",
    "apparent_ticks": "apparent",
}


def charts(findings: RashwanFindings) -> list[Chart]:
    """Returns every chart, or the reason why it cannot be drawn."""
    by_scope = {per_thread.scope: per_thread for per_thread in findings.per_thread}
    return [
        *(_over_size(findings, build) for build in _SIZE),
        *(_threads(findings, by_scope.get(scope), scope) for scope in _THREADS),
        _over_cores(findings),
    ]


def _over_size(findings: RashwanFindings, build: Build) -> Chart:
    name, figure = _SIZE[build]
    scope = findings.scopes[-1]
    title = f"{figure}: absolute processing over message size, {build}"
    caption = (
        f"{findings.sessions} sessions on {scope}; median of the windows that count, of "
        f"{findings.rounds}, the line from the lowest to the highest of them (measured)."
    )
    data: list[Row] = []
    for cell in findings.figures:
        if (cell.build, cell.scope) != (build, scope):
            continue
        values = cell.values("absolute", cycles=findings.cycles)
        data.append(
            {
                "function": cell.function,
                "size": cell.size_bytes,
                "value": findings.absolute(cell),
                "low": min(values),
                "high": max(values),
                "implementation": cell.implementation,
            }
        )
    if not data:
        return Chart(title, caption, None, "no window counts", name)
    names = list(dict.fromkeys(row["function"] for row in data))
    base = {
        "x": channel(
            "size:Q",
            title="message size in bytes",
            scale={"type": "log", "base": 2, "nice": False, "padding": 10},
        ),
        "color": palette_colour("function:N", names),
    }
    lines = {
        **base,
        "y": _per_byte(findings),
        "tooltip": [*map(channel, ("function:N", "implementation:N", "size:Q")), _VALUE],
    }
    ranges = {**base, **interval("y", "low:Q", "high:Q", {"title": None})}
    layers = [mark("rule", ranges), mark("line", lines, point=True)]
    return chart_part(name, title, caption, data, layers)


_VALUE: Final = channel("value:Q", format=".4~g")


def _per_byte(findings: RashwanFindings) -> Spec:
    return channel("value:Q", title=f"{findings.unit} per byte", scale={"type": "log"})


def _threads(findings: RashwanFindings, per_thread: PerThread | None, scope: Scope) -> Chart:
    name, figure = _THREADS[scope]
    title = f"{figure}: each of {findings.sessions} sessions on {scope}"
    if per_thread is None:
        reason = "this machine has one core to be used" if findings.per_thread else "not measured"
        return Chart(title, "", None, reason, name)
    caption = f"{per_thread.implementation} at {format_bytes(per_thread.size_bytes)}"
    if per_thread.function == STAND_IN:
        caption += ", in place of VMAC-AES128, which is not here"
    caption += f"; one window of {per_thread.window_s:g} s (measured)."
    if per_thread.troubles:
        reason = f"the window does not count: {', '.join(per_thread.troubles)}"
        return Chart(title, caption, None, reason, name)
    factor = (per_thread.core_cycles_per_tick or 1.0) if findings.cycles else 1.0
    data = [
        {"session": number, "kind": kind, "value": value * factor}
        for number, row in enumerate(per_thread.sessions, start=1)
        for field, kind in _KINDS.items()
        if (value := getattr(row, field)) is not None
    ]
    kinds = list(_KINDS.values())
    points = {
        "x": channel("session:Q", title="session"),
        "y": _per_byte(findings),
        "color": palette_colour("kind:N", kinds),
        "tooltip": [*map(channel, ("session:Q", "kind:N")), _VALUE],
    }
    return chart_part(name, title, caption, data, [mark("point", points, filled=True, size=22)])


def _over_cores(findings: RashwanFindings) -> Chart:
    title = "Absolute and apparent processing over the number of cores"
    caption = (
        f"{_of_sessions(findings)}; median of the windows that count, of {findings.rounds}, the "
        "line from the lowest to the highest of them (measured)."
    )
    data: list[Row] = [
        {
            "cores": row.cores,
            "kind": kind,
            "value": median(values),
            "low": min(values),
            "high": max(values),
        }
        for row in findings.by_cores
        if row.cell.good
        for kind in FIGURES
        if (values := row.cell.values(kind, cycles=findings.cycles))
    ]
    if not data:
        return Chart(title, caption, None, "no window counts", "by_cores")
    base = {
        "x": channel("cores:N", title="cores"),
        "color": palette_colour("kind:N", list(FIGURES)),
    }
    lines = {
        **base,
        "y": _per_byte(findings),
        "tooltip": [*map(channel, ("kind:N", "cores:N")), _VALUE],
    }
    ranges = {**base, **interval("y", "low:Q", "high:Q", {"title": None})}
    layers = [mark("rule", ranges), mark("line", lines, point=True)]
    return chart_part("by_cores", title, caption, data, layers)
