# SPDX-License-Identifier: Apache-2.0
"""Chooses the meter of a run: the named one, or the best that is usable here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from joulemark.errors import UnavailableError
from joulemark.judging.domains import headline, usable, why_without_cpu
from joulemark.meters.contract import Meter, Roots, Survey
from joulemark.meters.instruments import Instrument, instruments, make_meter
from joulemark.meters.rapl_access import in_virtual_machine
from joulemark.records.energy_window import Domain

MOST_DOMAINS = 8
"""Most domains that are read in a window: each more costs a read at both edges. A meter with one
domain for each core keeps the domains that matter to the measured CPU."""

Place = tuple[int | None, int | None]
"""Numbers of the physical package and the die of a CPU; None where the kernel does not tell."""
ANYWHERE: Final[Place] = (None, None)
"""The place of a CPU about which nothing is known."""


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
    choice: str
    """A sentence that names the meter, and says why no meter is taken that is preferred to it; or
    that the user named it, and what it lacks."""


def choose_meter(
    name: str | None, roots: Roots, place: Place, *, shown: str | None = None
) -> ChosenMeter:
    """Chooses the meter.

    A meter that the user did not name contains the measured CPU: the joules of a graphics board or
    of a rail would else be taken for those of the measured code.

    Args:
        name: as the user gave it; None takes the most preferred usable meter.
        roots: folders of the kernel's trees.
        place: physical package and die of the measured CPU.
        shown: the user's name for a meter that was started or spooled, and so has another now.
    """
    if name is not None:
        meter = make_meter(name, roots)
        survey = meter.survey()
        if survey.reason is not None:
            remedy = f"; try: {survey.remedy}" if survey.remedy else ""
            raise UnavailableError(f"the meter {name} cannot be used here: {survey.reason}{remedy}")
        lacking = why_without_cpu(survey.domains, *place)
        named = f"{_shown(shown or name, meter)}, as named{f'; it {lacking}' if lacking else ''}."
        return _chosen(name, meter, survey, place, named)
    passed: dict[str, str] = {}
    for instrument, meter, survey in _surveyed(roots):
        reason = _why_not(survey, place)
        if reason is None:
            choice = f"{_shown(instrument.NAME, meter)}; {_why_none_better(passed)}."
            return _chosen(instrument.NAME, meter, survey, place, choice)
        meter.close()
        passed[instrument.NAME] = reason
    raise UnavailableError(no_meter_sentence(roots, place))


def no_meter_sentence(roots: Roots, place: Place = ANYWHERE) -> str:
    """A short sentence that nothing here reads joules; `joulemark doctor` has the reasons."""
    where = "in this virtual machine" if in_virtual_machine(roots) else "on this machine"
    surveys = {}
    for instrument, meter, survey in _surveyed(roots):
        meter.close()
        surveys[instrument.NAME] = survey
    others = {
        name: why_without_cpu(survey.domains, *place)
        for name, survey in surveys.items()
        if survey.reason is None
    }
    noun = "energy meter of the CPU" if others else "energy meter"
    said = [f"no {noun} {where} (joulemark doctor has the list)"]
    # A battery that is charged is not forbidden: it is no meter of the machine now.
    charged = surveys.pop("battery").remedy
    if any(refusal.remedy for survey in surveys.values() for refusal in survey.refused):
        said = [f"no {noun} {where} may be read by this user (joulemark doctor has the remedy)"]
    elif charged:
        said.append(f"to meter the battery, {charged}")
    said += [
        f"{name} {lacking}; it is taken only if it is named" for name, lacking in others.items()
    ]
    return "; ".join(said)


def _surveyed(roots: Roots) -> Iterator[tuple[Instrument, Meter, Survey]]:
    """The meters that need not be named, the most preferred first; the caller closes them."""
    for instrument in instruments():
        if instrument.PREFERENCE is not None:
            meter = instrument.make(roots, None)
            yield instrument, meter, meter.survey()


def _why_not(survey: Survey, place: Place) -> str | None:
    """Why a meter is not taken unless it is named; None if it is taken."""
    if survey.reason is not None:
        # The rest of a reason explains it, which is left to `joulemark doctor`.
        return re.split("[:;] ", survey.reason, maxsplit=1)[0]
    lacking = why_without_cpu(survey.domains, *place)
    return lacking and f"it {lacking}"


def _shown(name: str, meter: Meter) -> str:
    return f"Meter: {name} ({meter.title})"


def _why_none_better(passed: Mapping[str, str]) -> str:
    """Why each preferred meter was passed over; meters of one reason are named together."""
    if not passed:
        return "no other is preferred to it"
    names: dict[str, list[str]] = {}
    for name, reason in passed.items():
        names.setdefault(reason, []).append(name)
    return "; ".join(f"not {' or '.join(same)}: {reason}" for reason, same in names.items())


def _chosen(name: str, meter: Meter, survey: Survey, place: Place, choice: str) -> ChosenMeter:
    found = usable(survey.domains)
    first = headline(found, *place) or found[0]
    return ChosenMeter(name, meter, survey, _few(found, first), first, place, choice)


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
