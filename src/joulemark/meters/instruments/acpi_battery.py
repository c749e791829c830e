# SPDX-License-Identifier: Apache-2.0
"""Battery power from /proc/acpi/battery, as kernels of about 2009 show it.

This is the instrument of Westermann et al. 2010 ("Comparison of the power consumption of the 2nd
round SHA-3 candidates", figure 1). Later kernels have these files only with the option
CONFIG_ACPI_PROCFS_POWER, and those of today not at all; the meter `battery` reads the same battery
there.

The paper found that its machine labelled a current as a power: `present rate` said mW and was mA,
so its authors multiplied rate by voltage. No file tells which unit is right. `acpi-battery:rate=mA`
or `rate=mW` overrides the label; without such an argument the label is believed. The label stems
from one field of ACPI (_BIF, power unit: 0 for mW and mWh, 1 for mA and mAh), so a rate in mA makes
the remaining capacity a charge in mAh; that is refused, since charge without voltage is no energy.

Because a wrong label is known to occur, this meter is used only when named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from joulemark.errors import UsageError
from joulemark.foreign import shortened
from joulemark.meters import (
    LONGEST_WORD,
    Meter,
    MeterError,
    MeterRefusal,
    Reading,
    Roots,
    Survey,
    evidence_of,
    read_text,
    text_or_none,
)
from joulemark.meters.instruments.battery import (
    ENERGY_STEP_J,
    discharging_beside,
    not_alone,
)
from joulemark.records.energy_window import Domain, DomainKind, Fault, Quantity
from joulemark.records.figures import Evidence

NAME = "acpi-battery"
TITLE = "battery through /proc/acpi"
PREFERENCE: int | None = None

_MILLIWATT_HOUR_J: Final = 3.6
_VOLTAGE_MAX_V: Final = 20
"""The most that laptop batteries have: a step of 1 mA is then at most 20 mW."""

_NOTE: Final = "whole machine as the battery sees it; refreshed about every 2 s"


def _fields_of(file: Path) -> dict[str, str]:
    """The lines of a file, such as `present rate:   1620 mW`: text before the colon -> after it."""
    pairs = (line.partition(":") for line in read_text(file).splitlines())
    return {name.strip(): value.strip() for name, colon, value in pairs if colon}


def _amount(fields: Mapping[str, str], name: str, where: Path) -> tuple[int, str]:
    """A whole number and its unit, as in `11391 mV`."""
    value = fields.get(name)
    if value is None:
        raise MeterError(Fault.UNREADABLE, f"{where} has no line '{name}'")
    match = re.fullmatch(r"([0-9]{1,9}) (mW|mA|mWh|mAh|mV)", value)
    if match is None:
        raise MeterError(
            Fault.UNREADABLE,
            f"{where} says '{shortened(value, LONGEST_WORD)}' for '{name}', which is no amount",
        )
    return int(match[1]), match[2]


class AcpiBatteryMeter(Meter):
    """Every battery in /proc/acpi/battery.

    Args:
        roots: the kernel's file trees.
        rate_unit: mA or mW, which overrides the file's label; None to believe the label.
    """

    title = TITLE

    def __init__(self, roots: Roots, rate_unit: str | None = None) -> None:
        self._roots = roots
        self._rate_unit = rate_unit
        self._folder = roots.proc / "acpi" / "battery"

    def survey(self) -> Survey:
        """One gauge for each battery, and a falling counter where energy is counted."""
        domains: list[Domain] = []
        refused: list[MeterRefusal] = []
        labels: dict[str, str] = {}
        try:
            folders = sorted(path for path in self._folder.iterdir() if path.name.startswith("BAT"))
        except (FileNotFoundError, NotADirectoryError):
            folders = []
        except PermissionError:
            return Survey(reason=f"{self._folder} may not be listed by this user")
        for folder in folders:
            remedy = None
            try:
                fields = _fields_of(folder / "state")
                if fields.get("present") == "yes":
                    _, remedy = not_alone(folder.name, self._state(folder, fields))
                _, labels[folder.name] = _amount(fields, "present rate", folder / "state")
                domains.extend(self._domains_of(folder, fields, refused))
            except MeterError as error:
                plugged = error.fault is Fault.EXTERNAL_POWER
                refused.append(MeterRefusal(folder.name, str(error), remedy if plugged else None))
        facts = {"rate_label": labels, "rate_override": self._rate_unit}
        nothing_there = (
            f"there is no battery in {self._folder}; kernels since about 2010 show batteries to "
            "the meter battery instead"
        )
        return Survey.of(domains, refused, facts, nothing_there)

    def read(self, domain: str) -> Reading:
        """Microwatts (`BAT0:power`) or milliwatt-hours (`BAT0:energy`), with the charging state."""
        name, _, quantity = domain.rpartition(":")
        if quantity not in set(Quantity) or not re.fullmatch(r"BAT[A-Za-z0-9]*", name):
            raise MeterError(Fault.VANISHED, f"there is no battery domain '{domain}'")
        folder = self._folder / name
        where = folder / "state"
        before_ns = self._roots.now_ns()
        fields = _fields_of(where)
        after_ns = self._roots.now_ns()
        count = self._microwatts if quantity == Quantity.POWER else self._milliwatt_hours
        counts = count(fields, where)
        return Reading(before_ns, after_ns, counts, self._state(folder, fields))

    def evidence(self) -> Evidence:
        """SIMULATED where the file tree has the mark of a test double."""
        return evidence_of(self._roots.proc)

    def _state(self, folder: Path, fields: Mapping[str, str]) -> str:
        """The state as the meter `battery` gives it: `Discharging`, `Charged, mains online`."""
        status = shortened(fields.get("charging state", "unknown").capitalize(), LONGEST_WORD)
        adapters = self._folder.parent / "ac_adapter"
        online = any(
            (text_or_none(path) or "").endswith("on-line") for path in adapters.glob("*/state")
        )
        if online or status != "Discharging":
            return f"{status}, mains online" if online else status
        charging = re.compile(r"^charging state:\s*charging\s*$", re.MULTILINE)
        others = sorted(path for path in self._folder.glob("BAT*/state") if path.parent != folder)
        return discharging_beside(
            path.parent.name for path in others if charging.search(text_or_none(path) or "")
        )

    def _rate(self, fields: Mapping[str, str], where: Path) -> tuple[int, str]:
        """The number, and its unit by the argument or else by the file's label."""
        rate, label = _amount(fields, "present rate", where)
        return rate, self._rate_unit or label

    def _microwatts(self, fields: Mapping[str, str], where: Path) -> int:
        rate, unit = self._rate(fields, where)
        if unit == "mW":
            return rate * 1000
        voltage, volts = _amount(fields, "present voltage", where)
        if unit != "mA" or volts != "mV":
            raise MeterError(
                Fault.UNREADABLE,
                f"{where} gives the rate in {unit} and the voltage in {volts}, not the rate in mA "
                "or mW and the voltage in mV",
            )
        return rate * voltage

    def _milliwatt_hours(self, fields: Mapping[str, str], where: Path) -> int:
        counts, label = _amount(fields, "remaining capacity", where)
        if label != "mWh" or self._rate_unit == "mA":
            raise MeterError(
                Fault.UNREADABLE,
                f"{where} counts charge in mAh, and charge without its voltage is no energy",
            )
        return counts

    def _domains_of(
        self, folder: Path, fields: Mapping[str, str], refused: list[MeterRefusal]
    ) -> list[Domain]:
        """The domains of one battery."""
        where = folder / "state"
        if fields.get("present") != "yes":
            raise MeterError(Fault.VANISHED, f"{folder.name} is an empty battery bay")
        state = self._state(folder, fields)
        if state != "Discharging":
            raise MeterError(Fault.EXTERNAL_POWER, not_alone(folder.name, state)[0])
        self._microwatts(fields, where)
        _, unit = self._rate(fields, where)
        power = Domain(
            f"{folder.name}:power",
            folder.name,
            DomainKind.BATTERY,
            Quantity.POWER,
            per_count=1e-6,
            resolution=1e-3 if unit == "mW" else 1e-3 * _VOLTAGE_MAX_V,
            note=_NOTE,
        )
        try:
            self._milliwatt_hours(fields, where)
        except MeterError as error:
            refused.append(MeterRefusal(f"{folder.name}:energy", str(error)))
            return [power]
        energy = Domain(
            f"{folder.name}:energy",
            folder.name,
            DomainKind.BATTERY,
            Quantity.ENERGY,
            per_count=_MILLIWATT_HOUR_J,
            resolution=self._step_j(folder),
            same_as=power.id,
            falls=True,
            note=_NOTE,
        )
        return [power, energy]

    @staticmethod
    def _step_j(folder: Path) -> float:
        """The larger capacity granularity that `info` states, else `ENERGY_STEP_J`."""
        steps_mwh: list[int] = []
        for number in (1, 2):
            try:
                fields = _fields_of(folder / "info")
                step, unit = _amount(fields, f"capacity granularity {number}", folder / "info")
            except MeterError:
                continue
            steps_mwh.extend([step] if unit == "mWh" and step else [])
        return max(steps_mwh) * _MILLIWATT_HOUR_J if steps_mwh else ENERGY_STEP_J


def make(roots: Roots, argument: str | None) -> AcpiBatteryMeter:
    """The meter, with `rate=mA`, `rate=mW` or no argument."""
    if argument in {"rate=mA", "rate=mW"}:
        return AcpiBatteryMeter(roots, argument.removeprefix("rate="))
    if argument is not None:
        raise UsageError(
            f"acpi-battery takes rate=mA or rate=mW, not '{argument}': acpi-battery:rate=mA"
        )
    return AcpiBatteryMeter(roots)
