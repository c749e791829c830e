# SPDX-License-Identifier: Apache-2.0
"""The perf meter on written file trees, with counters that the tests move; and the real call.

Source of the trees: arch/x86/events/rapl.c of Linux.
"""

from __future__ import annotations

import errno
import json
import os
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from joulemark.errors import UsageError
from joulemark.meters import SIMULATED_MARK, MeterError, Roots, Survey
from joulemark.meters.instruments import perf_power
from joulemark.meters.instruments.perf_power import PerfPower
from joulemark.meters.perf_event import PerfCounter, open_counter, parse_cpus
from joulemark.records.energy_window import LONGEST_GAP_S, Domain, DomainKind, Fault
from joulemark.records.figures import Evidence

SCALE: Final = "2.3283064365386962890625e-10"
NUMBERS: Final = {
    "energy-cores": 1,
    "energy-pkg": 2,
    "energy-ram": 3,
    "energy-gpu": 4,
    "energy-psys": 5,
    "energy-core": 1,
    "energy-new": 9,
}


class FakeCounter:
    """An event whose count the test sets."""

    def __init__(self) -> None:
        self.value = 0
        self.open = True
        self.error: int | None = None

    def count(self) -> int:
        """The value that the test set; raises the error if the test set one."""
        if self.error is not None:
            raise OSError(self.error, os.strerror(self.error))
        return self.value

    def close(self) -> None:
        """Counts as closed from now on."""
        self.open = False


class Kernel:
    """Opens fake counters and remembers them; raises `error` if the test set one."""

    def __init__(self, error: int | None = None, only_config: int | None = None) -> None:
        self.opened: list[tuple[int, int, int]] = []
        self.counters: list[FakeCounter] = []
        self.error = error
        self.only_config = only_config

    def __call__(self, unit_type: int, config: int, cpu: int) -> FakeCounter:
        """Opens a counter, as `open_counter` does."""
        if self.error is not None and self.only_config in {None, config}:
            raise OSError(self.error, os.strerror(self.error))
        self.opened.append((unit_type, config, cpu))
        self.counters.append(FakeCounter())
        return self.counters[-1]


def _unit(root: Path, cpumask: str, *events: str, unit: str = "power", unit_type: int = 25) -> Path:
    folder = root / "sys/bus/event_source/devices" / unit
    (folder / "events").mkdir(parents=True)
    (folder / "type").write_text(f"{unit_type}\n")
    (folder / "cpumask").write_text(f"{cpumask}\n")
    for event in events:
        (folder / "events" / event).write_text(f"event=0x{NUMBERS[event]:02x}\n")
        (folder / "events" / f"{event}.unit").write_text("Joules\n")
        (folder / "events" / f"{event}.scale").write_text(f"{SCALE}\n")
    return folder


def _cpu(root: Path, cpu: int, package: int, die: int = 0) -> None:
    folder = root / f"sys/devices/system/cpu/cpu{cpu}/topology"
    folder.mkdir(parents=True)
    (folder / "physical_package_id").write_text(f"{package}\n")
    (folder / "die_id").write_text(f"{die}\n")


def _meter(root: Path, kernel: Kernel | None = None) -> PerfPower:
    ticks = count(1_000, 10)
    roots = Roots(sysfs=root / "sys", proc=root / "proc", now_ns=lambda: next(ticks))
    return PerfPower(roots, kernel or Kernel())


def _by_id(survey: Survey) -> dict[str, Domain]:
    return {domain.id: domain for domain in survey.domains}


@pytest.fixture
def client(tmp_path: Path) -> Path:
    """A desktop part with every event."""
    _cpu(tmp_path, 0, 0)
    _unit(tmp_path, "0", "energy-cores", "energy-pkg", "energy-ram", "energy-gpu", "energy-psys")
    return tmp_path


