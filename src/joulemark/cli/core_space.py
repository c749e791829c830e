# SPDX-License-Identifier: Apache-2.0
"""`joulemark core compare` and `core sweep`: several cores, several targets, many parameters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joulemark.cli import core_options, options
from joulemark.cli.core_report import keep_reports
from joulemark.cli.refusals import InterruptedRunError
from joulemark.cli.terminal import examples
from joulemark.errors import UsageError

if TYPE_CHECKING:
    from joulemark.hardware.flow.points import Outcome, Point
    from joulemark.hardware.flow.request import Flow

__all__ = ["compare", "register", "sweep"]

COMPARISON_VERSION = 1
"""Of the JSON that both commands write."""
EXIT_FAILED = 1

_TARGETS_OPTION: Any = typer.Option(
    "--target",
    metavar="TARGET",
    help="ecp5, ice40, asic or generic; may be given several times.",
    show_default=False,
)
_JOBS_OPTION: Any = typer.Option(
    "--jobs",
    metavar="N",
    help="Reports made at a time; one per CPU unless given.",
    show_default=False,
)
_EXIT_CODES = """\b
Exit codes:
  0    every report was made
  1    some were not; the reasons are on standard error
  2    refused
  130  interrupted; finished reports are kept, and the same command goes on
"""


def compare(
    cores: Annotated[list[str], core_options.CORE_ARGUMENT],
    target: Annotated[list[str] | None, _TARGETS_OPTION] = None,
    liberty: Annotated[str | None, core_options.LIBERTY_OPTION] = None,
    mapping: Annotated[str, core_options.MAPPING_OPTION] = "area",
    clock: Annotated[str, core_options.CLOCK_OPTION] = "500k",
    voltage: Annotated[float | None, core_options.VOLTAGE_OPTION] = None,
    wire: Annotated[str | None, core_options.WIRE_OPTION] = None,
    mappings: Annotated[int | None, core_options.MAPPINGS_OPTION] = None,
    seeds: Annotated[int | None, core_options.SEEDS_OPTION] = None,
    placer: Annotated[str | None, core_options.PLACER_OPTION] = None,
    memory_bits: Annotated[int | None, core_options.MEMORY_OPTION] = None,
    json_: Annotated[Path | None, core_options.JSON_OPTION] = None,
    cache: Annotated[Path | None, core_options.CACHE_OPTION] = None,
    no_cache: Annotated[bool, core_options.NO_CACHE_OPTION] = False,
    jobs: Annotated[int | None, _JOBS_OPTION] = None,
    store: Annotated[str, options.STORE_OPTION] = options.DEFAULT_STORE,
    no_store: Annotated[bool, options.NO_STORE_OPTION] = False,
) -> None:
    """Set cores, configurations and targets side by side, with ratios to the first."""
    from joulemark.hardware.core.parameters import chosen_variant, split_core  # noqa: PLC0415
    from joulemark.hardware.core.shipped import manifest_of  # noqa: PLC0415
    from joulemark.hardware.flow.points import Point  # noqa: PLC0415

    flows = _flows(target, liberty, mapping, clock, voltage, wire, mappings, seeds, placer,
                   memory_bits)  # fmt: skip
    points = []
    for text in cores:
        configuration, found, values = core_options.named_core(text, None)
        variant = chosen_variant(found, configuration, values)
        manifest = manifest_of(split_core(text)[0])
        points += [Point(found, manifest, variant, asked) for asked in flows]
    _carry_out(points, json_, core_options.cache_folder(cache, none=no_cache), jobs,
               None if no_store else store)  # fmt: skip


def sweep(
    core: Annotated[str, core_options.CORE_ARGUMENT],
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param",
            metavar="NAME=N,N",
            help="Values of a parameter; may be given several times. All supported values of all "
            "parameters unless any is given.",
            show_default=False,
        ),
    ] = None,
    target: Annotated[list[str] | None, _TARGETS_OPTION] = None,
    liberty: Annotated[str | None, core_options.LIBERTY_OPTION] = None,
    mapping: Annotated[str, core_options.MAPPING_OPTION] = "area",
    clock: Annotated[str, core_options.CLOCK_OPTION] = "500k",
    voltage: Annotated[float | None, core_options.VOLTAGE_OPTION] = None,
    wire: Annotated[str | None, core_options.WIRE_OPTION] = None,
    mappings: Annotated[int | None, core_options.MAPPINGS_OPTION] = None,
    seeds: Annotated[int | None, core_options.SEEDS_OPTION] = None,
    placer: Annotated[str | None, core_options.PLACER_OPTION] = None,
    memory_bits: Annotated[int | None, core_options.MEMORY_OPTION] = None,
    json_: Annotated[Path | None, core_options.JSON_OPTION] = None,
    cache: Annotated[Path | None, core_options.CACHE_OPTION] = None,
    no_cache: Annotated[bool, core_options.NO_CACHE_OPTION] = False,
    jobs: Annotated[int | None, _JOBS_OPTION] = None,
    store: Annotated[str, options.STORE_OPTION] = options.DEFAULT_STORE,
    no_store: Annotated[bool, options.NO_STORE_OPTION] = False,
) -> None:
    """Make a report for every combination of parameter values, on all CPUs.

    Finished reports are kept in the cache: after Ctrl-C, a kill or a crash the same command makes
    only those that are missing.
    """
    from joulemark.hardware.core.parameters import swept_variants  # noqa: PLC0415
    from joulemark.hardware.core.shipped import find_core, manifest_of  # noqa: PLC0415
    from joulemark.hardware.flow.points import Point  # noqa: PLC0415

    found, manifest = find_core(core), manifest_of(core)
    flows = _flows(target, liberty, mapping, clock, voltage, wire, mappings, seeds, placer,
                   memory_bits)  # fmt: skip
    variants = swept_variants(found, param or [])
    points = [Point(found, manifest, one, asked) for one in variants for asked in flows]
    _carry_out(points, json_, core_options.cache_folder(cache, none=no_cache), jobs,
               None if no_store else store)  # fmt: skip


def _flows(
    targets: list[str] | None, liberty: str | None, mapping: str, clock: str,
    voltage: float | None, wire: str | None, mappings: int | None, seeds: int | None,
    placer: str | None, memory_bits: int | None,
) -> list[Flow]:  # fmt: skip
    from joulemark.hardware.flow.request import flow  # noqa: PLC0415
    from joulemark.hardware.place.device import DEVICES  # noqa: PLC0415

    asked: list[str | None] = [*targets] if targets else [None]
    several = len(asked) > 1
    clock_hz = core_options.hertz(clock)
    return [
        flow(
            target,
            liberty if not several or target == "asic" else None,
            mapping=mapping, clock_hz=clock_hz, voltage_v=voltage, wire=wire,
            mappings=mappings if not several or target == "asic" else None,
            seeds=seeds if not several or target in DEVICES else None,
            placer=placer if not several or target in DEVICES else None,
            memory_bits=memory_bits if not several or target not in DEVICES else None,
        )
        for target in asked
    ]  # fmt: skip


def _carry_out(
    points: Sequence[Point], json_: Path | None, cache: Path | None, jobs: int | None,
    store: str | None,
) -> None:  # fmt: skip
    from joulemark.cli.core_progress import PointProgress  # noqa: PLC0415
    from joulemark.cli.core_table import print_comparison, ratios  # noqa: PLC0415
    from joulemark.hardware.flow import tools  # noqa: PLC0415
    from joulemark.hardware.flow.cache import report_key  # noqa: PLC0415
    from joulemark.hardware.flow.points import run_points  # noqa: PLC0415

    if jobs is not None and jobs < 1:
        raise UsageError(f"--jobs {jobs}: give a number from 1")
    for asked in {point.asked for point in points}:
        tools.require(asked.target, power=asked.target == "asic" and asked.power)
    core_options.asked_json(json_)
    try:
        with PointProgress() as progress:
            outcomes = run_points(points, cache, jobs=jobs, observe=progress.done)
    except KeyboardInterrupt:
        kept = f"finished reports are in {cache}" if cache else "nothing is kept without a cache"
        raise InterruptedRunError(f"stopped; {kept}, and the same command goes on") from None
    reports = [one.report for one in outcomes if one.report is not None]
    if store is not None and reports:
        keep_reports(
            store,
            [
                (report_key(one.point.core, one.point.variant[1], one.point.asked), one.report)
                for one in outcomes
                if one.report is not None
            ],
        )
    core_options.write_json(
        json_,
        {
            "schema_version": COMPARISON_VERSION,
            "reports": [one.model_dump(mode="json") for one in reports],
            "ratios": ratios(reports) if reports else {},
            "failed": [_failed(one) for one in outcomes if one.report is None],
        },
    )
    if reports and not core_options.on_output(json_):
        print_comparison(reports)
    if len(reports) < len(outcomes):
        raise typer.Exit(EXIT_FAILED)


def _failed(outcome: Outcome) -> dict[str, Any]:
    point = outcome.point
    return {
        "core": point.core.name, "parameters": point.variant[1], "target": point.asked.target,
        "reason": outcome.reason,
    }  # fmt: skip


def register(app: typer.Typer) -> None:
    """Adds both commands."""
    app.command(
        "compare",
        epilog=_EXIT_CODES
        + "\n"
        + examples(
            "joulemark core compare siphash:small siphash:fast",
            "joulemark core compare siphash mine/my_core.toml --target ecp5 --target generic",
            "joulemark core compare siphash:ROUNDS=1 siphash:ROUNDS=4 --liberty osu018",
        ),
    )(compare)
    app.command(
        "sweep",
        epilog=_EXIT_CODES
        + "\n"
        + examples(
            "joulemark core sweep siphash",
            "joulemark core sweep siphash --param ROUNDS=1,2,4 --seeds 5 --json sweep.json",
            "joulemark core sweep siphash --target generic --cache ./reports",
        ),
    )(sweep)
