# SPDX-License-Identifier: Apache-2.0
"""What every report says beside its tables: when and where the run was made, and its energy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeGuard

from joulemark.analyse import DomainEnergy, Result, ResultSet
from joulemark.environment.facts import MACHINE_DIGEST
from joulemark.records.figures import ENERGY_FIELDS, Absence, FigureGroup, figure_kind, figures_in
from joulemark.report.columns import (
    UNRECORDED,
    column_of,
    gap_sentence,
    missing_reason,
    one_refusal,
)
from joulemark.report.words import length_text, shown_name
from joulemark.units import format_bytes, format_hertz, format_percent, format_seconds, format_si

# The circumstances of a run as readable facts: when, on which CPU, with which versions.

_UNKNOWN_CPU = "an unnamed CPU"
_HERTZ, _BYTES, _SECONDS = "_hz", "_bytes", "_seconds"
_LONGEST_EXACT = 9
_TIME_PER = "seconds_per_"


def section(results: ResultSet, name: str) -> Mapping[str, Any]:
    """A part of the context; empty if it is missing or no mapping."""
    part = results.context.get(name)
    return part if isinstance(part, Mapping) else {}


def has_run(results: ResultSet) -> bool:
    """Whether the results are of a run; a store may hold reports of hardware cores alone."""
    return bool(section(results, "run")) or not results.core_reports


def cpu_name(results: ResultSet) -> str:
    """Model name of the CPU, as the machine gives it."""
    name = section(results, "environment").get("cpu_model")
    return " ".join(str(name).split()) if name else _UNKNOWN_CPU


def started(results: ResultSet) -> str:
    """When the run began, as in "2 January 2026, 03:04 UTC"; as stored where it cannot be read."""
    text = section(results, "run").get("started_at")
    return moment_text(str(text)) if text else "an unknown date"


def moment_text(text: str) -> str:
    """A stored moment as people write it; as stored where it cannot be read."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    zone = moment.tzname() or "no zone recorded"
    return f"{moment.day} {moment:%B %Y, %H:%M} {zone}"


def run_facts(results: ResultSet) -> list[tuple[str, str]]:
    """Facts of the run itself: version, study, seed, rounds, and the harness's own cost."""
    loop = {f"loop {key}": value for key, value in section(results, "loop").items()}
    return list(_flat({**section(results, "run"), **loop}))


def facts(results: ResultSet) -> list[tuple[str, str]]:
    """Facts of the run's environment, as `environment_facts` has them."""
    return environment_facts(section(results, "environment"))


def environment_facts(environment: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Name and text of each fact, in order; an unknown fact says why, where the reason is known.

    The machine's digest is left out, since only programs need it.
    """
    shown = {key: fact for key, fact in environment.items() if key != MACHINE_DIGEST}
    reasons = shown.pop("reasons", None)
    return list(_flat(shown, reasons if isinstance(reasons, Mapping) else {}))


def setting_facts(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Settings of a tool as readable facts."""
    return list(_flat(settings))


def _flat(
    mapping: Mapping[str, Any], reasons: Mapping[str, Any] | None = None, prefix: str = ""
) -> Iterator[tuple[str, str]]:
    for key, value in mapping.items():
        label = f"{prefix}{key}".replace("_", " ")
        if isinstance(value, Mapping):
            unit = next((end for end in (_HERTZ, _BYTES, _SECONDS) if key.endswith(end)), "")
            inner = {f"{name}{unit}": item for name, item in value.items()}
            yield from _flat(inner, prefix=f"{key.removesuffix(unit)} ")
            continue
        reason = (reasons or {}).get(key)
        text = f"unknown: {reason}" if value is None and reason else words(key, value)
        for unit in (_HERTZ, _BYTES, _SECONDS):
            label = label.removesuffix(unit.replace("_", " "))
        yield label.replace(" seconds per", " time per"), text


def words(key: str, value: Any) -> str:
    """A value in words; the ending of its key tells its unit."""
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple | set):
        return ", ".join(map(str, value)) or "none"
    return _number(key, value) if isinstance(value, int | float) else str(value)


