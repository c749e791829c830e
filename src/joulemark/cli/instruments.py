# SPDX-License-Identifier: Apache-2.0
"""Instruments here: `joulemark doctor` says what can be measured, and `meter` shows power, live."""

from __future__ import annotations

import json
import math
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from joulemark.cli.meter_output import LiveScreen, PrometheusFile, Refreshes
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import JSON_OPTION, TreeOptions
from joulemark.cli.shared.terminal import columns, heading, print_json, print_text, sentences
from joulemark.doctor import EnergyFindings
from joulemark.doctor.machine import MachineFindings, NoiseFloor, examine, noise_floor
from joulemark.errors import UsageError
from joulemark.foreign import visible
from joulemark.measure.inventory import inventory_of
from joulemark.measure.meter_choice import (
    ChosenMeter,
    LiveDomain,
    LiveFigure,
    choose_meter,
    interval_of,
    stream,
)
from joulemark.measure.meter_of_run import place_of
from joulemark.measure.quiet import choose_cpu
from joulemark.meters import Roots
from joulemark.meters.instruments import open_session
from joulemark.meters.instruments.external import TITLE, PowerRecording, read_recording
from joulemark.units import format_count, format_joules, format_seconds, format_si

# `joulemark doctor`: what can be measured on this machine, and why not the rest.

DOCTOR_VERSION = 4
"""Version of the JSON that `doctor` prints."""


def doctor(
    *,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Leave out what takes some seconds: the noise floor and how energy counters move.",
        ),
    ] = False,
    as_json: Annotated[bool, JSON_OPTION] = False,
    trees: TreeOptions,
) -> None:
    """Say what can be measured on this machine, how finely, and why not the rest.

    The noise floor is found by measuring two copies of the same code against each other:
    differences smaller than what they show are not worth believing here.
    """
    roots = trees.roots()
    inventory = inventory_of()
    found = examine(inventory, roots, observe=not quick)
    floor = None if quick else noise_floor(inventory)
    if as_json:
        print_json({"schema_version": DOCTOR_VERSION, **found, "noise_floor": floor})
    else:
        _print(found, floor)


def _print(found: MachineFindings, floor: NoiseFloor | None) -> None:
    heading(found["machine"])
    heading("Load")
    _bullet(str(found["load"]["sentence"]), mark="")
    heading("Clocks")
    columns([(str(clock["name"]), str(clock["state"])) for clock in found["clocks"]], prose=(1,))
    heading("Disturbance")
    counters = [(str(counter["name"]), str(counter["state"])) for counter in found["counters"]]
    columns(counters, prose=(1,))
    heading("Energy")
    _print_energy(found["energy"])
    heading("The loop itself")
    _bullet(str(found["loop"]["sentence"]), mark="")
    heading("Noise floor")
    _bullet(floor["sentence"] if floor else "not measured (--quick)", mark="")
    for note in floor["notes"] if floor else ():
        _bullet(note, mark="")
    heading("Secrets")
    _bullet(str(found["wiping"]["sentence"]), mark="")
    if found["advice"]:
        heading("Advice")
    for sentence in found["advice"]:
        _bullet(sentence)
    heading("Providers")
    providers = found["providers"]
    columns(
        [
            (str(provider["title"]), str(provider["reason"] or "available"))
            for provider in providers
        ],
        prose=(1,),
    )


def _print_energy(energy: EnergyFindings) -> None:
    _bullet(energy["sentence"], mark="")
    for instrument in energy["instruments"]:
        state = (
            f"usable, {instrument['evidence']}"
            if instrument["usable"]
            else f"not usable: {instrument['reason']}"
        )
        if (lacking := instrument["without_cpu"]) is not None:
            state += f"; taken only if it is named: it {lacking}"
        _bullet(f"{instrument['name']} ({instrument['title']}): {state}")
        _remedy(instrument["remedy"])
        for domain in instrument["domains"]:
            first, *rest = domain["lines"]
            _bullet(first, mark="  - ")
            for line in rest:
                _bullet(line, mark="    ")
        for refusal in instrument["refused"]:
            if refusal["reason"] != instrument["reason"]:
                _bullet(f"{refusal['what']}, not usable: {refusal['reason']}", mark="  - ")
            if refusal["remedy"] != instrument["remedy"]:
                _remedy(refusal["remedy"], mark="    ")


