# SPDX-License-Identifier: Apache-2.0
"""`joulemark core compare`: cores, configurations and targets side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

from joulemark.cli.cluster.cluster_options import SpreadOptions
from joulemark.cli.core.flow_options import CacheOptions, FlowOptions
from joulemark.cli.core.json_file import JSON_OPTION
from joulemark.cli.core.options import CORE_ARGUMENT, named_core
from joulemark.cli.core.points import EXIT_CODES, JOBS_OPTION, TARGETS_OPTION, carry_out
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import StoreOptions
from joulemark.hardware.core.parameters import chosen_variant, split_core
from joulemark.hardware.core.shipped import manifest_of
from joulemark.hardware.flow.points import Point

__all__ = ["COMMAND"]


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
        points += [Point(found, manifest, variant, asked) for asked in flows]
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