def _number(key: str, value: float) -> str:
    if key.endswith(_HERTZ):
        return format_hertz(value, digits=4)
    if key.endswith(_BYTES) and isinstance(value, int):
        exact = format_bytes(value)
        return exact if len(exact) <= _LONGEST_EXACT else format_si(value, "B")
    if key.endswith(_SECONDS) or _TIME_PER in key:
        return format_seconds(value)
    return str(value)


# The meter of a run as readable facts: method, window, and the counter of each domain.

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
    yield (
        "foreign limit",
        f"{format_percent(limit)} of the window" if _meter_number(limit) else _UNKNOWN,
    )
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
    period = f"{_seconds(documented)}, as documented" if _meter_number(documented) else _UNKNOWN
    if _meter_number(found):
        period = f"{_seconds(found)}, found before the run"
    yield f"{name} update period", period
    yield f"{name} jitter", _seconds(pace.get("jitter_s"))
    resolution = domain.get("resolution")
    unit = "W" if power else "J"
    yield (
        f"{name} resolution",
        format_si(resolution, unit) if _meter_number(resolution) else _UNKNOWN,
    )
    if not power:
        counts, joules = domain.get("wraps_at_counts"), domain.get("per_count")
        wraps = "unknown or never"
        if _meter_number(counts) and _meter_number(joules):
            wraps = format_si(counts * joules, "J")
        yield f"{name} wraps at", wraps
    if domain.get("note"):
        yield f"{name} note", str(domain["note"])


def _meter_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _seconds(value: Any) -> str:
    return format_seconds(value) if _meter_number(value) else _UNKNOWN


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


# Energy: its domain, its evidence, and why it is missing.

if TYPE_CHECKING:
    from joulemark.analyse.command_energy import CommandDomain

NEVER_ADDED = "Domains contain one another and are never added."
SIMULATED = "Energy figures on this page come from a simulated meter."
SIMULATED_HERE = "Energy figures below come from a simulated meter."


def headline(result: Result) -> DomainEnergy | None:
    """The domain whose figures stand beside the time."""
    return next((domain for domain in result.energy if domain.headline), None)


def headline_name(result: Result) -> str:
    """Name of the headline domain as shown; empty without one."""
    domain = headline(result)
    return shown_domain(result, domain.domain) if domain else ""


def shown_domain(result: Result, domain: str) -> str:
    """Name of a domain; with its id where the name alone would not tell it from another."""
    names = {part.domain: part.name for part in result.energy}
    if domain not in names:
        return domain
    name = names[domain]
    return name if list(names.values()).count(name) == 1 else f"{name} ({domain})"


def missing_energy(results: ResultSet, field: str) -> Absence:
    """Why a chart of the energy called `field` cannot be drawn."""
    if any(getattr(result, field) for result in results.results):
        return Absence(
            "Every figure is of a message of zero bytes or has an interval that touches zero, "
            "which has no place on a logarithmic axis; the figures are in the tables."
        )
    return missing_reason(results, field, *ENERGY_FIELDS)


# Energy of every domain as rows of text: one for each trial and domain, and never a sum.

DOMAIN_FIGURES = tuple(
    column_of(figure_kind(field))
    for field in (
        "gross_joules_per_message",
        "joules_per_message",
        "active_net_joules_per_message",
        "watts",
        "static_watts",
        "active_idle_watts",
    )
)
"""The columns of tables of domains."""
FACT_HEADINGS = ("Windows", "Window length", "Baseline", "Method", "Meter")
_HEADINGS = {column.field: column.heading for column in DOMAIN_FIGURES} | {
    kind.field: kind.heading for kind in figures_in(FigureGroup.ENERGY, FigureGroup.DOMAIN)
}
"""Field of each figure of a domain -> its heading; figures of the tables come first."""


