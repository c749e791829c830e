# SPDX-License-Identifier: Apache-2.0
"""The energy of each domain as a file that Prometheus's node_exporter picks up.

The format is that of the textfile collector: the text exposition format without time stamps
(prometheus.io/docs/instrumenting/exposition_formats). A domain whose energy is not known has no
line: 0 would be a claim. A new file takes the name of the old one, so no reader sees half of one.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from joulemark.measure.meter_choice import LiveFigure
from joulemark.report.files import write_atomically

METRIC: Final = "joulemark_energy_joules_total"
_HELP: Final = (
    "Energy that a domain has used since joulemark meter started. A domain may lie inside another, "
    "so do not add them up."
)
Refreshes = Iterator[tuple[float, list[LiveFigure]]]

_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


def exposition(figures: Sequence[LiveFigure], meter: str, evidence: str) -> str:
    """The text of the file.

    Args:
        figures: of one refresh; those without energy have no line.
        meter: name of the meter with its argument.
        evidence: the word of evidence that all its figures have.
    """
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
    """The file, which is written again at each refresh.

    Args:
        path: its name; node_exporter reads those that end with `.prom`.
        meter: name of the meter with its argument.
        evidence: the word of evidence that all its figures have.
    """

    def __init__(self, path: Path, meter: str, evidence: str) -> None:
        self._path = path
        self._meter = meter
        self._evidence = evidence

    def record(self, refreshes: Refreshes, *, stays: bool) -> Refreshes:
        """Passes the refreshes on, and writes each to the file first.

        Args:
            refreshes: seconds since the start and the figures.
            stays: whether the last file stays. Else it goes at the end, for a counter that stands
                still would be read as a power of 0.
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
