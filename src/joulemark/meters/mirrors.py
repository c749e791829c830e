# SPDX-License-Identifier: Apache-2.0
"""Finding mirrored dies: domains that show one and the same counter under several names.

Some processors of several dies show the energy of the whole package once for each die. Added up
they give a power that the machine does not draw, such as 68 W + 68 W = 137 W. Names do not tell
such dies from real ones (`package-0-die-0` is either), so the counters themselves are compared.

Two real packages must never be taken for mirrors. In every interval a mirror shows the same energy
up to the steps of the counter. Two real packages at the same load differ by their leakage,
temperature and share of interrupts; here it is supposed that their difference scatters over at
least `SCATTER` of the energy that they used. Then an interval of E joules agrees within the
tolerance t by accident with a chance of at most (2t + step) / (SCATTER * E). Domains are called
mirrors only if the chances of all intervals multiply to less than `ACCIDENT`. So short intervals
and coarse counters prove nothing, and an idle machine needs longer intervals than a busy one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from joulemark.errors import UsageError
from joulemark.meters.contract import Meter
from joulemark.records.energy_window import Domain, Quantity

FEWEST_UPDATES: Final = 5
"""Intervals in which both counters must have moved, whatever their chances."""
SCATTER: Final = 0.01
"""Least width of the scatter between two real packages, as a part of the energy of an interval.
Packages of one type at one load differ by several percent."""
ACCIDENT: Final = 1e-6
"""Chance of an accident below which equal counters are believed to be one counter."""
_TOLERANCE_STEPS: Final = 2
"""Both ends of an interval may be cut to whole microjoules or steps differently."""


def common_moment(meter: Meter, domains: Sequence[str], tries: int = 8) -> dict[str, int] | None:
    """Counts of several domains between two updates, or None after `tries` attempts.

    Domains are read one after another, and an update in between would make mirrors look different.
    So all domains are read twice, and the counts are taken only if none has changed.
    """
    before = {domain: meter.read(domain).counts for domain in domains}
    for _ in range(tries):
        after = {domain: meter.read(domain).counts for domain in domains}
        if after == before:
            return after
        before = after
    return None


def mirrors(domains: Sequence[Domain], counts: Mapping[str, Sequence[int]]) -> dict[str, str]:
    """Id of each domain that mirrors an earlier domain -> id of the earlier domain.

    Args:
        domains: the domains of one meter; energy counters of one kind and one parent are compared.
        counts: id of a domain -> its counts at common moments, at least 6 of them, some hundred
            milliseconds apart. A domain without counts is left out.
    """
    if len({len(series) for series in counts.values()}) > 1:
        raise UsageError("mirrors are found from the same moments of every domain; numbers differ")
    mirrored: dict[str, str] = {}
    originals: list[Domain] = []
    for domain in domains:
        counter = domain.same_as is None and domain.quantity is Quantity.ENERGY
        if not counter or domain.id not in counts:
            continue
        for other in originals:
            alike = (domain.kind, domain.parent) == (other.kind, other.parent)
            if alike and _is_mirror(domain, other, counts):
                mirrored[domain.id] = other.id
                break
        else:
            originals.append(domain)
    return mirrored


def with_mirrors(domains: Sequence[Domain], mirrored: Mapping[str, str]) -> tuple[Domain, ...]:
    """The domains, with `same_as` set where one mirrors another."""
    return tuple(
        replace(domain, same_as=mirrored[domain.id]) if domain.id in mirrored else domain
        for domain in domains
    )


def _is_mirror(one: Domain, other: Domain, counts: Mapping[str, Sequence[int]]) -> bool:
    """Whether every interval agrees, and agreement cannot be an accident."""
    energies_j = _energies_j(one, counts[one.id])
    others_j = _energies_j(other, counts[other.id])
    if energies_j is None or others_j is None:
        return False
    step_j = max(one.resolution, other.resolution)
    tolerance_j = _TOLERANCE_STEPS * step_j
    chance, updates = 1.0, 0
    for energy_j, other_j in zip(energies_j, others_j, strict=True):
        if abs(energy_j - other_j) > tolerance_j:
            return False
        if min(energy_j, other_j) > 0:
            updates += 1
            chance *= min(1.0, (2 * tolerance_j + step_j) / (SCATTER * energy_j))
    # Both counters run on, so over all intervals together they agree no worse than over one.
    if abs(sum(energies_j) - sum(others_j)) > tolerance_j:
        return False
    varied = max(energies_j, default=0.0) - min(energies_j, default=0.0) > tolerance_j
    return varied and updates >= FEWEST_UPDATES and chance < ACCIDENT


def _energies_j(domain: Domain, series: Sequence[int]) -> list[float] | None:
    """Energy of each interval; None where a count fell and no wrap explains it."""
    energies_j: list[float] = []
    for first, second in pairwise(series):
        moved = first - second if domain.falls else second - first
        if moved < 0:
            if domain.wraps_at_counts is None:
                return None
            moved += domain.wraps_at_counts
        energies_j.append(moved * domain.per_count)
    return energies_j
