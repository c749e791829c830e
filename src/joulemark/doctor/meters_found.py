# SPDX-License-Identifier: Apache-2.0
"""The energy part of `joulemark doctor`: every instrument, its domains, and how they move.

Each instrument is usable, or has a reason and, if there is one, the command that mends it. The
counters are observed from a worker that is pinned to the measured CPU, as before a run; see
`joulemark.measure.energy.session`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from joulemark.errors import ImplementationError, JoulemarkError, UsageError
from joulemark.judging.domains import why_without_cpu
from joulemark.judging.window_length import (
    FEWEST_UPDATES,
    Pace,
    free_running_window_s,
    pace_of,
    window_for_precision_s,
)
from joulemark.measure.energy.choose import ANYWHERE, Place
from joulemark.measure.planning.energy import GAUGE
from joulemark.measure.windows.window import LONGEST_S
from joulemark.meters.contract import Meter, Roots, Survey
from joulemark.meters.instruments import Instrument, instruments
from joulemark.meters.mirrors import mirrors, with_mirrors
from joulemark.records.domain import Domain, Quantity
from joulemark.records.energy_window import Observation
from joulemark.units import format_joules, format_percent, format_seconds, format_si

# The lines of `joulemark doctor` on one domain: the values of `meters_found`, in words.


def domain_lines(values: Mapping[str, Any], names: Mapping[str, str]) -> list[str]:
    """A line that names the domain, then lines on its counter, its pace and its windows.

    Args:
        values: the values of the domain in JSON.
        names: id of each domain of the meter -> its name.
    """
    lines = [_title(values, names), _counter(values)]
    if values["pace"] is None:
        lines.append(str(values["pace_reason"]))
    else:
        lines += [_pace(values["pace"]), _windows(values)]
    if values["note"]:
        lines.append(values["note"])
    return lines


def _title(values: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Name, kind and id of the domain, and the domains that contain it or read the same counter."""
    words = [f"{values['name']} ({values['kind']}, {values['domain']})"]
    if values["parent"] is not None:
        words.append(f"inside {_name(values['parent'], names)}")
    if values["same_as"] is not None:
        words.append(f"the same hardware as {_name(values['same_as'], names)}, so not added")
    return ", ".join(words)


def _name(domain: str, names: Mapping[str, str]) -> str:
    """Name of a domain, with the id where several domains share the name."""
    name = names.get(domain, domain)
    return name if list(names.values()).count(name) < 2 else f"{name} ({domain})"


def _counter(values: Mapping[str, Any]) -> str:
    if values["resolution_j"] is None:
        return f"a gauge of power in steps of {format_si(values['resolution_w'], 'W')}"
    if values["falls"]:
        return f"a counter of the energy left, in steps of {format_joules(values['resolution_j'])}"
    text = f"a counter of energy in steps of {format_joules(values['resolution_j'])}"
    if values["wraps_at_j"] is None:
        return f"{text}; whether it wraps is not known, so a decrease voids a window"
    return (
        f"{text}; wraps after {format_joules(values['wraps_at_j'])}, at the soonest in "
        f"{format_seconds(values['shortest_wrap_s'])} (at {format_si(values['ceiling_w'], 'W')})"
    )


def _pace(pace: Mapping[str, Any]) -> str:
    return (
        f"moves every {format_seconds(pace['period_s'])} +- {format_seconds(pace['jitter_s'])} "
        f"({pace['updates']} updates, each seen within {format_seconds(pace['poll_s'])}); "
        f"{format_si(pace['power_w'], 'W')} while the measured core was awake and idle"
    )


def _windows(values: Mapping[str, Any]) -> str:
    if values["window_of_samples_s"] is not None:
        return (
            f"a window is {GAUGE.samples} samples, {format_seconds(values['window_of_samples_s'])}"
        )
    precision = format_percent(values["window_precision"])
    if values["window_on_edges_s"] is None:
        return f"no window gives {precision}: it showed no power"
    return (
        f"{precision} takes windows of {format_seconds(values['window_on_edges_s'])} with both "
        f"ends on an update, {format_seconds(values['window_free_running_s'])} with free ends"
    )


NO_METER: Final = "no energy meter here"
OBSERVED_S: Final = 3.0
"""Time for each meter, in which a counter that moves every half second shows its period."""
_PRECISION: Final = 0.01

Watch = Callable[[str, Sequence[Domain]], Sequence[Observation]]
"""Polls domains of the meter of this name for OBSERVED_S, on the measured CPU."""


def find_meters(roots: Roots, watch: Watch | None, place: Place = ANYWHERE) -> dict[str, Any]:
    """The instruments and domains that can be metered here.

    The counters are observed by `watch` if there is one; `place` is package and die of the measured
    CPU.
    """
    meters = [_instrument(instrument, roots, watch, place) for instrument in instruments()]
    usable = [meter for meter in meters if meter["usable"]]
    chosen = next((meter["name"] for meter in usable if not meter["by_name_only"]), None)
    sentence = NO_METER
    if chosen is not None:
        sentence = f"the meter {chosen} is taken unless another is named"
    elif usable:
        names = ", ".join(meter["name"] for meter in usable)
        sentence = f"no energy meter is taken unless it is named: {names}"
    return {
        "sentence": sentence,
        "meter": chosen,
        "sysfs": str(roots.sysfs),
        "proc": str(roots.proc),
        "instruments": meters,
    }