def test_the_tree_of_a_desktop_part(client: Path) -> None:
    """The platform holds package and memory, and the package holds cores and graphics."""
    survey = _meter(client).survey()
    assert survey.reason is None
    assert {domain.id: (domain.kind, domain.parent) for domain in survey.domains} == {
        "power/energy-psys/cpu0": (DomainKind.PSYS, None),
        "power/energy-pkg/cpu0": (DomainKind.PACKAGE, "power/energy-psys/cpu0"),
        "power/energy-cores/cpu0": (DomainKind.CORE, "power/energy-pkg/cpu0"),
        "power/energy-gpu/cpu0": (DomainKind.UNCORE, "power/energy-pkg/cpu0"),
        "power/energy-ram/cpu0": (DomainKind.DRAM, "power/energy-psys/cpu0"),
    }
    seen: set[str | None] = {None}
    for domain in survey.domains:
        assert domain.parent in seen
        seen.add(domain.id)


def test_every_socket_has_its_own_domains(tmp_path: Path) -> None:
    """Each event has a domain for each CPU of the mask, with the package from the topology."""
    _cpu(tmp_path, 0, 0)
    _cpu(tmp_path, 28, 1)
    _unit(tmp_path, "0,28", "energy-pkg", "energy-psys", "energy-ram")
    domains = _by_id(_meter(tmp_path).survey())
    assert {domain.id: (domain.package, domain.parent) for domain in domains.values()} == {
        "power/energy-psys/cpu0": (0, None),
        "power/energy-psys/cpu28": (1, "power/energy-psys/cpu0"),
        "power/energy-pkg/cpu0": (0, "power/energy-psys/cpu0"),
        "power/energy-pkg/cpu28": (1, "power/energy-psys/cpu28"),
        "power/energy-ram/cpu0": (0, "power/energy-psys/cpu0"),
        "power/energy-ram/cpu28": (1, "power/energy-psys/cpu28"),
    }


def test_cores_of_amd_belong_to_the_package_of_their_cpu(tmp_path: Path) -> None:
    """`power_core` counts each core; the package is found by the socket, not by the CPU."""
    for cpu, package in ((0, 0), (1, 0), (2, 1), (3, 1)):
        _cpu(tmp_path, cpu, package, die=cpu)
    _unit(tmp_path, "0,2", "energy-pkg")
    _unit(tmp_path, "0-3", "energy-core", unit="power_core", unit_type=26)
    kernel = Kernel()
    survey = _meter(tmp_path, kernel).survey()
    parents = {
        domain.id: domain.parent for domain in survey.domains if domain.kind is DomainKind.CORE
    }
    assert parents == {
        "power_core/energy-core/cpu0": "power/energy-pkg/cpu0",
        "power_core/energy-core/cpu1": "power/energy-pkg/cpu0",
        "power_core/energy-core/cpu2": "power/energy-pkg/cpu2",
        "power_core/energy-core/cpu3": "power/energy-pkg/cpu2",
    }
    assert (26, 1, 3) in kernel.opened
    assert survey.facts["units"] == ["power", "power_core"]


def test_a_core_belongs_to_its_die_where_dies_count_apart(tmp_path: Path) -> None:
    """Of two packages of one socket, the package on the core's own die contains the core."""
    for cpu, die in ((0, 0), (4, 1), (5, 1)):
        _cpu(tmp_path, cpu, 0, die)
    _unit(tmp_path, "0,4", "energy-pkg", "energy-cores")
    _unit(tmp_path, "5", "energy-core", unit="power_core")
    domains = _by_id(_meter(tmp_path).survey())
    assert domains["power_core/energy-core/cpu5"].parent == "power/energy-pkg/cpu4"
    assert domains["power/energy-cores/cpu4"].parent == "power/energy-pkg/cpu4"


def test_dies_are_numbered_where_the_unit_asks_each(tmp_path: Path) -> None:
    """A package with one CPU in the mask is metered whole; the platform is of no die."""
    for cpu, package, die in ((0, 0, 0), (4, 0, 1), (8, 1, 1)):
        _cpu(tmp_path, cpu, package, die)
    _unit(tmp_path, "0,4,8", "energy-pkg", "energy-ram", "energy-psys")
    domains = _by_id(_meter(tmp_path).survey())
    assert {domain.id: domain.die for domain in domains.values()} == {
        "power/energy-psys/cpu0": None,
        "power/energy-psys/cpu4": None,
        "power/energy-psys/cpu8": None,
        "power/energy-pkg/cpu0": 0,
        "power/energy-pkg/cpu4": 1,
        "power/energy-pkg/cpu8": None,
        "power/energy-ram/cpu0": 0,
        "power/energy-ram/cpu4": 1,
        "power/energy-ram/cpu8": None,
    }