def _remedy(command: str | None, *, mark: str = "  ") -> None:
    """Prints a command in one line, however long, so that it can be copied."""
    if command is not None:
        typer.echo(f"  {mark}try: {command}")


def _bullet(text: str, *, mark: str = "- ") -> None:
    print_text(f"  {mark}{text}")


DOCTOR: Final = Command(
    doctor,
    (
        "joulemark doctor",
        "joulemark doctor --quick",
        "joulemark doctor --json > machine.json",
        "joulemark doctor --sysfs /host/sys --proc /host/proc",
    ),
)


# `joulemark meter`: the power of each domain of a meter, live.

METER_VERSION = 1
"""Version of each line of JSON that `meter` prints."""
_SHORTEST_INTERVAL_S: Final = 0.05
"""Reading and drawing more often would itself cost power."""


def meter(
    *,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="Meter, with its argument after a colon where it has one (see 'joulemark "
            "doctor'); the best that is usable unless given.",
        ),
    ] = None,
    interval: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            help="Time between refreshes; at least twice the update period that a domain states.",
        ),
    ] = 0.5,
    duration: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="End after this time; otherwise Ctrl-C ends it."),
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="End after the first refresh.")] = False,
    recorded: Annotated[
        bool,
        typer.Option(
            "--recorded",
            help="Read the whole of external:FILE, which an instrument has recorded, and end.",
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a line of JSON for each refresh.")
    ] = False,
    prometheus: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write each domain's energy to FILE at every refresh, for the textfile "
            "collector of Prometheus's node_exporter (a name that ends with .prom).",
        ),
    ] = None,
    trees: TreeOptions,
) -> None:
    """Show the power of each domain of an energy meter, live.

    A domain that lies inside another is part of its figure, so no total is given. Energy counts
    from the start of the command; of a power sensor it is the mean power times the time.
    """
    if not _SHORTEST_INTERVAL_S <= interval < math.inf:
        raise UsageError(
            f"--interval {interval:g}: give a number of seconds from {_SHORTEST_INTERVAL_S:g} on"
        )
    if duration is not None and not 0 < duration < math.inf:
        raise UsageError(f"--duration {duration:g}: give a number of seconds above 0")
    if once and duration is not None:
        raise UsageError("--once and --duration exclude one another; name one")
    if recorded:
        if once or duration is not None or prometheus is not None:
            raise UsageError("--recorded reads a whole file, so leave out other ends and files")
        _show_recording(name or "", read_recording(name), as_json=as_json)
        return
    with open_session(name, trees.roots()) as (kept, roots):
        # Every package is shown; where the kernel does not number them, any may come first.
        measured = choose_cpu()
        measured.release()
        place = place_of(measured.cpu, roots.sysfs)
        chosen = choose_meter(kept, roots, place, shown=name)
        if name is not None:
            chosen = replace(chosen, name=name)
        try:
            _run(
                chosen, roots, interval, duration, once=once, as_json=as_json, prometheus=prometheus
            )
        finally:
            chosen.meter.close()


