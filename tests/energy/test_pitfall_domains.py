# SPDX-License-Identifier: Apache-2.0
"""Pitfalls of domains: counted twice, taken for another, or without a name.

The pitfalls are those of the survey's section "RAPL semantics", part "Domains", and of the tools it
names.
"""

from __future__ import annotations

import pytest
from pitfalls import (
    LOAD_W,
    PACKAGE,
    bench_of,
    contains_truth,
    is_right,
    one_window,
    package,
    powers,
    prepared_on,
    run_on,
)

from joulemark.analyse.window import WindowPower
from joulemark.errors import UnavailableError
from joulemark.judging.domains import ancestors, disjoint, headline, usable
from joulemark.measure.meter_choice import choose_meter
from joulemark.meters.simulated import SimulatedDomain
from joulemark.records.energy_window import DomainKind

PSYS = "intel-rapl:1"
CORE = "intel-rapl:0:0"
UNCORE = "intel-rapl:0:1"
DRAM = "intel-rapl:0:2"


def nested() -> list[SimulatedDomain]:
    """A laptop's domains: psys, package, core, uncore and memory."""
    return [
        package(PSYS, name="psys", static_w=25.0),
        package(),
        package(CORE, name="core", static_w=4.0),
        package(UNCORE, name="uncore", static_w=1.0, load_share=0.0),
        package(DRAM, name="dram", static_w=3.0, load_share=0.1),
    ]


def twin_dies(**second: object) -> list[SimulatedDomain]:
    """Two dies of one package, of 34 W each at rest: with load 68 W."""
    changes = {"name": "package-0-die-1", "static_w": 34.0, "load_share": 0.85, "jitter": 0.02}
    return [
        package(name="package-0-die-0", static_w=34.0, load_share=0.85, jitter=0.02),
        package("intel-rapl:1", **{**changes, **second}),
    ]


def test_pitfall_parent_and_child_are_never_summed() -> None:
    """Psys contains package contains core and uncore: none is added to what contains it."""
    with bench_of(*nested()) as bench:
        domains = bench.domains()
    inside = {PSYS: {PACKAGE, CORE, UNCORE, DRAM}, PACKAGE: {CORE, UNCORE}}
    for inner in (PSYS, PACKAGE, CORE, UNCORE, DRAM):
        expected = {outer for outer, parts in inside.items() if inner in parts}
        assert {outer.id for outer in ancestors(domains, inner)} == expected
    assert [domain.id for domain in disjoint(domains)] == [PACKAGE]


def test_pitfall_psys_package_core_each_keep_their_own_figure() -> None:
    """Nested domains are shown side by side; the headline is the package's power, not the sum."""
    with bench_of(*nested()) as bench:
        domains = bench.domains()
        record = bench.record(domains, 0.2, headline=PACKAGE)
        taken = run_on(bench, record)
    assert taken.of().kind == "package"
    truths = {PSYS: 65.0, PACKAGE: 50.0, CORE: 44.0, DRAM: 7.0}
    for domain, truth_w in truths.items():
        assert contains_truth(taken.of(domain).watts, truth_w)


def test_pitfall_memory_is_beside_its_package() -> None:
    """Powercap lists memory below its package, but its energy is no part of the package's."""
    with bench_of(package(), package(DRAM, name="dram", static_w=3.0)) as bench:
        domains = bench.domains()
    assert ancestors(domains, DRAM) == ()


def test_pitfall_msr_and_mmio_twins_are_one_counter() -> None:
    """`intel-rapl` and `intel-rapl-mmio` read one counter (codecarbon issue 950): one is used."""
    mmio = SimulatedDomain("intel-rapl-mmio:0", "package-0", mirror_of=PACKAGE)
    with bench_of(package(), mmio) as bench:
        domains = bench.domains()
        prepared = prepared_on(bench)
    assert {domain.id: domain.same_as for domain in domains} == {PACKAGE: None, mmio.id: PACKAGE}
    assert [domain.id for domain in prepared.record.domains] == [PACKAGE]
    assert [domain.id for domain in disjoint(domains)] == [PACKAGE]


def test_pitfall_mirrored_dies_are_68_w_and_not_137_w() -> None:
    """Dies that show one counter twice are found by their deltas (codecarbon issue 1274)."""
    with bench_of(*twin_dies(mirror_of=PACKAGE)) as bench:
        prepared = prepared_on(bench)
        window, record = one_window(bench, 0.5)
    kept = [domain.id for domain in prepared.record.domains]
    assert kept == [PACKAGE]
    found = powers(window, record)
    total = sum(window_power.power_w.nominal_value for name, window_power in found.items()
                if name in kept and isinstance(window_power, WindowPower))  # fmt: skip
    assert total == pytest.approx(68.0, rel=0.002)


