# SPDX-License-Identifier: Apache-2.0
"""The lines of `joulemark doctor` on one domain: the values of `meters_found`, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from joulemark.measure.planning.energy import GAUGE
from joulemark.units import format_joules, format_percent, format_seconds, format_si

__all__ = ["domain_lines"]


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
