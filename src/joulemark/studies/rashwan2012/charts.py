# SPDX-License-Identifier: Apache-2.0
"""Figures 4 to 11 of rashwan2012 with this machine's data."""

from __future__ import annotations

from typing import Any, Final

import altair as alt

from joulemark.studies.drawing import colours, draw, not_drawn
from joulemark.studies.outcome import Chart
from joulemark.studies.rashwan2012.findings import STAND_IN, Build, Findings, PerThread, Scope
from joulemark.units import format_bytes

__all__ = ["charts"]

_SIZE: Final[dict[Build, tuple[str, str]]] = {
    "hardware-assisted": ("fig4_5", "Fig. 4 and 5"),
    "software-only": ("fig6_7", "Fig. 6 and 7"),
}
_THREADS: Final[dict[Scope, tuple[str, str]]] = {
    "one core": ("fig8_9", "Fig. 8 and 9"),
    "all cores": ("fig10_11", "Fig. 10 and 11"),
}
_KINDS: Final = {
    "wall_ticks": "wall clock", "absolute_ticks": "absolute", "apparent_ticks": "apparent"
}  # fmt: skip


def charts(findings: Findings) -> list[Chart]:
    """Returns every chart, or the reason why it cannot be drawn."""
    by_scope = {per_thread.scope: per_thread for per_thread in findings.per_thread}
    return [
        *(_over_size(findings, build) for build in _SIZE),
        *(_threads(findings, by_scope.get(scope), scope) for scope in _THREADS),
    ]


def _over_size(findings: Findings, build: Build) -> Chart:
    name, figure = _SIZE[build]
    scope = findings.scopes[-1]
    title = f"{figure}: absolute processing over message size, {build}"
    caption = (
        f"{findings.sessions} sessions on {scope}; median of {findings.rounds} windows, the line "
        "from the lowest to the highest of them (measured)."
    )
    data: list[dict[str, Any]] = []
    for cell in findings.cells:
        if (cell.build, cell.scope) != (build, scope):
            continue
        values = cell.values("absolute", cycles=findings.cycles)
        data.append(
            {"function": cell.function, "size": cell.size_bytes, "value": findings.absolute(cell),
             "low": min(values), "high": max(values), "implementation": cell.implementation}
        )  # fmt: skip
    if not data:
        return not_drawn(name, title, "nothing measured", caption)
    names = list(dict.fromkeys(row["function"] for row in data))
    base = alt.Chart(alt.InlineData(values=data)).encode(
        x=alt.X("size:Q", title="message size in bytes",
                scale=alt.Scale(type="log", base=2, nice=False, padding=10)),
        color=alt.Color("function:N", title=None, scale=colours(names)),
    )  # fmt: skip
    value = alt.Y("value:Q", title=f"{findings.unit} per byte", scale=alt.Scale(type="log"))
    tooltip = ["function:N", "implementation:N", "size:Q", alt.Tooltip("value:Q", format=".4~g")]
    lines = base.mark_line(point=True).encode(y=value, tooltip=tooltip)
    ranges = base.mark_rule().encode(y=alt.Y("low:Q", title=None), y2="high:Q")
    return draw(name, title, caption, ranges + lines)


def _threads(findings: Findings, per_thread: PerThread | None, scope: Scope) -> Chart:
    name, figure = _THREADS[scope]
    title = f"{figure}: each of {findings.sessions} sessions on {scope}"
    if per_thread is None:
        reason = "this machine has one core to be used" if findings.per_thread else "not measured"
        return not_drawn(name, title, reason)
    caption = f"{per_thread.implementation} at {format_bytes(per_thread.size_bytes)}"
    if per_thread.function == STAND_IN:
        caption += ", in place of VMAC-AES128, which is not here"
    troubles = f"; {', '.join(per_thread.troubles)}" if per_thread.troubles else ""
    caption += f"; one window of {per_thread.window_s:g} s (measured{troubles})."
    factor = (per_thread.core_cycles_per_tick or 1.0) if findings.cycles else 1.0
    data = [
        {"session": number, "kind": kind, "value": value * factor}
        for number, row in enumerate(per_thread.sessions, start=1)
        for field, kind in _KINDS.items()
        if (value := getattr(row, field)) is not None
    ]
    kinds = list(_KINDS.values())
    points = (
        alt.Chart(alt.InlineData(values=data))
        .mark_point(filled=True, size=22)
        .encode(
            x=alt.X("session:Q", title="session"),
            y=alt.Y("value:Q", title=f"{findings.unit} per byte", scale=alt.Scale(type="log")),
            color=alt.Color("kind:N", title=None, scale=colours(kinds)),
            tooltip=["session:Q", "kind:N", alt.Tooltip("value:Q", format=".4~g")],
        )
    )
    return draw(name, title, caption, points)
