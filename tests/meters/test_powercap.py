# SPDX-License-Identifier: Apache-2.0
"""The powercap meter on written file trees: Intel, AMD, virtual machine, and each kind of failure.

Sources of the trees: Documentation/power/powercap/powercap.rst and
drivers/powercap/intel_rapl_common.c of Linux.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from powercap_trees import INTEL_RANGE_UJ, JOULE_RANGE_UJ, by_id, meter_of, zone

from joulemark.errors import UsageError
from joulemark.meters import SIMULATED_MARK, MeterError, Roots
from joulemark.meters.instruments import powercap
from joulemark.meters.rapl import die_of, modulus_uj, step_of
from joulemark.records.energy_window import DomainKind, Fault
from joulemark.records.figures import Evidence


def test_the_tree_of_a_desktop_part_is_that_of_energy_not_of_folders(client: Path) -> None:
    """The platform holds the package and the memory; the package holds cores and graphics."""
    survey = meter_of(client).survey()
    assert survey.reason is None
    assert survey.refused == ()
    assert {domain.id: (domain.kind, domain.parent) for domain in survey.domains} == {
        "intel-rapl:1": (DomainKind.PSYS, None),
        "intel-rapl:0": (DomainKind.PACKAGE, "intel-rapl:1"),
        "intel-rapl:0:0": (DomainKind.CORE, "intel-rapl:0"),
        "intel-rapl:0:1": (DomainKind.UNCORE, "intel-rapl:0"),
        "intel-rapl:0:2": (DomainKind.DRAM, "intel-rapl:1"),
    }


def test_parents_come_before_children(client: Path) -> None:
    """Each parent comes before its children."""
    seen: set[str | None] = {None}
    for domain in meter_of(client).survey().domains:
        assert domain.parent in seen
        seen.add(domain.id)


def test_memory_has_no_parent_without_psys(tmp_path: Path) -> None:
    """Memory lies below its package as a folder, but its energy is no part of the package's."""
    zone(tmp_path, "intel-rapl:0", "package-0")
    zone(tmp_path, "intel-rapl:0:0", "dram")
    memory = by_id(meter_of(tmp_path).survey())["intel-rapl:0:0"]
    assert memory.parent is None
    assert memory.package == 0


def test_socket_numbers_come_from_names_not_from_indices(tmp_path: Path) -> None:
    """Zone 0 may be socket 1; a sub-zone belongs to the socket of its root."""
    zone(tmp_path, "intel-rapl:0", "package-1")
    zone(tmp_path, "intel-rapl:0:0", "core")
    zone(tmp_path, "intel-rapl:1", "package-0-die-1")
    zone(tmp_path, "intel-rapl:a", "psys")
    domains = by_id(meter_of(tmp_path).survey())
    assert {domain.id: domain.package for domain in domains.values()} == {
        "intel-rapl:0": 1,
        "intel-rapl:0:0": 1,
        "intel-rapl:1": 0,
        "intel-rapl:a": None,
    }
    assert domains["intel-rapl:1"].kind is DomainKind.PACKAGE
    assert domains["intel-rapl:1"].parent == "intel-rapl:a"


def test_dies_that_are_metered_apart_are_told_by_their_names(tmp_path: Path) -> None:
    """Zones below a die belong to that die; a package with a plain name has no die number."""
    zone(tmp_path, "intel-rapl:0", "package-1-die-1")
    zone(tmp_path, "intel-rapl:0:0", "dram")
    zone(tmp_path, "intel-rapl:1", "package-1-die-0")
    zone(tmp_path, "intel-rapl:2", "package-3")
    zone(tmp_path, "intel-rapl:3", "psys-1")
    zone(tmp_path, "intel-rapl-mmio:0", "package-1-die-1")
    survey = meter_of(tmp_path).survey()
    assert {domain.id: (domain.package, domain.die) for domain in survey.domains} == {
        "intel-rapl:0": (1, 1),
        "intel-rapl:0:0": (1, 1),
        "intel-rapl:1": (1, 0),
        "intel-rapl:2": (3, None),
        "intel-rapl:3": (1, None),
        "intel-rapl-mmio:0": (1, 1),
    }
    assert die_of("package-0-die-12") == 12
    assert die_of("package-0-die-1-die-2") is None


def test_a_second_psys_holds_its_package_and_counts_as_part_of_the_first(tmp_path: Path) -> None:
    """The kernel numbers the psys of further packages; no sum may take both."""
    zone(tmp_path, "intel-rapl:0", "package-0")
    zone(tmp_path, "intel-rapl:1", "package-1")
    zone(tmp_path, "intel-rapl:2", "psys-1")
    zone(tmp_path, "intel-rapl:3", "psys")
    domains = by_id(meter_of(tmp_path).survey())
    assert {domain.name: domain.parent for domain in domains.values()} == {
        "psys": None,
        "psys-1": "intel-rapl:3",
        "package-0": "intel-rapl:3",
        "package-1": "intel-rapl:2",
    }


