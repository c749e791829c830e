# SPDX-License-Identifier: Apache-2.0
"""Simulates the error of one window's energy, for the table of docs/method/energy.md.

A counter is updated every `FAST_S` or `SLOW_S` on the mean; the instant of each update deviates
from its place in the grid by a normal error of `JITTER` periods, cut at less than half a period.
The counter shows the energy used until its last update, cut to whole steps. The power is constant,
so that every error comes from the method:

- free: the counter is read when the window begins and when it ends;
- start: the window begins just after an update, and the counter is read when its length has passed;
- both: the counter is read every `POLL_S` until it has moved, at the begin and at the end. The
  moment of each move is taken to be halfway between the two reads that caught it.

The energy is compared with power times the time that the window is believed to have lasted. A
window begins anywhere in a period, with equal chances. Its length differs from the requested length
by up to half a period, with equal chances too, since a window ends with a message; if all lengths
were a multiple of the period, free ends would seem better than they are.

`python tools/window_error_table.py` prints the table; tests/docs/test_window_error_table.py
compares docs/method/energy.md with a second run with another seed.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["COLUMNS", "TRIALS", "WINDOWS_S", "Errors", "render", "simulate", "table"]

POWER_W: Final = 10.0
JITTER: Final = 0.02
"""Standard deviation of an update's instant, in periods."""
STEP_J: Final = 2.0**-14
"""61 uJ: the step of RAPL with energy unit 14."""
TRIALS: Final = 3000
SEED: Final = 2010
POLL_S: Final = 20e-6
"""The shortest time between two reads near an edge (`joulemark.meters.window`)."""
WINDOWS_S: Final = (0.01, 0.05, 0.1, 0.2, 0.4, 1.6)
FAST_S: Final = 0.001
SLOW_S: Final = 0.008
"""An illustrative slow counter, such as that of a coarse sensor."""
COLUMNS: Final = (("free", FAST_S), ("start", FAST_S), ("both", FAST_S), ("free", SLOW_S))
"""Kind of window and update period of each column of figures."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Errors:
    """Relative errors of the energy of one kind of window, over all trials."""

    bias: float
    sigma: float
    p99: float
    """Magnitude below which the errors of 99 of 100 windows stay."""


def simulate(kind: str, window_s: float, period_s: float, trials: int, seed: int) -> Errors:
    """The errors of `trials` windows.

    Args:
        kind: `free`, `start` or `both`.
        window_s: requested length.
        period_s: mean time between updates.
        trials: at least 1.
        seed: the same seed gives the same errors.
    """
    chance = np.random.default_rng([seed, round(window_s * 1e6), round(period_s * 1e6)])
    # Windows begin long after time 0, so that each has updates before it; the count is arbitrary.
    asked = 16.0 + chance.random(trials)
    counts_from_j = chance.random(trials)
    length = window_s / period_s + chance.random(trials) - 0.5
    poll = POLL_S / period_s
    if kind == "free":
        begin, first = asked, _last_update(chance, asked)
    else:
        begin = first = _next_update(chance, asked)
    if kind == "both":
        last = _next_update(chance, begin + length)
        caught = poll * (chance.random((2, trials)) - 0.5)
        end, begin = last + caught[1], begin + caught[0]
    else:
        end = begin + length
        last = _last_update(chance, end)
    counted_j = _shown_j(last, period_s, counts_from_j) - _shown_j(first, period_s, counts_from_j)
    errors = counted_j / (POWER_W * (end - begin) * period_s) - 1
    return Errors(
        float(errors.mean()), float(errors.std()), float(np.quantile(np.abs(errors), 0.99))
    )


def _instant(chance: np.random.Generator, place: Floats) -> Floats:
    """Moments, in periods, of the updates with these places in the grid."""
    return place + np.clip(JITTER * chance.standard_normal(place.shape), -0.49, 0.49)


def _last_update(chance: np.random.Generator, moment: Floats) -> Floats:
    """The last update at or before each moment."""
    place = np.floor(moment)
    later, here, before = (_instant(chance, place + step) for step in (1, 0, -1))
    return np.where(later <= moment, later, np.where(here <= moment, here, before))


def _next_update(chance: np.random.Generator, moment: Floats) -> Floats:
    """The first update after each moment."""
    place = np.floor(moment)
    here, later, after = (_instant(chance, place + step) for step in (0, 1, 2))
    return np.where(here > moment, here, np.where(later > moment, later, after))


def _shown_j(moment: Floats, period_s: float, counts_from_j: Floats) -> Floats:
    """The energy that the counter shows after an update at each moment."""
    return np.asarray(np.floor((POWER_W * moment * period_s + counts_from_j) / STEP_J) * STEP_J)


def table(trials: int = TRIALS, seed: int = SEED) -> list[tuple[float, list[Errors]]]:
    """A row for each window length: the length and the errors of each column."""
    return [
        (window_s, [simulate(kind, window_s, period_s, trials, seed) for kind, period_s in COLUMNS])
        for window_s in WINDOWS_S
    ]


def render(rows: list[tuple[float, list[Errors]]]) -> str:
    """The rows as Markdown, in percent."""
    lines = [
        "| window | free ends | begins on an update | both ends on an update | free ends, 8 ms |",
        "|---|---:|---:|---:|---:|",
    ]
    for window_s, (free, start, both, slow) in rows:
        length = f"{window_s * 1000:g} ms" if window_s < 1 else f"{window_s:g} s"
        cells = (
            length,
            f"{_percent(free.sigma)} / {_percent(free.p99)}",
            _percent(start.bias),
            _percent(both.p99),
            f"{_percent(slow.sigma)} / {_percent(slow.p99)}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _percent(part: float) -> str:
    percent = 100 * part
    return f"{percent:.0f} %" if percent >= 10 else f"{percent:.2g} %"


if __name__ == "__main__":
    sys.stdout.write(render(table()))