def test_cores_counted_one_by_one_make_no_dies(tmp_path: Path) -> None:
    """AMD's chiplets have die numbers, and the package has one counter."""
    for cpu in (0, 1):
        _cpu(tmp_path, cpu, 0, die=cpu)
    _unit(tmp_path, "0", "energy-pkg")
    _unit(tmp_path, "0-1", "energy-core", unit="power_core", unit_type=26)
    assert {domain.die for domain in _meter(tmp_path).survey().domains} == {None}


def test_the_record_has_limits_and_what_is_known_of_their_truth(client: Path) -> None:
    """Limits are powercap's, which all users may read; a processor that models is noted."""
    zone = client / "sys/class/powercap/intel-rapl:0"
    zone.mkdir(parents=True)
    (zone / "constraint_0_power_limit_uw").write_text("65000000\n")
    (client / "proc").mkdir()
    (client / "proc/cpuinfo").write_text(
        "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 58\nflags\t\t: fpu\n"
    )
    survey = _meter(client).survey()
    assert survey.facts["power_limits"] == {"intel-rapl:0": [{"power_limit_w": 65.0}]}
    assert survey.facts["modelled_by_processor"] is True
    assert survey.facts["sgx"] is False
    assert "unknown" in survey.facts["energy_filter"]
    json.dumps(dict(survey.facts), allow_nan=False)
    notes = {domain.kind: domain.note or "" for domain in survey.domains}
    assert all("from a model" in note for note in notes.values())
    assert "memory, which" in notes[DomainKind.DRAM]


def test_one_count_is_what_the_scale_file_says(client: Path) -> None:
    """A count is 2^-32 J; a step is the hardware's usual step at the least, or a joule for psys."""
    domains = _meter(client).survey().domains
    assert {domain.per_count for domain in domains} == {2.0**-32}
    assert {domain.kind: domain.resolution for domain in domains} == {
        DomainKind.PSYS: 1.0,
        DomainKind.PACKAGE: 2.0**-14,
        DomainKind.CORE: 2.0**-14,
        DomainKind.UNCORE: 2.0**-14,
        DomainKind.DRAM: 2.0**-14,
    }


def test_the_step_comes_from_powercap_where_it_is_there(client: Path) -> None:
    """The step comes from powercap's range files, which all users may read, unlike its counters."""
    zone = client / "sys/class/powercap/intel-rapl:0"
    zone.mkdir(parents=True)
    (zone / "name").write_text("package-0\n")
    (zone / "max_energy_range_uj").write_text(f"{(2**32 - 1) * 15_258 // 1000}\n")
    package = _by_id(_meter(client).survey())["power/energy-pkg/cpu0"]
    assert package.resolution == pytest.approx(15.258e-6, rel=1e-6)


def test_the_kernels_timer_bounds_the_gap_between_reads(client: Path) -> None:
    """A 64-bit count never wraps, and must still be read every minute."""
    assert {domain.longest_gap_s for domain in _meter(client).survey().domains} == {LONGEST_GAP_S}


def test_reading_opens_once_and_closing_closes(client: Path) -> None:
    """The count runs from the first reading on; nothing stays open after close."""
    kernel = Kernel()
    meter = _meter(client, kernel)
    first = meter.read("power/energy-pkg/cpu0")
    assert kernel.opened == [(25, 2, 0)]
    kernel.counters[0].value = 1 << 40
    second = meter.read("power/energy-pkg/cpu0")
    assert (first.counts, second.counts) == (0, 1 << 40)
    assert first.before_ns < first.after_ns < second.before_ns < second.after_ns
    assert len(kernel.opened) == 1
    meter.close()
    meter.close()
    assert not kernel.counters[0].open


