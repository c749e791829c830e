# SPDX-License-Identifier: Apache-2.0
"""From the windows around a command to its figures, domain by domain.

A window's edges lie outside the command, so its energy E over T seconds is that of the command,
which took t, and of the time outside, T - t, in which the counter was polled for its next update.
There the power is that of polling, Pp, which was found before the run; it is above that of deep
idle, P0. As a core may run at another clock now than then, or the last of the command's work be
done there, it carries the standard uncertainty of a quantity anywhere in a range as wide as the two
are apart (JCGM 100:2008, 4.3.7):

    Eo    = (T - t) (Pp +- (Pp - P0) / sqrt(12))
    gross = E - Eo
    net   = gross - P0 t

Where no polling power is known, Eo is that of the middle between deep idle and the window's own
power. What is not known of Eo is the same in every window, so it does not average out. A gauge is
sampled within the command alone: gross is its mean power times t, and nothing is outside.

Each figure is the median over the windows, with the interval of
`joulemark.analyse.stated_figures.energy_figure`; one that is too wide is refused with the reason.
Domains contain one another and are never added, but for those that
`joulemark.judging.domains.disjoint` names, such as all packages of a machine.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import Field
from uncertainties import ufloat

from joulemark.analyse import Figure, PublishedModel, Reason
from joulemark.analyse.stated_figures import (
    ERROR_LIMIT,
    EnergyFigures,
    against_rest,
    energy_figure,
    no_rest,
    unusable,
)
from joulemark.analyse.window import Baseline, WindowPower, pace_in, power_of, void_idle_words
from joulemark.judging.domains import OUTSIDE_CPU, disjoint
from joulemark.judging.void import Void
from joulemark.records.energy_window import CommandPlan, CommandRun, Domain, Quantity, TimedRun
from joulemark.records.figures import Absence, Evidence
from joulemark.stats import median

# The published shape of a command's energy: what `joulemark energy --json` prints.
#
# `COMMAND_SCHEMA_VERSION` history:
#     1  first version.
#     2  without a meter the times stand alone: `meter`, `title`, `method`, `evidence` and
#        `baseline` may be null, and `energy_reason` says why; `mean_seconds`, `modelled_watts`,
#        `modelled_joules`; in each domain `upper_bounds`.
#     3  `peak_memory_bytes`.
#     4  `tree_memory_bytes`.
#
# A figure that does not exist is `null`, and `reasons` says why under the figure's own name.

COMMAND_SCHEMA_VERSION: Final = 4


class CommandDomain(PublishedModel):
    """The energy of a command in one domain; every figure is of one run of the command."""

    domain: str
    """Id within its meter; `all` for the sum of domains that share nothing."""
    name: str
    kind: str
    parent: str | None
    """Id of the smallest domain that contains this one; the two are never added."""
    sum_of: list[str] = Field(default_factory=list)
    """Ids of the domains that were added; empty for a domain of the meter."""
    headline: bool
    """Whether its updates start and end the windows."""
    windows_kept: int
    windows_void: dict[str, int]
    """Why windows were not used -> how many windows."""
    outside_seconds: float | None
    """Median time between the edges in which the command did not run; null without a window."""
    gross_joules: Figure | None
    """All that the domain used while the command ran; nothing subtracted."""
    net_joules: Figure | None
    """Net of deep idle: what the command adds to a machine that would otherwise rest."""
    watts: Figure | None
    """gross_joules over the time."""
    joule_seconds: Figure | None
    """Energy-delay product: net_joules times the time, of the same windows."""
    static_watts: Figure | None
    """Power in deep idle."""
    reasons: dict[str, Reason] = Field(default_factory=dict)
    """Field name of a null figure -> why it is null, and what would help."""
    upper_bounds: dict[str, float] = Field(default_factory=dict)
    """Field name of a net figure that is null because it is not told from 0 -> upper end of its
    95 % interval, in the figure's unit: it lies below that."""


