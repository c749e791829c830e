# SPDX-License-Identifier: Apache-2.0
"""What `joulemark sessions` shows: figures, whether the windows count, and what was tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any, Final

import typer

from joulemark.analyse.sessions.estimate import SessionFigures, Spread, session_figures
from joulemark.cli.shared.terminal import columns, heading, sentences
from joulemark.judging.sessions import own_share
from joulemark.measure.sessions.run import SessionRounds
from joulemark.measure.sessions.work import Scenario
from joulemark.stats.location import median
from joulemark.units import format_count, format_percent, format_seconds

__all__ = ["SESSIONS_VERSION", "as_dict", "show", "title_of"]

SESSIONS_VERSION: Final = 2
"""Version of the JSON that `--json` prints."""
_NONE: Final = "-"


def show(scenario: Scenario, found: Sequence[SessionRounds], held_by_others: Sequence[int]) -> None:
    """Prints the figures, the verdict and the history."""
    figures = {point.point: session_figures(point.good) for point in found if point.good}
    units = {figure.unit for figure in figures.values()}
    if len(units) == 1:
        heading(f"{format_count(scenario.sessions, 'session')} on {_cores(scenario.cores)}; "
                f"{units.pop()} a byte{_to_a_tick(list(figures.values()))}")  # fmt: skip
    for name, points in groupby(found, key=lambda point: point.point.implementation):
        typer.echo("")
        heading(name)
        rows = [_row(point, figures[point.point]) for point in points if point.point in figures]
        if rows:
            head = ("size", "absolute", "±", "apparent", "±", "fair", "p50", "p99", "p99.9")
            columns([head, *rows], right=range(1, 9))
    typer.echo("")
    sentences(_verdict(found))
    sentences(_history(found))
    sentences(_scheduling(list(figures.values())))
    if held_by_others:
        sentences([f"another run of joulemark measures on {_cores(held_by_others)} too"])
    sentences([_legend(found)])


def _cores(cores: Sequence[int]) -> str:
    word = "core" if len(cores) == 1 else "cores"
    return f"{word} {', '.join(map(str, cores))}"


def _row(point: SessionRounds, figures: SessionFigures) -> tuple[str, ...]:
    return (
        point.point.lengths.title,
        *_spread(figures.absolute),
        *_spread(figures.apparent),
        _NONE if figures.fairness is None else f"{figures.fairness.median:.3f}",
        *(_time(value) for value in figures.latency_s.values()),
    )


def _spread(value: Spread | None) -> tuple[str, str]:
    if value is None:
        return _NONE, _NONE
    wide = format_percent(value.half_width).replace(" ", "") if value.windows > 1 else _NONE
    return f"{value.median:.4g}", wide


def _time(value: Spread | None) -> str:
    return _NONE if value is None else format_seconds(value.median)


def _verdict(found: Sequence[SessionRounds]) -> Iterator[str]:
    """Sentences on whether the windows count and, where they do not, of what and why."""
    rounds = [taken for point in found for taken in point.rounds]
    good = sum(taken.counts for taken in rounds)
    if rounds:
        shares = [own_share(taken.best.window) for taken in rounds]
        yield (f"{'valid' if good == len(rounds) else 'not valid'}: {good} of {len(rounds)} "
               f"windows count; the sessions had {min(shares):.1%} of the cores or more"
               )  # fmt: skip
    for point in found:
        if point.failure is not None:
            yield f"  {title_of(point)} failed ({point.failure.kind}): {point.failure.reason}"


def title_of(point: SessionRounds) -> str:
    """Implementation and length."""
    return f"{point.point.implementation}, {point.point.lengths.title}"


def _history(found: Sequence[SessionRounds]) -> Iterator[str]:
    """Sentences on attempts that did not count, and on how the next ones were adjusted."""
    repeated = [
        (point, taken)
        for point in found if point.good
        for taken in point.rounds if len(taken.attempts) > 1
    ]  # fmt: skip
    for point, taken in repeated:
        steps = []
        for attempt in taken.attempts:
            kinds = Counter(str(trouble.kind) for trouble in attempt.troubles)
            window = attempt.window
            steps.append(
                f"{format_seconds(window.window_ns / 1e9)} from "
                f"{format_seconds(window.warm_up_ns / 1e9)} on: {', '.join(kinds) or 'counts'}"
            )
        yield f"  repeated: {title_of(point)}: {'; '.join(steps)}"


def _to_a_tick(figures: Sequence[SessionFigures]) -> str:
    """The number of core cycles to a tick, where the figures are in core cycles."""
    ratios = [
        figure.absolute.median / figure.absolute_ticks.median
        for figure in figures
        if figure.unit == "core cycles" and figure.absolute and figure.absolute_ticks
    ]
    return f", {median(ratios):.3f} to a TSC tick" if ratios else ""


def _scheduling(figures: Sequence[SessionFigures]) -> Iterator[str]:
    """A sentence on what the scheduler did to all sessions together."""
    moved = [
        figure.migrations_per_second.median for figure in figures if figure.migrations_per_second
    ]
    stopped = [
        figure.preemptions_per_second.median for figure in figures if figure.preemptions_per_second
    ]
    if moved and stopped:
        yield (
            f"all sessions together had {_range(stopped)} preemptions and {_range(moved)} "
            "migrations a second"
        )


def _range(values: Sequence[float]) -> str:
    low, high = f"{min(values):.3g}", f"{max(values):.3g}"
    return low if low == high else f"{low} to {high}"


def _legend(found: Sequence[SessionRounds]) -> str:
    stretches = sorted({window.stretch_messages for point in found for window in point.good})
    if not stretches:
        return ""
    every = f"{stretches[0]}" if len(stretches) == 1 else f"{stretches[0]} to {stretches[-1]}"
    return (
        f"fair: Jain's index of the sessions' bytes; latencies: one message in {every} timed by "
        "itself, waiting for a core included"
    )


def as_dict(
    scenario: Scenario, found: Sequence[SessionRounds], held_by_others: Sequence[int]
) -> dict[str, Any]:
    """Figures and all counters as JSON values; times are in ns where their names say so."""
    return {
        "schema_version": SESSIONS_VERSION,
        "scenario": asdict(scenario),
        "cores_held_by_other_runs": list(held_by_others),
        "valid": all(point.counts for point in found),
        "points": [_point(point) for point in found],
    }


def _point(point: SessionRounds) -> dict[str, Any]:
    lengths = point.point.lengths
    return {
        "implementation": point.point.implementation,
        "size_bytes": None if lengths.mix else lengths.size_bytes,
        "mix": lengths.mix or None,
        "mean_bytes": lengths.mean_bytes,
        "figures": asdict(session_figures(point.good)) if point.good else None,
        "valid": point.counts,
        "failure": None if point.failure is None else asdict(point.failure),
        "rounds": [
            [
                {
                    "troubles": [asdict(trouble) for trouble in attempt.troubles],
                    "window": asdict(attempt.window),
                }
                for attempt in taken.attempts
            ]
            for taken in point.rounds
        ],
    }