def test_pitfall_real_dies_are_not_taken_for_mirrors() -> None:
    """Dies with counters of their own are both kept, though their names look like mirrors'."""
    with bench_of(*twin_dies(static_w=33.0)) as bench:
        prepared = prepared_on(bench)
    assert [domain.id for domain in prepared.record.domains] == [PACKAGE, "intel-rapl:1"]
    assert [domain.id for domain in disjoint(prepared.record.domains)] == [PACKAGE, "intel-rapl:1"]


@pytest.mark.parametrize("die", [0, 1])
def test_pitfall_first_die_is_not_the_measured_one(die: int) -> None:
    """Where package scope is the die, the headline is the die of the measured CPU."""
    with bench_of(*twin_dies(static_w=33.0)) as bench:
        prepared = prepared_on(bench, place=(0, die))
    assert prepared.record.headline == f"intel-rapl:{die}"


def test_pitfall_unknown_die_is_not_guessed() -> None:
    """Several real dies and no word on which the CPU is of: refused, for a chance of one in two."""
    with (
        bench_of(*twin_dies(static_w=33.0)) as bench,
        pytest.raises(UnavailableError, match="does not say which"),
    ):
        prepared_on(bench, place=(0, None))


def test_pitfall_package_scope_may_be_the_die() -> None:
    """Names of dies are packages too, where pyJoules' strict `package-N` lost them (issue 14)."""
    with bench_of(*twin_dies(static_w=33.0)) as bench:
        found = bench.domains()
    assert [domain.kind for domain in found] == [DomainKind.PACKAGE] * 2
    assert [(domain.package, domain.die) for domain in found] == [(0, 0), (0, 1)]


def test_pitfall_zone_index_is_not_the_socket_id() -> None:
    """Zone 0 may be socket 1: the headline is the zone whose name has the measured CPU's socket."""
    swapped = [package(name="package-1"), package("intel-rapl:1", name="package-0", static_w=20.0)]
    with bench_of(*swapped) as bench:
        assert choose_meter("powercap", bench.world.roots, (0, None)).headline.id == "intel-rapl:1"
        assert choose_meter("powercap", bench.world.roots, (1, None)).headline.id == PACKAGE


def test_pitfall_one_zone_per_package_is_not_assumed() -> None:
    """Two packages are two domains with a figure each; neither stands for the other."""
    sockets = [
        package(name="package-0", static_w=20.0),
        package("intel-rapl:1", name="package-1", load_share=0.0, static_w=15.0),
    ]
    with bench_of(*sockets) as bench:
        window, record = one_window(bench, 0.5)
        chosen = choose_meter("powercap", bench.world.roots, (0, None))
    assert [domain.package for domain in record.domains] == [0, 1]
    assert chosen.headline.id == PACKAGE
    found = powers(window, record)
    assert is_right(found[PACKAGE], 20.0 + LOAD_W)
    assert is_right(found["intel-rapl:1"], 15.0)


def test_pitfall_another_sockets_package_is_no_headline() -> None:
    """If only the other socket's counter can be read, it does not stand in silently."""
    with bench_of(package(name="package-1")) as bench:
        domains = bench.domains()
    assert headline(domains, 0) is None


def test_pitfall_each_joule_names_its_domain() -> None:
    """Every figure says which domain it is of, of what kind, and inside which other."""
    with bench_of(*nested()) as bench:
        record = bench.record(bench.domains(), 0.2, headline=PACKAGE)
        taken = run_on(bench, record, rounds=2)
    found = {text: taken.of(text) for text in (PSYS, PACKAGE, CORE, UNCORE, DRAM)}
    assert [domain.kind for domain in found.values()] == [
        "psys",
        "package",
        "core",
        "uncore",
        "dram",
    ]
    assert [domain.name for domain in found.values()] == [
        "psys",
        "package-0",
        "core",
        "uncore",
        "dram",
    ]
    assert [domain.parent for domain in found.values()] == [None, PSYS, PACKAGE, PACKAGE, PSYS]
    assert [domain.headline for domain in found.values()] == [False, True, False, False, False]


def test_pitfall_missing_memory_is_not_memory_of_zero_joules() -> None:
    """A processor without a counter of memory has no such domain at all, rather than one of 0."""
    with bench_of(package(), package(CORE, name="core", static_w=4.0)) as bench:
        record = bench.record(bench.domains(), 0.2, headline=PACKAGE)
        taken = run_on(bench, record, rounds=2)
        kinds = {domain.kind for domain in usable(record.domains)}
    assert kinds == {DomainKind.PACKAGE, DomainKind.CORE}
    assert taken.of().kind == "package"
    with pytest.raises(StopIteration):
        taken.of(DRAM)