class CommandEnergy(PublishedModel):
    """What a command costs: the document that `joulemark energy --json` prints."""

    schema_version: Literal[4] = COMMAND_SCHEMA_VERSION
    command: list[str]
    rounds: int
    warmup: int
    repeat: int
    """Runs of the command in one window."""
    exit_codes: dict[str, int]
    """Exit code, or -N for signal N, of the metered runs -> how many."""
    seconds: Figure | None
    """Wall time of one run."""
    mean_seconds: float | None
    """Mean wall time of one run; `seconds` has the median."""
    cpu_seconds: Figure | None
    """CPU time of one run, over all CPUs, its children included."""
    peak_memory_bytes: int | None = None
    """Most resident memory of a process of the command, in a run of the warm-up: measured. A
    process for which no parent waited is not in it. Null where it could not be seen."""
    tree_memory_bytes: int | None = None
    """Most memory that all processes of the command together added to what was in use, by their
    control group: measured. What Linux keeps of files that they read is in it; libraries that were
    in memory before are not. Null where Linux does not let this user make such a group."""
    modelled_watts: float | None = None
    """Power that the user stated."""
    modelled_joules: Figure | None = None
    """Wall time of one run times that power: modelled, whatever a meter says."""
    meter: str | None
    """Null where nothing was metered."""
    title: str | None
    method: str | None
    evidence: Evidence | None
    """Evidence of the domains' figures in joules and watts."""
    baseline: str | None
    """What was subtracted, in words."""
    domains: list[CommandDomain]
    """Parents before children; none without a meter."""
    energy_reason: str | None = None
    """Why nothing was metered, or why metering ended early."""
    facts: dict[str, Any]
    """Facts of the meter that belong to each of its figures."""


_CLOCK_STEP_S: Final = 1e-9
"""Step of the clock that times the command."""
_CPU_STEP_S: Final = 1e-6
"""Step of a process's CPU time in getrusage(2)."""
_MORE: Final = "longer windows (--repeat), more rounds (--rounds)"
_NET: Final = ("net_joules", "joule_seconds")


@dataclass(frozen=True, slots=True)
class _Run:
    """Values of one window in one domain, for one run of the command."""

    seconds: float
    outside_s: float
    gross_j: Any
    net_j: Any
    """None without a baseline."""


def command_energy(
    run: CommandRun,
    command: Sequence[str],
    *,
    limit: float = ERROR_LIMIT,
    modelled_watts: float | None = None,
) -> CommandEnergy:
    """The figures of a command that was metered.

    Args:
        run: all windows of the command.
        command: its words.
        limit: half interval over median above which a figure in joules or watts is refused.
        modelled_watts: power that the user stated; None without one.
    """
    seen = {domain.id: _InDomain(run, domain) for domain in run.record.domains}
    domains = [
        _domain(
            list(part.runs.values()),
            part.voids,
            part.rest.powers_w,
            run.record.evidence,
            limit,
            {
                "domain": part.domain.id,
                "name": part.domain.name,
                "kind": part.domain.kind.value,
                "parent": part.domain.parent,
                "headline": part.domain.id == run.headline.id,
            },
        )
        for part in seen.values()
    ]
    parts = disjoint(run.record.domains)
    if len(parts) > 1:
        domains.append(_together(run, [seen[part.id] for part in parts], limit))
    timed = [TimedRun(load.window.wall_ns, load.ended) for load in run.loads if load.ended]
    headline = seen[run.headline.id]
    return CommandEnergy(
        **_times(timed, run.plan, command, modelled_watts),
        meter=run.record.meter,
        title=run.record.title,
        method=run.record.method,
        evidence=run.record.evidence,
        baseline=f"deep idle, {len(headline.rest)} windows; interleaved"
        f"{void_idle_words(headline.void_idle)}",
        domains=domains,
        energy_reason=run.gave_up,
        facts=dict(run.record.facts),
    )


def command_times(
    runs: Sequence[TimedRun],
    plan: CommandPlan,
    command: Sequence[str],
    *,
    energy_reason: str,
    modelled_watts: float | None = None,
) -> CommandEnergy:
    """The figures of a command that was not metered: its times."""
    return CommandEnergy(
        **_times(runs, plan, command, modelled_watts),
        meter=None,
        title=None,
        method=None,
        evidence=None,
        baseline=None,
        domains=[],
        energy_reason=energy_reason,
        facts={},
    )


def _times(
    runs: Sequence[TimedRun],
    plan: CommandPlan,
    command: Sequence[str],
    modelled_watts: float | None,
) -> dict[str, Any]:
    """The fields of `CommandEnergy` that no meter is needed for."""
    seconds = [run.wall_ns / len(run.ended) / 1e9 for run in runs]
    walls = [ufloat(second, _CLOCK_STEP_S) for second in seconds]
    cpus = [
        ufloat(sum(end.cpu_ns for end in run.ended) / len(run.ended) / 1e9, _CPU_STEP_S)
        for run in runs
    ]
    codes = Counter(end.status for run in runs for end in run.ended)
    joules = [] if modelled_watts is None else [wall * modelled_watts for wall in walls]
    return {
        "command": list(command),
        "rounds": plan.rounds,
        "warmup": plan.warmup,
        "repeat": plan.repeat,
        "exit_codes": {str(code): times for code, times in sorted(codes.items())},
        "seconds": energy_figure(walls, Evidence.MEASURED) if walls else None,
        "mean_seconds": statistics.fmean(seconds) if seconds else None,
        "cpu_seconds": energy_figure(cpus, Evidence.MEASURED) if cpus else None,
        "modelled_watts": modelled_watts,
        "modelled_joules": energy_figure(joules, Evidence.MODELLED) if joules else None,
    }


