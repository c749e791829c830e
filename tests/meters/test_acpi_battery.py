# SPDX-License-Identifier: Apache-2.0
"""The battery meter of Westermann 2010 on the file that its figure 1 shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from joulemark.errors import UsageError
from joulemark.meters import MeterError, Roots
from joulemark.meters.instruments.acpi_battery import PREFERENCE, AcpiBatteryMeter, make
from joulemark.records.energy_window import Fault, Quantity

FIGURE_1 = """\
present:                 yes
capacity state:          ok
charging state:          discharging
present rate:            1620 mW
remaining capacity:      2299 mWh
present voltage:         11391 mV
"""
"""The file of figure 1 in Westermann et al. 2010."""


def meter(root: Path, text: str, argument: str | None = None, info: str = "") -> AcpiBatteryMeter:
    """The meter on a tree with one battery."""
    folder = root / "acpi" / "battery" / "BAT0"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "state").write_text(text)
    (folder / "info").write_text(info)
    return make(Roots(proc=root), argument)


def test_a_file_in_place_of_the_folder_is_no_battery(tmp_path: Path) -> None:
    """A tree that is no proc is refused like an empty one."""
    (tmp_path / "acpi").mkdir()
    (tmp_path / "acpi" / "battery").write_text("")
    assert make(Roots(proc=tmp_path), None).survey().reason is not None


def test_label_is_believed_without_an_argument(tmp_path: Path) -> None:
    """As labelled, figure 1 says 1.62 W and 2299 mWh."""
    acpi_battery_meter = meter(tmp_path, FIGURE_1)
    power, energy = acpi_battery_meter.survey().domains
    assert acpi_battery_meter.read(power.id).counts * power.per_count == pytest.approx(1.62)
    assert acpi_battery_meter.read(energy.id).counts * energy.per_count == pytest.approx(2299 * 3.6)
    assert (energy.quantity, energy.falls, energy.same_as) == (Quantity.ENERGY, True, power.id)
    assert PREFERENCE is None


def test_the_papers_reading_multiplies_by_the_voltage(tmp_path: Path) -> None:
    """With rate=mA figure 1 is 1.62 A at 11.391 V, 18.45 W, and the capacity is a charge."""
    acpi_battery_meter = meter(tmp_path, FIGURE_1, "rate=mA")
    survey = acpi_battery_meter.survey()
    assert [domain.id for domain in survey.domains] == ["BAT0:power"]
    assert acpi_battery_meter.read("BAT0:power").counts == 18_453_420
    assert "no energy" in survey.refused[0].reason
    with pytest.raises(MeterError, match="no energy"):
        acpi_battery_meter.read("BAT0:energy")
    assert survey.facts == {"rate_label": {"BAT0": "mW"}, "rate_override": "mA"}


def test_label_of_milliamperes_multiplies_too(tmp_path: Path) -> None:
    """A file that says mA needs no argument, and rate=mW overrides it."""
    text = FIGURE_1.replace("mWh", "mAh").replace("mW", "mA")
    assert meter(tmp_path, text).read("BAT0:power").counts == 18_453_420
    assert meter(tmp_path, text, "rate=mW").read("BAT0:power").counts == 1_620_000


def test_state_is_spelt_as_in_sysfs(tmp_path: Path) -> None:
    """The analysis knows one spelling: Discharging."""
    assert meter(tmp_path, FIGURE_1).read("BAT0:power").state == "Discharging"


def test_stated_granularity_is_the_step(tmp_path: Path) -> None:
    """The larger granularity in `info` is the resolution; without one it is 36 J."""
    info = "capacity granularity 1:  264 mWh\ncapacity granularity 2:  3780 mWh\n"
    assert meter(tmp_path, FIGURE_1, info=info).survey().domains[1].resolution == 3780 * 3.6
    assert meter(tmp_path, FIGURE_1).survey().domains[1].resolution == 36


@pytest.mark.parametrize("line", ["present rate", "remaining capacity"])
def test_unknown_is_unreadable_and_no_zero(tmp_path: Path, line: str) -> None:
    """The word `unknown` in the place of a number is UNREADABLE, and not 0."""
    lines = [
        f"{line}:   unknown" if literal_string.startswith(line) else literal_string
        for literal_string in FIGURE_1.splitlines()
    ]
    acpi_battery_meter = meter(tmp_path, "\n".join(lines))
    with pytest.raises(MeterError, match="'unknown'") as caught:
        acpi_battery_meter.read("BAT0:power" if line == "present rate" else "BAT0:energy")
    assert caught.value.fault is Fault.UNREADABLE


def test_missing_line_is_named(tmp_path: Path) -> None:
    """A file without voltage cannot give power from a current."""
    text = FIGURE_1.replace("present voltage", "design voltage")
    with pytest.raises(MeterError, match="has no line 'present voltage'"):
        meter(tmp_path, text, "rate=mA").read("BAT0:power")


def test_charging_and_absent_batteries_are_refused(tmp_path: Path) -> None:
    """A charging battery is refused with the remedy to unplug it, an empty bay as none."""
    survey = meter(tmp_path, FIGURE_1.replace("discharging", "charging")).survey()
    assert survey.reason == "BAT0 does not feed the machine alone: it says Charging"
    assert survey.remedy == "unplug the charger and let the battery feed the machine"
    survey = meter(tmp_path, FIGURE_1.replace("discharging", "charged")).survey()
    assert (survey.reason or "").endswith("it says Charged")
    assert survey.remedy is None, "nothing is known to be plugged in"
    survey = meter(tmp_path, "present:     no\n").survey()
    assert survey.reason is not None
    assert survey.domains == ()


def test_an_adapter_beside_a_discharging_battery_is_named(tmp_path: Path) -> None:
    """A weak adapter feeds the machine too; it is a folder beside the batteries."""
    battery = meter(tmp_path, FIGURE_1)
    adapter = tmp_path / "acpi" / "ac_adapter" / "AC"
    adapter.mkdir(parents=True)
    for state, online in (("on-line", True), ("off-line", False)):
        (adapter / "state").write_text(f"state:                   {state}\n")
        survey = battery.survey()
        assert (
            survey.remedy == "unplug the mains adapter and let the battery feed the machine"
        ) is online
        assert (survey.reason is None) is not online
        assert battery.read("BAT0:power").state == (
            "Discharging, mains online" if online else "Discharging"
        )


def test_a_battery_that_charges_another_is_refused(tmp_path: Path) -> None:
    """It gives more than the machine uses."""
    battery = meter(tmp_path, FIGURE_1)
    other = tmp_path / "acpi" / "battery" / "BAT1"
    other.mkdir()
    for state, alone in (("charging", False), ("charged", True)):
        text = FIGURE_1.replace("discharging", state)
        (other / "state").write_text(text)
        assert (battery.read("BAT0:power").state == "Discharging") is alone
        assert bool(battery.survey().domains) is alone


def test_machine_of_today_points_to_the_other_meter(tmp_path: Path) -> None:
    """Without /proc/acpi/battery the reason names the meter battery."""
    reason = make(Roots(proc=tmp_path), None).survey().reason
    assert reason is not None
    assert "meter battery" in reason
    with pytest.raises(MeterError) as caught:
        make(Roots(proc=tmp_path), None).read("BAT0:power")
    assert caught.value.fault is Fault.VANISHED


@pytest.mark.parametrize("argument", ["", "rate", "rate=W", "rate=ma", "x"])
def test_bad_argument_is_refused(tmp_path: Path, argument: str) -> None:
    """Only rate=mA and rate=mW are arguments."""
    with pytest.raises(UsageError, match="rate=mA or rate=mW"):
        make(Roots(proc=tmp_path), argument)


@pytest.mark.parametrize("domain", ["BAT0", "BAT0:state", "../BAT0:power", "BAT0/..:power"])
def test_unknown_domain_is_an_error(tmp_path: Path, domain: str) -> None:
    """Only batteries of the tree are read."""
    with pytest.raises(MeterError, match="no battery domain"):
        meter(tmp_path, FIGURE_1).read(domain)


FIELD = st.sampled_from(FIGURE_1.splitlines()) | st.text(max_size=30)


@given(lines=st.lists(FIELD, max_size=8), number=st.text(max_size=12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_text_gives_a_count_or_a_meter_error(
    tmp_path: Path, lines: list[str], number: str
) -> None:
    """For any text in a file, a reading is at least 0 or a MeterError."""
    text = "\n".join(lines).replace("1620", number).encode("utf-8", "replace").decode("utf-8")
    for argument in (None, "rate=mA"):
        acpi_battery_meter = meter(tmp_path, text, argument)
        acpi_battery_meter.survey()
        for what in ("power", "energy"):
            try:
                assert acpi_battery_meter.read(f"BAT0:{what}").counts >= 0
            except MeterError:
                continue
