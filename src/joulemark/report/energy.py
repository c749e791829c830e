# SPDX-License-Identifier: Apache-2.0
"""Energy in every report: its domain, its evidence, and why it is missing."""

from __future__ import annotations

from collections.abc import Iterable

from joulemark.analyse.results import DomainEnergy, Result, ResultSet
from joulemark.records.absence import Absence
from joulemark.records.evidence import Evidence
from joulemark.records.figures import ENERGY_FIELDS
from joulemark.report.columns import ENERGY
from joulemark.report.rows import missing_reason

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


def is_simulated(results: Iterable[Result]) -> bool:
    """Whether any energy here was not read from an instrument but from a simulated one."""
    every = list(results)
    kinds = {
        figure.evidence for result in every for column in ENERGY if (figure := column.of(result))
    }
    kinds |= {domain.evidence for result in every for domain in result.energy}
    return Evidence.SIMULATED in kinds


def missing_energy(results: ResultSet, field: str) -> Absence:
    """Why a chart of the energy called `field` cannot be drawn."""
    if any(getattr(result, field) for result in results.results):
        return Absence(
            "Every figure is of a message of zero bytes or has an interval that touches zero, "
            "which has no place on a logarithmic axis; the figures are in the tables."
        )
    return missing_reason(results, field, *ENERGY_FIELDS)
