# SPDX-License-Identifier: Apache-2.0
"""The meter of a run as readable facts: method, window, and the counter of each domain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from joulemark.analyse.results import ResultSet
from joulemark.report.context import section
from joulemark.units import format_percent, format_seconds, format_si

__all__ = ["meter_facts"]

_UNKNOWN = "unknown"


def meter_facts(results: ResultSet) -> list[tuple[str, str]]:
    """Name and value of each fact; empty where no meter was used."""
    meter = section(results, "meter")
    return list(_facts(meter)) if meter else []


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
        yield str(key).replace("_", " "), _words(value)


def _domain(domain: Mapping[str, Any], pace: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Facts of one counter; what was found on this machine goes before what is documented."""
    name = f"{domain.get('name') or _UNKNOWN} ({domain.get('id') or _UNKNOWN})"
    power = domain.get("quantity") == "power"
    yield name, str(domain.get("kind") or _UNKNOWN)
    found, documented = pace.get("period_s"), domain.get("update_period_s")
    if _number(found):
        yield f"{name} update period", f"{format_seconds(found)}, found before the run"
    else:
        text = f"{format_seconds(documented)}, as documented" if _number(documented) else _UNKNOWN
        yield f"{name} update period", text
    yield f"{name} jitter", _seconds(pace.get("jitter_s"))
    resolution = domain.get("resolution")
    unit = "W" if power else "J"
    yield f"{name} resolution", format_si(resolution, unit) if _number(resolution) else _UNKNOWN
    if not power:
        counts, joules = domain.get("wraps_at_counts"), domain.get("per_count")
        if _number(counts) and _number(joules):
            yield f"{name} wraps at", format_si(counts * joules, "J")
        else:
            yield f"{name} wraps at", "unknown or never"
    if domain.get("note"):
        yield f"{name} note", str(domain["note"])


def _number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _seconds(value: Any) -> str:
    return format_seconds(value) if _number(value) else _UNKNOWN


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _words(value: Any) -> str:
    if value is None:
        return _UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value)
