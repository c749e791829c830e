# SPDX-License-Identifier: Apache-2.0
"""Pitfalls of access: counters that may not be read, do not exist, or vanish.

The pitfalls are those of the survey's section "RAPL semantics", part "Access", and of the tools it
names: a meter that may not be read gave 0, None or a guess.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest
from pitfalls import (
    LOAD_W,
    PACKAGE,
    Taken,
    bench_of,
    contains_truth,
    fault,
    folder,
    judged,
    package,
    prepared_on,
    run_on,
    why_void,
)

from joulemark.analyse import DomainEnergy
from joulemark.errors import UnavailableError
from joulemark.judging.void import VoidReason
from joulemark.measure.meter_choice import choose_meter, no_meter_sentence
from joulemark.meters import Roots
from joulemark.meters.instruments import instruments
from joulemark.meters.instruments.perf_power import PerfPower
from joulemark.meters.instruments.powercap import Powercap
from joulemark.meters.simulated import FaultKind, SimulatedFault

NOBODY = 65534
CORE = "intel-rapl:0:0"
NOWHERE = (None, None)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Runs as a user without rights, since root may read any file whatever its mode."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)


def cpu(root: Path, vendor: str, flags: str) -> Roots:
    """A machine without any counter."""
    (root / "proc").mkdir()
    (root / "sys").mkdir()
    (root / "proc/cpuinfo").write_text(f"processor\t: 0\nvendor_id\t: {vendor}\nflags\t: {flags}\n")
    return Roots(root / "sys", root / "proc")


def without_figure(energy: DomainEnergy, reason: str) -> None:
    """Fails unless every figure is missing, with this reason."""
    for name in ("joules_per_message", "gross_joules_per_message", "watts", "net_watts"):
        assert getattr(energy, name) is None
        assert reason in energy.reasons[name].sentence


def test_pitfall_permission_denied_is_not_zero_joules() -> None:
    """Tools showed 0 or None without root: a counter for root alone refuses the whole run."""
    with (
        bench_of(package(), faults=[fault(FaultKind.PERMISSION, 0.0)]) as bench,
        pytest.raises(UnavailableError, match=r"may not read|only root"),
    ):
        prepared_on(bench)


def test_pitfall_energy_files_are_for_root_alone() -> None:
    """Since CVE-2020-8694 only root may read: the reason says so, and the remedy is a command."""
    with bench_of(package()) as bench:
        bench.root.chmod(0o755)
        counter = bench.world.roots.sysfs / "class/powercap" / PACKAGE / "energy_uj"
        counter.chmod(0)
        with as_nobody():
            survey = Powercap(bench.world.roots).survey()
    assert survey.domains == ()
    assert "CVE-2020-8694" in (survey.reason or "")
    assert (survey.remedy or "").startswith("sudo chgrp ")
    assert [refusal.what for refusal in survey.refused] == [PACKAGE]


def test_pitfall_permission_lost_in_a_window_voids_it() -> None:
    """A right that is taken away while measuring gives no energy, and says which right."""
    with bench_of(package(), faults=[fault(FaultKind.PERMISSION, 0.5)]) as bench:
        assert why_void(judged(bench, 1.0)) is VoidReason.PERMISSION


def test_pitfall_file_vanishing_in_a_window_voids_it() -> None:
    """A counter that goes away while measuring gives no energy."""
    with bench_of(package(), faults=[fault(FaultKind.VANISH, 0.5)]) as bench:
        assert why_void(judged(bench, 1.0)) is VoidReason.VANISHED


def _taken(befalls: SimulatedFault) -> Taken:
    with bench_of(package(), faults=[befalls]) as bench:
        return run_on(bench, bench.record(bench.domains(), 0.2, headline=PACKAGE))


@pytest.mark.parametrize("kind", [FaultKind.PERMISSION, FaultKind.VANISH, FaultKind.STUCK])
def test_pitfall_meter_lost_in_a_run_gives_no_zeros(kind: FaultKind) -> None:
    """Windows before the loss stand; a counter lost before the first window gives no figure."""
    early = _taken(fault(kind, 0.0001)).of()
    word = {FaultKind.PERMISSION: "permission denied", FaultKind.VANISH: "vanished"}
    without_figure(early, word.get(kind, "stuck"))
    assert early.windows_void == {word.get(kind, "stuck"): 4}
    late = _taken(fault(kind, 1.5)).of()
    assert late.windows_kept < 4
    assert sum(late.windows_void.values()) == 4 - late.windows_kept
    assert contains_truth(late.watts, 50.0)


def test_pitfall_missing_package_is_not_replaced_by_a_part() -> None:
    """A part would look cheaper: the part shown instead is named, and so is the missing package."""
    core = package(CORE, name="core", static_w=4.0)
    with bench_of(package(), core, faults=[fault(FaultKind.PERMISSION, 0.0)]) as bench:
        survey = bench.meter.survey()
        taken = run_on(bench, prepared_on(bench, place=NOWHERE).record)
    assert [refusal.what for refusal in survey.refused] == [PACKAGE]
    assert taken.of().kind == "core"
    assert contains_truth(taken.of().watts, 44.0)


def test_pitfall_virtual_machines_have_no_counters() -> None:
    """A guest without RAPL is told that its host does not pass it on, and is not measured."""
    with folder() as root:
        roots = cpu(root, "GenuineIntel", "fpu hypervisor")
        survey = Powercap(roots).survey()
        assert "virtual machine" in (survey.reason or "")
        with pytest.raises(UnavailableError, match="virtual machine"):
            choose_meter("powercap", roots, NOWHERE)


@pytest.mark.parametrize(("release", "module_missing"), [("5.4.0-42", False), ("6.1.0-9", True)])
def test_pitfall_kernel_older_than_its_support(release: str, module_missing: bool) -> None:
    """Powercap knows AMD processors since Linux 5.11: an older kernel is named as the reason."""
    with folder() as root:
        roots = cpu(root, "AuthenticAMD", "fpu")
        (root / "proc/sys/kernel").mkdir(parents=True)
        (root / "proc/sys/kernel/osrelease").write_text(f"{release}\n")
        survey = Powercap(roots).survey()
    assert ("since 5.11" in (survey.reason or "")) is not module_missing
    assert ("5.11" in (survey.remedy or "")) is not module_missing
    assert ("modprobe" in (survey.remedy or "")) is module_missing


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        ("fpu", "no energy meter on this machine (joulemark doctor has the list)"),
        (
            "fpu hypervisor",
            "no energy meter in this virtual machine (joulemark doctor has the list)",
        ),
    ],
)
def test_pitfall_machine_that_cannot_measure_says_so_plainly(flags: str, says: str) -> None:
    """A machine without a working meter gets one short sentence, and nothing is guessed."""
    with folder() as root:
        assert no_meter_sentence(cpu(root, "GenuineIntel", flags)) == says


def test_pitfall_counter_that_is_forbidden_is_not_called_absent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A meter that is there and not readable has a remedy, and the sentence says so."""
    with folder() as root:
        root.chmod(0o755)
        roots = cpu(root, "GenuineIntel", "fpu")
        zone = root / "sys/class/powercap/intel-rapl:0"
        zone.mkdir(parents=True)
        (zone / "name").write_text("package-0\n")
        (zone / "energy_uj").write_text("1\n")
        (zone / "energy_uj").chmod(0)
        found = instruments()  # from a folder that nobody may not be allowed to list
        monkeypatch.setattr("joulemark.measure.meter_choice.instruments", lambda: found)
        with as_nobody():
            sentence = no_meter_sentence(roots)
    assert sentence == (
        "no energy meter on this machine may be read by this user (joulemark doctor has the remedy)"
    )


