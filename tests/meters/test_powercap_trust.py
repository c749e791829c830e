# SPDX-License-Identifier: Apache-2.0
"""Powercap on other than Intel machines: cores of AMD, virtual machines, zones of Arm."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest
from powercap_trees import as_nobody, by_id, cpuinfo, meter_of, zone

from joulemark.judging.domains import headline
from joulemark.meters import SIMULATED_MARK, MeterError, Roots
from joulemark.meters.instruments.perf_power import PerfPower
from joulemark.records.energy_window import DomainKind, Fault, Quantity
from joulemark.records.figures import Evidence


@pytest.mark.parametrize("vendor", ["AuthenticAMD", "HygonGenuine"])
def test_one_core_of_amd_is_not_taken_for_the_measured_one(tmp_path: Path, vendor: str) -> None:
    """The zone is refused with the reason and the meter that has each core; the package stays."""
    cpuinfo(tmp_path, vendor, family=25)
    zone(tmp_path, "intel-rapl:0", "package-0")
    zone(tmp_path, "intel-rapl:0:0", "core")
    survey = meter_of(tmp_path).survey()
    assert [domain.id for domain in survey.domains] == ["intel-rapl:0"]
    (refused,) = survey.refused
    assert refused.what == "intel-rapl:0:0"
    assert "one core of the package, and not the measured one" in refused.reason
    assert "perf-power" in refused.reason


def test_only_a_core_of_amd_leaves_no_meter(tmp_path: Path) -> None:
    """If a core of AMD is the only zone, the meter is absent, for the core's reason."""
    cpuinfo(tmp_path, "AuthenticAMD", family=25)
    zone(tmp_path, "intel-rapl:0", "core")
    survey = meter_of(tmp_path).survey()
    assert survey.domains == ()
    assert "one core of the package" in (survey.reason or "")


def test_cores_of_intel_are_all_cores(tmp_path: Path) -> None:
    """Intel's `core` zone holds every core of the package and stays."""
    cpuinfo(tmp_path)
    zone(tmp_path, "intel-rapl:0", "package-0")
    zone(tmp_path, "intel-rapl:0:0", "core")
    assert "intel-rapl:0:0" in by_id(meter_of(tmp_path).survey())


@pytest.mark.parametrize(
    ("flags", "evidence"),
    [("fpu msr", Evidence.MEASURED), ("fpu hypervisor msr", Evidence.MODELLED)],
)
def test_rapl_in_a_virtual_machine_is_modelled(
    tmp_path: Path, flags: str, evidence: Evidence
) -> None:
    """A guest's counters are computed from CPU time; each domain and the record say so."""
    cpuinfo(tmp_path, flags=flags)
    zone(tmp_path, "intel-rapl:0", "package-0")
    meter = meter_of(tmp_path)
    survey = meter.survey()
    assert meter.evidence() is evidence
    assert PerfPower(Roots(tmp_path / "sys", tmp_path / "proc")).evidence() is evidence
    virtual = evidence is Evidence.MODELLED
    assert survey.facts["virtual_machine"] is virtual
    assert ("virtual machine" in (survey.domains[0].note or "")) is virtual


def test_a_simulated_tree_stays_simulated_in_a_virtual_machine(tmp_path: Path) -> None:
    """A simulated tree stays simulated, as the mark of a test double goes before all else."""
    cpuinfo(tmp_path, flags="fpu hypervisor")
    zone(tmp_path, "intel-rapl:0", "package-0")
    (tmp_path / "sys" / SIMULATED_MARK).touch()
    assert meter_of(tmp_path).evidence() is Evidence.SIMULATED


def scmi(root: Path, name: str, title: str, **files: object) -> None:
    """A zone as arm_scmi_powercap.c registers it: power and limits, no energy."""
    zone(
        root, name, title,
        **{"energy_uj": None, "max_energy_range_uj": None, "power_uw": 4_250_000,
           "max_power_range_uw": 2**32 - 1, "constraint_0_name": "power-limit",
           "constraint_0_power_limit_uw": 15_000_000, "constraint_0_max_power_uw": 30_000_000,
           **files},
    )  # fmt: skip


def test_scmi_zones_are_gauges_of_power(tmp_path: Path) -> None:
    """Microwatts, inside one another as the firmware says, named by it, and no RAPL."""
    scmi(tmp_path, "arm-scmi:0", "SoC")
    scmi(tmp_path, "arm-scmi:0:0", "big cluster", power_uw=1_750_000)
    meter = meter_of(tmp_path)
    survey = meter.survey()
    assert survey.reason is None
    assert meter.title == "SCMI zones through powercap"
    assert meter.evidence() is Evidence.MEASURED
    whole, cluster = (by_id(survey)[name] for name in ("arm-scmi:0", "arm-scmi:0:0"))
    assert (whole.name, whole.kind, whole.quantity) == ("SoC", DomainKind.RAIL, Quantity.POWER)
    assert (cluster.parent, cluster.name) == ("arm-scmi:0", "big cluster")
    assert whole.wraps_at_counts is None
    assert whole.ceiling_w == 200.0
    assert "name of the firmware 'SoC'" in (whole.note or "")
    assert headline(survey.domains, None, None) == whole
    reading = meter.read("arm-scmi:0:0")
    assert reading.counts * cluster.per_count == pytest.approx(1.75)
    assert survey.facts["control_types"] == ["arm-scmi"]
    assert survey.facts["power_limits"]["arm-scmi:0"][0]["power_limit_w"] == 15


def test_an_scmi_zone_with_energy_is_a_counter(tmp_path: Path) -> None:
    """A later driver's `energy_uj` is read as a counter, from the same files as RAPL."""
    scmi(tmp_path, "arm-scmi:0", "SoC", energy_uj=7_000_000, max_energy_range_uj=2**32 - 1)
    meter = meter_of(tmp_path)
    (domain,) = meter.survey().domains
    assert (domain.quantity, domain.kind) == (Quantity.ENERGY, DomainKind.RAIL)
    assert domain.wraps_at_counts == 2**32
    assert meter.read("arm-scmi:0").counts * domain.per_count == pytest.approx(7)


def test_an_scmi_zone_that_vanishes_or_is_forbidden_says_so(tmp_path: Path) -> None:
    """A zone that vanishes or is forbidden has the fault of that kind, and is never 0."""
    scmi(tmp_path, "arm-scmi:0", "SoC")
    meter = meter_of(tmp_path)
    file = tmp_path / "sys/class/powercap/arm-scmi:0/power_uw"
    file.chmod(0)
    with as_nobody(tmp_path), pytest.raises(MeterError) as trouble:
        meter.read("arm-scmi:0")
    assert trouble.value.fault is Fault.PERMISSION
    file.unlink()
    with pytest.raises(MeterError) as trouble:
        meter.read("arm-scmi:0")
    assert trouble.value.fault is Fault.VANISHED


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", ["name", "energy_uj", "max_energy_range_uj"])
def test_a_pipe_in_the_place_of_a_file(tmp_path: Path, name: str) -> None:
    """A pipe in the place of a file does not keep the meter waiting for ever."""
    zone(tmp_path, "intel-rapl:0", "package-0")
    [path] = tmp_path.rglob(name)
    path.unlink()
    os.mkfifo(path)
    meter = meter_of(tmp_path)
    survey = meter.survey()
    for domain in survey.domains:
        with suppress(MeterError):
            assert meter.read(domain.id).counts == 1_000_000