def test_the_twin_through_memory_names_the_zone_of_its_name(tmp_path: Path) -> None:
    """`intel-rapl-mmio` reads the same counter, whatever its index; alone it stands for itself."""
    zone(tmp_path, "intel-rapl:0", "package-1")
    zone(tmp_path, "intel-rapl:1", "package-0")
    zone(tmp_path, "intel-rapl:1:0", "dram")
    zone(tmp_path, "intel-rapl-mmio:0", "package-0")
    zone(tmp_path, "intel-rapl-mmio:0:0", "dram")
    zone(tmp_path, "intel-rapl-mmio:1", "package-2")
    survey = meter_of(tmp_path).survey()
    assert {domain.id: domain.same_as for domain in survey.domains if domain.same_as} == {
        "intel-rapl-mmio:0": "intel-rapl:1",
        "intel-rapl-mmio:0:0": "intel-rapl:1:0",
    }
    assert survey.facts["control_types"] == ["intel-rapl", "intel-rapl-mmio"]


def test_an_amd_part_has_a_package_and_its_cores(tmp_path: Path) -> None:
    """AMD uses Intel's zone names, a finer unit, and neither memory nor psys."""
    amd_range_uj = (2**32 - 1) * 15_258 // 1000
    zone(tmp_path, "intel-rapl:0", "package-0", max_energy_range_uj=amd_range_uj)
    zone(tmp_path, "intel-rapl:0:0", "core", max_energy_range_uj=amd_range_uj)
    package, core = meter_of(tmp_path).survey().domains
    assert (package.kind, core.kind, core.parent) == (
        DomainKind.PACKAGE,
        DomainKind.CORE,
        package.id,
    )
    assert package.resolution == pytest.approx(15.258e-6, rel=1e-6)


def test_the_step_of_each_zone_follows_from_its_range(client: Path) -> None:
    """61 µJ, 15.3 µJ and whole joules on one machine, and a count of a microjoule for all."""
    steps = {domain.name: domain.resolution for domain in meter_of(client).survey().domains}
    assert steps["package-0"] == pytest.approx(61.035e-6, rel=1e-9)
    assert steps["dram"] == pytest.approx(15.3e-6, rel=1e-9)
    assert steps["psys"] == pytest.approx(1.0, rel=1e-9)
    assert {domain.per_count for domain in meter_of(client).survey().domains} == {1e-6}


def test_the_counter_is_zero_again_one_step_after_its_range() -> None:
    """The range is the highest value of 2^32, so a wrap is worth one step more."""
    assert modulus_uj(JOULE_RANGE_UJ) == 2**32 * 1_000_000
    assert modulus_uj(INTEL_RANGE_UJ) - INTEL_RANGE_UJ == 61
    assert step_of(1000) == 1e-6


@pytest.mark.parametrize("value", [None, 0, "many"])
def test_without_a_range_a_decrease_stays_unknown(tmp_path: Path, value: object) -> None:
    """A missing, zero or garbled range file leaves the wrap unknown and says so."""
    zone(tmp_path, "intel-rapl:0", "package-0", max_energy_range_uj=value)
    (package,) = meter_of(tmp_path).survey().domains
    assert package.wraps_at_counts is None
    assert package.resolution == 2.0**-14
    assert "max_energy_range_uj" in (package.note or "")


def test_limits_give_the_ceiling(tmp_path: Path) -> None:
    """Three times the highest stated limit; zero and a register at its top are no limits."""
    zone(
        tmp_path,
        "intel-rapl:0",
        "package-0",
        constraint_0_name="long_term",
        constraint_0_power_limit_uw=125_000_000,
        constraint_0_max_power_uw=0,
        constraint_1_power_limit_uw=4_095_875_000,
        constraint_1_max_power_uw="none",
    )
    zone(tmp_path, "intel-rapl:1", "package-1", constraint_0_power_limit_uw=15_000_000)
    zone(tmp_path, "intel-rapl:2", "package-2", constraint_0_power_limit_uw=900_000_000)
    zone(tmp_path, "intel-rapl:3", "package-3", constraint_0_max_power_uw=0)
    ceilings = [domain.max_power_w for domain in meter_of(tmp_path).survey().domains]
    assert ceilings == [375.0, 200.0, 1500.0, None]


