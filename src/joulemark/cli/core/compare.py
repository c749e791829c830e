# SPDX-License-Identifier: Apache-2.0
"""`joulemark core compare`: cores, configurations and targets side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console

from joulemark.cli.cluster.cluster_options import SpreadOptions
from joulemark.cli.core.core_options import CORE_ARGUMENT, CacheOptions, FlowOptions, named_core
from joulemark.cli.core.json_file import JSON_OPTION, on_output, require_writable_json, write_json
from joulemark.cli.core.keeping import keep_reports
from joulemark.cli.core.table import print_comparison, ratios
from joulemark.cli.endings import InterruptedRunError
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import StoreOptions
from joulemark.cli.shared.point_progress import PointProgress
from joulemark.errors import UsageError
from joulemark.hardware.cores import chosen_variant, manifest_of, split_core
from joulemark.hardware.flow import request
from joulemark.hardware.flow.cache import report_key
from joulemark.hardware.flow.points import PointOutcome, ReportPoint, run_points

# Many reports at once: what `core compare` and `core sweep` share.

COMPARISON_VERSION: Final = 3
"""Version of the JSON that both commands write."""
EXIT_FAILED: Final = 1

TARGETS_OPTION: Final[Any] = typer.Option(
    "--target", metavar="TARGET", help="ecp5, ice40, asic or generic; may be given several times."
)
JOBS_OPTION: Final[Any] = typer.Option(
    "--jobs", metavar="N", help="Reports made at a time; one per CPU unless given."
)
EXIT_CODES: Final = """\b
Exit codes:
  0    every report was made
  1    some were not; the reasons are on standard error
  2    refused
  130  interrupted; finished reports are kept, and the same command goes on
"""


def carry_out(
    points: Sequence[ReportPoint],
    *,
    json_: Path | None,
    cache: CacheOptions,
    jobs: int | None,
    store: StoreOptions,
    spread: SpreadOptions,
) -> None:
    """Makes the reports, keeps and shows them.

    Args:
        points: core, parameters and flow of each report.
        json_: where JSON goes.
        cache: where finished reports are.
        jobs: reports made at a time; one per CPU unless given.
        store: where they are kept.
        spread: the cluster that makes them, if any.
    """
    if jobs is not None and jobs < 1:
        raise UsageError(f"--jobs {jobs}: give a number from 1")
    spread.check(jobs)
    for asked in {point.asked for point in points}:
        request.require(asked.target, power=asked.target == "asic" and asked.power)
    require_writable_json(json_)
    outcomes = _make_reports(points, cache.folder, jobs, spread)
    made = [(outcome.point, outcome.report) for outcome in outcomes if outcome.report is not None]
    reports = [report for _, report in made]
    if store.location is not None and reports:
        keep_reports(
            store.location,
            [
                (report_key(point.core, point.variant[1], point.asked), report)
                for point, report in made
            ],
        )
    write_json(
        json_,
        {
            "schema_version": COMPARISON_VERSION,
            "reports": [report.model_dump(mode="json") for report in reports],
            "ratios": ratios(reports) if reports else {},
            "failed": [_failed(outcome) for outcome in outcomes if outcome.report is None],
        },
    )
    if reports and not on_output(json_):
        print_comparison(reports)
    if len(reports) < len(outcomes):
        raise typer.Exit(EXIT_FAILED)


def _make_reports(
    points: Sequence[ReportPoint], folder: Path | None, jobs: int | None, spread: SpreadOptions
) -> list[PointOutcome]:
    try:
        with spread.cluster() as cluster, PointProgress(Console(stderr=True)) as progress:
            over = cluster.reports(folder, progress.tell) if cluster else None
            return run_points(points, folder, jobs=jobs, observe=progress.observed, spread=over)
    except KeyboardInterrupt:
        kept = f"finished reports are in {folder}" if folder else "nothing is kept without a cache"
        raise InterruptedRunError(f"stopped; {kept}, and the same command goes on") from None


def _failed(outcome: PointOutcome) -> dict[str, Any]:
    point = outcome.point
    return {
        "core": point.core.name,
        "parameters": point.variant[1],
        "target": point.asked.target,
        "reason": outcome.reason,
    }


def compare(
    *,
    cores: Annotated[list[str], CORE_ARGUMENT],
    target: Annotated[list[str] | None, TARGETS_OPTION] = None,
    flow: FlowOptions,
    json_: Annotated[Path | None, JSON_OPTION] = None,
    cache: CacheOptions,
    jobs: Annotated[int | None, JOBS_OPTION] = None,
    spread: SpreadOptions,
    store: StoreOptions,
) -> None:
    """Set cores, configurations and targets side by side, with ratios to the first."""
    flows = flow.flows(target or ())
    points = []
    for text in cores:
        configuration, found, values = named_core(text, None)
        variant = chosen_variant(found, configuration, values)
        manifest = manifest_of(split_core(text)[0])
        points += [ReportPoint(found, manifest, variant, asked) for asked in flows]
    carry_out(points, json_=json_, cache=cache, jobs=jobs, store=store, spread=spread)


COMMAND: Final = Command(
    compare,
    (
        "joulemark core compare siphash:small siphash:fast",
        "joulemark core compare siphash mine/my_core.toml --target ecp5 --target generic",
        "joulemark core compare siphash:ROUNDS=1 siphash:ROUNDS=4 --liberty osu018",
    ),
    notes=(EXIT_CODES,),
    options_once=True,
)
