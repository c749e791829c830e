# SPDX-License-Identifier: Apache-2.0
"""The table that `joulemark energy` prints."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Final

import typer

from joulemark.analyse.doubts import FEWEST_SAMPLES
from joulemark.analyse.energy.command_result import CommandDomain, CommandEnergy
from joulemark.analyse.energy.refused import bound_text
from joulemark.analyse.results import Figure
from joulemark.cli.shared.terminal import columns, heading, sentences
from joulemark.foreign.text import visible
from joulemark.records.absence import Absence
from joulemark.report.absent import one_refusal
from joulemark.report.domains import depth_of, windows_text
from joulemark.report.figures import joule_seconds_text, joules_text, seconds_text, watts_text
from joulemark.report.terminal.column_choice import medians_only
from joulemark.units import format_seconds, format_si

__all__ = ["print_energy"]

_HEADINGS = (
    "domain",
    "gross",
    "net of deep idle",
    "power (gross)",
    "at rest",
    "energy-delay (net)",
    "windows",
)
_NONE = "-"
_FIGURES: Final[dict[str, tuple[str, Callable[[Figure], str]]]] = {
    "gross_joules": ("gross energy", joules_text),
    "net_joules": ("net energy", joules_text),
    "watts": ("power", watts_text),
    "static_watts": ("power at rest", watts_text),
    "joule_seconds": ("energy-delay product", joule_seconds_text),
}
"""Field of a domain -> what sentences call it, and how it is written; in the order of columns."""


def print_energy(result: CommandEnergy, *, shown: bool) -> None:
    """Prints the figures of one run of the command, domain by domain.

    Args:
        result: what is printed.
        shown: whether the output of the command itself was shown.
    """
    if (choice := result.facts.get("choice")) is not None:
        sentences([visible(choice)])
    heading(visible(shlex.join(result.command)))
    for line in _times(result):
        typer.echo(f"  {line}")
    if any(domain.windows_kept for domain in result.domains):
        assert result.evidence is not None
        typer.echo(f"  Joules and watts: {result.evidence.value}, each with its 95 % interval.")
        typer.echo("")
        columns([_HEADINGS, *(_row(result, domain) for domain in result.domains)])
    lines = _notes(result)
    if lines:
        typer.echo("")
    for line in lines:
        typer.echo(f"  {line}")
    if not shown:
        typer.echo("  What the command printed was thrown away; --output inherit shows it.")


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
    cells = (_cell(domain, name, text) for name, (_, text) in _FIGURES.items())
    star = " *" if domain.headline else ""
    depth = depth_of(domain.domain, {other.domain: other.parent for other in result.domains})
    return (f"{'  ' * depth}{visible(domain.name)}{star}", *cells, windows_text(domain))


def _cell(domain: CommandDomain, name: str, text: Callable[[Figure], str]) -> str:
    """The figure, or the bound that it lies below."""
    figure, bound = getattr(domain, name), domain.upper_bounds.get(name)
    if figure is not None:
        return text(figure)
    return _NONE if bound is None else f"below {bound_text(name, bound)}"


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
            f"{format_seconds(first.outside_seconds)} of each window lie outside the command; "
            "their energy is taken off, its doubt is in the intervals."
        )
    lines += failed
    for domain in result.domains:
        gaps: dict[Absence, list[str]] = {}
        for name, reason in domain.reasons.items():
            gaps.setdefault(reason, []).append(_FIGURES[name][0])
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
    return [f"The command failed ({said}); it was measured as asked."]
