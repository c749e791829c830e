# SPDX-License-Identifier: Apache-2.0
"""`joulemark energy`: what any command costs in joules."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark import _core
from joulemark.analyse import Figure
from joulemark.analyse.command_energy import (
    CommandDomain,
    CommandEnergy,
    command_energy,
    command_times,
)
from joulemark.analyse.doubts import FEWEST_SAMPLES
from joulemark.analyse.stated_figures import bound_text
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import (
    FOREIGN_LIMIT_OPTION,
    JSON_OPTION,
    METER_OPTION,
    MODELLED_POWER_OPTION,
    TreeOptions,
    check_meter,
    checked_watts,
    warn_without_meter,
    without_joules,
)
from joulemark.cli.shared.terminal import columns, heading, print_json, print_text, sentences
from joulemark.cli.table import InterruptedRunError
from joulemark.environment import capture
from joulemark.environment.facts import limit_of_cpu_time
from joulemark.errors import UnavailableError, UsageError
from joulemark.foreign import visible
from joulemark.measure.energy_run import measure_command, observed_meter, time_command
from joulemark.measure.meter_choice import choose_meter
from joulemark.measure.meter_of_run import place_of, refuse_if_busy
from joulemark.measure.plan import EnergyPlan
from joulemark.measure.quiet import require_allowed
from joulemark.meters import Roots
from joulemark.meters.command import CommandProcess, WindowTools
from joulemark.meters.edges import Idle, SystemActivity, SystemClock
from joulemark.meters.instruments import open_session
from joulemark.records.energy_window import CommandPlan, WindowKind
from joulemark.records.figures import Absence
from joulemark.report.circumstances import depth_of, windows_text
from joulemark.report.column_choice import medians_only
from joulemark.report.columns import one_refusal
from joulemark.report.words import joule_seconds_text, joules_text, seconds_text, watts_text
from joulemark.units import format_count, format_memory, format_seconds, format_si, parse_difference

# The options of `joulemark energy`: how often the command runs, and what meters it.

_MAX_ROUNDS: Final = 1000
_MAX_REPEAT: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class RepeatOptions:
    """How often the command runs."""

    rounds: Annotated[int, typer.Option(help="Windows in which the command is metered.")] = 5
    warmup: Annotated[int, typer.Option(help="Runs before, which are not metered.")] = 1
    repeat: Annotated[
        int, typer.Option(help="Runs in one window, for a command that is short.")
    ] = 1
    ignore_failure: Annotated[
        bool, typer.Option("--ignore-failure", help="Measure a command that fails all the same.")
    ] = False

    def plan(self) -> CommandPlan:
        """The runs of the command."""
        for name, value, least, most in (
            ("rounds", self.rounds, 1, _MAX_ROUNDS),
            ("warmup", self.warmup, 1, _MAX_ROUNDS),
            ("repeat", self.repeat, 1, _MAX_REPEAT),
        ):
            if not least <= value <= most:
                raise UsageError(f"--{name} {value}: give a number from {least} to {most}")
        return CommandPlan(**asdict(self))


@dataclass(frozen=True, slots=True)
class MeteringOptions:
    """What meters the command, and where it runs."""

    meter: Annotated[str | None, METER_OPTION] = None
    cpu: Annotated[
        int | None, typer.Option(help="The only CPU that the command may use; all unless given.")
    ] = None
    foreign_limit: Annotated[str, FOREIGN_LIMIT_OPTION] = "1%"
    modelled_power: Annotated[float | None, MODELLED_POWER_OPTION] = None

    def plan(self, trees: TreeOptions) -> EnergyPlan:
        """The meter, and the share of other programs that it tolerates."""
        roots = trees.roots()
        check_meter(self.meter)
        return EnergyPlan(
            meter=self.meter,
            foreign_limit=parse_difference(self.foreign_limit, "--foreign-limit"),
            sysfs=str(roots.sysfs),
            proc=str(roots.proc),
        )


# The table that `joulemark energy` prints.

_FIGURES: Final[dict[str, tuple[str, str, Callable[[Figure], str]]]] = {
    "gross_joules": ("gross", "gross energy", joules_text),
    "net_joules": ("net of deep idle", "net energy", joules_text),
    "watts": ("power (gross)", "power", watts_text),
    "static_watts": ("at rest", "power at rest", watts_text),
    "joule_seconds": ("energy-delay (net)", "energy-delay product", joule_seconds_text),
}
"""Field of a domain -> its column, what sentences call it, and how it is written."""
_HEADINGS: Final = ("domain", *(column for column, _, _ in _FIGURES.values()), "windows")


def print_energy(result: CommandEnergy, *, shown: bool) -> None:
    """Prints the figures of one run of the command, domain by domain."""
    if (choice := result.facts.get("choice")) is not None:
        sentences([visible(choice)])
    heading(visible(shlex.join(result.command)))
    for line in _times(result):
        print_text(f"  {line}")
    if any(domain.windows_kept for domain in result.domains):
        assert result.evidence is not None
        print_text(f"  Joules and watts: {result.evidence.value}, {_of_intervals(result)}.")
        typer.echo("")
        columns([_HEADINGS, *(_row(result, domain) for domain in result.domains)])
    lines = [*_notes(result), *filter(None, [limit_of_cpu_time(capture())])]
    if lines:
        typer.echo("")
    for line in lines:
        print_text(f"  {line}")
    if not shown:
        print_text("  What the command printed was thrown away; --output inherit shows it.")


def _of_intervals(result: CommandEnergy) -> str:
    """Sentence part on the brackets of joules and watts."""
    fewest = min(domain.windows_kept for domain in result.domains if domain.windows_kept)
    if fewest >= FEWEST_SAMPLES:
        return "each with its 95 % interval"
    return (
        f"each with the uncertainty of its meter; {format_count(fewest, 'window')} cannot say how "
        "far runs differ"
    )


def _times(result: CommandEnergy) -> list[str]:
    """Lines on one run that need no meter."""
    lines = []
    if result.seconds is not None and result.mean_seconds is not None:
        mean, least = (
            format_seconds(seconds) for seconds in (result.mean_seconds, result.seconds.minimum)
        )
        times = _stated(result.seconds, seconds_text)
        lines.append(f"time: {times} (measured; mean {mean}, minimum {least})")
    if result.cpu_seconds is not None:
        lines.append(f"CPU time: {_stated(result.cpu_seconds, seconds_text)} (measured)")
    if result.peak_memory_bytes is not None:
        largest = f"{format_memory(result.peak_memory_bytes)}, of its largest process"
        if result.tree_memory_bytes is not None:
            largest += (
                f"; all its processes together added {format_memory(result.tree_memory_bytes)} to "
                "the memory in use, what Linux keeps of their files included"
            )
        runs = format_count(result.warmup * result.repeat, "run")
        lines.append(f"peak memory: {largest} (measured, in {runs} of the warm-up)")
    if result.modelled_joules is not None and result.modelled_watts is not None:
        watts = format_si(result.modelled_watts, "W")
        joules = _stated(result.modelled_joules, joules_text)
        lines.append(f"energy: {joules} (modelled: the time at {watts})")
    return lines


def _stated(figure: Figure, text: Callable[[Figure], str]) -> str:
    """A figure, with its interval if there are enough runs for one."""
    if figure.samples >= FEWEST_SAMPLES:
        return text(figure)
    return f"{medians_only(text)(figure)}, no interval from {figure.samples} rounds"


def _row(result: CommandEnergy, domain: CommandDomain) -> tuple[str, ...]:
    cells = (_cell(domain, name, text) for name, (_, _, text) in _FIGURES.items())
    star = " *" if domain.headline else ""
    depth = depth_of(domain.domain, {other.domain: other.parent for other in result.domains})
    return (f"{'  ' * depth}{visible(domain.name)}{star}", *cells, windows_text(domain))


def _cell(domain: CommandDomain, name: str, text: Callable[[Figure], str]) -> str:
    """The figure, or the bound that it lies below."""
    figure, bound = getattr(domain, name), domain.upper_bounds.get(name)
    if figure is not None:
        return text(figure)
    return "-" if bound is None else f"below {bound_text(name, bound)}"


def _notes(result: CommandEnergy) -> list[str]:
    many = f", {result.repeat} runs in each" if result.repeat > 1 else ""
    failed = _failures(result)
    if not result.domains:
        lacking = (
            [] if result.modelled_joules is None else [f"Not metered: {result.energy_reason}."]
        )
        runs = f"{result.rounds} rounds{many} after {result.warmup} of warm-up."
        return [runs, *lacking, *failed]
    if result.energy_reason is not None and not any(
        domain.windows_kept for domain in result.domains
    ):
        return failed  # The sentence on standard error says the rest.
    lines = [
        f"Method {result.method}; {result.rounds} rounds{many}; baseline: {result.baseline}.",
        "Domains contain one another and are never added. Updates of * start and end the windows.",
    ]
    lines += [
        f"{domain.name}: the sum of {' and '.join(domain.sum_of)}, which share nothing."
        for domain in result.domains
        if domain.sum_of
    ]
    first = next((domain for domain in result.domains if domain.headline), None)
    if first is not None and first.outside_seconds:
        lines.append(
            f"{format_seconds(first.outside_seconds)} of each window are outside the "
            "command; that energy is subtracted, and the intervals include its uncertainty."
        )
    lines += failed
    for domain in result.domains:
        gaps: dict[Absence, list[str]] = {}
        for name, reason in domain.reasons.items():
            gaps.setdefault(reason, []).append(_FIGURES[name][1])
        lines += [
            f"{visible(domain.name)}, {', '.join(names)}: {visible(reason.sentence).rstrip('.')}."
            for reason, names in one_refusal(gaps).items()
        ]
    return lines


def _failures(result: CommandEnergy) -> list[str]:
    """How often the command failed, where failures are passed over."""
    failed = {code: times for code, times in result.exit_codes.items() if code != "0"}
    if not failed:
        return []
    said = ", ".join(f"exit code {code} in {times} runs" for code, times in failed.items())
    return [f"The command failed ({said}); you asked to measure it all the same."]


EXIT_NOT_MEASURED = 2

_EXIT_CODES = """\b
Exit codes:
  0    measured, also where a figure is refused for its wide interval; or
       modelled as asked, with --modelled-power and no --meter
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

    Its peak memory is measured in the warm-up. Where no energy meter can be read, its wall time,
    CPU time and memory are measured all the same.
    """
    plan = runs.plan()
    require_allowed(metering.cpu)
    shown = output is Output.INHERIT
    if json_ and shown:
        raise UsageError(
            "--json and --output inherit exclude one another: the command's output would be "
            "mixed into the JSON"
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
    command: list[str],
    plan: CommandPlan,
    asked: EnergyPlan,
    watts: float | None,
    *,
    cpu: int | None,
    shown: bool,
) -> CommandEnergy:
    watched = plan.warmup * plan.repeat
    job = CommandProcess(command, cpu=cpu, shown=shown, watched_runs=watched)
    clock = SystemClock()
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
            times = command_times(
                runs, plan, command, energy_reason=str(error), modelled_watts=watts
            )
            return _with_memory(times, job)
        stack.callback(chosen.meter.close)
        bench = WindowTools(
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
    return _with_memory(command_energy(run, command, modelled_watts=watts), job)


def _with_memory(result: CommandEnergy, job: CommandProcess) -> CommandEnergy:
    return result.model_copy(
        update={
            "peak_memory_bytes": job.peak_memory_bytes,
            "tree_memory_bytes": job.tree_memory_bytes,
        }
    )


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
