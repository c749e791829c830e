# SPDX-License-Identifier: Apache-2.0
"""What `joulemark gather` shows: figures of each wait, which one pays, whether windows count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

import typer

from joulemark.analyse.gathering.curves import Curve, GatherMeasurement, curves
from joulemark.analyse.gathering.figures import gather_figures
from joulemark.cli.shared.terminal import columns, heading, sentences
from joulemark.measure.gathering.run import GatherRounds
from joulemark.report.gathering.words import HEADINGS, curve_title, rate_text, row, verdict_sentence
from joulemark.units import format_count

__all__ = [
    "GATHERING_VERSION",
    "as_dict",
    "curves_of",
    "notes",
    "scenario_text",
    "show",
    "title_of",
    "verdict_text",
]

GATHERING_VERSION: Final = 2
"""Version of the JSON that `--json` prints."""
_LEGEND: Final = (
    "a message: time of a core, without waiting; for a core: messages in a second of it; latency: "
    "from the arrival to the tag"
)


def curves_of(found: Sequence[GatherRounds]) -> list[Curve]:
    """The measurements, grouped into curves over the wait; no answer of one that lacks a wait."""
    lacking = {_curve_of(point) for point in found if not point.good}
    drawn = curves([
        GatherMeasurement(
            point.point.implementation, point.point.lengths.title, point.point.gathering.rate_per_s,
            point.point.gathering.batch_most, point.point.gathering.wait_ns / 1e9,
            gather_figures(point.good or point.windows), bool(point.good),
        )
        for point in found
        if point.rounds
    ])  # fmt: skip
    return [
        replace(curve, pays=None, counts=False)
        if (curve.implementation, curve.lengths, curve.rate_per_s) in lacking else curve
        for curve in drawn
    ]  # fmt: skip


def _curve_of(point: GatherRounds) -> tuple[str, str, float | None]:
    """The curve that a point belongs to."""
    return point.point.implementation, point.point.lengths.title, point.point.gathering.rate_per_s


def scenario_text(found: Sequence[GatherRounds]) -> str:
    """Sessions, cores and batches, as in "100 sessions, a gatherer on core 0, batches of 64"."""
    how = found[0].point.gathering
    most = max(point.point.gathering.batch_most for point in found)
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
    for point in found:
        if point.failure is not None:
            yield f"{title_of(point)} failed ({point.failure.kind}): {point.failure.reason}"
    repeated = sum(len(taken.attempts) - 1 for point in found for taken in point.rounds)
    if repeated:
        yield f"{repeated} windows that did not count were taken again; --json has them all"
    if held_by_others:
        cores = ", ".join(map(str, held_by_others))
        yield f"another run of joulemark measures on core {cores} too"


def title_of(gather_rounds: GatherRounds) -> str:
    """Implementation, length and rate."""
    point = gather_rounds.point
    rate = rate_text(point.gathering.rate_per_s)
    return f"{point.implementation}, {point.lengths.title}, {rate}"


def show(found: Sequence[GatherRounds], held_by_others: Sequence[int]) -> None:
    """Prints a table for each implementation, length and rate, and which waiting pays."""
    drawn = curves_of(found)
    heading(scenario_text(found))
    for curve in drawn:
        typer.echo("")
        heading(curve_title(curve))
        columns([HEADINGS, *(row(way) for way in curve.ways)], right=range(1, len(HEADINGS)))
    typer.echo("")
    heading("Which waiting pays")
    columns([(curve_title(curve), verdict_sentence(curve)) for curve in drawn], prose=(1,))
    typer.echo("")
    typer.echo(verdict_text(found))
    sentences(notes(found, held_by_others), indent=2)
    sentences([_LEGEND])


def as_dict(found: Sequence[GatherRounds], held_by_others: Sequence[int]) -> dict[str, Any]:
    """Figures, curves and all counters as JSON values; names end with their unit."""
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
                "wait_that_pays_s": curve.pays.best.wait_s
                if curve.pays and curve.pays.best
                else None,
                "times_as_many": curve.pays.times_as_many if curve.pays else None,
                "added_latency_s": curve.pays.added_s if curve.pays else {},
                "valid": curve.counts,
                "sentence": verdict_sentence(curve),
            }
            for curve in curves_of(found)
        ],
    }


def _point(point: GatherRounds) -> dict[str, Any]:
    lengths = point.point.lengths
    return {
        "implementation": point.point.implementation,
        "size_bytes": None if lengths.mix else lengths.size_bytes,
        "mix": lengths.mix or None,
        **asdict(point.point.gathering),
        "figures": asdict(gather_figures(point.good)) if point.good else None,
        "valid": point.counts,
        "failure": None if point.failure is None else asdict(point.failure),
        "rounds": [[asdict(attempt) for attempt in taken.attempts] for taken in point.rounds],
    }
