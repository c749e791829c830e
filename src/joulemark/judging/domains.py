# SPDX-License-Identifier: Apache-2.0
"""The rules of the domain tree: which domain contains which, and which energies are added.

A domain's energy is part of its parent's, so the two are never added. A domain with `same_as`
reads the same hardware as another domain, so of such twins one counts. Twins stand for each other
everywhere here: a domain that contains another contains its twin as well.

Every function takes the domains of one meter. A parent that is not among them is passed over. A
twin that is not among them only ties together those that name it. A circle of parents or twins,
which only bad data has, is followed once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

from joulemark.records.energy_window import Domain, DomainKind, TracePoint

# Which samples of a gauge are separate readings.
#
# A gauge that is sampled faster than it refreshes gives the same count again. Those repetitions
# carry no new information, and the first ones are from before the load: batteries refresh every 5
# to 30 s.


def refreshes(points: Sequence[TracePoint]) -> list[TracePoint]:
    """The first sample of each run of equal counts."""
    return [next(run) for _, run in groupby(points, key=lambda point: point.counts)]


def settled(points: Sequence[TracePoint]) -> list[TracePoint]:
    """The samples of those refreshes that lie wholly in the window.

    The first refresh may be older than the window, and the second a mean over times before and
    after its start.
    """
    runs = [list(run) for _, run in groupby(points, key=lambda point: point.counts)]
    return [point for run in runs[2:] for point in run]


HEADLINE_ORDER: Final = (
    DomainKind.PACKAGE,
    DomainKind.PSYS,
    DomainKind.BATTERY,
    DomainKind.SUPPLY,
    DomainKind.GPU,
    DomainKind.RAIL,
    DomainKind.CORE,
    DomainKind.DRAM,
    DomainKind.UNCORE,
)
"""The kinds from which the headline is chosen, the first choice first: the package, which holds all
that authentication uses and little else; then kinds that hold more; then parts of a package, which
leave out some of the cost."""

OUTSIDE_CPU: Final = frozenset({DomainKind.GPU, DomainKind.RAIL})
"""Kinds that lie beside the CPU, or of which nobody says whether they contain it."""
_WHOLE_CPU: Final = frozenset(
    {DomainKind.PACKAGE, DomainKind.PSYS, DomainKind.BATTERY, DomainKind.SUPPLY}
)
"""Kinds that contain a whole CPU: its energy is part of theirs."""
_NOT_THE_CPU: Final = {
    DomainKind.GPU: "graphics boards",
    DomainKind.RAIL: "supply rails",
    DomainKind.CORE: "cores without the rest of their CPU",
    DomainKind.DRAM: "memory",
    DomainKind.UNCORE: "the CPU's graphics unit",
}
"""All other kinds, as a sentence names them."""


def ancestors(domains: Sequence[Domain], domain: str) -> tuple[Domain, ...]:
    """The domains that contain a domain, the smallest first; of twins, the one `usable` keeps."""
    twins = _twins(domains)
    counted = {twins[whole.id]: whole for whole in usable(domains)}
    parents: dict[str, list[str]] = {}
    for whole in domains:
        if whole.parent is not None and whole.parent in twins:
            parents.setdefault(twins[whole.id], []).append(twins[whole.parent])
    seen = [twins.get(domain, domain)]
    for group in seen:
        seen.extend(new for new in dict.fromkeys(parents.get(group, [])) if new not in seen)
    return tuple(counted[group] for group in seen[1:])


def usable(domains: Sequence[Domain]) -> tuple[Domain, ...]:
    """The domains with one of each group of twins, in the same order.

    The twin that the others name stays; the first twin where that one is not among the domains.
    """
    twins = _twins(domains)
    known = {domain.id for domain in domains}
    kept: dict[str, str] = {}
    for domain in domains:
        group = twins[domain.id]
        kept.setdefault(group, group if group in known else domain.id)
    return tuple(domain for domain in domains if kept[twins[domain.id]] == domain.id)


def headline(
    domains: Sequence[Domain], package: int | None, die: int | None = None
) -> Domain | None:
    """The domain whose figure is shown first; None where no domain fits.

    `package` and `die` are the numbers of the measured CPU. Among packages, the package of that
    number is chosen; where its dies are metered separately, the die of that number, or the die that
    it mirrors. Without a number a package or a die is chosen only if there is no other. If no
    package is chosen, the next kinds in `HEADLINE_ORDER` are tried in turn, without the domains of
    other packages and dies. A graphics board or a rail never stands in for a CPU that is metered
    and not found.
    """
    twins = _twins(domains)
    dies: dict[str, set[int | None]] = {}
    for domain in domains:
        dies.setdefault(twins[domain.id], set()).add(domain.die)
    shown = {domain.id: dies[twins[domain.id]] for domain in domains}
    candidates = usable(domains)
    cpu_is_metered = any(candidate.kind in _WHOLE_CPU for candidate in candidates)
    for kind in HEADLINE_ORDER:
        if cpu_is_metered and kind in OUTSIDE_CPU:
            continue
        of_kind = [candidate for candidate in candidates if candidate.kind is kind]
        own = [domain for domain in of_kind if package is not None and domain.package == package]
        free = [domain for domain in of_kind if domain.package is None]
        if not own and not free and package is None and len(of_kind) == 1:
            own = of_kind
        fitting = _of_die(own, shown, die) if own else free
        if fitting:
            return fitting[0]
    return None


def why_without_cpu(
    domains: Sequence[Domain], package: int | None, die: int | None = None
) -> str | None:
    """Why no domain is known to contain the measured CPU, to follow the meter's name; else None.

    Where the numbers of the CPU are not known, any whole CPU counts as the measured one.
    """
    candidates = usable(domains)
    whole = [candidate for candidate in candidates if candidate.kind in _WHOLE_CPU]
    if not whole:
        kinds = {candidate.kind for candidate in candidates}
        parts = [words for kind, words in _NOT_THE_CPU.items() if kind in kinds]
        return f"meters {' and '.join(parts)} alone, and not the CPU"
    first = headline(domains, package, die)
    if first is None or first.kind not in _WHOLE_CPU:
        names = ", ".join(domain.name for domain in whole)
        return None if package is None else f"meters {names}, and not the package of the CPU"
    batteries = [domain.name for domain in whole if domain.kind is DomainKind.BATTERY]
    if first.kind is DomainKind.BATTERY and len(batteries) > 1:
        return f"meters {' and '.join(batteries)}, none of which feeds the CPU alone"
    return None


def disjoint(domains: Sequence[Domain]) -> tuple[Domain, ...]:
    """The domains of one kind that are added for a figure of the whole machine.

    The kind is the first in `HEADLINE_ORDER` that the meter has. Every domain of the kind is added
    that lies in no other domain of the kind: all packages with all their dies, never packages and
    psys. Packages go before psys because each machine's maker wires psys differently, so that sums
    of packages can be compared between machines.
    """
    candidates = usable(domains)
    for kind in HEADLINE_ORDER:
        of_kind = [candidate for candidate in candidates if candidate.kind is kind]
        ids = {domain.id for domain in of_kind}
        outermost = [
            domain
            for domain in of_kind
            if not ids & {above.id for above in ancestors(domains, domain.id)}
        ]
        if of_kind:
            # Domains that all lie within each other are a circle in bad data: one of them counts.
            return tuple(outermost or of_kind[:1])
    return ()


def _of_die(
    own: Sequence[Domain], shown: Mapping[str, set[int | None]], die: int | None
) -> list[Domain]:
    """The domains of one package and kind that meter a die; none where the die is not known.

    Args:
        own: the domains of the package and kind, at least one.
        shown: id of a domain -> the numbers of the dies that it and its twins meter.
        die: number of the measured CPU's die; None if unknown.
    """
    exact = [domain for domain in own if die is not None and die in shown[domain.id]]
    if exact:
        return exact
    # Several packages of one number are its dies, even where the kernel does not number these.
    numbers = {domain.die for domain in own}
    if len(numbers) > 1 or (own[0].kind is DomainKind.PACKAGE and len(own) > 1):
        return []
    return [domain for domain in own if die is None or None in shown[domain.id]]


def _twins(domains: Sequence[Domain]) -> dict[str, str]:
    """Maps the id of each domain to the id that stands for it and all its twins."""
    named = {domain.id: domain.same_as for domain in domains}
    result: dict[str, str] = {}
    for start in named:
        chain = [start]
        while (following := named.get(chain[-1])) is not None and following not in chain:
            chain.append(following)
        circle = chain[chain.index(following) :] if following is not None else chain[-1:]
        result[start] = min(circle)
    return result
