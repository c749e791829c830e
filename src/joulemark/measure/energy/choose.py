# SPDX-License-Identifier: Apache-2.0
"""Chooses the meter of a run: the named one, or the best that is usable here."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.errors import UnavailableError
from joulemark.judging.domains import headline, usable
from joulemark.meters.contract import Meter, Roots, Survey
from joulemark.meters.instruments import Instrument, instruments, make_meter
from joulemark.meters.rapl_access import in_virtual_machine
from joulemark.records.domain import Domain

__all__ = ["MOST_DOMAINS", "ChosenMeter", "Place", "choose_meter", "no_meter_sentence"]

MOST_DOMAINS = 8
"""Most domains that are read in a window: each more costs a read at both edges. A meter with one
domain for each core keeps the domains that matter to the measured CPU."""

Place = tuple[int | None, int | None]
"""Numbers of the physical package and the die of a CPU; None where the kernel does not tell."""


@dataclass(frozen=True, slots=True)
class ChosenMeter:
    """A meter that can be read, and the domains of it that will be read."""

    name: str
    """Name of the meter with its argument."""
    meter: Meter
    survey: Survey
    domains: tuple[Domain, ...]
    headline: Domain
    """Domain of the measured CPU, as far as it is known before mirrors are; else any domain."""
    place: Place


def choose_meter(name: str | None, roots: Roots, place: Place) -> ChosenMeter:
    """Chooses the meter.

    Args:
        name: as the user gave it; None takes the most preferred usable meter.
        roots: folders of the kernel's trees.
        place: physical package and die of the measured CPU.

    Raises:
        UsageError: there is no meter of that name.
        UnavailableError: that meter, or every meter, cannot be used here; says why.
    """
    if name is not None:
        meter = make_meter(name, roots)
        survey = meter.survey()
        if survey.reason is not None:
            remedy = f"; try: {survey.remedy}" if survey.remedy else ""
            raise UnavailableError(f"the meter {name} cannot be used here: {survey.reason}{remedy}")
        return _chosen(name, meter, survey, place)
    for instrument in instruments():
        if instrument.PREFERENCE is None:
            continue
        meter = instrument.make(roots, None)
        survey = meter.survey()
        if survey.reason is None:
            return _chosen(instrument.NAME, meter, survey, place)
        meter.close()
    raise UnavailableError(no_meter_sentence(roots))


def no_meter_sentence(roots: Roots) -> str:
    """A short sentence that nothing here reads joules; `joulemark doctor` has the reasons."""
    where = "in this virtual machine" if in_virtual_machine(roots) else "on this machine"
    if any(
        _is_forbidden(instrument, roots)
        for instrument in instruments()
        if instrument.PREFERENCE is not None
    ):
        return f"no energy meter {where} may be read by this user (joulemark doctor has the remedy)"
    return f"no energy meter {where} (joulemark doctor has the list)"


def _is_forbidden(instrument: Instrument, roots: Roots) -> bool:
    """Whether the instrument is there and a command would make it readable."""
    meter = instrument.make(roots, None)
    survey = meter.survey()
    meter.close()
    return any(refusal.remedy for refusal in survey.refused)


def _chosen(name: str, meter: Meter, survey: Survey, place: Place) -> ChosenMeter:
    found = usable(survey.domains)
    first = headline(found, *place) or found[0]
    return ChosenMeter(name, meter, survey, _few(found, first), first, place)


def _few(domains: tuple[Domain, ...], first: Domain) -> tuple[Domain, ...]:
    """Up to `MOST_DOMAINS` domains: the headline and its kin before all others."""
    if len(domains) <= MOST_DOMAINS:
        return domains
    kin = {first.id, first.parent}

    def rank(domain: Domain) -> int:
        near = domain.id in kin or domain.parent == first.id
        same_package = domain.package == first.package
        return 0 if domain.id == first.id else 1 if near else 2 if same_package else 3

    kept = sorted(domains, key=rank)[:MOST_DOMAINS]
    names = {domain.id for domain in kept}
    return tuple(domain for domain in domains if domain.id in names)
