# SPDX-License-Identifier: Apache-2.0
"""What `joulemark gather` shows: figures of each wait, which one pays, whether windows count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

import typer

from joulemark.analyse.gathering.curves import Curve, Measured, curves
from joulemark.analyse.gathering.figures import gather_figures
from joulemark.cli.shared.terminal import columns, heading
from joulemark.judging.sessions import TroubleKind
from joulemark.measure.gathering.run import GatherRounds
from joulemark.report.gathering.words import (
    HEADINGS,
    curve_title,
    rate_text,
    row,
    verdict_sentence,
)

__all__ = [
    "GATHERING_VERSION",
    "as_dict",
    "curves_of",
    "notes",
    "scenario_text",
    "show",
    "verdict_text",
]

GATHERING_VERSION: Final = 1
"""Of the JSON that `--json` prints."""
_LEGEND: Final = (
    "a message: time of a core, without waiting; for a core: messages in a second of it; latency: "
    "from the arrival to the tag"
)


def curves_of(found: Sequence[GatherRounds]) -> list[Curve]:
    """Everything that was measured, grouped."""
    return curves([
        Measured(
            one.point.implementation, one.point.lengths.title, one.point.gathering.rate_per_s,
            one.point.gathering.batch_most, one.point.gathering.wait_ns / 1e9,
            gather_figures(one.windows), one.counts,
        )
        for one in found
        if one.rounds
    ])  # fmt: skip


def scenario_text(found: Sequence[GatherRounds]) -> str:
    """Sessions, cores and batches, as in "100 sessions, a gatherer on core 0, batches of 64"."""
    how = found[0].point.gathering
    most = max(one.point.gathering.batch_most for one in found)
    word = "core" if len(how.cores) == 1 else "each of the cores"
    sessions = "1 session" if how.sessions == 1 else f"{how.sessions} sessions"
    return (
        f"{sessions}, a gatherer on {word} {', '.join(map(str, how.cores))}, batches of {most} "
        "or fewer"
    )


def verdict_text(found: Sequence[GatherRounds]) -> str:
    """How many windows count."""
    best = [one for point in found for one in point.best]
    good = sum(not one.troubles for one in best)
    word = "valid" if good == len(best) else "not valid"
    return f"{word}: {good} of {len(best)} windows count"


def notes(found: Sequence[GatherRounds], held_by_others: Sequence[int]) -> Iterator[str]:
    """Why windows do not count, what failed, and how many were taken again."""
    groups: dict[tuple[str, TroubleKind], list[str]] = {}
    for one in found:
        for attempt in one.best:
            for trouble in attempt.troubles:
                groups.setdefault((_title(one), trouble.kind), []).append(trouble.sentence)
    for (title, kind), sentences in groups.items():
        times = "1 window" if len(sentences) == 1 else f"{len(sentences)} windows"
        yield f"{title}: {kind} in {times}, as in: {sentences[0]}"
    if any(kind is TroubleKind.OVER_UTILISED for _, kind in groups):
        yield "others use the cores too: wait for a quiet moment, or name other --cores"
    for one in found:
        if one.failure is not None:
            yield f"{_title(one)} failed ({one.failure.kind}): {one.failure.reason}"
    repeated = sum(len(taken) - 1 for one in found for taken in one.rounds)
    if repeated:
        yield f"{repeated} windows that did not count were taken again; --json has them all"
    if held_by_others:
        cores = ", ".join(map(str, held_by_others))
        yield f"another run of joulemark measures on core {cores} too"


def _title(one: GatherRounds) -> str:
    point = one.point
    rate = rate_text(point.gathering.rate_per_s)
    return f"{point.implementation}, {point.lengths.title}, {rate}"


def show(found: Sequence[GatherRounds], held_by_others: Sequence[int]) -> None:
    """Prints a table for each implementation, length and rate, and which waiting pays."""
    drawn = curves_of(found)
    heading(scenario_text(found))
    for one in drawn:
        typer.echo("")
        heading(curve_title(one))
        columns([HEADINGS, *(row(way) for way in one.ways)], right=range(1, len(HEADINGS)))
    typer.echo("")
    heading("Which waiting pays")
    columns([(curve_title(one), verdict_sentence(one)) for one in drawn], prose=(1,))
    typer.echo("")
    typer.echo(verdict_text(found))
    columns([(line,) for line in notes(found, held_by_others)], prose=(0,))
    columns([(_LEGEND,)], indent=0, prose=(0,))


def as_dict(found: Sequence[GatherRounds], held_by_others: Sequence[int]) -> dict[str, Any]:
    """The same with all counters, as JSON values; times in ns or s as their names say."""
    return {
        "schema_version": GATHERING_VERSION,
        "cores_held_by_other_runs": list(held_by_others),
        "valid": all(one.counts for one in found),
        "points": [_point(one) for one in found],
        "curves": [
            {
                "implementation": one.implementation,
                "lengths": one.lengths,
                "rate_per_s": one.rate_per_s,
                "wait_that_pays_s": one.pays.best.wait_s if one.pays and one.pays.best else None,
                "times_as_many": one.pays.times_as_many if one.pays else None,
                "added_latency_s": one.pays.added_s if one.pays else {},
                "valid": one.counts,
                "sentence": verdict_sentence(one),
            }
            for one in curves_of(found)
        ],
    }


def _point(one: GatherRounds) -> dict[str, Any]:
    lengths = one.point.lengths
    return {
        "implementation": one.point.implementation,
        "size_bytes": None if lengths.mix else lengths.size_bytes,
        "mix": lengths.mix or None,
        **asdict(one.point.gathering),
        "figures": asdict(gather_figures(one.windows)) if one.rounds else None,
        "valid": one.counts,
        "failure": None if one.failure is None else asdict(one.failure),
        "rounds": [[asdict(attempt) for attempt in taken] for taken in one.rounds],
    }
