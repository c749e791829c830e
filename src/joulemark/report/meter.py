# SPDX-License-Identifier: Apache-2.0
"""The meter of a run as readable facts: method, window, and the counter of each domain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from joulemark.analyse.results import ResultSet
from joulemark.report.context import section, words
from joulemark.units import format_percent, format_seconds, format_si

_UNKNOWN = "unknown"


def meter_facts(results: ResultSet) -> list[tuple[str, str]]:
    """Name and text of each fact; empty without a meter."""
    meter = section(results, "meter")
    return list(_facts(meter)) if meter else []


def meter_choice(results: ResultSet) -> str | None:
    """Which meter was taken, and why none that is preferred to it; None without a meter."""
    choice = _mapping((section(results, "meter") or {}).get("facts")).get("choice")
    return choice if isinstance(choice, str) else None


def _facts(meter: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    name, title = meter.get("meter"), meter.get("title")
    yield "meter", f"{name} ({title})" if name and title else str(name or title or _UNKNOWN)
    yield "evidence", str(meter.get("evidence") or _UNKNOWN)
    yield "method", str(meter.get("method") or _UNKNOWN)
    yield "window", _seconds(meter.get("window_s"))
    limit = meter.get("foreign_limit")
    yield "foreign limit", f"{format_percent(limit)} of the window" if _number(limit) else _UNKNOWN
    paces = _mapping(meter.get("paces"))
    for domain in meter.get("domains") or ():
        if isinstance(domain, Mapping):
            yield from _domain(domain, _mapping(paces.get(str(domain.get("id")))))
    for key, value in _mapping(meter.get("facts")).items():
        yield str(key).replace("_", " "), words("", value)


def _domain(domain: Mapping[str, Any], pace: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Facts of one counter; the period found on this machine stands in place of the documented."""
    name = f"{domain.get('name') or _UNKNOWN} ({domain.get('id') or _UNKNOWN})"
    power = domain.get("quantity") == "power"
    yield name, str(domain.get("kind") or _UNKNOWN)
    found, documented = pace.get("period_s"), domain.get("update_period_s")
    period = f"{_seconds(documented)}, as documented" if _number(documented) else _UNKNOWN
    if _number(found):
        period = f"{_seconds(found)}, found before the run"
    yield f"{name} update period", period
    yield f"{name} jitter", _seconds(pace.get("jitter_s"))
    resolution = domain.get("resolution")
    unit = "W" if power else "J"
    yield f"{name} resolution", format_si(resolution, unit) if _number(resolution) else _UNKNOWN
    if not power:
        counts, joules = domain.get("wraps_at_counts"), domain.get("per_count")
        wraps = "unknown or never"
        if _number(counts) and _number(joules):
            wraps = format_si(counts * joules, "J")
        yield f"{name} wraps at", wraps
    if domain.get("note"):
        yield f"{name} note", str(domain["note"])


def _number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _seconds(value: Any) -> str:
    return format_seconds(value) if _number(value) else _UNKNOWN


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