def test_the_survey_keeps_nothing_open(client: Path) -> None:
    """Each event that is tried is closed again."""
    kernel = Kernel()
    _meter(client, kernel).survey()
    assert len(kernel.counters) == 5
    assert not any(counter.open for counter in kernel.counters)


@pytest.mark.parametrize(
    ("number", "fault"),
    [
        (errno.EACCES, Fault.PERMISSION),
        (errno.EPERM, Fault.PERMISSION),
        (errno.ENODEV, Fault.VANISHED),
        (errno.EIO, Fault.UNREADABLE),
    ],
)
def test_trouble_with_an_event_has_its_fault(client: Path, number: int, fault: Fault) -> None:
    """Each error of the system on a reading becomes a fault with a sentence."""
    with pytest.raises(MeterError) as opening:
        _meter(client, Kernel(number)).read("power/energy-pkg/cpu0")
    kernel = Kernel()
    meter = _meter(client, kernel)
    meter.read("power/energy-pkg/cpu0")
    kernel.counters[0].error = number
    with pytest.raises(MeterError) as reading:
        meter.read("power/energy-pkg/cpu0")
    assert (opening.value.fault, reading.value.fault) == (fault, fault)


def test_an_event_that_is_not_there_is_vanished(client: Path) -> None:
    """A wrong name of an event is a fault with a sentence, not a KeyError."""
    with pytest.raises(MeterError, match="no event") as raised:
        _meter(client).read("power/energy-pkg/cpu9")
    assert raised.value.fault is Fault.VANISHED


def test_without_the_right_the_remedy_names_the_value(
    client: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The remedy is the value 0 of the setting, or the capability for this Python."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    (client / "proc/sys/kernel").mkdir(parents=True)
    paranoid = client / "proc/sys/kernel/perf_event_paranoid"
    paranoid.write_text("2\n")
    survey = _meter(client, Kernel(errno.EACCES)).survey()
    assert survey.domains == ()
    assert len(survey.refused) == 5
    assert "perf_event_paranoid is 2" in (survey.reason or "")
    assert (survey.remedy or "").startswith("sudo sysctl kernel.perf_event_paranoid=0")
    assert "setcap cap_perfmon=ep" in (survey.remedy or "")
    paranoid.write_text("-1\n")
    sandboxed = _meter(client, Kernel(errno.EACCES)).survey()
    assert "container" in (sandboxed.reason or "")
    assert sandboxed.remedy is None


def test_one_refused_event_leaves_the_others(client: Path) -> None:
    """A psys that the kernel lists and cannot open is refused; the package then has no parent."""
    survey = _meter(client, Kernel(errno.EINVAL, only_config=5)).survey()
    assert survey.reason is None
    assert [refusal.what for refusal in survey.refused] == ["power/energy-psys/cpu0"]
    assert _by_id(survey)["power/energy-pkg/cpu0"].parent is None


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("events/energy-pkg", "umask=0x02"),
        ("events/energy-pkg.unit", "Watts"),
        ("events/energy-pkg.scale", "0"),
        ("events/energy-pkg.scale", "fine"),
        ("cpumask", "0-"),
        ("cpumask", ""),
        ("type", "power"),
    ],
)
def test_a_garbled_description_is_refused(tmp_path: Path, file: str, text: str) -> None:
    """No count is given a scale that the kernel did not state."""
    (_unit(tmp_path, "0", "energy-pkg") / file).write_text(text)
    survey = _meter(tmp_path).survey()
    assert survey.domains == ()
    assert len(survey.refused) == 1
    assert survey.refused[0].what in (survey.reason or "")


def test_an_event_of_an_unknown_name_is_a_rail_in_its_package(tmp_path: Path) -> None:
    """An event that a later kernel adds is shown as a rail, and counts as part of the package."""
    _unit(tmp_path, "0", "energy-pkg", "energy-new")
    rail = _by_id(_meter(tmp_path).survey())["power/energy-new/cpu0"]
    assert rail.kind is DomainKind.RAIL
    assert rail.parent == "power/energy-pkg/cpu0"
    assert "unknown name" in (rail.note or "")


