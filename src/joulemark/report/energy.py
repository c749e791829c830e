# SPDX-License-Identifier: Apache-2.0
"""Energy in every report: its domain, its evidence, and why it is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from joulemark.analyse import DomainEnergy, Result, ResultSet
from joulemark.records.figures import ENERGY_FIELDS, Absence, FigureGroup, figure_kind, figures_in
from joulemark.report.columns import (
    UNRECORDED,
    column_of,
    gap_sentence,
    missing_reason,
    one_refusal,
)
from joulemark.report.words import length_text, shown_name
from joulemark.units import format_seconds

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