def _instrument(
    instrument: Instrument, roots: Roots, watch: Watch | None, place: Place
) -> dict[str, Any]:
    meter: Meter | None = None
    evidence = None
    try:
        meter = instrument.make(roots, None)
        survey = meter.survey()
        evidence = str(meter.evidence()) if survey.reason is None else None
    except JoulemarkError as error:
        remedy = (
            f"joulemark meter {instrument.NAME}:ARGUMENT" if isinstance(error, UsageError) else None
        )
        survey = Survey(reason=str(error), remedy=remedy)
    finally:
        if meter is not None:
            meter.close()
    usable = survey.reason is None
    lacking = why_without_cpu(survey.domains, *place) if usable else None
    return {
        "name": instrument.NAME,
        "title": instrument.TITLE,
        "by_name_only": instrument.PREFERENCE is None or lacking is not None,
        "without_cpu": lacking,
        "usable": usable,
        "reason": survey.reason,
        "remedy": survey.remedy,
        "evidence": evidence,
        "domains": _domains(instrument.NAME, survey, watch) if usable else [],
        "refused": [
            {"what": refusal.what, "reason": refusal.reason, "remedy": refusal.remedy}
            for refusal in survey.refused
        ],
        "facts": dict(survey.facts),
    }


def _domains(name: str, survey: Survey, watch: Watch | None) -> list[dict[str, Any]]:
    """The usable domains, each with its observation."""
    domains = survey.domains
    reason = "not observed (--quick)"
    observations: dict[str, Observation] = {}
    if watch is not None:
        try:
            observations = {watched.domain: watched for watched in watch(name, domains)}
        except ImplementationError as error:
            reason = f"not observed: {error}"
    if not observations:
        return [_domain(domain, domains, None, reason) for domain in domains]
    series = {key: watched.snapshots for key, watched in observations.items() if not watched.fault}
    domains = with_mirrors(domains, mirrors(domains, series))
    return [
        _domain(domain, domains, *_meter_pace(domain, observations[domain.id]))
        for domain in domains
    ]


def _meter_pace(domain: Domain, observation: Observation) -> tuple[Pace | None, str | None]:
    """The pace of a domain, or the reason why it is not known."""
    if observation.fault:
        return None, f"not observed: {observation.fault.text}"
    pace = pace_of(domain, observation.points)
    if pace is not None:
        return pace, None
    updates = len(observation.points)
    times = {0: "not at all", 1: "once", 2: "twice"}.get(updates, f"{updates} times")
    return None, (
        f"it moved {times} in {format_seconds(observation.watched_s)}, and its period takes "
        f"{FEWEST_UPDATES} times; a run looks for {format_seconds(LONGEST_S)}"
    )


def _domain(
    domain: Domain, domains: tuple[Domain, ...], pace: Pace | None, reason: str | None
) -> dict[str, Any]:
    counter = domain.quantity is Quantity.ENERGY
    range_j = None if domain.wraps_at_counts is None else domain.wraps_at_counts * domain.per_count
    values: dict[str, Any] = {
        "domain": domain.id,
        "name": domain.name,
        "kind": str(domain.kind),
        "quantity": str(domain.quantity),
        "falls": domain.falls,
        "parent": domain.parent,
        "same_as": domain.same_as,
        "package": domain.package,
        "note": domain.note,
        "resolution_j": domain.resolution if counter else None,
        "resolution_w": None if counter else domain.resolution,
        "ceiling_w": domain.ceiling_w,
        "wraps_at_j": range_j,
        "shortest_wrap_s": None if range_j is None else range_j / domain.ceiling_w,
        "documented_update_period_s": domain.update_period_s,
        "pace": None if pace is None else pace.as_dict(),
        "pace_reason": reason,
        **_meter_windows(domain, pace),
    }
    names = {other.id: other.name for other in domains}
    return {**values, "lines": domain_lines(values, names)}


def _meter_windows(domain: Domain, pace: Pace | None) -> dict[str, Any]:
    """Smallest windows; None where no pace, or no power, was seen.

    Noise accumulates over a window wherever its ends lie, so a window with free ends is never
    shorter than a window with both ends on an update.
    """
    edges_s = free_s = samples_s = None
    if pace is not None and domain.quantity is Quantity.ENERGY:
        edges_s = window_for_precision_s(domain, pace, _PRECISION)
        free_s = max(edges_s, free_running_window_s(pace.period_s, _PRECISION))
    elif pace is not None:
        samples_s = GAUGE.samples * (domain.update_period_s or pace.period_s)
    return {
        "window_precision": _PRECISION,
        "window_on_edges_s": _finite(edges_s),
        "window_free_running_s": _finite(free_s),
        "window_of_samples_s": samples_s,
    }


def _finite(value: float | None) -> float | None:
    """The value, or None for infinity, which JSON does not have."""
    return value if value is not None and math.isfinite(value) else None