def test_without_the_unit_the_reason_is_the_machines(tmp_path: Path) -> None:
    """The reason names a virtual machine as such; elsewhere the remedy names the module."""
    (tmp_path / "proc").mkdir()
    cpuinfo = tmp_path / "proc/cpuinfo"
    cpuinfo.write_text("vendor_id\t: AuthenticAMD\nflags\t\t: fpu hypervisor\n")
    assert "virtual machine" in (_meter(tmp_path).survey().reason or "")
    cpuinfo.write_text("vendor_id\t: AuthenticAMD\nflags\t\t: fpu\n")
    assert _meter(tmp_path).survey().remedy == "sudo modprobe rapl"
    (tmp_path / "proc/sys/kernel").mkdir(parents=True)
    release = tmp_path / "proc/sys/kernel/osrelease"
    release.write_text("5.7.19\n")
    assert "perf events since Linux 5.8" in (_meter(tmp_path).survey().reason or "")
    assert _meter(tmp_path).survey().remedy == "install Linux 5.8 or later"
    release.write_text("5.8.0\n")
    assert _meter(tmp_path).survey().remedy == "sudo modprobe rapl"


def test_a_simulated_tree_never_asks_the_real_kernel(client: Path) -> None:
    """A simulated tree opens no real event: its numbers would be other events of this machine."""
    (client / "sys" / SIMULATED_MARK).touch()
    roots = Roots(sysfs=client / "sys", proc=client / "proc")
    real = PerfPower(roots)
    assert real.evidence() is Evidence.SIMULATED
    assert "simulated" in (real.survey().reason or "")
    with pytest.raises(MeterError, match="simulated"):
        real.read("power/energy-pkg/cpu0")
    assert PerfPower(roots, Kernel()).survey().reason is None


def test_lists_of_cpus_are_read_as_the_kernel_writes_them() -> None:
    """A list of CPUs has single numbers and ranges, and is read in the order given."""
    assert parse_cpus("0-2,28", Path("cpumask")) == [0, 1, 2, 28]
    with pytest.raises(MeterError, match="no list of CPUs"):
        parse_cpus("5-2", Path("cpumask"))
    with pytest.raises(MeterError, match="no list of CPUs"):
        parse_cpus("0-99999999", Path("cpumask"))


def test_a_counter_reads_eight_bytes_and_notices_the_end() -> None:
    """A count has 64 bits; reading an event that is gone, or a closed counter, is an error."""
    reader, writer = os.pipe()
    counter = PerfCounter(reader)
    os.write(writer, (2**63 + 5).to_bytes(8, "little"))
    assert counter.count() == 2**63 + 5
    os.close(writer)
    with pytest.raises(OSError, match="gone") as gone:
        counter.count()
    assert gone.value.errno == errno.ENODEV
    counter.close()
    counter.close()
    with pytest.raises(OSError, match="closed"):
        counter.count()


def test_the_system_call_opens_a_software_event_or_says_why_not() -> None:
    """PERF_COUNT_SW_CPU_CLOCK opens if the system permits; a type that no unit has is refused."""
    cpu = min(os.sched_getaffinity(0))
    try:
        counter = open_counter(1, 0, cpu)
    except OSError as error:
        assert error.errno in {errno.EACCES, errno.EPERM, errno.ENOSYS}  # noqa: PT017
        return
    first = counter.count()
    assert counter.count() > first >= 0
    counter.close()
    with pytest.raises(OSError, match=r".") as unknown:
        open_counter(2**31 - 1, 2, cpu)
    assert unknown.value.errno == errno.ENOENT


def test_the_meter_takes_no_argument() -> None:
    """`perf-power:x` is refused, because it would do the same as `perf-power`."""
    with pytest.raises(UsageError, match="takes no argument"):
        perf_power.make(Roots(), "x")
    assert perf_power.make(Roots(), None).title == perf_power.TITLE
