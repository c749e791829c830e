# SPDX-License-Identifier: Apache-2.0
"""`joulemark energy`: what any command costs in joules."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark import _core
from joulemark.analyse.energy.command import command_energy, command_times
from joulemark.analyse.energy.command_result import CommandEnergy
from joulemark.cli.endings import InterruptedRunError
from joulemark.cli.energy.options import MeteringOptions, RepeatOptions
from joulemark.cli.energy.table import print_energy
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.energy_options import (
    TreeOptions,
    checked_watts,
    warn_without_meter,
    without_joules,
)
from joulemark.cli.shared.options import JSON_OPTION
from joulemark.cli.shared.terminal import print_json
from joulemark.errors import UnavailableError, UsageError
from joulemark.measure.cpus import require_allowed
from joulemark.measure.energy.choose import choose_meter
from joulemark.measure.energy.command import measure_command, observed_meter, time_command
from joulemark.measure.energy.giving_up import refuse_if_busy
from joulemark.measure.energy.session import place_of
from joulemark.measure.planning.energy import EnergyPlan
from joulemark.measure.windows.activity import SystemActivity
from joulemark.measure.windows.clock import SystemClock
from joulemark.measure.windows.command_process import CommandProcess
from joulemark.measure.windows.command_window import Bench
from joulemark.measure.windows.loads import Idle
from joulemark.meters.contract import Roots
from joulemark.meters.instruments import open_session
from joulemark.records.command import CommandPlan
from joulemark.records.energy_window import WindowKind

__all__ = ["COMMAND"]

EXIT_NOT_MEASURED = 2

_EXIT_CODES = """\b
Exit codes:
  0    measured; or modelled as asked, with --modelled-power and no --meter
  2    no joules: no meter here, too busy a machine, or metering that ended
       early (times that were taken stand); or refused: a command that is
       not there, too short or fails, an option that makes no sense
  130  interrupted; the command and its children were ended
"""


class Output(StrEnum):
    """Where the output of the metered command goes."""

    NULL = "null"
    INHERIT = "inherit"


def energy(
    *,
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="COMMAND",
            help="The command and its arguments; it runs several times, without input.",
        ),
    ],
    runs: RepeatOptions,
    metering: MeteringOptions,
    output: Annotated[
        Output,
        typer.Option(help="What the command prints is thrown away (null) or shown (inherit)."),
    ] = Output.NULL,
    json_: Annotated[bool, JSON_OPTION] = False,
    trees: TreeOptions,
) -> None:
    """Measure the energy of any command: joules with an interval, net of the idle machine.

    Where no energy meter can be read, its wall time and CPU time are measured all the same.
    """
    plan = runs.plan()
    require_allowed(metering.cpu)
    shown = output is Output.INHERIT
    if json_ and shown:
        raise UsageError(
            "--json and --output inherit exclude one another: the command's output would stand "
            "in the middle of the JSON"
        )
    asked = metering.plan(trees)
    watts = checked_watts(metering.modelled_power)
    warned = watts is None and warn_without_meter(asked)
    try:
        result = _measure(command, plan, asked, watts, cpu=metering.cpu, shown=shown)
    except KeyboardInterrupt:
        raise InterruptedRunError(
            "stopped; the command was ended, and nothing is reported of a part of the rounds"
        ) from None
    if json_:
        print_json(result.model_dump(mode="json"))
    else:
        print_energy(result, shown=shown)
    if result.meter is None and watts is not None:
        return
    if result.energy_reason is not None:
        raise without_joules(result.energy_reason, warned=warned)
    if not any(domain.windows_kept for domain in result.domains):
        raise typer.Exit(EXIT_NOT_MEASURED)


def _measure(
    command: list[str], plan: CommandPlan, asked: EnergyPlan, watts: float | None, *,
    cpu: int | None, shown: bool,
) -> CommandEnergy:  # fmt: skip
    job, clock = CommandProcess(command, cpu=cpu, shown=shown), SystemClock()
    # Without a CPU of its own the command is counted in every package; the first one's updates
    # begin and end the windows.
    at_cpu = min(os.sched_getaffinity(0)) if cpu is None else cpu

    def rounds_done(done: int, total: int) -> None:
        _progress(f"{done} of {total} rounds")

    with ExitStack() as stack:
        roots = Roots(Path(asked.sysfs), Path(asked.proc))
        stack.callback(_progress, "")
        try:
            name, roots = stack.enter_context(open_session(asked.meter, roots))
            chosen = choose_meter(name, roots, place_of(at_cpu, roots.sysfs), shown=asked.meter)
        except UnavailableError as error:
            if asked.meter is not None:
                raise UnavailableError(f"{error}; the command was not run") from None
            _progress("warming up")
            runs = time_command(job, clock, plan, rounds_done)
            return command_times(
                runs, plan, command, energy_reason=str(error), modelled_watts=watts
            )
        stack.callback(chosen.meter.close)
        bench = Bench(
            chosen.meter,
            clock,
            SystemActivity(roots.sysfs),
            Idle(WindowKind.ACTIVE_IDLE, _core.pause_for_ns),
            job,
        )
        _progress("watching the meter")
        try:
            refuse_if_busy(asked.foreign_limit, bench.clock, bench.activity)
            prepared = observed_meter(chosen, bench, asked)
        except UnavailableError as error:
            raise UnavailableError(f"{error}; the command was not run") from None
        _progress("warming up")
        run = measure_command(prepared, bench, plan, rounds_done)
    return command_energy(run, command, modelled_watts=watts)


def _progress(text: str) -> None:
    """Prints one line on a terminal. A bar of rich has a thread that draws, and uses energy."""
    if sys.stderr.isatty():
        typer.echo(f"\r\x1b[K{text}", nl=False, err=True)


COMMAND: Final = Command(
    energy,
    (
        "joulemark energy -- gzip -k -f big.tar",
        "joulemark energy --rounds 10 --cpu 2 -- ./encode input.wav",
        "joulemark energy --repeat 200 --json -- ./short-program > energy.json",
    ),
    notes=(_EXIT_CODES,),
    settings={"allow_interspersed_args": False},
)
