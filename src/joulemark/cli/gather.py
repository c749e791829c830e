# SPDX-License-Identifier: Apache-2.0
"""`joulemark gather`: what a server gains by letting messages wait for each other."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Annotated, Final

import typer
from pydantic import JsonValue

from joulemark import __version__, _core
from joulemark.analyse import Figure
from joulemark.analyse.estimate import figure
from joulemark.analyse.gathering import (
    Curve,
    CurveKey,
    GatherWay,
    core_seconds_per_message,
    curves,
    gather_figures,
)
from joulemark.analyse.load import LoadCost, load_cost
from joulemark.cli.session_options import (
    EXIT_CODES,
    SessionOptions,
    WindowOptions,
    conditions,
    failed_points,
    measured,
    no_answer,
    point_json,
    require_answer,
)
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.load_options import ClaimOptions, CoreCostOptions
from joulemark.cli.shared.measuring_options import JSON_OPTION
from joulemark.cli.shared.terminal import (
    columns,
    heading,
    print_json,
    print_table,
    print_text,
    require_writable,
    sentences,
)
from joulemark.environment import capture
from joulemark.errors import UsageError
from joulemark.judging import gather_troubles
from joulemark.measure.inventory import inventory_of, refuse_broken_plugins
from joulemark.measure.session_rounds import GatherPoint, Scenario, cores_held, require_gatherers
from joulemark.measure.session_windows import GatherRounds, gatherer_windows
from joulemark.records.figures import Evidence
from joulemark.report.load import cost_json, load_basis, load_sentence
from joulemark.report.page.gathering import (
    GatheringPage,
    curve_table,
    curve_title,
    rate_text,
    verdict_sentence,
    write_gathering_page,
)
from joulemark.units import format_count, parse_rate, small_letters

# What `joulemark gather` shows: figures of each wait, which one pays, whether windows count.

GATHERING_VERSION: Final = 4
"""Version of the JSON that `--json` prints."""
_LEGEND: Final = (
    "a message: core time that a message takes, without its wait; for a core: messages in a second "
    "of core time; latency: time from the arrival of a message to its tag"
)


_TIMES: Final = (
    "measured: time of a core for a message with the wait that pays, or with none, times the rate"
)


def curves_of(found: Sequence[GatherRounds]) -> list[Curve]:
    """The measurements, grouped into curves over the wait; no answer of one that lacks a wait."""
    lacking = {_curve_of(point) for point in found if not point.good}
    drawn = curves(
        (
            _curve_of(point),
            GatherWay(
                point.point.wait_ns / 1e9,
                point.point.batch_most == 1,
                gather_figures(point.good or point.windows),
                bool(point.good),
            ),
        )
        for point in found
        if point.rounds
    )
    return [
        replace(curve, pays=None, counts=False) if curve.key in lacking else curve
        for curve in drawn
    ]


def _curve_of(point: GatherRounds) -> CurveKey:
    return point.point.implementation, point.point.lengths.title, point.point.rate_per_s


# What the messages of a curve take, with the wait that pays and without waiting where none does.


def load_costs(
    found: Sequence[GatherRounds], costs: CoreCostOptions
) -> Iterator[tuple[Curve, LoadCost]]:
    """Each curve that has an answer at a rate, and what its messages take."""
    for curve in curves_of(found):
        pays, rate = curve.pays, curve.rate_per_s
        if pays is None or rate is None:
            continue
        gathered = _core_seconds(found, curve, pays.best or pays.now)
        alone = None if pays.alone is None else _core_seconds(found, curve, pays.alone)
        if gathered is not None:
            yield curve, load_cost(costs.of(rate), gathered, one_by_one=alone)


def _core_seconds(found: Sequence[GatherRounds], curve: Curve, way: GatherWay) -> Figure | None:
    """Time of a core per message in the windows that count of one way to gather."""
    windows = [
        window
        for point in found
        if _curve_of(point) == curve.key
        and (point.point.wait_ns / 1e9, point.point.batch_most == 1) == (way.wait_s, way.alone)
        for window in point.good
    ]
    costs = [cost for window in windows if (cost := core_seconds_per_message(window)) is not None]
    return figure(costs, Evidence.MEASURED) if costs else None


def scenario_text(found: Sequence[GatherRounds]) -> str:
    """Sessions, cores and batches, as in "100 sessions, a gatherer on core 0, batches of 64"."""
    how = found[0].point.scenario
    most = max(point.point.batch_most for point in found)
    word = "core" if len(how.cores) == 1 else "each of the cores"
    cores = f"{word} {', '.join(map(str, how.cores))}"
    sessions = format_count(how.sessions, "session")
    return f"{sessions}, a gatherer on {cores}, batches of {most} or fewer"


def verdict_text(found: Sequence[GatherRounds]) -> str:
    """A sentence on how many windows count."""
    best = [attempt for point in found for attempt in point.best]
    good = sum(not attempt.troubles for attempt in best)
    word = "valid" if good == len(best) else "not valid"
    return f"{word}: {good} of {len(best)} windows count"


def notes(found: Sequence[GatherRounds], held_by_others: Sequence[int]) -> Iterator[str]:
    """Sentences on what failed, and how many windows were taken again."""
    yield from failed_points(found, title_of)
    repeated = sum(len(taken.attempts) - 1 for point in found for taken in point.rounds)
    if repeated:
        yield f"{repeated} windows that did not count were taken again; --json has them all"
    yield from conditions(found, held_by_others)


def title_of(gather_rounds: GatherRounds) -> str:
    """Implementation, length and rate."""
    point = gather_rounds.point
    return f"{point.implementation}, {point.lengths.title}, {rate_text(point.rate_per_s)}"


def show(
    found: Sequence[GatherRounds], held_by_others: Sequence[int], core_costs: CoreCostOptions
) -> None:
    """Prints what each load takes, a table for each of them, and which waiting pays."""
    drawn = curves_of(found)
    if len(drawn) == 1:
        heading(f"{curve_title(drawn[0])}: {verdict_sentence(drawn[0])}")
    else:
        pay = sum(curve.best is not None for curve in drawn)
        heading(f"Waiting for others saves core time in {pay} of {len(drawn)} cases")
        columns([(curve_title(curve), verdict_sentence(curve)) for curve in drawn], prose=(1,))
    print_text(f"  {scenario_text(found)}")
    costs = list(load_costs(found, core_costs))
    if costs:
        typer.echo("")
        heading("What the messages take")
        columns([(curve_title(curve), load_sentence(cost)) for curve, cost in costs], prose=(1, 0))
        sentences(load_basis(core_costs.of(1), _TIMES), indent=2)
    for curve in drawn:
        typer.echo("")
        table = curve_table(curve)
        heading(table.title)
        print_table(table, right=range(1, len(table.headings)))
    typer.echo("")
    print_text(verdict_text(found))
    sentences(notes(found, held_by_others), indent=2)
    sentences([_LEGEND])


def as_dict(
    found: Sequence[GatherRounds], held_by_others: Sequence[int], core_costs: CoreCostOptions
) -> Mapping[str, JsonValue]:
    """Figures, curves and all counters as JSON values; names end with their unit."""
    costs = {curve.key: cost_json(cost) for curve, cost in load_costs(found, core_costs)}
    return {
        "schema_version": GATHERING_VERSION,
        "cores_held_by_other_runs": list(held_by_others),
        "valid": all(point.counts for point in found),
        "points": [_point(point) for point in found],
        "curves": [
            {
                "implementation": curve.implementation,
                "lengths": curve.lengths,
                "rate_per_s": curve.rate_per_s,
                "wait_that_pays_s": curve.best.wait_s if curve.best else None,
                "times_as_many": curve.pays.times_as_many if curve.pays else None,
                "added_latency_s": {**curve.pays.added_s} if curve.pays else {},
                "valid": curve.counts,
                "sentence": verdict_sentence(curve),
                "load": costs.get(curve.key),
            }
            for curve in curves_of(found)
        ],
    }


def _point(point: GatherRounds) -> JsonValue:
    return {
        **point_json(point),
        "sessions": point.point.scenario.sessions,
        "cores": list(point.point.scenario.cores),
        "batch_most": point.point.batch_most,
        "wait_ns": point.point.wait_ns,
        "rate_per_s": point.point.rate_per_s,
        "figures": asdict(gather_figures(point.good)) if point.good else None,
    }


# The options of `joulemark gather`: how messages arrive, and how they are gathered.

_WAIT: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(us|\u00b5s|\u03bcs|ms|s|)")
_PER_UNIT: Final = {"ms": 1e-3, "s": 1.0}
_LONGEST_WAIT_S: Final = 1.0
_SATURATED: Final = "saturated"


@dataclass(frozen=True, slots=True)
class GatherOptions:
    """How messages arrive, and how they are gathered."""

    rate: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help="Messages that arrive a second at all cores together, as in 100k,1M; saturated: "
            "there always is another.",
        ),
    ] = "100k,1M,saturated"
    wait: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help="How long the oldest message may wait for others, in microseconds unless a unit "
            "says otherwise: 0,5,20,50,100us. 0 is always measured.",
        ),
    ] = "0,5,20,50,100us"
    batch: Annotated[int, typer.Option(help="Messages of a batch at most.")] = 64

    def rates(self) -> list[float | None]:
        """Rates in messages a second; None is saturated."""
        return list(dict.fromkeys(_rate(word.strip()) for word in self.rate.split(",")))

    def waits_ns(self) -> list[int]:
        """Waits in nanoseconds, ascending, 0 among them."""
        return sorted({0, *(_wait_ns(word.strip()) for word in self.wait.split(","))})


@dataclass(frozen=True, slots=True)
class GatherWindowOptions(WindowOptions):
    """The measurement window; shorter, since there are many points."""

    window: Annotated[
        str, typer.Option(help="Length of the measurement window, as in 1s or 0.5s.")
    ] = "0.3s"
    warmup: Annotated[str, typer.Option(help="From the start of the gatherers to the window.")] = (
        "0.05s"
    )
    longest: Annotated[
        str, typer.Option(help="To which a window that is too short may be lengthened.")
    ] = "3s"


def _rate(word: str) -> float | None:
    return None if word.lower() == _SATURATED else parse_rate(word, f", or {_SATURATED}")


def _wait_ns(word: str) -> int:
    match = _WAIT.fullmatch(small_letters(word))
    seconds = float(match[1]) * _PER_UNIT.get(match[2], 1e-6) if match else math.nan
    if not 0 <= seconds <= _LONGEST_WAIT_S:
        raise UsageError(
            f"--wait {word[:40]}: give microseconds from 0 to one second, as in 20us or 1ms"
        )
    return round(seconds * 1e9)


def points_of(
    asked: SessionOptions, gathered: GatherOptions, scenario: Scenario, names: list[str]
) -> list[GatherPoint]:
    """A point for every implementation, length, rate and wait, and for messages one by one.

    Where messages always wait, a batch is full at once, and the wait changes nothing: 0 stands for
    all of them.
    """
    lengths = asked.lengths()
    require_gatherers(scenario.sessions, scenario.cores)
    most = _core.GATHER_BATCH_MAX
    if not 2 <= gathered.batch <= most:
        raise UsageError(f"--batch {gathered.batch}: give a number from 2 to {most}")
    rates, waits = gathered.rates(), gathered.waits_ns()
    found = []
    for name, length, rate in product(names, lengths, rates):
        ways = [(1, 0), *((gathered.batch, wait) for wait in (waits if rate else [0]))]
        found += [GatherPoint(name, length, scenario, batch, wait, rate) for batch, wait in ways]
    return found


def run_gather(
    *,
    asked: SessionOptions,
    claims: ClaimOptions,
    gathered: GatherOptions,
    times: GatherWindowOptions,
    core_costs: CoreCostOptions,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a page with the curves to this HTML file."),
    ] = None,
    json_: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """Measure batches gathered across sessions: the core time they save, the latency they add.

    On each core a gatherer collects messages of its sessions until a batch is full or its oldest
    message has waited long enough, and tags the batch in one call, each message under its session's
    key. Shown are the time of a core for a message, and the time of a message from its arrival to
    its tag, for each wait, beside messages that are tagged one by one. The screen begins with the
    part of a core that the messages of each rate take.
    """
    core_costs.of(1)
    if report is not None:
        require_writable(report)
    inventory = inventory_of(asked.plugin)
    refuse_broken_plugins(inventory, asked.plugin or [])
    scenario = times.scenario(asked.sessions, asked.core_numbers())
    names = claims.kept(asked.implementations(inventory))
    points = points_of(asked, gathered, scenario, names)
    with cores_held(scenario.cores) as held_by_others:
        found = measured(
            inventory,
            points,
            times.rounds,
            gatherer_windows,
            gather_troubles,
            kept="nothing is kept of gathering",
        )
    some = any(point.good or point.failure is not None for point in found)
    if report is not None and some:
        page = GatheringPage(
            curves=curves_of(found),
            scenario=scenario_text(found),
            machine=str(capture().as_dict().get("cpu_model") or "an unnamed CPU"),
            verdict=verdict_text(found).capitalize(),
            notes=[*filter(None, [no_answer(found, title_of)]), *notes(found, held_by_others)],
            version=__version__,
            data=as_dict(found, held_by_others, core_costs),
        )
        write_gathering_page(page, report)
    if json_:
        print_json(as_dict(found, held_by_others, core_costs))
    elif some:
        show(found, held_by_others, core_costs)
    no_page = "; no page is written" if report is not None and not some else ""
    require_answer(found, title_of, no_page)


COMMAND: Final = Command(
    run_gather,
    (
        "joulemark gather cmac-aes128 hmac-sha256 --rate 100k,1M --wait 0,5,20,50,100us",
        "joulemark gather hmac-sha256 --rate 1M --watts-per-core 15 --core-hour 0.04",
        "joulemark gather hmac-sha256 --cores 0 --size imix --batch 32 --report gather.html",
        "joulemark gather siphash-2-4 --sessions 1000 --rounds 1 --json > gather.json",
    ),
    notes=(EXIT_CODES,),
)