def test_pitfall_perf_events_need_a_right_of_the_whole_cpu() -> None:
    """RAPL events are of a CPU, not of a task: without the right the setting is named."""

    def forbidden(*_: int) -> NoReturn:
        raise PermissionError(errno.EACCES, "Permission denied")

    with folder() as root:
        root.chmod(0o755)
        roots = cpu(root, "GenuineIntel", "fpu")
        events = root / "sys/bus/event_source/devices/power/events"
        events.mkdir(parents=True)
        said = {"": "event=0x02", ".unit": "Joules", ".scale": "2.3e-10"}
        for name, text in said.items():
            (events / f"energy-pkg{name}").write_text(f"{text}\n")
        (events.parent / "type").write_text("25\n")
        (events.parent / "cpumask").write_text("0\n")
        (root / "proc/sys/kernel").mkdir(parents=True)
        (root / "proc/sys/kernel/perf_event_paranoid").write_text("2\n")
        with as_nobody():
            survey = PerfPower(roots, forbidden).survey()
    assert survey.domains == ()
    assert "perf_event_paranoid is 2" in (survey.reason or "")
    assert "sysctl kernel.perf_event_paranoid=0" in (survey.remedy or "")


def test_pitfall_counter_named_explicitly_is_never_exchanged() -> None:
    """A meter that the user names and that cannot be used is an error, not replaced in silence."""
    with bench_of(package()) as bench:
        for name in ("battery", "perf-power"):
            with pytest.raises(UnavailableError, match=f"the meter {name} cannot be used here"):
                choose_meter(name, bench.world.roots, NOWHERE)
        assert choose_meter(None, bench.world.roots, NOWHERE).name == "powercap"


def test_pitfall_counter_is_read_anew_each_time() -> None:
    """A file held open may show its last value for ever: one that went away is noticed."""
    with bench_of(package()) as bench:
        meter = Powercap(bench.world.roots)
        first = meter.survey().domains[0]
        before = meter.read(first.id).counts
        bench.world.run_load(50_000_000, LOAD_W)
        assert meter.read(first.id).counts - before == pytest.approx(2_500_000, rel=0.05)