@dataclass(frozen=True, slots=True)
class DomainRow:
    """One domain of one trial."""

    implementation: str
    domain: str
    kind: str
    place: str
    """The domain that contains it, as in "inside package-0: not added to it"."""
    depth: int
    """Number of domains that contain it."""
    headline: bool
    source: DomainEnergy
    facts: tuple[str, ...]
    """Texts under `FACT_HEADINGS`."""


def domain_rows(results: Iterable[Result]) -> list[DomainRow]:
    """Every domain of every result, in their order, parents before children."""
    return [_row(result, domain) for result in results for domain in result.energy]


def domain_reasons(results: Iterable[Result]) -> list[str]:
    """Why domains lack figures, each sentence once, with the implementations concerned.

    Reasons that the result itself carries for its headline figures are not said again.
    """
    metered = [result for result in results if result.energy]
    lacking: dict[tuple[str, Absence, tuple[str, ...]], list[str]] = {}
    for result in metered:
        for domain in result.energy:
            told = set(result.reasons.values()) if domain.headline else set()
            for reason, gaps in _gaps(domain).items():
                if reason not in told:
                    key = (shown_domain(result, domain.domain), reason, tuple(gaps))
                    name = f"{shown_name(result)} at {length_text(result)}"
                    lacking.setdefault(key, []).append(name)
    return [
        gap_sentence(f"{shown}, {_some(headings)}", names, len(metered), reason)
        for (shown, reason, headings), names in lacking.items()
    ]


def _some(headings: Sequence[str]) -> str:
    """The first headings, and the number of the others."""
    named = ", ".join(f"{text[0].lower()}{text[1:]}" for text in headings[:_NAMED])
    return f"{named} and {len(headings) - _NAMED} more" if len(headings) > _NAMED else named


def _gaps(domain: DomainEnergy) -> dict[Absence, list[str]]:
    """Reason -> headings of the figures that this domain lacks for it."""
    gaps: dict[Absence, list[str]] = {}
    for field, heading in _HEADINGS.items():
        reason = domain.reasons.get(field)
        if getattr(domain, field) is None and (reason or field not in _OF_BYTES):
            gaps.setdefault(reason or UNRECORDED, []).append(heading)
    return one_refusal(gaps)


_NAMED = 2
"""Figures named in one sentence before the rest is only counted."""
_OF_BYTES = ("joules_per_byte", "gross_joules_per_byte")
"""Missing without a reason only for messages of zero bytes, as every table says already."""


def depth_of(domain: str, parents: Mapping[str, str | None]) -> int:
    """Number of domains that contain a domain; domains without an entry do not count."""
    depth, above = 0, parents.get(domain)
    while above is not None and above in parents and depth < len(parents):
        depth, above = depth + 1, parents.get(above)  # a ring of parents ends here too
    return depth


def windows_text(domain_energy: DomainEnergy | CommandDomain) -> str:
    """How many windows count and why others do not, as in "28 kept, 2 void (suspended 2)"."""
    void = sum(domain_energy.windows_void.values())
    if not void:
        return f"{domain_energy.windows_kept} kept"
    why = ", ".join(f"{reason} {times}" for reason, times in domain_energy.windows_void.items())
    return f"{domain_energy.windows_kept} kept, {void} void ({why})"


def _row(result: Result, domain: DomainEnergy) -> DomainRow:
    inside = shown_domain(result, domain.parent) if domain.parent else ""
    return DomainRow(
        implementation=shown_name(result),
        domain=shown_domain(result, domain.domain),
        kind=domain.kind,
        place=f"inside {inside}: not added to it" if inside else "inside no other",
        depth=depth_of(domain.domain, {other.domain: other.parent for other in result.energy}),
        headline=domain.headline,
        source=domain,
        facts=(
            windows_text(domain),
            "-" if domain.window_seconds is None else format_seconds(domain.window_seconds),
            domain.baseline,
            domain.method,
            f"{domain.meter}, {domain.evidence.value}",
        ),
    )
