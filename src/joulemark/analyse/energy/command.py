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
`joulemark.analyse.energy.domain.energy_figure`; one that is too wide is refused with the reason.
Domains contain one another and are never added, but for those that
`joulemark.judging.domains.disjoint` names, such as all packages of a machine.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from uncertainties import ufloat

from joulemark.analyse.energy.baseline import Baseline
from joulemark.analyse.energy.command_result import CommandDomain, CommandEnergy
from joulemark.analyse.energy.domain import ERROR_LIMIT, energy_figure
from joulemark.analyse.energy.refused import bound_text, refusal, unusable, upper_bound
from joulemark.analyse.energy.window import WindowPower, pace_in, power_of
from joulemark.judging.domains import disjoint
from joulemark.judging.void import Void
from joulemark.records.absence import Absence
from joulemark.records.command import CommandPlan, CommandRun, TimedRun
from joulemark.records.domain import Domain, Quantity
from joulemark.records.evidence import Evidence
from joulemark.stats.location import median
from joulemark.units import format_si

__all__ = ["command_energy", "command_times"]

_CLOCK_STEP_S: Final = 1e-9
"""Step of the clock that times the command."""
_CPU_STEP_S: Final = 1e-6
"""Step of a process's CPU time in getrusage(2)."""
_MORE: Final = "longer windows (--repeat), more rounds (--rounds)"
_NET: Final = ("net_joules", "joule_seconds")
_FIGURES: Final = ("gross_joules", "net_joules", "watts", "joule_seconds", "static_watts")


@dataclass(frozen=True, slots=True)
class _Run:
    """One window in one domain, its values for one run of the command."""

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
    """The figures of a command.

    Args:
        run: all its windows.
        command: its words.
        limit: half interval over median above which a figure in joules or watts is refused.
        modelled_watts: power that the user stated.
    """
    seen = {domain.id: _InDomain(run, domain) for domain in run.record.domains}
    domains = [_figures(run, found, limit) for found in seen.values()]
    parts = disjoint(run.record.domains)
    if len(parts) > 1:
        domains.append(_together(run, [seen[part.id] for part in parts], limit))
    timed = [TimedRun(load.window.wall_ns, load.ended) for load in run.loads if load.ended]
    return CommandEnergy(
        **_times(timed, run.plan, command, modelled_watts),
        meter=run.record.meter,
        title=run.record.title,
        method=run.record.method,
        evidence=run.record.evidence,
        baseline=f"deep idle, {len(seen[run.headline.id].rest)} windows; interleaved",
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
    """The times of a command that nothing metered.

    Args:
        runs: its windows.
        plan: how often it ran.
        command: its words.
        energy_reason: why there are no joules.
        modelled_watts: power that the user stated.
    """
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
    """What is known of a command whether or not it was metered, for `CommandEnergy`."""
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
    """Everything one domain saw of the command."""

    def __init__(self, run: CommandRun, domain: Domain) -> None:
        self.domain = domain
        idles = (power_of(idle, domain, run.record) for idle in run.idles)
        self.rest = Baseline([idle for idle in idles if isinstance(idle, WindowPower)])
        self.voids: list[Void] = []
        self.runs: dict[int, _Run] = {}
        """Place among the run's windows -> what it says."""
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
    """One window's values; `shared` is the deviation of the power outside, in widths."""
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


def _figures(run: CommandRun, found: _InDomain, limit: float) -> CommandDomain:
    domain = found.domain
    return _domain(
        list(found.runs.values()), found.voids, found.rest.powers_w, run.record.evidence, limit,
        {"domain": domain.id, "name": domain.name, "kind": domain.kind.value,
         "parent": domain.parent, "headline": domain.id == run.headline.id},
    )  # fmt: skip


def _together(run: CommandRun, parts: Sequence[_InDomain], limit: float) -> CommandDomain:
    """The sum of domains that share nothing, over the windows that all of them have."""
    places = sorted(set.intersection(*(set(part.runs) for part in parts)))
    runs = []
    for place in places:
        found = [part.runs[place] for part in parts]
        nets = [command_run.net_j for command_run in found]
        runs.append(
            _Run(
                found[0].seconds,
                max(command_run.outside_s for command_run in found),
                sum(command_run.gross_j for command_run in found),
                None if any(net is None for net in nets) else sum(nets),
            )
        )
    rests = [part.rest.powers_w for part in parts]
    even = len({len(rest) for rest in rests}) == 1
    kind = parts[0].domain.kind.value
    return _domain(
        runs, [void for part in parts for void in part.voids],
        [sum(together) for together in zip(*rests, strict=True)] if even else [],
        run.record.evidence, limit,
        {"domain": "all", "name": f"all {kind} domains", "kind": kind, "parent": None,
         "headline": False, "sum_of": [part.domain.id for part in parts]},
    )  # fmt: skip


def _domain(
    runs: Sequence[_Run],
    voids: Sequence[Void],
    rest_w: Sequence[Any],
    evidence: Evidence,
    limit: float,
    facts: Mapping[str, Any],
) -> CommandDomain:
    """Figures made, or refused with the reason."""
    net = [run for run in runs if run.net_j is not None]
    values: dict[str, list[Any]] = {
        "gross_joules": [run.gross_j for run in runs],
        "net_joules": [command_run.net_j for command_run in net],
        "watts": [run.gross_j / run.seconds for run in runs],
        "joule_seconds": [command_run.net_j * command_run.seconds for command_run in net],
        "static_watts": list(rest_w),
    }
    made: dict[str, Any] = {}
    reasons: dict[str, Absence] = {}
    bounds: dict[str, float] = {}
    for name in _FIGURES:
        made[name] = None
        if not values[name]:
            reasons[name] = _nothing(name, runs, voids)
            continue
        figure = energy_figure(values[name], evidence)
        bound = upper_bound(values[name], figure) if name in _NET else None
        reason = refusal(
            figure, limit, _against(values) if name in _NET else "", _MORE,
            below=None if bound is None else bound_text(name, bound),
        )  # fmt: skip
        if reason is None:
            made[name] = figure
            continue
        reasons[name] = reason
        if bound is not None:
            bounds[name] = bound
    return CommandDomain(
        **facts,
        windows_kept=len(runs),
        windows_void=dict(sorted(Counter(void.reason.value for void in voids).items())),
        outside_seconds=median([run.outside_s for run in runs]) if runs else None,
        reasons=reasons,
        upper_bounds=bounds,
        **made,
    )


def _against(values: Mapping[str, Sequence[Any]]) -> str:
    """How far the command stands out from rest, for a refusal."""
    if not values["watts"] or not values["static_watts"]:
        return ""
    load_w, rest_w = (
        median([value.nominal_value for value in values[name]])
        for name in ("watts", "static_watts")
    )
    return f"{format_si(load_w, 'W')} while working against {format_si(rest_w, 'W')} at rest"


def _nothing(name: str, runs: Sequence[_Run], voids: Sequence[Void]) -> Absence:
    """Why there is no value."""
    if name == "static_watts" or runs:
        return Absence("no window of deep idle could be used, so nothing can be net of it")
    return Absence(unusable(voids))
