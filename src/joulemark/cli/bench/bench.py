# SPDX-License-Identifier: Apache-2.0
"""`joulemark bench`: measure, store, and show; `measuring` does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from joulemark.cli.bench.effort_options import EffortOptions
from joulemark.cli.bench.measure_request import MeasureRequest
from joulemark.cli.bench.output_options import OutputOptions
from joulemark.cli.bench.packet_options import PacketOptions
from joulemark.cli.bench.study_options import study_of
from joulemark.cli.bench.workload_options import WorkloadOptions
from joulemark.cli.cluster.cluster_options import SpreadOptions
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.energy_options import EnergyOptions, TreeOptions
from joulemark.cli.shared.measuring_options import StoreOptions
from joulemark.errors import UsageError
from joulemark.measure.cpus import require_allowed
from joulemark.records.trial import is_firmware

__all__ = ["COMMAND"]

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


def bench(
    *,
    workload: WorkloadOptions,
    packet: PacketOptions,
    effort: EffortOptions,
    output: OutputOptions,
    store: RunStoreOptions,
    energy: EnergyOptions,
    trees: TreeOptions,
    spread: SpreadOptions,
) -> MeasureRequest:
    """Measure implementations on this machine, store every sample, show the figures."""
    output.check()
    workload = packet.of_packet(workload)
    study = study_of(workload, effort, energy, trees)
    spread.check(None)
    if spread.given and not all(map(is_firmware, study.targets)):
        raise UsageError(
            "--scheduler and --workers spread simulations of firmware alone (--target mcu:NAME); "
            "'joulemark fleet bench' measures on other machines"
        )
    wait_quiet_s = effort.wait_s()
    require_allowed(effort.cpu)
    return MeasureRequest(
        study=study, output=output, store_location=store.location, plugins=workload.plugin or (),
        fresh=store.fresh, hang_limit_s=effort.hang_limit, cpu=effort.cpu, spread=spread,
        wait_quiet_s=wait_quiet_s,
    )  # fmt: skip


COMMAND: Final = Command(
    bench,
    (
        "joulemark bench",
        "joulemark bench hmac-sha256 --size 16,64..1024",
        "joulemark bench 'hmac-*/openssl_*' --mode latency --json > run.json",
        "joulemark bench hmac-sha256 --precision 0.5% --budget 5min --wait-quiet 10min",
        "joulemark bench cmac-aes128 --key kept,fresh --report report.html",
        "joulemark bench hmac-sha256 --size 1KiB --energy",
        "joulemark bench hmac-sha256 --batch 1,64 --key distinct --mix imix",
        "joulemark bench sha256 --target rtl:verilator --size 0,64,1KiB --mode latency",
        "joulemark bench --target mcu:atmega128,mcu:cortex-m4 --workers 2",
        "joulemark bench --for lorawan_1_0 --node lora_sf7 --payload 24",
    ),
    notes=(_EXIT_CODES,),
)
