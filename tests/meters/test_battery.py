# SPDX-License-Identifier: Apache-2.0
"""The battery meter on trees like those of real drivers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from joulemark.errors import UsageError
from joulemark.judging.void import external_power
from joulemark.meters import SIMULATED_MARK, MeterError, Roots
from joulemark.meters.instruments.battery import PREFERENCE, BatteryMeter, make
from joulemark.records.energy_window import DomainKind, Fault, Quantity
from joulemark.records.figures import Evidence

ENERGY_BATTERY = {"type": "Battery", "scope": "System", "present": "1", "status": "Discharging",
                  "power_now": "9876000", "energy_now": "31250000", "manufacturer": "SMP",
                  "serial_number": "1234"}  # fmt: skip
"""Files of ACPI drivers on machines that count in mW."""
CHARGE_BATTERY = {"type": "Battery", "status": "Discharging", "current_now": "-1620000",
                  "voltage_now": "11391000", "charge_now": "2299000"}  # fmt: skip
"""Files of drivers on machines that count in mA; the values are of Westermann 2010."""


def supply(root: Path, name: str, files: dict[str, str]) -> Path:
    """One folder of the power supply class."""
    folder = root / "class" / "power_supply" / name
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        (folder / file).write_text(f"{text}\n")
    return folder


def meter(root: Path) -> BatteryMeter:
    """The meter on a tree, with a clock that counts its calls."""
    ticks = iter(range(1, 1000))
    return make(Roots(sysfs=root, now_ns=lambda: next(ticks)), None)


@contextmanager
def nobody() -> Iterator[None]:
    """Runs as a user without rights if the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def traversable(folder: Path) -> None:
    """Lets other users walk from the root down to a temporary folder."""
    for parent in (folder, *folder.parents):
        if parent.stat().st_mode & 0o055 != 0o055:
            parent.chmod(parent.stat().st_mode | 0o055)


def test_power_and_energy_are_the_same_hardware(tmp_path: Path) -> None:
    """A battery is one gauge in microwatts and one falling counter in 3.6 mJ, never added."""
    supply(tmp_path, "BAT0", ENERGY_BATTERY)
    power, energy = meter(tmp_path).survey().domains
    assert (power.id, power.kind, power.quantity) == (
        "BAT0:power_now", DomainKind.BATTERY, Quantity.POWER,
    )  # fmt: skip
    assert (energy.quantity, energy.falls, energy.same_as) == (Quantity.ENERGY, True, power.id)
    assert power.per_count == 1e-6
    assert energy.per_count == 3.6e-3
    assert energy.resolution == 36
    assert power.update_period_s is None
    assert PREFERENCE == 20


def test_reading_brackets_the_count_and_carries_the_status(tmp_path: Path) -> None:
    """Counts are those of the files, between two readings of the clock."""
    supply(tmp_path, "BAT0", ENERGY_BATTERY)
    battery_meter = meter(tmp_path)
    assert battery_meter.read("BAT0:power_now").counts == 9_876_000
    found = battery_meter.read("BAT0:energy_now")
    assert (found.before_ns, found.after_ns) == (3, 4)
    assert (found.counts, found.state) == (31_250_000, "Discharging")


def test_negative_current_is_a_magnitude(tmp_path: Path) -> None:
    """1.62 A at 11.391 V are 18.453420 W, whatever sign the driver gives; charge is refused."""
    supply(tmp_path, "BAT1", CHARGE_BATTERY)
    battery_meter = meter(tmp_path)
    survey = battery_meter.survey()
    assert [domain.id for domain in survey.domains] == ["BAT1:current_now"]
    assert battery_meter.read("BAT1:current_now").counts == 18_453_420
    assert [refusal.what for refusal in survey.refused] == ["BAT1:charge_now"]
    assert "charge without its voltage is no energy" in survey.refused[0].reason


POWER_BATTERY = {name: text for name, text in ENERGY_BATTERY.items() if name != "energy_now"}
"""A battery whose driver counts neither energy nor charge."""


@pytest.mark.parametrize("status", ["Charging", "Full", "Not charging", "Unknown"])
@pytest.mark.parametrize("files", [ENERGY_BATTERY, CHARGE_BATTERY, POWER_BATTERY])
def test_not_discharging_is_a_reason(tmp_path: Path, files: dict[str, str], status: str) -> None:
    """A battery that does not discharge is refused by the survey and marked in a reading.

    That goes before what the driver lacks, which is among the refusals.
    """
    supply(tmp_path, "BAT0", {**files, "status": status})
    survey = meter(tmp_path).survey()
    assert survey.domains == ()
    assert survey.reason == f"BAT0 does not feed the machine alone: it says {status}"
    # Nothing is known to be plugged in, but for what charges it.
    advice = "unplug the charger and let the battery feed the machine"
    assert survey.remedy == (advice if status == "Charging" else None)
    assert len(survey.refused) == 2
    assert meter(tmp_path).read(survey.refused[0].what).state == status


