# SPDX-License-Identifier: Apache-2.0
"""The rules of the domain tree, on machines of each kind and on trees that nobody would build."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from joulemark.judging.domains import HEADLINE_ORDER, ancestors, disjoint, headline, usable
from joulemark.records.energy_window import Domain, DomainKind, Quantity


def _domain(
    name: str,
    kind: DomainKind = DomainKind.PACKAGE,
    parent: str | None = None,
    same_as: str | None = None,
    package: int | None = None,
    die: int | None = None,
) -> Domain:
    return Domain(
        id=name,
        name=name,
        kind=kind,
        quantity=Quantity.ENERGY,
        per_count=1e-6,
        resolution=1e-6,
        parent=parent,
        same_as=same_as,
        package=package,
        die=die,
    )


MACHINE = (
    _domain("psys", DomainKind.PSYS),
    _domain("p0", parent="psys", package=0),
    _domain("p0-core", DomainKind.CORE, parent="p0", package=0),
    _domain("p0-gpu", DomainKind.UNCORE, parent="p0", package=0),
    _domain("p0-dram", DomainKind.DRAM, parent="psys", package=0),
    _domain("p1", parent="psys", package=1),
    _domain("p1-core", DomainKind.CORE, parent="p1", package=1),
    _domain("mmio-p0", parent="psys", same_as="p0", package=0),
)
"""Two sockets with psys, and a twin of the first through memory."""


DIES = (
    _domain("d0", package=0, die=0),
    _domain("d0-core", DomainKind.CORE, parent="d0", package=0, die=0),
    _domain("d1", package=0, die=1),
    _domain("d1-core", DomainKind.CORE, parent="d1", package=0, die=1),
    _domain("mmio-d1", same_as="d1", package=0, die=1),
    _domain("e0", package=1, die=0),
    _domain("e1", package=1, die=1),
)
"""Two sockets of two dies each, metered apart, and a twin of one die through memory."""


def _ids(domains: tuple[Domain, ...]) -> list[str]:
    return [domain.id for domain in domains]


def test_ancestors_come_smallest_first() -> None:
    """The package before the platform; memory is beside its package."""
    assert _ids(ancestors(MACHINE, "p0-core")) == ["p0", "psys"]
    assert _ids(ancestors(MACHINE, "mmio-p0")) == ["psys"]
    assert _ids(ancestors(MACHINE, "p0-dram")) == ["psys"]
    assert ancestors(MACHINE, "psys") == ()


def test_of_twins_the_original_is_used() -> None:
    """The twin that is further out is dropped; without the original the first twin stays."""
    assert "mmio-p0" not in _ids(usable(MACHINE))
    assert len(usable(MACHINE)) == len(MACHINE) - 1
    late = (_domain("twin", same_as="original"), _domain("original"))
    assert _ids(usable(late)) == ["original"]
    alone = (_domain("a", same_as="gone"), _domain("b", same_as="gone"))
    assert _ids(usable(alone)) == ["a"]


def test_the_headline_is_the_package_of_the_measured_cpu() -> None:
    """The socket decides; with two sockets and no number of the CPU's, the platform is shown."""
    assert headline(MACHINE, 1) == MACHINE[5]
    assert headline(MACHINE, 0) == MACHINE[1]
    assert headline(MACHINE, None) == MACHINE[0]
    assert headline(MACHINE, 7) == MACHINE[0]
    assert headline(MACHINE[1:5], None) == MACHINE[1]


def test_the_headline_never_shows_the_other_socket() -> None:
    """Another package's figure says nothing about what was measured."""
    assert headline(MACHINE[5:7], 0) is None
    assert headline((), 0) is None


def test_the_headline_is_the_die_of_the_measured_cpu() -> None:
    """Dies of one number in two sockets are told apart; a twin changes nothing."""
    assert headline(DIES, 0, 0) == DIES[0]
    assert headline(DIES, 0, 1) == DIES[2]
    assert headline(DIES, 1, 1) == DIES[6]
    assert headline(tuple(reversed(DIES)), 0, 1) == DIES[2]
    assert headline(MACHINE, 1, 1) == MACHINE[5]


