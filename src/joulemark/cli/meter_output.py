# SPDX-License-Identifier: Apache-2.0
"""Figures of `joulemark meter`: lines with a bar history, and a file for Prometheus."""

from __future__ import annotations

import math
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from rich.console import Group
from rich.text import Text

from joulemark.judging.domains import ancestors
from joulemark.measure.meter_choice import LiveFigure
from joulemark.records.energy_window import Domain
from joulemark.report import write_atomically
from joulemark.units import format_count, format_joules, format_seconds, format_si

# How `joulemark meter` looks: a line with a bar history for each domain, on a terminal or not.

_BARS: Final = "▁▂▃▄▅▆▇█"
_MISSING: Final = " "
_LONGEST_HISTORY: Final = 1000
"""Columns of the widest terminal that is filled."""
_LONGEST_NAME: Final = 24
_NUMBER_WIDTH: Final = 9
"""A number of three digits with its unit, as in "12.3 mW"."""
_NOTHING: Final = "-"


def bars(powers_w: Sequence[float | None], width: int) -> str:
    """The newest `width` powers as bars from 0 to the highest of them; a gap where one is missing.

    Example:
        >>> bars([1.0, None, 8.0], 10)
        '▁ █'
    """
    shown = list(powers_w)[-width:] if width > 0 else []
    top_w = max((watts for watts in shown if watts is not None), default=0.0)
    return "".join(
        _MISSING
        if watts is None
        else _BARS[max(0, math.ceil(8 * watts / top_w) - 1)]
        if top_w
        else _BARS[0]
        for watts in shown
    )


class LiveScreen:
    """Remembers the powers that were shown, and puts figures into words.

    Figures come in the order of the domains; `hidden` counts the other domains of the meter.
    """

    def __init__(
        self, title: str, evidence: str, domains: Sequence[Domain], hidden: int = 0
    ) -> None:
        self._title = title
        self._evidence = evidence
        depths = [len(ancestors(domains, domain.id)) for domain in domains]
        names = [
            domain.name if len(domain.name) <= _LONGEST_NAME else domain.id for domain in domains
        ]
        self._names = ["  " * depth + name for depth, name in zip(depths, names, strict=True)]
        self._name_width = max(len(name) for name in self._names)
        self._kind_width = max(len(domain.kind) for domain in domains)
        self._notes = (
            ["a domain that is indented is part of the one above it"] if any(depths) else []
        )
        if hidden:
            # Twins of those shown, or more than fit on a screen.
            self._notes.append(f"{hidden} more: joulemark doctor")
        self._powers_w: list[deque[float | None]] = [
            deque(maxlen=_LONGEST_HISTORY) for _ in domains
        ]
        self._last: list[LiveFigure] = []

    def heading(self, interval_s: float) -> str:
        """The first line of the screen."""
        words = [f"{self._title}, {self._evidence}, every {format_seconds(interval_s)}"]
        return "; ".join([*words, *self._notes, "Ctrl-C ends"])

    def take(self, figures: Sequence[LiveFigure]) -> None:
        """Remembers the figures of a refresh."""
        self._last = list(figures)
        for powers_w, figure in zip(self._powers_w, figures, strict=True):
            powers_w.append(figure.power_w)

    def plain(self, elapsed_s: float) -> Iterable[str]:
        """A line for each domain, of any length, for output that is no terminal."""
        for name, figure in zip(self._names, self._last, strict=True):
            words = [
                f"{elapsed_s:8.2f} s",
                name.ljust(self._name_width),
                figure.domain.kind.ljust(self._kind_width),
                *self._numbers(figure),
                self._evidence,
            ]
            if figure.reason is not None:
                words.append(figure.reason)
            yield "  ".join(words).rstrip()

    def drawn(self, width: int, interval_s: float, elapsed_s: float) -> Group:
        """The screen for a terminal of `width` columns."""
        lines = [Text(f"{elapsed_s:.1f} s of {self.heading(interval_s)}", style="bold")]
        for name, figure, powers_w in zip(self._names, self._last, self._powers_w, strict=True):
            power, energy, *wraps = self._numbers(figure)
            left = f"{name.ljust(self._name_width)}  {power}  "
            right = "  ".join(["", energy, *wraps, self._evidence])
            room = width - len(left) - len(right)
            middle = bars(powers_w, room).rjust(max(room, 0))
            lines.append(Text(left + middle + right, no_wrap=True, overflow="ellipsis"))
            if figure.reason is not None:
                lines.append(Text(f"  {figure.reason}", style="dim"))
        return Group(*lines)

    def summary(self, elapsed_s: float) -> Iterable[str]:
        """Lines on the whole time: the energy, and the range of the powers that were shown."""
        yield f"{format_seconds(elapsed_s)} of {self._title}, {self._evidence}:"
        for name, figure, powers_w in zip(self._names, self._last, self._powers_w, strict=True):
            shown_w = [watts for watts in powers_w if watts is not None]
            words = [
                "no energy known" if figure.energy_j is None else format_joules(figure.energy_j)
            ]
            if shown_w:
                low, high = (format_si(watts, "W") for watts in (min(shown_w), max(shown_w)))
                words.append(f"{low} to {high}")
            words += self._numbers(figure)[2:]
            if figure.energy_j is None and figure.reason is not None:
                words.append(figure.reason)
            yield f"  {name.ljust(self._name_width)}  {', '.join(words)}"

    @staticmethod
    def _numbers(figure: LiveFigure) -> list[str]:
        """Power and energy, and wraps where there were any."""
        power = _NOTHING if figure.power_w is None else format_si(figure.power_w, "W")
        energy = _NOTHING if figure.energy_j is None else format_joules(figure.energy_j)
        cells = [power.rjust(_NUMBER_WIDTH), energy.rjust(_NUMBER_WIDTH)]
        if figure.wraps:
            cells.append(format_count(figure.wraps, "wrap"))
        return cells


