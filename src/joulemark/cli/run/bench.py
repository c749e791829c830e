# SPDX-License-Identifier: Apache-2.0
"""`joulemark bench`: measure, store, and show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from joulemark.cli.run.effort_options import EffortOptions, wait_for_quiet
from joulemark.cli.run.output_options import OutputOptions
from joulemark.cli.run.study_options import study_of
from joulemark.cli.run.workload_options import WorkloadOptions
from joulemark.cli.shared.cluster_options import SpreadOptions
from joulemark.cli.shared.energy_options import EnergyOptions, TreeOptions
from joulemark.cli.shared.option_groups import with_option_groups
from joulemark.cli.shared.store_options import StoreOptions
from joulemark.cli.shared.terminal import examples
from joulemark.errors import UsageError
from joulemark.measure.cpus import require_allowed
from joulemark.records.trial import is_firmware

__all__ = ["bench", "register"]

_EXIT_CODES = """\b
Exit codes:
  0  all that could be run was measured; a length that an implementation does
     not take is named as refused
  2  an implementation crashed, hung or computed something wrong (the figures
     of the others stand), or energy was asked for and nothing here meters it
     or no figure of it could be stated (the times stand), or the command makes
     no sense, or nothing could be measured
"""


@dataclass(frozen=True, slots=True)
class RunStoreOptions(StoreOptions):
    """The store, and what becomes of an unfinished run in it."""

    fresh: Annotated[
        bool,
        typer.Option("--fresh", help="Begin a new run instead of going on with an unfinished one."),
    ] = False


@with_option_groups
def bench(
    *,
    workload: WorkloadOptions,
    effort: EffortOptions,
    output: OutputOptions,
    store: RunStoreOptions,
    energy: EnergyOptions,
    trees: TreeOptions,
    spread: SpreadOptions,
) -> None:
    """Measure implementations on this machine, store every sample, show the figures."""
    output.check()
    study = study_of(workload, effort, energy, trees)
    spread.check(None)
    if spread.given and not all(map(is_firmware, study.targets)):
        raise UsageError(
            "--scheduler and --workers spread simulations of firmware alone (--target mcu:NAME); "
            "'joulemark fleet bench' measures on other machines"
        )
    wait_s = effort.wait_s()
    require_allowed(effort.cpu)
    from joulemark.cli.run.measuring import measure_and_show  # noqa: PLC0415 - takes a second

    if wait_s is not None:
        wait_for_quiet(wait_s)
    measure_and_show(
        study,
        output,
        store_location=store.location,
        plugins=workload.plugin or (),
        fresh=store.fresh,
        hang_limit_s=effort.hang_limit,
        cpu=effort.cpu,
        spread=spread,
    )


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(
        epilog=_EXIT_CODES
        + "\n"
        + examples(
            "joulemark bench",
            "joulemark bench hmac-sha256 --size 16,64..1024",
            "joulemark bench 'hmac-*/openssl_*' --mode latency --json > run.json",
            "joulemark bench hmac-sha256 --precision 0.5% --budget 5min --wait-quiet 10min",
            "joulemark bench cmac-aes128 --key kept,fresh --report report.html",
            "joulemark bench hmac-sha256 --size 1KiB --energy",
            "joulemark bench hmac-sha256 --batch 1,64 --key distinct --mix imix",
            "joulemark bench sha256 --target rtl:verilator --size 0,64,1KiB --mode latency",
            "joulemark bench --target mcu:atmega128,mcu:cortex-m4 --workers 2",
        )
    )(bench)
