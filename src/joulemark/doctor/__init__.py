# SPDX-License-Identifier: Apache-2.0
"""What can be measured on this machine, how finely, and why not the rest.

Here is the part about energy: every instrument, its domains, and how they move. Each instrument is
usable, or has a reason and, if there is one, the command that mends it. The counters are observed
from a worker that is pinned to the measured CPU, as before a run; see
`joulemark.measure.meter_of_run`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypedDict

from pydantic import JsonValue

from joulemark.errors import ImplementationError, JoulemarkError, UsageError
from joulemark.judging.domains import (
    FEWEST_UPDATES,
    Pace,
    free_running_window_s,
    pace_of,
    why_without_cpu,
    window_for_precision_s,
)
from joulemark.measure.meter_choice import ANYWHERE, Place
from joulemark.measure.plan import GAUGE
from joulemark.meters import Meter, Roots, Survey, mirrors, with_mirrors
from joulemark.meters.instruments import Instrument, instruments
from joulemark.meters.window import LONGEST_S
from joulemark.records.energy_window import Domain, Observation, Quantity
from joulemark.units import format_joules, format_percent, format_seconds, format_si

NO_METER: Final = "no energy meter here"
OBSERVED_S: Final = 3.0
"""Time for each meter, in which a counter that moves every half second shows its period."""
_PRECISION: Final = 0.01

Watch = Callable[[str, Sequence[Domain]], Sequence[Observation]]
"""Polls domains of the meter of this name for OBSERVED_S, on the measured CPU."""


class _Windows(TypedDict):
    """Smallest windows, in seconds; None where no pace, or no power, was seen."""

    window_precision: float
    window_on_edges_s: float | None
    window_free_running_s: float | None
    window_of_samples_s: float | None


class DomainFinding(_Windows):
    """A domain as values for JSON, and in lines for people."""

    domain: str
    name: str
    kind: str
    quantity: str
    falls: bool
    parent: str | None
    same_as: str | None
    package: int | None
    note: str | None
    resolution_j: float | None
    resolution_w: float | None
    ceiling_w: float
    wraps_at_j: float | None
    shortest_wrap_s: float | None
    documented_update_period_s: float | None
    pace: Mapping[str, JsonValue] | None
    pace_reason: str | None
    lines: list[str]


class RefusedDomain(TypedDict):
    """Part of an instrument that cannot be used, why, and the command that mends it."""

    what: str
    reason: str
    remedy: str | None


class InstrumentFinding(TypedDict):
    """An instrument, usable or not."""

    name: str
    title: str
    by_name_only: bool
    without_cpu: str | None
    usable: bool
    reason: str | None
    remedy: str | None
    evidence: str | None
    domains: list[DomainFinding]
    refused: list[RefusedDomain]
    facts: Mapping[str, JsonValue]


class EnergyFindings(TypedDict):
    """Every instrument, and the meter that is taken unless another is named."""

    sentence: str
    meter: str | None
    sysfs: str
    proc: str
    instruments: list[InstrumentFinding]


def find_meters(roots: Roots, watch: Watch | None, place: Place = ANYWHERE) -> EnergyFindings:
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
) -> InstrumentFinding:
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


def _domains(name: str, survey: Survey, watch: Watch | None) -> list[DomainFinding]:
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
) -> DomainFinding:
    counter, range_j = domain.quantity is Quantity.ENERGY, _range_j(domain)
    return {
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
        "lines": _lines(domain, domains, pace, reason),
    }


def _meter_windows(domain: Domain, pace: Pace | None) -> _Windows:
    """The smallest windows.

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


# The lines of `joulemark doctor` on one domain.


def _lines(
    domain: Domain, domains: Sequence[Domain], pace: Pace | None, reason: str | None
) -> list[str]:
    """A line that names the domain, then lines on its counter, its pace and its windows."""
    names = {other.id: other.name for other in domains}
    lines = [_title(domain, names), _counter(domain)]
    lines += (
        [str(reason)] if pace is None else [_pace(pace), _windows(_meter_windows(domain, pace))]
    )
    return [*lines, domain.note] if domain.note else lines


def _title(domain: Domain, names: Mapping[str, str]) -> str:
    """Name, kind and id of the domain, and the domains that contain it or read the same counter."""
    words = [f"{domain.name} ({domain.kind}, {domain.id})"]
    if domain.parent is not None:
        words.append(f"inside {_name(domain.parent, names)}")
    if domain.same_as is not None:
        words.append(f"the same hardware as {_name(domain.same_as, names)}, so not added")
    return ", ".join(words)


def _name(domain: str, names: Mapping[str, str]) -> str:
    """Name of a domain, with the id where several domains share the name."""
    name = names.get(domain, domain)
    return name if list(names.values()).count(name) < 2 else f"{name} ({domain})"


def _counter(domain: Domain) -> str:
    if domain.quantity is not Quantity.ENERGY:
        return f"a gauge of power in steps of {format_si(domain.resolution, 'W')}"
    step = f"in steps of {format_joules(domain.resolution)}"
    if domain.falls:
        return f"a counter of the energy left, {step}"
    range_j = _range_j(domain)
    if range_j is None:
        return (
            f"a counter of energy {step}; whether it wraps is not known, so a decrease voids a "
            "window"
        )
    return (
        f"a counter of energy {step}; wraps after {format_joules(range_j)}, at the soonest in "
        f"{format_seconds(range_j / domain.ceiling_w)} (at {format_si(domain.ceiling_w, 'W')})"
    )


def _range_j(domain: Domain) -> float | None:
    """Joules after which a counter wraps; None if that is not known."""
    return None if domain.wraps_at_counts is None else domain.wraps_at_counts * domain.per_count


def _pace(pace: Pace) -> str:
    return (
        f"moves every {format_seconds(pace.period_s)} +- {format_seconds(pace.jitter_s)} "
        f"({pace.updates} updates, each seen within {format_seconds(pace.poll_s)}); "
        f"{format_si(pace.power_w, 'W')} while the measured core was awake and idle"
    )


def _windows(windows: _Windows) -> str:
    if (samples_s := windows["window_of_samples_s"]) is not None:
        return f"a window is {GAUGE.samples} samples, {format_seconds(samples_s)}"
    precision = format_percent(windows["window_precision"])
    edges_s, free_s = windows["window_on_edges_s"], windows["window_free_running_s"]
    if edges_s is None or free_s is None:
        return f"no window gives {precision}: it showed no power"
    return (
        f"{precision} takes windows of {format_seconds(edges_s)} with both ends on an update, "
        f"{format_seconds(free_s)} with free ends"
    )