# The energy of each domain as a file that Prometheus's node_exporter picks up.
#
# The format is that of the textfile collector: the text exposition format without time stamps
# (prometheus.io/docs/instrumenting/exposition_formats). A domain whose energy is not known has no
# line: 0 would be a claim. A new file takes the name of the old one, so no reader sees half of one.

METRIC: Final = "joulemark_energy_joules_total"
_HELP: Final = (
    "Energy that a domain has used since joulemark meter started. A domain may lie inside another, "
    "so do not add them up."
)
Refreshes = Iterator[tuple[float, list[LiveFigure]]]

_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


def exposition(figures: Sequence[LiveFigure], meter: str, evidence: str) -> str:
    """The text of the file for one refresh; a domain without energy has no line."""
    lines = [f"# HELP {METRIC} {_HELP}", f"# TYPE {METRIC} counter"]
    for figure in figures:
        if figure.energy_j is None:
            continue
        labels = {
            "meter": meter,
            "domain": figure.domain.id,
            "name": figure.domain.name,
            "evidence": evidence,
        }
        text = ",".join(f'{name}="{value.translate(_ESCAPES)}"' for name, value in labels.items())
        lines.append(f"{METRIC}{{{text}}} {figure.energy_j!r}")
    return "\n".join(lines) + "\n"


class PrometheusFile:
    """The file, which is written again at each refresh; node_exporter reads names with `.prom`."""

    def __init__(self, path: Path, meter: str, evidence: str) -> None:
        self._path = path
        self._meter = meter
        self._evidence = evidence

    def record(self, refreshes: Refreshes, *, stays: bool) -> Refreshes:
        """Passes the refreshes on, and writes each to the file first.

        Unless it `stays`, the last file goes at the end, for a counter that stands still would be
        read as a power of 0.
        """
        # Before the first figure: it shows at once whether it can be written, and takes away what
        # an earlier command may have left.
        self._write([])
        return self._record(refreshes, stays=stays)

    def _record(self, refreshes: Refreshes, *, stays: bool) -> Refreshes:
        # What stops a service must take the file away as Ctrl-C does.
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            for elapsed_s, figures in refreshes:
                self._write(figures)
                yield elapsed_s, figures
        finally:
            signal.signal(signal.SIGTERM, before)
            if not stays:
                self._path.unlink(missing_ok=True)

    def _write(self, figures: Sequence[LiveFigure]) -> None:
        text = exposition(figures, self._meter, self._evidence)
        write_atomically(self._path, text.encode())
