# SPDX-License-Identifier: Apache-2.0
"""The energy part of `joulemark doctor`: every instrument, its domains, and how they move.

Each instrument is usable, or has a reason and, if there is one, the command that mends it. The
counters are observed from a worker that is pinned to the measured CPU, as before a run; see
`joulemark.measure.energy.prepare`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from joulemark.doctor.domain_words import domain_lines
from joulemark.errors import ImplementationError, JoulemarkError, UsageError
from joulemark.judging.domains import why_without_cpu
from joulemark.judging.pace import FEWEST_UPDATES, Pace, pace_of
from joulemark.judging.window_length import free_running_window_s, window_for_precision_s
from joulemark.measure.energy.choose import ANYWHERE, Place
from joulemark.measure.planning.energy import GAUGE
from joulemark.measure.windows.observe import LONGEST_S
from joulemark.meters.contract import Meter, Roots, Survey
from joulemark.meters.instruments import Instrument, instruments
from joulemark.meters.mirrors import mirrors, with_mirrors
from joulemark.records.domain import Domain, Quantity
from joulemark.records.energy_window import Observation
from joulemark.units import format_seconds

__all__ = ["NO_METER", "OBSERVED_S", "Watch", "find_meters"]

NO_METER: Final = "no energy meter here"
OBSERVED_S: Final = 3.0
"""Time for each meter, in which a counter that moves every half second shows its period."""
_PRECISION: Final = 0.01

Watch = Callable[[str, Sequence[Domain]], Sequence[Observation]]
"""Polls domains of the meter of this name for OBSERVED_S, on the measured CPU."""


def find_meters(roots: Roots, watch: Watch | None, place: Place = ANYWHERE) -> dict[str, Any]:
    """The instruments and domains that can be metered here, as JSON values.

    Args:
        roots: where the kernel's trees are.
        watch: observes the counters; None: they are not observed.
        place: physical package and die of the measured CPU.
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
    return [_domain(domain, domains, *_pace(domain, observations[domain.id])) for domain in domains]


def _pace(domain: Domain, observation: Observation) -> tuple[Pace | None, str | None]:
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
        **_windows(domain, pace),
    }
    names = {other.id: other.name for other in domains}
    return {**values, "lines": domain_lines(values, names)}


def _windows(domain: Domain, pace: Pace | None) -> dict[str, Any]:
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