@pytest.mark.parametrize(
    ("kinds", "says", "advice"),
    [
        (["Mains"], "mains", "unplug the mains adapter"),
        (["Wireless"], "wireless charger", "take the machine off the wireless charger"),
        (["USB_PD"], "USB charger", "unplug the USB charger"),
        (["USB", "USB_C"], "USB charger", "unplug the USB charger"),
        (["BrickID"], "BrickID adapter", "unplug the BrickID adapter"),
        (["Mains", "USB"], "mains and USB charger",
         "unplug the mains adapter and the USB charger"),
    ],
)  # fmt: skip
def test_the_advice_names_what_is_plugged_in(
    tmp_path: Path, kinds: list[str], says: str, advice: str
) -> None:
    """Whole words, and the adapter that is there: a wireless charger has no plug."""
    supply(tmp_path, "BAT0", ENERGY_BATTERY)
    for number, kind in enumerate(kinds):
        supply(tmp_path, f"S{number}", {"type": kind, "online": "1"})
    supply(tmp_path, "Z", {"type": "Mains", "online": "0"})
    survey = meter(tmp_path).survey()
    assert survey.reason == (
        f"BAT0 does not feed the machine alone: it says Discharging (online: {says})"
    )
    assert survey.remedy == f"{advice} and let the battery feed the machine"
    state = meter(tmp_path).read("BAT0:power_now").state
    assert state == f"Discharging, {says} online"
    void = external_power("BAT0", [state])
    assert void is not None
    assert void.text == f"BAT0 says {state}: it does not feed the machine alone; {advice}"


def test_a_battery_that_waits_has_no_advice(tmp_path: Path) -> None:
    """Of two batteries one discharges; the other says Not charging, and nothing is plugged in."""
    supply(tmp_path, "BAT0", ENERGY_BATTERY)
    supply(tmp_path, "BAT1", {**ENERGY_BATTERY, "status": "Not charging"})
    supply(tmp_path, "AC", {"type": "Mains", "online": "0"})
    survey = meter(tmp_path).survey()
    assert [domain.name for domain in survey.domains] == ["BAT0", "BAT0"]
    assert [refusal.remedy for refusal in survey.refused] == [None, None]
    assert survey.refused[0].reason == (
        "BAT1 does not feed the machine alone: it says Not charging"
    )


def test_a_battery_that_charges_another_is_refused(tmp_path: Path) -> None:
    """It gives more than the machine uses; without the other's charging it is a meter again."""
    supply(tmp_path, "BAT0", ENERGY_BATTERY)
    supply(tmp_path, "BAT1", {**ENERGY_BATTERY, "status": "Charging"})
    supply(tmp_path, "MOUSE", {**ENERGY_BATTERY, "status": "Charging", "scope": "Device"})
    assert meter(tmp_path).survey().refused[0].reason == (
        "BAT0 does not feed the machine alone: it says Discharging (BAT1 charging)"
    )
    state = meter(tmp_path).read("BAT0:power_now").state
    assert state == "Discharging, BAT1 charging"
    assert external_power("BAT0", [state]) is not None
    supply(tmp_path, "BAT1", {**ENERGY_BATTERY, "status": "Full"})
    assert meter(tmp_path).read("BAT0:power_now").state == "Discharging"


def test_a_long_status_is_cut_with_a_mark(tmp_path: Path) -> None:
    """A word that no kernel writes does not fill the screen, and is not taken for the whole."""
    supply(tmp_path, "BAT0", {**ENERGY_BATTERY, "status": "x" * 300})
    assert (meter(tmp_path).survey().reason or "").endswith(f"it says {'x' * 37}...")


def test_discharging_beside_a_weak_adapter_is_refused(tmp_path: Path) -> None:
    """With mains online the battery does not feed the machine alone, though it discharges."""
    supply(tmp_path, "BAT0", ENERGY_BATTERY)
    supply(tmp_path, "AC", {"type": "Mains", "online": "1"})
    assert meter(tmp_path).survey().reason is not None
    assert meter(tmp_path).read("BAT0:power_now").state == "Discharging, mains online"
    supply(tmp_path, "AC", {"type": "Mains", "online": "0"})
    assert meter(tmp_path).survey().reason is None
    assert meter(tmp_path).read("BAT0:power_now").state == "Discharging"


