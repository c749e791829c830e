# SPDX-License-Identifier: Apache-2.0
"""The rules of the domain tree: what contains what, and what may be added.

A domain's energy is part of its parent's, so the two are never added. A domain with `same_as`
reads the same hardware as another one, so of such twins one counts. Twins stand for each other
everywhere here: what contains a domain contains its twin as well.

Every function takes the domains of one meter. A parent that is not among them is passed over, a
twin that is not among them only ties together those that name it, and a circle in bad data ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Final

from joulemark.errors import UsageError
from joulemark.records.domain import Domain, DomainKind

__all__ = [
    "HEADLINE_ORDER",
    "addable",
    "ancestors",
    "children",
    "contains",
    "disjoint",
    "headline",
    "usable",
]

HEADLINE_ORDER: Final = (
    DomainKind.PACKAGE,
    DomainKind.PSYS,
    DomainKind.BATTERY,
    DomainKind.GPU,
    DomainKind.SUPPLY,
    DomainKind.RAIL,
    DomainKind.CORE,
    DomainKind.DRAM,
    DomainKind.UNCORE,
)
"""Which kind is shown first. The package, because it holds all that authentication uses and least
else; then what holds more; parts of a package last, because they leave out some of the cost."""


def children(domains: Sequence[Domain], parent: str) -> tuple[Domain, ...]:
    """The domains that the domain `parent`, or a twin of it, is the parent of."""
    twins = _twins(domains)
    wanted = twins.get(parent, parent)
    return tuple(
        domain
        for domain in domains
        if domain.parent is not None
        and twins.get(domain.parent, domain.parent) == wanted
        and twins[domain.id] != wanted
    )


def ancestors(domains: Sequence[Domain], domain: str) -> tuple[Domain, ...]:
    """What contains a domain, the smallest first; of twins the one that counts."""
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


def contains(domains: Sequence[Domain], outer: str, inner: str) -> bool:
    """Whether the energy of `inner` is part of that of `outer`; False for a domain and itself."""
    twins = _twins(domains)
    wanted = twins.get(outer, outer)
    return any(twins[ancestor.id] == wanted for ancestor in ancestors(domains, inner))


def usable(domains: Sequence[Domain]) -> tuple[Domain, ...]:
    """The domains without the further ones of twins, in the same order.

    Of twins the one that the others name stays; the first one where that is not among them.
    """
    twins = _twins(domains)
    known = {domain.id for domain in domains}
    kept: dict[str, str] = {}
    for domain in domains:
        group = twins[domain.id]
        kept.setdefault(group, group if group in known else domain.id)
    return tuple(domain for domain in domains if kept[twins[domain.id]] == domain.id)


def addable(domains: Sequence[Domain], wanted: Iterable[str]) -> tuple[Domain, ...]:
    """The wanted domains, if their energies may be added.

    Raises:
        UsageError: one is not known, named twice, a twin of another one, or part of another one.
    """
    by_id = {domain.id: domain for domain in domains}
    names = list(wanted)
    for name in names:
        if name not in by_id:
            known = ", ".join(by_id) or "none"
            raise UsageError(f"there is no domain '{name}' to add; the domains are {known}")
    twins = _twins(domains)
    for first, second in combinations(names, 2):
        if first == second:
            raise UsageError(f"'{first}' cannot be added to itself; name it once")
        if twins[first] == twins[second]:
            raise UsageError(
                f"'{first}' and '{second}' read the same hardware, so their sum would count it"
                " twice; name one of them"
            )
        for outer, inner in ((first, second), (second, first)):
            if contains(domains, outer, inner):
                raise UsageError(
                    f"'{inner}' is part of '{outer}', so their sum would count it twice; name one"
                    " of them"
                )
    return tuple(by_id[name] for name in names)


def headline(
    domains: Sequence[Domain], package: int | None, die: int | None = None
) -> Domain | None:
    """The domain whose figure is shown first; None where none fits.

    Of packages the one numbered `package`, that of the measured CPU; where its dies are metered
    apart, the die numbered `die`, or the one that this die mirrors. Without a number a package or
    a die is chosen only if there is no other. If none is chosen, the first domain of the next kind
    in `HEADLINE_ORDER` that is not of another package or die.
    """
    twins = _twins(domains)
    dies: dict[str, set[int | None]] = {}
    for domain in domains:
        dies.setdefault(twins[domain.id], set()).add(domain.die)
    shown = {domain.id: dies[twins[domain.id]] for domain in domains}
    candidates = usable(domains)
    for kind in HEADLINE_ORDER:
        of_kind = [candidate for candidate in candidates if candidate.kind is kind]
        own = [domain for domain in of_kind if package is not None and domain.package == package]
        free = [domain for domain in of_kind if domain.package is None]
        if not own and not free and package is None and len(of_kind) == 1:
            own = of_kind
        fitting = _of_die(own, shown, die) if own else free
        if fitting:
            return fitting[0]
    return None


def disjoint(domains: Sequence[Domain]) -> tuple[Domain, ...]:
    """The domains of one kind that are added for a figure of the whole machine.

    The first kind in `HEADLINE_ORDER` that there is, and of it every domain that lies in no other
    domain of the kind: all packages with all their dies, never packages and psys. Packages go
    before psys because each machine's maker wires psys differently, so that sums of packages
    compare between machines.
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
            # All within each other is a circle, which only bad data has: then one of them alone.
            return tuple(outermost or of_kind[:1])
    return ()


def _of_die(
    own: Sequence[Domain], shown: Mapping[str, set[int | None]], die: int | None
) -> list[Domain]:
    """Those of one package and kind that meter a die; none where that cannot be told.

    Args:
        own: at least one.
        shown: id of a domain -> the dies that it and its twins are of.
        die: that of the measured CPU, where known.
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
    """Id of each domain -> the id that stands for it and all its twins."""
    named = {domain.id: domain.same_as for domain in domains}
    result: dict[str, str] = {}
    for start in named:
        chain = [start]
        while (following := named.get(chain[-1])) is not None and following not in chain:
            chain.append(following)
        circle = chain[chain.index(following) :] if following is not None else chain[-1:]
        result[start] = min(circle)
    return result
