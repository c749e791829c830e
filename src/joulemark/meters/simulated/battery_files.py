# SPDX-License-Identifier: Apache-2.0
"""The files of a battery: power_supply in sysfs, and the older `/proc/acpi/battery`.

Sysfs: Documentation/ABI/testing/sysfs-class-power; powers in microwatts, energies in microwatt
hours. Old interface: Westermann and others (2010), figure 1, and drivers/acpi/battery.c of Linux
2.6.28: milliwatts and milliwatt hours, or milliamperes and milliampere hours.
"""

from __future__ import annotations

from typing import Final

from joulemark.meters.simulated.domain import AcpiRate
from joulemark.meters.simulated.shown_counts import ShownCounts
from joulemark.meters.simulated.tree import Tree

_VOLTAGE_UV: Final = 11_391_000
"""The voltage in the paper's figure; it does not sag here."""


class BatteryFiles:
    """The folders of one battery.

    Args:
        tree: the files of the machine.
        counts: the counts that the battery shows.
    """

    def __init__(self, tree: Tree, counts: ShownCounts) -> None:
        self._tree = tree
        self._counts = counts
        name = counts.domain.id
        self._folder = f"sys/class/power_supply/{name}"
        self._acpi = f"proc/acpi/battery/{name}"
        self._unit = "mA" if counts.domain.acpi_rate is AcpiRate.MILLIAMPERE else "mW"
        self._charging = False
        self._shown: tuple[int, int, bool] | None = None
        facts = {
            "type": "Battery",
            "scope": "System",
            "present": "1",
            "technology": "Li-ion",
            "voltage_now": str(_VOLTAGE_UV),
            "energy_full": str(counts.full_microwatthours),
            "energy_full_design": str(counts.full_microwatthours),
        }
        for file, text in facts.items():
            tree.lay(f"{self._folder}/{file}", text)
        tree.lay(f"{self._acpi}/info", self._info())
        self._paths = {
            file: str(tree.root / self._folder / file)
            for file in ("status", "power_now", "energy_now")
        }
        self._state_path = str(tree.root / self._acpi / "state")
        self.show()

    def show(self) -> None:
        """Brings power, energy left and state up to date."""
        now = (self._counts.microwatts, self._counts.left_microwatthours, self._charging)
        if now == self._shown:
            return
        self._shown = now
        microwatts, left_uwh, charging = now
        self._tree.show(self._paths["status"], "Charging" if charging else "Discharging")
        self._tree.show(self._paths["power_now"], str(microwatts))
        self._tree.show(self._paths["energy_now"], str(left_uwh))
        self._tree.show(self._state_path, self._state(microwatts, left_uwh, charging))

    def _acpi_amount(self, millionths: int) -> str:
        """Microwatts or microwatt hours in the unit of the old interface."""
        number = millionths // 1000
        if self._counts.domain.acpi_rate is not AcpiRate.MILLIWATT:
            number = number * 1_000_000 // _VOLTAGE_UV
        return f"{number} {self._unit}"

    def _state(self, microwatts: int, left_uwh: int, charging: bool) -> str:
        return _table(
            {
                "present": "yes",
                "capacity state": "ok",
                "charging state": "charging" if charging else "discharging",
                "present rate": self._acpi_amount(microwatts),
                "remaining capacity": f"{self._acpi_amount(left_uwh)}h",
                "present voltage": f"{_VOLTAGE_UV // 1000} mV",
            }
        )

    def _info(self) -> str:
        full = f"{self._acpi_amount(self._counts.full_microwatthours)}h"
        return _table(
            {
                "present": "yes",
                "design capacity": full,
                "last full capacity": full,
                "battery technology": "rechargeable",
                "design voltage": f"{_VOLTAGE_UV // 1000} mV",
                "battery type": "LION",
            }
        )

    def forbid(self) -> None:
        """Takes away the right to read power, energy and state of charge."""
        for file in ("power_now", "energy_now"):
            self._tree.forbid(f"{self._folder}/{file}")
        self._tree.forbid(f"{self._acpi}/state")

    def vanish(self) -> None:
        """Takes the battery out."""
        self._tree.remove(self._folder)
        self._tree.remove(self._acpi)

    def charge(self) -> None:
        """Plugs the mains in."""
        self._charging = True


def _table(rows: dict[str, str]) -> str:
    return "\n".join(f"{name + ':':<25}{value}" for name, value in rows.items())
