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
        one
        for one in domains
        if one.parent is not None
        and twins.get(one.parent, one.parent) == wanted
        and twins[one.id] != wanted
    )


def ancestors(domains: Sequence[Domain], domain: str) -> tuple[Domain, ...]:
    """What contains a domain, the smallest first; of twins the one that counts."""
    twins = _twins(domains)
    counted = {twins[one.id]: one for one in usable(domains)}
    parents: dict[str, list[str]] = {}
    for one in domains:
        if one.parent is not None and one.parent in twins:
            parents.setdefault(twins[one.id], []).append(twins[one.parent])
    seen = [twins.get(domain, domain)]
    for group in seen:
        seen.extend(new for new in dict.fromkeys(parents.get(group, [])) if new not in seen)
    return tuple(counted[group] for group in seen[1:])


def contains(domains: Sequence[Domain], outer: str, inner: str) -> bool:
    """Whether the energy of `inner` is part of that of `outer`; False for a domain and itself."""
    twins = _twins(domains)
    wanted = twins.get(outer, outer)
    return any(twins[one.id] == wanted for one in ancestors(domains, inner))


def usable(domains: Sequence[Domain]) -> tuple[Domain, ...]:
    """The domains without the further ones of twins, in the same order.

    Of twins the one that the others name stays; the first one where that is not among them.
    """
    twins = _twins(domains)
    known = {one.id for one in domains}
    kept: dict[str, str] = {}
    for one in domains:
        group = twins[one.id]
        kept.setdefault(group, group if group in known else one.id)
    return tuple(one for one in domains if kept[twins[one.id]] == one.id)


def addable(domains: Sequence[Domain], wanted: Iterable[str]) -> tuple[Domain, ...]:
    """The wanted domains, if their energies may be added.

    Raises:
        UsageError: one is not known, named twice, a twin of another one, or part of another one.
    """
    by_id = {one.id: one for one in domains}
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
    for one in domains:
        dies.setdefault(twins[one.id], set()).add(one.die)
    shown = {one.id: dies[twins[one.id]] for one in domains}
    candidates = usable(domains)
    for kind in HEADLINE_ORDER:
        of_kind = [one for one in candidates if one.kind is kind]
        own = [one for one in of_kind if package is not None and one.package == package]
        free = [one for one in of_kind if one.package is None]
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
        of_kind = [one for one in candidates if one.kind is kind]
        ids = {one.id for one in of_kind}
        outermost = [
            one for one in of_kind if not ids & {above.id for above in ancestors(domains, one.id)}
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
    exact = [one for one in own if die is not None and die in shown[one.id]]
    if exact:
        return exact
    # Several packages of one number are its dies, even where the kernel does not number these.
    numbers = {one.die for one in own}
    if len(numbers) > 1 or (own[0].kind is DomainKind.PACKAGE and len(own) > 1):
        return []
    return [one for one in own if die is None or None in shown[one.id]]


def _twins(domains: Sequence[Domain]) -> dict[str, str]:
    """Id of each domain -> the id that stands for it and all its twins."""
    named = {one.id: one.same_as for one in domains}
    result: dict[str, str] = {}
    for start in named:
        chain = [start]
        while (following := named.get(chain[-1])) is not None and following not in chain:
            chain.append(following)
        circle = chain[chain.index(following) :] if following is not None else chain[-1:]
        result[start] = min(circle)
    return result
