# SPDX-License-Identifier: Apache-2.0
"""`joulemark sessions`: what a MAC costs where many connections share the cores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from itertools import groupby
from typing import Annotated, Final

import typer
from pydantic import JsonValue

from joulemark.analyse.derive import (
    SessionFigures,
    WindowSpread,
    session_core_seconds,
    session_figures,
)
from joulemark.analyse.estimate import figure
from joulemark.analyse.load import LoadCost, OfferedLoad, load_cost
from joulemark.analyse.stated_figures import fewest_values, latency_percentile
from joulemark.cli.session_options import (
    EXIT_CODES,
    SessionOptions,
    WindowOptions,
    conditions,
    cores_text,
    failed_points,
    measured,
    point_json,
    require_answer,
)
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.load_options import ClaimOptions, LoadOptions, show_load
from joulemark.cli.shared.measuring_options import JSON_OPTION, PERCENTILE_OPTION, StoreOptions
from joulemark.cli.shared.terminal import columns, heading, print_json, print_text, sentences
from joulemark.judging import own_share, troubles
from joulemark.measure.inventory import inventory_of, refuse_broken_plugins
from joulemark.measure.quiet import require_one_kind
from joulemark.measure.session_rounds import Scenario, ThreadsPoint, cores_held
from joulemark.measure.session_windows import SessionRounds, keep_points, session_windows
from joulemark.records.figures import Evidence
from joulemark.report.load import cost_json, load_basis
from joulemark.stats import median
from joulemark.store.local_first import store_to_measure
from joulemark.units import (
    format_count,
    format_percent,
    format_seconds,
    format_si,
    parse_percentile,
)

# What `joulemark sessions` shows: figures, whether the windows count, and what was tried.

SESSIONS_VERSION: Final = 5
"""Version of the JSON that `--json` prints."""
_NONE: Final = "-"


def show(
    scenario: Scenario,
    found: Sequence[SessionRounds],
    held_by_others: Sequence[int],
    load: OfferedLoad | None = None,
    percent: float | None = None,
) -> None:
    """Prints the cost of the load if there is one, the figures, the verdict and the history."""
    if load is not None:
        costs = [
            (title_of(point), cost)
            for point in found
            if (cost := _load_cost(load, point)) is not None
        ]
        show_load(load, costs, load_basis(load, _times(scenario)))
        typer.echo("")
    figures = {point.point: session_figures(point.good) for point in found if point.good}
    units = {figure.unit for figure in figures.values()}
    heading(_sentence(scenario, figures))
    if len(units) == 1:
        every = list(figures.values())
        print_text(f"  absolute and apparent are {units.pop()} a byte{_to_a_tick(every)}")
    for name, points in groupby(found, key=lambda point: point.point.implementation):
        typer.echo("")
        heading(name)
        measured_points = [point for point in points if point.point in figures]
        for head, row in ((_ANSWER, _answer), (_PROCESSING, _processing)):
            rows = [row(point, figures[point.point]) for point in measured_points]
            if rows:
                columns([head, *rows], right=range(1, len(head)))
        if percent is not None and measured_points:
            _print_percentile(measured_points, percent)
    typer.echo("")
    sentences(_verdict(found))
    sentences(_history(found))
    sentences(_scheduling(list(figures.values())))
    sentences(conditions(found, held_by_others))
    sentences([_legend(found)])


def _sentence(scenario: Scenario, figures: Mapping[ThreadsPoint, SessionFigures]) -> str:
    """What a message takes of a core, and what all sessions do in a second."""
    kind = require_one_kind(scenario.cores, "--cores")
    where = f"{format_count(scenario.sessions, 'session')} on {cores_text(scenario.cores)}"
    where += f" ({kind})" if kind else ""
    costs = {
        f"{point.implementation}, {point.lengths.title}": cost.median
        for point, figure in figures.items()
        if (cost := figure.core_seconds_per_message)
    }
    if not costs:
        return f"{where}: no figure"
    least, most = min(costs, key=costs.__getitem__), max(costs, key=costs.__getitem__)
    if least != most:
        return (
            f"{where}: a message takes from {format_seconds(costs[least])} of a core ({least}) to "
            f"{format_seconds(costs[most])} ({most})"
        )
    rates = [figure.messages_per_second for figure in figures.values()]
    done = [format_si(rate.median, "").strip() for rate in rates if rate]
    together = f"; all together do {done[0]} messages a second" if done else ""
    return f"{where}: a message takes {format_seconds(costs[least])} of a core ({least}){together}"


def _load_cost(load: OfferedLoad, point: SessionRounds) -> LoadCost | None:
    """What the load takes, from the windows that count; None without such a window."""
    costs = [cost for window in point.good if (cost := session_core_seconds(window)) is not None]
    return load_cost(load, figure(costs, Evidence.MEASURED)) if costs else None


def _times(scenario: Scenario) -> str:
    return (
        f"measured: CPU time of a message in {format_count(scenario.sessions, 'session')} on "
        f"{cores_text(scenario.cores)}, times the rate"
    )


def _print_percentile(points: Sequence[SessionRounds], percent: float) -> None:
    """Prints a percentile of the timed messages, and why there is none."""
    share = parse_percentile(percent)
    rows = [("size", f"p{percent:g}", "interval", "messages timed")]
    few = False
    for point in points:
        found, timed = latency_percentile(point.good, share)
        few |= found is None
        rows.append(
            (
                point.point.lengths.title,
                _NONE if found is None else format_seconds(found.seconds),
                _NONE
                if found is None
                else f"{format_seconds(found.low)} to {format_seconds(found.high)}",
                str(timed),
            )
        )
    columns(rows, right=range(1, len(rows[0])))
    if few:
        sentences([f"p{percent:g} needs {fewest_values(share)} timed messages: a longer --window"])


_ANSWER: Final = ("size", "a message", "±", "all a second", "±", "p50", "p99", "p99.9")
_PROCESSING: Final = ("size", "absolute", "±", "apparent", "±", "fair")


def _answer(point: SessionRounds, figures: SessionFigures) -> tuple[str, ...]:
    """What a message takes of a core, messages of all sessions a second, and latencies."""
    return (
        point.point.lengths.title,
        *_spread(figures.core_seconds_per_message, format_seconds),
        *_spread(figures.messages_per_second, lambda value: format_si(value, "").strip()),
        *(_time(value) for value in figures.latency_s.values()),
    )


def _processing(point: SessionRounds, figures: SessionFigures) -> tuple[str, ...]:
    return (
        point.point.lengths.title,
        *_spread(figures.absolute, lambda value: f"{value:.4g}"),
        *_spread(figures.apparent, lambda value: f"{value:.4g}"),
        _NONE if figures.fairness is None else f"{figures.fairness.median:.3f}",
    )


def _spread(value: WindowSpread | None, form: Callable[[float], str]) -> tuple[str, str]:
    if value is None:
        return _NONE, _NONE
    wide = format_percent(value.half_width).replace(" ", "") if value.windows > 1 else _NONE
    return form(value.median), wide


def _time(value: WindowSpread | None) -> str:
    return _NONE if value is None else format_seconds(value.median)


def _verdict(found: Sequence[SessionRounds]) -> Iterator[str]:
    """Sentences on whether the windows count and, where they do not, of what and why."""
    rounds = [taken for point in found for taken in point.rounds]
    good = sum(taken.counts for taken in rounds)
    if rounds:
        shares = [own_share(taken.best.window) for taken in rounds]
        yield (
            f"{'valid' if good == len(rounds) else 'not valid'}: {good} of {len(rounds)} "
            f"windows count; the sessions had {min(shares):.1%} of the cores or more"
        )
    for sentence in failed_points(found, title_of):
        yield f"  {sentence}"


def title_of(point: SessionRounds) -> str:
    """Implementation and length."""
    return f"{point.point.implementation}, {point.point.lengths.title}"


def _history(found: Sequence[SessionRounds]) -> Iterator[str]:
    """Sentences on attempts that did not count, and on how the next ones were adjusted."""
    repeated = [
        (point, taken)
        for point in found
        if point.good
        for taken in point.rounds
        if len(taken.attempts) > 1
    ]
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
    return f"; a TSC tick is {median(ratios):.3f} core cycles" if ratios else ""


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
            f"in a second, Linux interrupted the sessions {_range(stopped)} times and moved them "
            f"to another core {_range(moved)} times (all together)"
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
        "a message: CPU time of its session; fair: Jain's index of the sessions' bytes, 1 if all "
        f"get the same; p50 to p99.9: latency of a message, the wait for a core included (one in "
        f"{every} was timed)"
    )


def as_dict(
    scenario: Scenario,
    found: Sequence[SessionRounds],
    held_by_others: Sequence[int],
    load: OfferedLoad | None = None,
    percent: float | None = None,
) -> Mapping[str, JsonValue]:
    """Figures and all counters as JSON values; times are in ns where their names say so."""
    costs = [None if load is None else _load_cost(load, point) for point in found]
    return {
        "schema_version": SESSIONS_VERSION,
        "scenario": asdict(scenario),
        "cores_held_by_other_runs": list(held_by_others),
        "valid": all(point.counts for point in found),
        "load": None if load is None else asdict(load),
        "points": [_point(point, cost, percent) for point, cost in zip(found, costs, strict=True)],
    }


def _percentile(point: SessionRounds, percent: float) -> JsonValue:
    """The percentile that was asked for; its times are null where too few messages were timed."""
    found, timed = latency_percentile(point.good, parse_percentile(percent))
    times = {"seconds": None, "low": None, "high": None} if found is None else asdict(found)
    return {"percent": percent, **times, "messages_timed": timed}


def _point(point: SessionRounds, cost: LoadCost | None, percent: float | None) -> JsonValue:
    return {
        **point_json(point),
        "percentile": None if percent is None else _percentile(point, percent),
        "mean_bytes": point.point.lengths.mean_bytes,
        "figures": asdict(session_figures(point.good)) if point.good else None,
        "load": None if cost is None else cost_json(cost),
    }


def run_sessions(
    *,
    asked: SessionOptions,
    claims: ClaimOptions,
    times: WindowOptions,
    offered: LoadOptions,
    kept: StoreOptions,
    percentile: Annotated[float | None, PERCENTILE_OPTION] = None,
    json_: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """Measure a MAC in many sessions at once: absolute and apparent processing, and latencies.

    Each session is a thread with a separate key, message and tag; all share the cores. Absolute is
    what the threads spend on a byte, apparent what passes on the clock while all together do one:
    on k cores it falls towards absolute / k. A window that others disturbed, that was not steady
    or too short does not count: it is adjusted and taken again. The store keeps what was measured,
    for `joulemark choose --sessions`. With --rate the screen begins with the part of a core that
    so many messages take, their power and their price.
    """
    load = offered.load()
    if percentile is not None:
        parse_percentile(percentile)
    lengths = asked.lengths()
    scenario = times.scenario(asked.sessions, asked.core_numbers())
    inventory = inventory_of(asked.plugin)
    refuse_broken_plugins(inventory, asked.plugin or [])
    names = claims.kept(asked.implementations(inventory))
    points = [ThreadsPoint(name, length, scenario) for name in names for length in lengths]
    # The store is opened first, so that one that cannot be is refused before minutes of measuring.
    with nullcontext() if kept.location is None else store_to_measure(kept.location) as store:
        with cores_held(scenario.cores) as held_by_others:
            found = measured(
                inventory,
                points,
                times.rounds,
                session_windows,
                troubles,
                kept="nothing of these sessions is kept",
            )
        if store is not None:
            keep_points(store, inventory, found)
    if json_:
        print_json(as_dict(scenario, found, held_by_others, load, percentile))
    elif any(point.good or point.failure is not None for point in found):
        show(scenario, found, held_by_others, load, percentile)
    require_answer(found, title_of)


COMMAND: Final = Command(
    run_sessions,
    (
        "joulemark sessions hmac-sha256 cmac-aes128 --sessions 100 --size 64,1KiB",
        "joulemark sessions hmac-sha256 --size 64 --rate 1M --watts-per-core 15 --core-hour 0.04",
        "joulemark sessions 'hmac-*' --security-bits 128 --approved nist --size 64",
        "joulemark sessions hmac-sha256/portable --cores 0 --size imix --window 2s",
        "joulemark sessions hmac-sha1 --sessions 1000 --rounds 1 --json > sessions.json",
    ),
    notes=(EXIT_CODES,),
)
