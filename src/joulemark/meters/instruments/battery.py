# SPDX-License-Identifier: Apache-2.0
"""Power and remaining energy of a battery, from the kernel's power supply class.

Files and units: Linux, Documentation/ABI/testing/sysfs-class-power, in microwatts, microamperes,
microvolts and microwatt-hours. The same document says that a discharging battery may show a
negative current; some drivers do and some do not, so the magnitude is taken and `status` alone
says which way the energy flows.

The figure is the energy that leaves the battery. That is all that the machine uses, screen
included, only while no adapter feeds the machine beside it and no second battery is charged from
it. A reading carries the battery's status, and what is connected after it, as in "Discharging,
mains online": a weak adapter lets a busy machine draw on the battery as well, and the status says
Discharging all the same.

The embedded controller refreshes these values slowly: about every 2 s (Westermann 2010), 5 s
(polybar issue 1250) or 20 s to 30 s (currentwidget issue 8). So no update period is promised.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

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
    read_count,
    read_text,
    text_or_none,
)
from joulemark.records.energy_window import Domain, DomainKind, Fault, Quantity, unplugging
from joulemark.records.figures import Evidence

NAME = "battery"
TITLE = "battery"
PREFERENCE: int | None = 20

ENERGY_STEP_J: Final = 36.0
"""Step of a battery's energy counter, which no file states: 10 mWh, because listings of many
laptops end in four zeros (tpacpi-bat issue 96)."""
_MICROWATT_HOUR_J: Final = 3.6e-3
_POWER_STEP_W: Final = 1e-3
"""ACPI gives the rate in whole milliwatts (ACPI 6.5, section 10.2.2.11, _BST)."""
_CURRENT_STEP_W: Final = 0.02
"""ACPI gives the current in whole milliamperes; at 20 V, the most that laptop batteries have."""
_FACTS: Final = (
    "manufacturer",
    "model_name",
    "technology",
    "cycle_count",
    "energy_full",
    "energy_full_design",
    "charge_full",
    "voltage_min_design",
)
_NO_ADAPTERS: Final = {"Battery", "UPS", None}
_SLOW: Final = "whole machine as the battery sees it; refreshed every few seconds"


def not_alone(name: str, state: str) -> tuple[str, str | None]:
    """Why a battery in this state is no meter of the machine, and the remedy if there is one."""
    advice = unplugging(state)
    remedy = advice and f"{advice} and let the battery feed the machine"
    status, _, beside = state.partition(", ")
    online = beside.removesuffix(" online")
    what = f"online: {online}" if online != beside else beside
    said = f"{status} ({what})" if what else status
    return f"{name} does not feed the machine alone: it says {said}", remedy


def discharging_beside(charging: Iterable[str]) -> str:
    """The state of a battery that discharges, with the batteries that charge: it feeds them too."""
    names = " and ".join(charging)
    return f"Discharging, {names} charging" if names else "Discharging"


def _magnitude(path: Path) -> int:
    """A whole number without its sign."""
    text = read_text(path)
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        shown = shortened(text, LONGEST_WORD) or "nothing"
        raise MeterError(Fault.UNREADABLE, f"{path} says '{shown}', which is no whole number")
    return abs(int(text))


def _current_times_voltage(folder: Path) -> int:
    """Microwatts, rounded down: 1e-6 A times 1e-6 V is 1e-12 W."""
    return _magnitude(folder / "current_now") * read_count(folder / "voltage_now") // 10**6


_SOURCES: Final[dict[str, Callable[[Path], int]]] = {
    "power_now": lambda folder: _magnitude(folder / "power_now"),
    "current_now": _current_times_voltage,
    "energy_now": lambda folder: read_count(folder / "energy_now"),
}
"""End of a domain's id -> the function that reads its count. The source is part of the id, so that
every process uses the same source, and no source is exchanged in the middle of a run."""


class BatteryMeter(Meter):
    """Every battery that feeds the machine; not those of mice and headsets."""

    title = TITLE

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self._supplies = roots.sysfs / "class" / "power_supply"

    def survey(self) -> Survey:
        """One gauge and one falling counter for each battery."""
        domains: list[Domain] = []
        refused: list[MeterRefusal] = []
        facts: dict[str, dict[str, str]] = {}
        for folder in self._batteries():
            of_battery, refused_of_battery = self._look_at(folder)
            state = self._state(folder)
            if state == "Discharging":
                domains += of_battery
            else:
                # What the machine's owner can change comes before what the driver lacks.
                text, remedy = not_alone(folder.name, state)
                refused += [MeterRefusal(domain.id, text, remedy) for domain in of_battery]
            refused += refused_of_battery
            texts = {name: text_or_none(folder / name) for name in _FACTS}
            facts[folder.name] = {name: text for name, text in texts.items() if text is not None}
        return Survey.of(domains, refused, facts, self._why_none())

    def read(self, domain: str) -> Reading:
        """Power or energy now; `state` is Discharging only while no adapter is connected."""
        name, _, source = domain.rpartition(":")
        if source not in _SOURCES or not re.fullmatch(r"[^/\0]+", name) or name in {".", ".."}:
            raise MeterError(Fault.VANISHED, f"there is no battery domain '{domain}'")
        folder = self._supplies / name
        before_ns = self._roots.now_ns()
        counts = _SOURCES[source](folder)
        after_ns = self._roots.now_ns()
        return Reading(before_ns, after_ns, counts, self._state(folder))

    def evidence(self) -> Evidence:
        """SIMULATED where the file tree has the mark of a test double."""
        return evidence_of(self._roots.sysfs)

    def _batteries(self) -> Iterator[Path]:
        """Batteries of the machine, which is also the meaning of a missing scope.

        References:
            Linux: drivers/power/supply/power_supply_core.c.
        """
        for folder in self._sorted_supplies():
            own = (text_or_none(folder / "scope") or "System") != "Device"
            if own and text_or_none(folder / "type") == "Battery":
                yield folder

    def _sorted_supplies(self) -> list[Path]:
        try:
            return sorted(self._supplies.iterdir())
        except OSError:
            return []

    def _why_none(self) -> str:
        try:
            names = [folder.name for folder in self._supplies.iterdir()]
        except PermissionError:
            return f"{self._supplies} may not be listed by this user"
        except OSError:
            names = []
        return f"there is no battery in {self._supplies} ({', '.join(sorted(names)) or 'empty'})"

    def _state(self, folder: Path) -> str:
        status = shortened(text_or_none(folder / "status") or "Unknown", LONGEST_WORD)
        adapters = self._adapters_online()
        if adapters:
            return f"{status}, {' and '.join(adapters)} online"
        if status != "Discharging":
            return status
        others = (other for other in self._batteries() if other.name != folder.name)
        return discharging_beside(
            other.name for other in others if text_or_none(other / "status") == "Charging"
        )

    def _adapters_online(self) -> list[str]:
        """Kinds of the connected adapters; `online` is 0 without an adapter, 1 or 2 with one."""
        kinds = [
            shortened(kind, LONGEST_WORD)
            for folder in self._sorted_supplies()
            if (kind := text_or_none(folder / "type")) is not None
            and kind not in _NO_ADAPTERS
            and text_or_none(folder / "scope") != "Device"
            and text_or_none(folder / "online") not in {"0", None}
        ]
        words = [
            {"Mains": "mains", "Wireless": "wireless charger"}.get(kind)
            or ("USB charger" if kind.startswith("USB") else f"{kind} adapter")
            for kind in kinds
        ]
        return list(dict.fromkeys(words))

    def _look_at(self, folder: Path) -> tuple[list[Domain], list[MeterRefusal]]:
        """The domains of one battery, whatever its status, and those that cannot be read."""
        name = folder.name
        if text_or_none(folder / "present") == "0":
            return [], [MeterRefusal(name, f"{name} is an empty battery bay")]
        domains: list[Domain] = []
        refused: list[MeterRefusal] = []
        gauge, why = self._first_usable(folder, ("power_now", "current_now"))
        if gauge is None:
            refused.append(MeterRefusal(f"{name}:power_now", why))
        else:
            step_w = _POWER_STEP_W if gauge == "power_now" else _CURRENT_STEP_W
            domains.append(
                Domain(
                    f"{name}:{gauge}",
                    name,
                    DomainKind.BATTERY,
                    Quantity.POWER,
                    per_count=1e-6,
                    resolution=step_w,
                    note=_SLOW,
                )
            )
        counter, why = self._first_usable(folder, ("energy_now",))
        if counter is not None:
            twin = domains[0].id if domains else None
            domains.append(
                Domain(
                    f"{name}:{counter}",
                    name,
                    DomainKind.BATTERY,
                    Quantity.ENERGY,
                    per_count=_MICROWATT_HOUR_J,
                    resolution=ENERGY_STEP_J,
                    same_as=twin,
                    falls=True,
                    note=_SLOW,
                )
            )
        elif text_or_none(folder / "charge_now") is not None:
            text = f"{name} counts charge (charge_now), and charge without its voltage is no energy"
            refused.append(MeterRefusal(f"{name}:charge_now", text))
        else:
            refused.append(MeterRefusal(f"{name}:energy_now", why))
        return domains, refused

    @staticmethod
    def _first_usable(folder: Path, names: tuple[str, ...]) -> tuple[str | None, str]:
        """The first source that gives a count now; without such a source, why the last gives none.

        A file that is there may give no count: drivers answer ENODEV while they know no power.
        """
        why = ""
        for name in names:
            try:
                _SOURCES[name](folder)
            except MeterError as error:
                why = str(error)
            else:
                return name, why
        return None, why


def make(roots: Roots, argument: str | None) -> BatteryMeter:
    """The meter; it takes no argument."""
    BatteryMeter.refuse_argument(NAME, argument)
    return BatteryMeter(roots)
