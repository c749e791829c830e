# SPDX-License-Identifier: Apache-2.0
"""`joulemark compare-targets`: one MAC and one message on host, firmware, netlists and cores."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.catalogue import algorithms
from joulemark.cli.bench import USUAL_CLOCK
from joulemark.cli.core_options import hertz
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import (
    ALGORITHM_ARGUMENT,
    DEFAULT_STORE,
    JSON_OPTION,
    MODELLED_POWER_OPTION,
    STORE_OPTION,
    checked_watts,
)
from joulemark.errors import UsageError
from joulemark.foreign import did_you_mean, shortened
from joulemark.report.budget.targets import KINDS
from joulemark.units import parse_duration, parse_sizes

_MOST_BYTES: Final = 4096
_MOST_SIZES: Final = 12
ENDINGS: Final = (".html", ".svg", ".png", ".json")


@dataclass(frozen=True, slots=True)
class TargetsRequest:
    """One MAC of one message on each kind of target."""

    mac: str
    sizes_bytes: tuple[int, ...]
    """Bytes of the messages, the shortest first."""
    kinds: tuple[str, ...]
    """Of `KINDS`."""
    liberty: str | None
    """Cell library of netlists; None: none is simulated, and the store tells of netlists."""
    clock_hz: float
    """Clock of netlists."""
    glitches: bool
    """Whether the glitches of netlists are measured."""
    watts: float | None
    """Power of the host that the user states."""
    period_s: float | None
    """Seconds from message to message, for the joules at a rate."""
    output: Path | None
    """File of the page or of the chart."""
    store: str
    as_json: bool


def compare_targets(
    *,
    algorithm: Annotated[str, ALGORITHM_ARGUMENT],
    size: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help="Bytes of the message, up to 4096: 33, or several as 8,33 or 8..512 (powers of "
            "two).",
        ),
    ] = "33",
    targets: Annotated[
        str,
        typer.Option(metavar="LIST", help=f"Kinds of targets to show: {','.join(KINDS)}; all."),
    ] = ",".join(KINDS),
    liberty: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The cell library to which open CPUs are mapped, plain or .gz; without one "
            "netlists are those of the store's reports.",
        ),
    ] = None,
    clock: Annotated[
        str | None,
        typer.Option(metavar="HZ", help=f"The clock of the netlists; {USUAL_CLOCK} unless given."),
    ] = None,
    glitches: Annotated[
        bool,
        typer.Option(
            "--glitches",
            help="With --liberty: measure what glitches add on netlists, as bench does; takes "
            "minutes.",
        ),
    ] = False,
    modelled_power: Annotated[float | None, MODELLED_POWER_OPTION] = None,
    every: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION",
            help="Time from message to message, as 1s: adds joules with sleep and leakage.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write a page (.html), or the chart of energy over length (.svg, .png or .json).",
        ),
    ] = None,
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
    as_json_text: Annotated[bool, JSON_OPTION] = False,
) -> TargetsRequest:
    """Show what a message costs on host, microcontrollers, open CPUs and hardware cores.

    The host's time is of the newest run of this machine in the store, or is measured now. Core
    cycles of microcontrollers are those of the store and of the catalogue, their joules those of
    data sheets. With --liberty open CPUs run the same firmware as netlists, else those of which
    the store has a report are shown. Hardware cores are those of which the store has a report in
    cells.
    """
    facts = algorithms().get(algorithm)
    if facts is None or facts.kind != "mac":
        macs = [name for name, known in algorithms().items() if known.kind == "mac"]
        hint = did_you_mean(algorithm, macs) or "; joulemark list shows all"
        raise UsageError(f"no MAC '{algorithm[:60]}'{hint}")
    kinds = tuple(word.strip() for word in targets.split(","))
    for kind in kinds:
        if kind not in KINDS:
            raise UsageError(f"--targets {kind[:40]}: give some of {','.join(KINDS)}")
    sizes_bytes = tuple(sorted(parse_sizes(size)))
    if sizes_bytes[-1] > _MOST_BYTES:
        raise UsageError(f"--size {size}: give at most {_MOST_BYTES} bytes")
    if len(sizes_bytes) > _MOST_SIZES:
        raise UsageError(f"--size {size}: give at most {_MOST_SIZES} lengths")
    if liberty is None and clock is not None:
        raise UsageError("--clock is of netlists, which need a cell library: give --liberty FILE")
    if liberty is None and glitches:
        raise UsageError(
            "--glitches is of netlists, which need a cell library: give --liberty FILE"
        )
    if output is not None and output.suffix.lower() not in ENDINGS:
        raise UsageError(
            f"--output {shortened(str(output), 60)}: end the name with {', '.join(ENDINGS)}"
        )
    return TargetsRequest(
        mac=algorithm,
        sizes_bytes=sizes_bytes,
        kinds=kinds,
        liberty=liberty,
        clock_hz=hertz(clock or USUAL_CLOCK),
        glitches=glitches,
        watts=checked_watts(modelled_power),
        period_s=None if every is None else parse_duration(every, "--every"),
        output=output,
        store=store,
        as_json=as_json_text,
    )


COMMAND: Final = Command(
    compare_targets,
    (
        "joulemark compare-targets hmac-sha256 --size 33",
        "joulemark compare-targets siphash-2-4 --liberty typical.lib --every 1s",
        "joulemark compare-targets cmac-aes128 --size 8..512 --output targets.html",
        "joulemark compare-targets cmac-aes128 --targets mcu,core --json",
    ),
)