def test_battery_of_a_mouse_is_passed_over(tmp_path: Path) -> None:
    """Scope Device is not the machine's battery; a missing scope is."""
    supply(tmp_path, "hid-mouse", {**ENERGY_BATTERY, "scope": "Device"})
    survey = meter(tmp_path).survey()
    assert (survey.domains, survey.refused) == ((), ())
    assert survey.reason is not None
    assert "no battery" in survey.reason


def test_empty_bay_is_refused(tmp_path: Path) -> None:
    """A bay without battery is named as such."""
    supply(tmp_path, "BAT1", {**ENERGY_BATTERY, "present": "0"})
    assert meter(tmp_path).survey().reason == "BAT1 is an empty battery bay"


def test_unreadable_power_falls_back_and_says_so_in_the_id(tmp_path: Path) -> None:
    """Where power_now gives nothing, current times voltage has an id of its own."""
    supply(tmp_path, "BAT0", {**ENERGY_BATTERY, **CHARGE_BATTERY, "power_now": "n/a"})
    assert [domain.id for domain in meter(tmp_path).survey().domains] == [
        "BAT0:current_now",
        "BAT0:energy_now",
    ]
    with pytest.raises(MeterError, match="'n/a', which is no whole number"):
        meter(tmp_path).read("BAT0:power_now")


def test_vanished_battery_is_an_error_and_no_zero(tmp_path: Path) -> None:
    """A battery that was taken out has no reading."""
    folder = supply(tmp_path, "BAT0", ENERGY_BATTERY)
    battery_meter = meter(tmp_path)
    (folder / "power_now").unlink()
    with pytest.raises(MeterError) as caught:
        battery_meter.read("BAT0:power_now")
    assert caught.value.fault is Fault.VANISHED


def test_permission_is_named(tmp_path: Path) -> None:
    """Files that the user may not read are refused with that reason."""
    folder = supply(tmp_path, "BAT0", ENERGY_BATTERY)
    traversable(folder)
    (folder / "power_now").chmod(0)
    (folder / "energy_now").chmod(0)
    with nobody():
        survey = meter(tmp_path).survey()
    assert survey.domains == ()
    assert any("may not be read" in refusal.reason for refusal in survey.refused)
    folder.parent.chmod(0)
    with nobody():
        reason = meter(tmp_path).survey().reason
    folder.parent.chmod(0o755)
    assert reason is not None
    assert "may not be listed" in reason


def test_serial_number_is_no_fact(tmp_path: Path) -> None:
    """The serial number, which identifies the owner's device, is not stored with results."""
    supply(tmp_path, "BAT0", ENERGY_BATTERY)
    assert meter(tmp_path).survey().facts["BAT0"] == {"manufacturer": "SMP"}


def test_evidence_follows_the_mark(tmp_path: Path) -> None:
    """A marked tree is a test double."""
    assert meter(tmp_path).evidence() is Evidence.MEASURED
    (tmp_path / SIMULATED_MARK).touch()
    assert meter(tmp_path).evidence() is Evidence.SIMULATED


@pytest.mark.parametrize("domain", ["", "BAT0", "BAT0:status", "../x:power_now", "..:power_now"])
def test_unknown_domain_is_an_error(tmp_path: Path, domain: str) -> None:
    """Only domains that the survey can name are read, and no file outside the class."""
    supply(tmp_path, "BAT0", ENERGY_BATTERY)
    with pytest.raises(MeterError, match="no battery domain"):
        meter(tmp_path).read(domain)


def test_argument_is_refused(tmp_path: Path) -> None:
    """The meter takes no argument."""
    with pytest.raises(UsageError, match="takes no argument"):
        make(Roots(sysfs=tmp_path), "BAT0")


@given(text=st.text(alphabet=st.characters(codec="utf-8"), max_size=40), value=st.integers())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_text_gives_a_count_or_a_meter_error(tmp_path: Path, text: str, value: int) -> None:
    """For any text in files, a reading is at least 0 or a MeterError, and a survey returns."""
    for said in (text, str(value)):
        files = dict.fromkeys(("power_now", "current_now", "energy_now", "status"), said)
        supply(tmp_path, "BAT0", {"type": "Battery", "voltage_now": "12000000", **files})
        battery_meter = meter(tmp_path)
        battery_meter.survey()
        for source in ("power_now", "current_now", "energy_now"):
            try:
                assert battery_meter.read(f"BAT0:{source}").counts >= 0
            except MeterError:
                continue
