# SPDX-License-Identifier: Apache-2.0
"""Battery power from /proc/acpi/battery, as kernels of about 2009 show it.

This is the instrument of Westermann et al. 2010 ("Comparison of the power consumption of the 2nd
round SHA-3 candidates", figure 1). Kernels of today show the same battery through the meter
`battery`; there the old files exist only with CONFIG_ACPI_PROCFS_POWER, and later not at all.

The paper found that its machine labelled a current as a power: `present rate` said mW and was mA,
so its authors multiplied rate by voltage. No file can tell which is right. `acpi-battery:rate=mA`
or `rate=mW` overrides the label; without it the label is believed. The label stems from one field
of ACPI (_BIF, power unit: 0 for mW and mWh, 1 for mA and mAh), so a rate in mA makes the remaining
capacity a charge in mAh; that is refused, since charge without voltage is no energy.

Because a wrong label is known to occur, this meter is used only when named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from joulemark.errors import UsageError
from joulemark.meters.contract import Meter, MeterError, Reading, Refusal, Roots, Survey
from joulemark.meters.instruments.battery import ENERGY_STEP_J
from joulemark.meters.sysfs import evidence_of, read_text
from joulemark.records.domain import Domain, DomainKind, Fault, Quantity
from joulemark.records.evidence import Evidence

__all__ = ["NAME", "PREFERENCE", "TITLE", "AcpiBatteryMeter", "amount", "make", "parse_fields"]

NAME = "acpi-battery"
TITLE = "battery through /proc/acpi"
PREFERENCE: int | None = None

_MILLIWATT_HOUR_J: Final = 3.6
_VOLTAGE_MAX_V: Final = 20
"""The most that laptop batteries have: a step of 1 mA is then at most 20 mW."""
_UNPLUG: Final = "unplug the mains adapter and let the battery feed the machine"
_NOTE: Final = "whole machine as the battery sees it; refreshed about every 2 s"


def parse_fields(text: str) -> dict[str, str]:
    """Lines of the form `present rate:   1620 mW`, by what stands before the first colon."""
    pairs = (line.partition(":") for line in text.splitlines())
    return {name.strip(): value.strip() for name, colon, value in pairs if colon}


def amount(fields: Mapping[str, str], name: str, where: Path) -> tuple[int, str]:
    """A whole number and its unit, as in `11391 mV`.

    Raises:
        MeterError: UNREADABLE; the line is missing, says unknown, or has another form.
    """
    value = fields.get(name)
    if value is None:
        raise MeterError(Fault.UNREADABLE, f"{where} has no line '{name}'")
    match = re.fullmatch(r"([0-9]{1,9}) (mW|mA|mWh|mAh|mV)", value)
    if match is None:
        raise MeterError(
            Fault.UNREADABLE, f"{where} says '{value[:20]}' for '{name}', which is no amount"
        )
    return int(match[1]), match[2]


class AcpiBatteryMeter(Meter):
    """Every battery in /proc/acpi/battery.

    Args:
        roots: the kernel's file trees.
        rate_unit: mA or mW, whatever the file says; None to believe the file.
    """

    name = NAME
    title = TITLE

    def __init__(self, roots: Roots, rate_unit: str | None = None) -> None:
        self._roots = roots
        self._rate_unit = rate_unit
        self._folder = roots.proc / "acpi" / "battery"

    def survey(self) -> Survey:
        """One gauge for each battery, and a falling counter where energy is counted."""
        domains: list[Domain] = []
        refused: list[Refusal] = []
        labels: dict[str, str] = {}
        try:
            folders = sorted(path for path in self._folder.iterdir() if path.name.startswith("BAT"))
        except (FileNotFoundError, NotADirectoryError):
            folders = []
        except PermissionError:
            return Survey(reason=f"{self._folder} may not be listed by this user")
        for folder in folders:
            try:
                fields = self._fields(folder)
                _, labels[folder.name] = amount(fields, "present rate", folder / "state")
                domains.extend(self._domains_of(folder, fields, refused))
            except MeterError as error:
                plugged = error.fault is Fault.EXTERNAL_POWER
                refused.append(Refusal(folder.name, str(error), _UNPLUG if plugged else None))
        reason = remedy = None
        if not domains:
            reason = (
                refused[0].reason if refused
                else f"there is no battery in {self._folder}; kernels since about 2010 have the "
                "meter battery instead"
            )  # fmt: skip
            remedy = refused[0].remedy if refused else None
        facts = {"rate_label": labels, "rate_override": self._rate_unit}
        return Survey(tuple(domains), tuple(refused), reason, remedy, facts)

    def read(self, domain: str) -> Reading:
        """Microwatts (`BAT0:power`) or milliwatt-hours (`BAT0:energy`), with the charging state."""
        name, _, what = domain.rpartition(":")
        if what not in {"power", "energy"} or not re.fullmatch(r"BAT[A-Za-z0-9]*", name):
            raise MeterError(Fault.VANISHED, f"there is no battery domain '{domain}'")
        folder = self._folder / name
        before_ns = self._roots.now_ns()
        fields = self._fields(folder)
        after_ns = self._roots.now_ns()
        where = folder / "state"
        if what == "power":
            counts = self._microwatts(fields, where)
        else:
            counts, unit = amount(fields, "remaining capacity", where)
            self._insist_on_energy(unit, where)
        return Reading(before_ns, after_ns, counts, self._state(fields))

    def evidence(self) -> Evidence:
        """By the mark of the file tree."""
        return evidence_of(self._roots.proc)

    @staticmethod
    def _fields(folder: Path) -> dict[str, str]:
        return parse_fields(read_text(folder / "state"))

    @staticmethod
    def _state(fields: Mapping[str, str]) -> str:
        """In the spelling of the power supply class: `discharging` becomes `Discharging`."""
        return fields.get("charging state", "unknown").capitalize()

    def _unit(self, label: str) -> str:
        return self._rate_unit or label

    def _microwatts(self, fields: Mapping[str, str], where: Path) -> int:
        rate, label = amount(fields, "present rate", where)
        unit = self._unit(label)
        if unit == "mW":
            return rate * 1000
        voltage, volts = amount(fields, "present voltage", where)
        if unit != "mA" or volts != "mV":
            raise MeterError(
                Fault.UNREADABLE,
                f"{where} gives the rate in {unit} and the voltage in {volts}, expected mA or mW "
                "and mV",
            )
        return rate * voltage

    def _insist_on_energy(self, label: str, where: Path) -> None:
        counts_charge = label != "mWh" or self._rate_unit == "mA"
        if counts_charge:
            raise MeterError(
                Fault.UNREADABLE,
                f"{where} counts charge in mAh, and charge without its voltage is no energy",
            )

    def _domains_of(
        self, folder: Path, fields: Mapping[str, str], refused: list[Refusal]
    ) -> list[Domain]:
        """The domains of one battery.

        Raises:
            MeterError: it is absent, does not discharge, or gives no power.
        """
        where = folder / "state"
        if fields.get("present") != "yes":
            raise MeterError(Fault.VANISHED, f"{folder.name} is an empty battery bay")
        state = self._state(fields)
        if state != "Discharging":
            raise MeterError(
                Fault.EXTERNAL_POWER,
                f"{folder.name} does not feed the machine alone: it says {state[:20]}",
            )
        self._microwatts(fields, where)
        unit = self._unit(amount(fields, "present rate", where)[1])
        power = Domain(
            f"{folder.name}:power", folder.name, DomainKind.BATTERY, Quantity.POWER,
            per_count=1e-6, resolution=1e-3 if unit == "mW" else 1e-3 * _VOLTAGE_MAX_V, note=_NOTE,
        )  # fmt: skip
        try:
            _, label = amount(fields, "remaining capacity", where)
            self._insist_on_energy(label, where)
        except MeterError as error:
            refused.append(Refusal(f"{folder.name}:energy", str(error)))
            return [power]
        energy = Domain(
            f"{folder.name}:energy", folder.name, DomainKind.BATTERY, Quantity.ENERGY,
            per_count=_MILLIWATT_HOUR_J, resolution=self._step_j(folder), same_as=power.id,
            falls=True, note=_NOTE,
        )  # fmt: skip
        return [power, energy]

    @staticmethod
    def _step_j(folder: Path) -> float:
        """The larger capacity granularity that `info` states, else the step seen elsewhere."""
        steps_mwh: list[int] = []
        for number in (1, 2):
            try:
                fields = parse_fields(read_text(folder / "info"))
                step, unit = amount(fields, f"capacity granularity {number}", folder / "info")
            except MeterError:
                continue
            steps_mwh.extend([step] if unit == "mWh" and step else [])
        return max(steps_mwh) * _MILLIWATT_HOUR_J if steps_mwh else ENERGY_STEP_J


def make(roots: Roots, argument: str | None) -> AcpiBatteryMeter:
    """The meter, with `rate=mA`, `rate=mW` or no argument.

    Raises:
        UsageError: the argument says something else.
    """
    if argument in {"rate=mA", "rate=mW"}:
        return AcpiBatteryMeter(roots, argument.removeprefix("rate="))
    if argument is not None:
        raise UsageError(
            f"acpi-battery takes rate=mA or rate=mW, not '{argument}': acpi-battery:rate=mA"
        )
    return AcpiBatteryMeter(roots)