class _InDomain:
    """All windows of the command in one domain."""

    def __init__(self, run: CommandRun, domain: Domain) -> None:
        self.domain = domain
        idles = [power_of(idle, domain, run.record) for idle in run.idles]
        self.rest = Baseline([idle for idle in idles if isinstance(idle, WindowPower)])
        self.void_idle = [idle for idle in idles if isinstance(idle, Void)]
        self.voids: list[Void] = []
        self.runs: dict[int, _Run] = {}
        """Place of each usable window among the run's windows -> its values."""
        pace = pace_in(run.record, domain.id)
        shared = ufloat(0.0, 1 / math.sqrt(12))
        for place, taken in enumerate(run.loads):
            power = power_of(taken.window, domain, run.record)
            if isinstance(power, Void):
                self.voids.append(power)
            else:
                self.runs[place] = _run_of(
                    power, self.rest, pace.power_w if pace else None, shared, domain
                )


def _run_of(
    power: WindowPower, rest: Baseline, polling_w: float | None, shared: Any, domain: Domain
) -> _Run:
    """Values of one window; `shared` is the deviation of the power outside, in widths."""
    window = power.window
    wall_s, messages = window.wall_ns / 1e9, window.messages
    rest_w = rest.at(power.middle_s)
    if domain.quantity is Quantity.POWER:
        outside_s, gross_j = 0.0, power.power_w * wall_s
    else:
        outside_s = power.duration_s - wall_s
        low_w = 0.0 if rest_w is None else rest_w.nominal_value
        mean_w = power.power_w.nominal_value
        outside_w = (low_w + mean_w) / 2 if polling_w is None else polling_w
        width_w = abs((mean_w if polling_w is None else polling_w) - low_w)
        outside_j = outside_s * (outside_w + width_w * shared)
        gross_j = power.power_w * power.duration_s - outside_j
    net_j = None if rest_w is None else (gross_j - rest_w * wall_s) / messages
    return _Run(wall_s / messages, outside_s, gross_j / messages, net_j)


def _together(run: CommandRun, parts: Sequence[_InDomain], limit: float) -> CommandDomain:
    """The sum of domains that share nothing, over the windows that all of them have."""
    places = sorted(set.intersection(*(set(part.runs) for part in parts)))
    runs = []
    for place in places:
        same = [part.runs[place] for part in parts]
        nets = [part_run.net_j for part_run in same]
        runs.append(
            _Run(
                same[0].seconds,
                max(part_run.outside_s for part_run in same),
                sum(part_run.gross_j for part_run in same),
                None if any(net is None for net in nets) else sum(nets),
            )
        )
    rests = [part.rest.powers_w for part in parts]
    even = len({len(rest) for rest in rests}) == 1
    kind = parts[0].domain.kind.value
    return _domain(
        runs,
        [void for part in parts for void in part.voids],
        [sum(together) for together in zip(*rests, strict=True)] if even else [],
        run.record.evidence,
        limit,
        {
            "domain": "all",
            "name": f"all {kind} domains",
            "kind": kind,
            "parent": None,
            "headline": False,
            "sum_of": [part.domain.id for part in parts],
        },
    )


def _domain(
    runs: Sequence[_Run],
    voids: Sequence[Void],
    rest_w: Sequence[Any],
    evidence: Evidence,
    limit: float,
    facts: Mapping[str, Any],
) -> CommandDomain:
    """The figures of one domain, made or refused with the reason; `facts` are its other fields."""
    net = [run for run in runs if run.net_j is not None]
    values: dict[str, list[Any]] = {
        "gross_joules": [run.gross_j for run in runs],
        "net_joules": [run.net_j for run in net],
        "watts": [run.gross_j / run.seconds for run in runs],
        "joule_seconds": [run.net_j * run.seconds for run in net],
        "static_watts": list(rest_w),
    }
    figures = EnergyFigures(evidence, limit, _MORE, outside=facts["kind"] in OUTSIDE_CPU)
    for name, of_windows in values.items():
        context = against_rest(values["watts"], rest_w) if name in _NET else None
        figures.add(name, of_windows, _missing(name, runs, voids), context)
    return CommandDomain(
        **{**facts, **figures.by_field},
        windows_kept=len(runs),
        windows_void=dict(sorted(Counter(void.reason.value for void in voids).items())),
        outside_seconds=median([run.outside_s for run in runs]) if runs else None,
        reasons=figures.reasons,
        upper_bounds=figures.upper_bounds,
    )


def _missing(name: str, runs: Sequence[_Run], voids: Sequence[Void]) -> Absence:
    return no_rest("deep idle") if name == "static_watts" or runs else Absence(unusable(voids))