def test_without_its_number_no_die_is_guessed() -> None:
    """Without a number the platform or another domain is shown, never the figure of some die."""
    platform = _domain("psys", DomainKind.PSYS)
    for known in (None, 2):
        assert headline(DIES, 0, known) is None
        assert headline((*DIES, platform), 0, known) == platform
    nameless = (_domain("a", package=0), _domain("b", package=0))
    assert headline((*nameless, platform), 0, None) == platform
    assert headline((*nameless, platform), 0, 0) == platform


def test_a_die_that_is_alone_is_shown_unless_it_is_another_one() -> None:
    """Without a number the only die is shown; with a number, the only die must agree with it."""
    assert headline(DIES[2:3], 0, None) == DIES[2]
    assert headline(DIES[2:3], None, None) == DIES[2]
    assert headline(DIES[2:3], 0, 0) is None
    assert headline(DIES[2:3], None, 0) is None


def test_a_mirrored_die_stands_for_the_whole_package() -> None:
    """The one counter is that of every die that shows it, so no number is needed."""
    mirrored = (_domain("d0", package=0, die=0), _domain("d1", same_as="d0", package=0, die=1))
    for known in (None, 0, 1):
        assert headline(mirrored, 0, known) == mirrored[0]
    assert headline(mirrored, 0, 2) is None


def test_parts_of_a_package_are_chosen_by_die_too() -> None:
    """If only cores can be read, those of the measured die are shown; memory of no die fits any."""
    cores = (DIES[1], DIES[3])
    memory = _domain("dram", DomainKind.DRAM, package=0)
    assert headline((*cores, memory), 0, 1) == DIES[3]
    assert headline((*cores, memory), 0, None) == memory
    several = (_domain("c0", DomainKind.CORE, package=0), _domain("c1", DomainKind.CORE, package=0))
    assert headline(several, 0, 1) == several[0]


def test_without_a_package_the_order_of_kinds_decides() -> None:
    """Without a package, the first kind in the documented order that the machine has is shown."""
    for position, kind in enumerate(HEADLINE_ORDER):
        rest = tuple(
            _domain(number.value, number) for number in reversed(HEADLINE_ORDER[position:])
        )
        shown = headline(rest, None)
        assert shown is not None
        assert shown.kind is kind
    assert set(HEADLINE_ORDER) == set(DomainKind)


def test_the_machine_is_all_its_packages() -> None:
    """The machine is the sum of its packages, each counted once, and never packages plus psys."""
    assert _ids(disjoint(MACHINE)) == ["p0", "p1"]
    assert _ids(disjoint(MACHINE[:1])) == ["psys"]
    assert _ids(disjoint(DIES)) == ["d0", "d1", "e0", "e1"]
    assert disjoint(()) == ()


def test_of_domains_within_each_other_the_outermost_counts() -> None:
    """Of psys within psys, and of rails behind a board input, only the outermost counts."""
    platforms = (
        _domain("psys", DomainKind.PSYS),
        _domain("psys-1", DomainKind.PSYS, parent="psys"),
    )
    assert _ids(disjoint(platforms)) == ["psys"]
    rails = (
        _domain("cpu", DomainKind.RAIL, parent="between"),
        _domain("between", DomainKind.SUPPLY, parent="input"),
        _domain("input", DomainKind.RAIL),
        _domain("soc", DomainKind.RAIL, parent="input"),
    )
    assert _ids(disjoint(tuple(rail for rail in rails if rail.id != "between"))) == ["cpu", "input"]
    assert _ids(disjoint((*rails[::2], rails[3]))) == ["cpu", "input"]


NAMES = ["a", "b", "c", "d", "e", "f", "g"]


