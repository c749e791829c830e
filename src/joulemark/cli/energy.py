# SPDX-License-Identifier: Apache-2.0
"""`joulemark energy`: what any command costs in joules."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from joulemark.cli import energy_options, options
from joulemark.cli.quantities import fraction
from joulemark.cli.refusals import InterruptedRunError
from joulemark.cli.terminal import examples, print_json
from joulemark.errors import UnavailableError, UsageError

if TYPE_CHECKING:
    from joulemark.analyse.energy.command_result import CommandEnergy
    from joulemark.measure.planning.energy import EnergyPlan
    from joulemark.records.command import CommandPlan

__all__ = ["energy", "register"]

EXIT_NOT_MEASURED = 2
_MAX_ROUNDS = 1000
_MAX_REPEAT = 1_000_000

_EXIT_CODES = """\b
Exit codes:
  0    measured; or modelled as asked, with --modelled-power and no --meter
  2    no joules: no meter here, too busy a machine, or metering that ended
       early (times that were taken stand); or refused: a command that is
       not there, too short or fails, an option that makes no sense
  130  interrupted; the command and its children were ended
"""


class Output(StrEnum):
    """Where the command's own output goes."""

    NULL = "null"
    INHERIT = "inherit"


def energy(
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="COMMAND",
            help="The command and its arguments; it runs several times, without input.",
            show_default=False,
        ),
    ],
    rounds: Annotated[int, typer.Option(help="Windows in which the command is metered.")] = 5,
    warmup: Annotated[int, typer.Option(help="Runs before, which are not metered.")] = 1,
    repeat: Annotated[
        int, typer.Option(help="Runs in one window, for a command that is short.")
    ] = 1,
    meter: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Meter to use (see 'joulemark doctor'); the best that is usable unless given.",
            show_default=False,
        ),
    ] = None,
    cpu: Annotated[
        int | None,
        typer.Option(
            help="The only CPU that the command may use; all unless given.", show_default=False
        ),
    ] = None,
    foreign_limit: Annotated[str, energy_options.FOREIGN_LIMIT_OPTION] = "1%",
    modelled_power: Annotated[float | None, energy_options.MODELLED_POWER_OPTION] = None,
    output: Annotated[
        Output,
        typer.Option(help="What the command prints is thrown away (null) or shown (inherit)."),
    ] = Output.NULL,
    ignore_failure: Annotated[
        bool, typer.Option("--ignore-failure", help="Measure a command that fails all the same.")
    ] = False,
    json_: Annotated[bool, options.JSON_OPTION] = False,
    sysfs: Annotated[Path, options.SYSFS_OPTION] = options.DEFAULT_SYSFS,
    proc: Annotated[Path, options.PROC_OPTION] = options.DEFAULT_PROC,
) -> None:
    """Measure the energy of any command: joules with an interval, net of the idle machine.

    Where no energy meter can be read, its wall time and CPU time are measured all the same.
    """
    from joulemark.measure.planning.energy import EnergyPlan  # noqa: PLC0415
    from joulemark.records.command import CommandPlan  # noqa: PLC0415

    for name, value, least, most in (
        ("rounds", rounds, 1, _MAX_ROUNDS),
        ("warmup", warmup, 1, _MAX_ROUNDS),
        ("repeat", repeat, 1, _MAX_REPEAT),
    ):
        if not least <= value <= most:
            raise UsageError(f"--{name} {value}: give a number from {least} to {most}")
    allowed = os.sched_getaffinity(0)
    if cpu is not None and cpu not in allowed:
        known = ", ".join(str(one) for one in sorted(allowed))
        raise UsageError(f"--cpu {cpu}: choose one of the CPUs that may be used here, {known}")
    if json_ and output is Output.INHERIT:
        raise UsageError(
            "--json and --output inherit exclude one another: the command's output would stand "
            "in the middle of the JSON"
        )
    _check_meter(meter, sysfs, proc)
    asked = EnergyPlan(
        meter=meter,
        foreign_limit=fraction(foreign_limit, "--foreign-limit"),
        sysfs=str(sysfs),
        proc=str(proc),
    )
    plan = CommandPlan(rounds=rounds, warmup=warmup, repeat=repeat, ignore_failure=ignore_failure)
    watts = energy_options.modelled_watts(modelled_power)
    try:
        result = _measured(command, plan, asked, watts, cpu=cpu, shown=output is Output.INHERIT)
    except KeyboardInterrupt:
        raise InterruptedRunError(
            "stopped; the command was ended, and nothing is reported of a part of the rounds"
        ) from None
    if json_:
        print_json(result.model_dump(mode="json"))
    else:
        from joulemark.cli.energy_table import print_energy  # noqa: PLC0415

        print_energy(result, shown=output is Output.INHERIT)
    if result.meter is None and watts is not None:
        return
    if result.energy_reason is not None:
        raise UnavailableError(f"{result.energy_reason} (the times above stand)")
    if not any(one.windows_kept for one in result.domains):
        raise typer.Exit(EXIT_NOT_MEASURED)


def _check_meter(meter: str | None, sysfs: Path, proc: Path) -> None:
    """Refuses a meter or a place that makes no sense before anything runs."""
    from joulemark.meters.contract import Roots  # noqa: PLC0415
    from joulemark.meters.instruments import make_meter  # noqa: PLC0415

    for option, folder in (("--sysfs", sysfs), ("--proc", proc)):
        if not folder.is_dir():
            raise UsageError(f"{option} {folder}: there is no such folder")
    if meter:
        make_meter(meter, Roots())


def _measured(
    command: list[str], plan: CommandPlan, asked: EnergyPlan, watts: float | None, *,
    cpu: int | None, shown: bool,
) -> CommandEnergy:  # fmt: skip
    from joulemark import _core  # noqa: PLC0415
    from joulemark.analyse.energy.command import command_energy, command_times  # noqa: PLC0415
    from joulemark.measure.energy.choose import choose_meter  # noqa: PLC0415
    from joulemark.measure.energy.command import (  # noqa: PLC0415
        measure_command,
        observed_meter,
        time_command,
    )
    from joulemark.measure.energy.giving_up import refuse_if_busy  # noqa: PLC0415
    from joulemark.measure.energy.session import place_of  # noqa: PLC0415
    from joulemark.measure.windows.activity import SystemActivity  # noqa: PLC0415
    from joulemark.measure.windows.clock import SystemClock  # noqa: PLC0415
    from joulemark.measure.windows.command_process import CommandProcess  # noqa: PLC0415
    from joulemark.measure.windows.command_window import Bench  # noqa: PLC0415
    from joulemark.measure.windows.loads import Paused  # noqa: PLC0415
    from joulemark.meters.contract import Roots  # noqa: PLC0415
    from joulemark.meters.instruments import opened  # noqa: PLC0415

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
            name, roots = stack.enter_context(opened(asked.meter, roots))
            chosen = choose_meter(name, roots, place_of(at_cpu, roots.sysfs))
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
            chosen.meter, clock, SystemActivity(roots.sysfs), Paused(_core.pause_for_ns), job
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
    """One line on a terminal. Not rich's, whose thread would draw, and use energy, all the time."""
    if sys.stderr.isatty():
        typer.echo(f"\r\x1b[K{text}", nl=False, err=True)


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(
        context_settings={"allow_interspersed_args": False},
        epilog=_EXIT_CODES
        + "\n"
        + examples(
            "joulemark energy -- gzip -k -f big.tar",
            "joulemark energy --rounds 10 --cpu 2 -- ./encode input.wav",
            "joulemark energy --repeat 200 --json -- ./short-program > energy.json",
        ),
    )(energy)