def _run(
    chosen: ChosenMeter,
    roots: Roots,
    wanted_s: float,
    duration_s: float | None,
    *,
    once: bool,
    as_json: bool,
    prometheus: Path | None,
) -> None:
    interval_s = interval_of(chosen.domains, wanted_s)
    end_s = interval_s if once else duration_s or math.inf
    refreshes = stream(
        chosen.meter,
        [LiveDomain(domain) for domain in chosen.domains],
        interval_s,
        end_s,
        now_ns=roots.now_ns,
        pause_s=_pause_s,
    )
    evidence = str(chosen.meter.evidence())
    if prometheus is not None:
        file = PrometheusFile(prometheus, chosen.name, evidence)
        refreshes = file.record(refreshes, stays=math.isfinite(end_s))
    if as_json:
        _print_json(refreshes, chosen.name, evidence)
        return
    hidden = len(chosen.survey.domains) - len(chosen.domains)
    sentences([visible(chosen.choice)])
    title = f"{chosen.name} ({chosen.meter.title})"
    screen = LiveScreen(title, evidence, chosen.domains, hidden)
    draw = _draw if sys.stdout.isatty() else _print_plain
    elapsed_s = draw(refreshes, screen, interval_s)
    if elapsed_s and not once:
        for line in screen.summary(elapsed_s):
            typer.echo(line)


def _show_recording(name: str, recording: PowerRecording, *, as_json: bool) -> None:
    """Prints the figures of a whole recording, in JSON in the shape of a refresh."""
    covered_s, evidence = recording.covered_s, str(recording.evidence)
    left_out = None
    if recording.breaks:
        left_out = f"{format_count(recording.breaks, 'gap')} without samples left out"
    mean_w = recording.joules / covered_s
    if as_json:
        figure = LiveFigure(recording.domain, mean_w, recording.joules, 0, left_out)
        _print_json(iter([(covered_s, [figure])]), name, evidence)
        return
    counted = f"{format_count(recording.samples, 'sample')} over {format_seconds(covered_s)}"
    words = [counted, *([left_out] if left_out else []), evidence]
    heading(f"{visible(name)} ({TITLE}): {', '.join(words)}")
    figures = (format_si(mean_w, "W"), format_joules(recording.joules))
    columns([(recording.domain.name, *figures)])
    sentences([f"It meters {recording.domain.note}."], indent=2)


def _pause_s(duration_s: float) -> None:
    time.sleep(duration_s)


def _print_json(refreshes: Refreshes, name: str, evidence: str) -> None:
    with suppress(KeyboardInterrupt):
        for elapsed_s, figures in refreshes:
            line = {
                "schema_version": METER_VERSION,
                "elapsed_s": elapsed_s,
                "meter": name,
                "evidence": evidence,
                "domains": [figure.as_dict() for figure in figures],
            }
            typer.echo(json.dumps(line, ensure_ascii=False, allow_nan=False))


def _print_plain(refreshes: Refreshes, screen: LiveScreen, interval_s: float) -> float:
    """Prints lines; returns the seconds that were shown."""
    elapsed_s = 0.0
    heading(screen.heading(interval_s))
    with suppress(KeyboardInterrupt):
        for elapsed_s, figures in refreshes:
            screen.take(figures)
            for line in screen.plain(elapsed_s):
                typer.echo(line)
    return elapsed_s


def _draw(refreshes: Refreshes, screen: LiveScreen, interval_s: float) -> float:
    """Draws on a terminal, in place; returns the seconds that were shown."""
    elapsed_s = 0.0
    console = Console()
    with (
        suppress(KeyboardInterrupt),
        Live(Text(screen.heading(interval_s)), console=console, auto_refresh=False) as live,
    ):
        for elapsed_s, figures in refreshes:
            screen.take(figures)
            live.update(screen.drawn(console.width, interval_s, elapsed_s), refresh=True)
    return elapsed_s


METER: Final = Command(
    meter,
    (
        "joulemark meter",
        "joulemark meter powercap --interval 2",
        "joulemark meter --once",
        "joulemark meter --prometheus /var/lib/node_exporter/textfile/joulemark.prom",
        "joulemark meter external:watts.csv --duration 60 --json > watts.jsonl",
        "joulemark meter --recorded external:ppk2.csv,voltage=3.3",
    ),
)