@st.composite
def forests(draw: st.DrawFn) -> tuple[Domain, ...]:
    """Any parents and twins, circles and dangling names included."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True))
    other = st.one_of(st.none(), st.sampled_from(NAMES))
    kinds = st.sampled_from([DomainKind.PACKAGE, DomainKind.PSYS, DomainKind.CORE])
    return tuple(
        _domain(
            name,
            draw(kinds),
            parent=draw(other),
            same_as=draw(other),
            package=draw(st.sampled_from([None, 0, 1])),
            die=draw(st.sampled_from([None, 0, 1])),
        )
        for name in names
    )


class Oracle:
    """Twins by union, containment by walking every edge; shares nothing with the module."""

    def __init__(self, domains: tuple[Domain, ...]) -> None:
        self.group = {name: {name} for name in NAMES}
        for domain in domains:
            if domain.same_as is not None:
                merged = self.group[domain.id] | self.group[domain.same_as]
                for name in merged:
                    self.group[name] = merged
        self.known = {domain.id for domain in domains}
        self.parents = [
            (domain.id, domain.parent) for domain in domains if domain.parent in self.known
        ]

    def above(self, start: str) -> set[str]:
        """Every name that contains `start`, itself and its twins left out."""
        reached: set[str] = set()
        border = set(self.group[start])
        while border:
            found: set[Any] = {parent for child, parent in self.parents if child in border}
            new = {twin for name in found for twin in self.group[name]} - reached
            reached |= new
            border = new
        return reached - self.group[start]

    def clash(self, one: str, two: str) -> bool:
        """Whether adding the two domains would count energy twice."""
        return two in self.group[one] or two in self.above(one) or one in self.above(two)


@given(forests())
def test_no_set_for_the_machine_counts_anything_twice(domains: tuple[Domain, ...]) -> None:
    """No two members are twins or one within the other, and any machine has at least one member."""
    oracle = Oracle(domains)
    chosen = disjoint(domains)
    assert bool(chosen) == bool(domains)
    assert len({domain.kind for domain in chosen}) <= 1
    for one, two in combinations(chosen, 2):
        assert not oracle.clash(one.id, two.id)


@given(forests())
def test_ancestors_are_all_that_contain_a_domain(domains: tuple[Domain, ...]) -> None:
    """The ancestors are the usable domains of all groups of twins above the domain, no others."""
    oracle = Oracle(domains)
    for domain in domains:
        above = oracle.above(domain.id)
        expected = {whole.id for whole in usable(domains) if whole.id in above}
        assert set(_ids(ancestors(domains, domain.id))) == expected


@given(forests())
def test_usable_keeps_one_of_each_group_of_twins(domains: tuple[Domain, ...]) -> None:
    """Every group of twins is represented by exactly one domain."""
    oracle = Oracle(domains)
    kept = usable(domains)
    assert {frozenset(oracle.group[domain.id]) for domain in kept} == {
        frozenset(oracle.group[domain.id]) for domain in domains
    }
    for one, two in combinations(kept, 2):
        assert two.id not in oracle.group[one.id]


@given(forests(), st.sampled_from([None, 0, 1]), st.sampled_from([None, 0, 1]))
def test_the_headline_is_never_of_another_package_or_die(
    domains: tuple[Domain, ...], package: int | None, die: int | None
) -> None:
    """With a number, the headline is of that number, of none, or of a mirror, and always usable."""
    shown = headline(domains, package, die)
    if shown is None:
        return
    assert shown in usable(domains)
    if package is not None:
        assert shown.package in {None, package}
    if die is not None and shown.package is not None:
        group = Oracle(domains).group[shown.id]
        assert {domain.die for domain in domains if domain.id in group} & {None, die}
    alike = [
        domain
        for domain in usable(domains)
        if (domain.kind, domain.package) == (shown.kind, package)
    ]
    if die is None and package is not None and shown.package == package:
        assert len({domain.die for domain in alike}) == 1
        assert shown.kind is not DomainKind.PACKAGE or len(alike) == 1
