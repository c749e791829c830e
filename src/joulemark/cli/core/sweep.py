# SPDX-License-Identifier: Apache-2.0
"""`joulemark core sweep`: a report for every combination of parameter values."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.cli.cluster.cluster_options import SpreadOptions
from joulemark.cli.core.compare import EXIT_CODES, JOBS_OPTION, TARGETS_OPTION, carry_out
from joulemark.cli.core.core_options import CORE_ARGUMENT, CacheOptions, FlowOptions
from joulemark.cli.core.json_file import JSON_OPTION
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import StoreOptions
from joulemark.hardware.cores import find_core, manifest_of, swept_variants
from joulemark.hardware.flow.points import ReportPoint


def sweep(
    *,
    core: Annotated[str, CORE_ARGUMENT],
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=N,N",
            help="Values of a parameter; may be given several times. All supported values of all "
            "parameters unless any is given.",
        ),
    ] = None,
    target: Annotated[list[str] | None, TARGETS_OPTION] = None,
    flow: FlowOptions,
    json_: Annotated[Path | None, JSON_OPTION] = None,
    cache: CacheOptions,
    jobs: Annotated[int | None, JOBS_OPTION] = None,
    spread: SpreadOptions,
    store: StoreOptions,
) -> None:
    """Make a report for every combination of parameter values, on all CPUs.

    Finished reports are kept in the cache: after Ctrl-C, a kill or a crash the same command makes
    only those that are missing.
    """
    found, manifest = find_core(core), manifest_of(core)
    flows = flow.flows(target or ())
    variants = swept_variants(found, param or [])
    points = [
        ReportPoint(found, manifest, variant, asked) for variant in variants for asked in flows
    ]
    carry_out(points, json_=json_, cache=cache, jobs=jobs, store=store, spread=spread)


COMMAND: Final = Command(
    sweep,
    (
        "joulemark core sweep siphash",
        "joulemark core sweep siphash --param ROUNDS=1,2,4 --seeds 5 --json sweep.json",
        "joulemark core sweep siphash --target generic --cache ./reports",
    ),
    notes=(EXIT_CODES,),
    options_once=True,
)