def test_limits_are_recorded_in_watts_and_seconds(tmp_path: Path) -> None:
    """Limits of all zones are recorded in the kernel's order, without missing, garbled or 0."""
    zone(
        tmp_path,
        "intel-rapl:0",
        "package-0",
        constraint_100_name="peak_power",
        constraint_12_max_power_uw=7_000_000,
        constraint_1_name="short_term",
        constraint_1_power_limit_uw=4_095_875_000,
        constraint_1_time_window_us=2_440,
        constraint_1_max_power_uw="none",
        constraint_0_name="long_term",
        constraint_0_power_limit_uw=125_000_000,
        constraint_0_time_window_us=27_983_872,
        constraint_0_max_power_uw=165_500_000,
        constraint_2_power_limit_uw=0,
        constraint_3_power_limit_uw="9" * 400,
    )
    zone(tmp_path, "intel-rapl:0:0", "core", energy_uj=None)
    limits = meter_of(tmp_path).survey().facts["power_limits"]
    assert json.loads(json.dumps(limits, allow_nan=False)) == {
        "intel-rapl:0": [
            {
                "name": "long_term",
                "power_limit_w": 125.0,
                "time_window_s": 27.983872,
                "max_power_w": 165.5,
            },
            {"name": "short_term", "power_limit_w": 4095.875, "time_window_s": 0.00244},
            {"max_power_w": 7.0},
            {"name": "peak_power"},
        ],
        "intel-rapl:0:0": [],
    }


def test_a_zone_of_an_unknown_name_is_a_rail_with_a_note(tmp_path: Path) -> None:
    """A zone that a later kernel adds is a rail, with a note that nothing is known of it."""
    zone(tmp_path, "intel-rapl:0", "package-0")
    zone(tmp_path, "intel-rapl:0:0", "accelerator")
    rail = by_id(meter_of(tmp_path).survey())["intel-rapl:0:0"]
    assert rail.kind is DomainKind.RAIL
    assert rail.parent == "intel-rapl:0"
    assert "unknown name 'accelerator'" in (rail.note or "")


def test_reading_gives_the_count_between_two_moments(client: Path) -> None:
    """The file is read anew each time, and the clock is asked before and after."""
    meter = meter_of(client)
    first = meter.read("intel-rapl:0")
    (client / "sys/class/powercap/intel-rapl:0/energy_uj").write_text("1000061\n")
    second = meter.read("intel-rapl:0")
    assert (first.counts, second.counts) == (1_000_000, 1_000_061)
    assert first.before_ns < first.after_ns < second.before_ns < second.after_ns


@pytest.mark.parametrize("domain", ["intel-rapl:7", "../intel-rapl:0", "intel-rapl", ""])
def test_a_zone_that_vanished_is_reported_so(client: Path, domain: str) -> None:
    """A zone that is gone, or a name that is no zone, is a fault; no file outside is read."""
    outside = client / "sys/class/intel-rapl:0"
    outside.mkdir()
    (outside / "energy_uj").write_text("7\n")
    with pytest.raises(MeterError) as raised:
        meter_of(client).read(domain)
    assert raised.value.fault is Fault.VANISHED


def test_a_garbled_counter_is_refused_and_its_children_climb(client: Path) -> None:
    """The package is shown as refused; its cores then lie in psys, which can be read."""
    (client / "sys/class/powercap/intel-rapl:0/energy_uj").write_text("-5\n")
    survey = meter_of(client).survey()
    assert survey.reason is None
    assert [refusal.what for refusal in survey.refused] == ["intel-rapl:0"]
    assert "'-5', which is no count" in survey.refused[0].reason
    assert by_id(survey)["intel-rapl:0:0"].parent == "intel-rapl:1"


def test_only_garbage_is_a_reason_not_an_exception(tmp_path: Path) -> None:
    """A tree without one usable zone says which zone says what."""
    zone(tmp_path, "intel-rapl:0", "package-0", energy_uj="")
    meter = meter_of(tmp_path)
    assert meter.survey().domains == ()
    assert "intel-rapl:0" in (meter.survey().reason or "")


def test_the_mark_of_the_tree_decides_the_evidence(client: Path) -> None:
    """A test double's figures are never called measured."""
    assert meter_of(client).evidence() is Evidence.MEASURED
    (client / "sys" / SIMULATED_MARK).touch()
    assert meter_of(client).evidence() is Evidence.SIMULATED


def test_the_meter_takes_no_argument() -> None:
    """`powercap:x` is refused, because it would do the same as `powercap`."""
    with pytest.raises(UsageError, match="takes no argument"):
        powercap.make(Roots(), "x")
    assert isinstance(powercap.make(Roots(), None), powercap.Powercap)
