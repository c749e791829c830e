# SPDX-License-Identifier: Apache-2.0
"""Sensors of the kernel's hardware monitoring class: energy counters, power gauges, rails.

Files and units: Linux, Documentation/hwmon/sysfs-interface.rst (energy in microjoules, power in
microwatts, current in milliamperes, voltage in millivolts, intervals in milliseconds). Averages of
`power*_average` are over `power*_average_interval`. INA sensors (ina2xx.rst, ina3221.rst) convert
every `update_interval`; a read before that shows the old value. The ina3221 has no power file: its
power is `curr*_input` times `in*_input` of the same channel, 1 to 3.

`amd_energy` (amd_energy.rst; drivers/hwmon/amd_energy.c of Linux 5.9 to 5.12) extends 32-bit
registers to 64 bits in software, so its files do not wrap. `Ecore012` is the core that CPU 12
belongs to. `Esocket1` is read on the first CPU of NUMA node 1: where a socket has several nodes,
their sockets are one register under several names.

hwmon says nothing about which rail feeds which. Rails are therefore roots, each with a note.

The kernel shows every power supply here a second time (drivers/power/supply/power_supply_hwmon.c):
a chip below the supply's folder, with the supply's name, in which `-` became `_`. Its power says
nothing about the direction: of a battery it may be the power that charges it. Such chips are left
to the meter `battery`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from joulemark.meters import (
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
from joulemark.records.energy_window import Domain, DomainKind, Fault, Quantity
from joulemark.records.figures import Evidence

NAME = "hwmon"
TITLE = "hardware monitoring sensors"
PREFERENCE: int | None = 30

_GPU_DRIVERS: Final = {"amdgpu", "i915", "nouveau", "radeon", "xe"}
_SUPPLY_CLASS: Final = "power_supply"
_AMD_STEP_J: Final = 2.0**-16
"""amd_energy.rst: the unit is 2^-16 J, 15.3 uJ, by default."""
_MICRO: Final = 1e-6
_LIMIT_MARGIN: Final = 3.0
"""Power limits are alarm thresholds that a load may pass for a while; only a reading far above
them is not believed."""
_LIMITS: Final = ("rated_max", "cap_max", "crit", "max")
_RAIL_NOTE: Final = "what this sensor's rail feeds; it may contain, or be part of, another rail"


@dataclass(frozen=True, slots=True)
class _Sensor:
    """A domain and its files."""

    driver: str
    files: tuple[Path, ...]
    """The product of their numbers is the count."""
    domain: Domain


class HwmonMeter(Meter):
    """Every energy and power sensor under /sys/class/hwmon."""

    title = TITLE

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self._class = roots.sysfs / "class" / "hwmon"
        self._known: dict[str, _Sensor] = {}
        self._supplies: list[str] = []
        """Chips of power supplies that give a power, as `_sensors` found them."""

    def survey(self) -> Survey:
        """Each sensor with its place in the tree, parents before children."""
        domains: dict[str, Domain] = {}
        try:
            sensors = self._sensors()
        except MeterError as error:
            return Survey(reason=str(error))
        refused = [
            MeterRefusal(
                name, f"{name} is a power supply, of which the meter battery reads the batteries"
            )
            for name in self._supplies
        ]
        for sensor in sorted(sensors, key=_is_part):
            try:
                _check_readable(sensor.files)
                domain = self._place(sensor, domains)
            except MeterError as error:
                refused.append(MeterRefusal(sensor.domain.id, str(error), _remedy(error, sensor)))
            else:
                domains[domain.id] = domain
        ordered = sorted(domains.values(), key=lambda domain: domain.parent is not None)
        facts = {"drivers": sorted({sensor.driver for sensor in sensors})}
        return Survey.of(ordered, refused, facts, f"no power sensor is in {self._class}")

    def read(self, domain: str) -> Reading:
        """Microjoules of a counter, microwatts of a gauge."""
        if domain not in self._known:
            self._known = {sensor.domain.id: sensor for sensor in self._sensors()}
        sensor = self._known.get(domain)
        if sensor is None:
            raise MeterError(Fault.VANISHED, f"no sensor '{domain}' is in {self._class}")
        before_ns = self._roots.now_ns()
        counts = _product(sensor.files)
        return Reading(before_ns, self._roots.now_ns(), counts)

    def evidence(self) -> Evidence:
        """SIMULATED where the file tree has the mark of a test double."""
        return evidence_of(self._roots.sysfs)

    def _sensors(self) -> list[_Sensor]:
        """Every sensor, readable or not."""
        try:
            return self._sensors_of_chips()
        except (FileNotFoundError, NotADirectoryError):
            return []
        except PermissionError:
            text = f"{self._class} may not be listed by this user"
            raise MeterError(Fault.PERMISSION, text) from None

    def _sensors_of_chips(self) -> list[_Sensor]:
        # Path.glob would pass over a folder that may not be listed.
        chips = [path for path in self._class.iterdir() if path.name.startswith("hwmon")]
        sensors: list[_Sensor] = []
        prefixes: set[str] = set()
        self._supplies = []
        for chip in sorted(chips, key=_number):
            next(chip.iterdir(), None)  # or a forbidden folder looks empty
            driver = text_or_none(chip / "name") or "unnamed"
            # hwmon numbers follow the order of loading; the device's own name does not.
            device = (chip / "device").resolve().name if (chip / "device").exists() else chip.name
            prefix = f"{driver}:{device}"
            if prefix in prefixes:
                prefix = f"{driver}:{device}.{chip.name}"
            prefixes.add(prefix)
            found = [
                sensor
                for find in (_energies, _powers, _products)
                for sensor in find(chip, driver, prefix)
            ]
            if found and self._is_power_supply(chip, driver):
                self._supplies.append(driver)
            else:
                sensors += found
        return sensors

    def _is_power_supply(self, chip: Path, name: str) -> bool:
        """Whether the chip shows a device of the power supply class, by its place or its name."""
        root = self._roots.sysfs.resolve()
        for folder in (chip.resolve(), (chip / "device").resolve()):
            inside = folder.relative_to(root) if folder.is_relative_to(root) else folder
            if _SUPPLY_CLASS in inside.parts:
                return True
        if (chip / "device" / "subsystem").resolve().name == _SUPPLY_CLASS:
            return True
        try:
            supplies = list((self._class.parent / _SUPPLY_CLASS).iterdir())
        except OSError:
            return False
        return any(supply.name.replace("-", "_") == name for supply in supplies)

    def _place(self, sensor: _Sensor, known: dict[str, Domain]) -> Domain:
        """The domain with its place in the tree among the `known` domains."""
        domain = sensor.domain
        if sensor.driver == "amd_energy":
            return self._amd(sensor, known)
        prefix, _, part = domain.id.rpartition(":")
        if domain.quantity is Quantity.POWER:
            twin = known.get(f"{prefix}:energy{_number(Path(part))}")
            if twin is not None and _label(twin) in {_label(domain), ""}:
                return replace(domain, same_as=twin.id)
        if sensor.driver == "xe" and _label(domain) == "pkg":
            cards = [
                card.id
                for card in known.values()
                if card.id.startswith(f"{prefix}:")
                and card.quantity is domain.quantity
                and _label(card) == "card"
            ]
            return replace(domain, parent=cards[0] if cards else None)
        return domain

    def _amd(self, sensor: _Sensor, known: dict[str, Domain]) -> Domain:
        cpus = self._roots.sysfs / "devices" / "system" / "cpu"
        match = re.fullmatch(r"E(core|socket)([0-9]{1,6})", _label(sensor.domain))
        if match is None:
            return sensor.domain
        cpu: int | None = int(match[2])
        if match[1] == "socket":
            node = self._roots.sysfs / "devices" / "system" / "node" / f"node{cpu}"
            first = re.match(r"[0-9]{1,9}", text_or_none(node / "cpulist") or "")
            cpu = int(first[0]) if first else None
        text = text_or_none(cpus / f"cpu{cpu}" / "topology" / "physical_package_id") or ""
        package = int(text) if text.isdecimal() else None
        sockets = [domain for domain in known.values() if domain.kind is DomainKind.PACKAGE]
        own = [
            socket.id
            for socket in sockets
            if package is not None and socket.package == package and socket.same_as is None
        ]
        if match[1] == "socket":
            return replace(
                sensor.domain,
                kind=DomainKind.PACKAGE,
                package=package,
                same_as=own[0] if own else None,
            )
        if sockets and len(own) != 1:
            raise MeterError(
                Fault.UNREADABLE, f"{sensor.files[0]} is a core whose socket {cpus} does not tell"
            )
        return replace(
            sensor.domain, kind=DomainKind.CORE, package=package, parent=own[0] if own else None
        )


def _number(path: Path) -> int:
    digits = re.search(r"[0-9]{1,9}", path.name)
    return int(digits[0]) if digits else 0


def _label(domain: Domain) -> str:
    """The sensor's own label; empty where it has none."""
    return domain.name if domain.name != domain.id else ""


def _is_part(sensor: _Sensor) -> bool:
    """Whether another sensor of the same driver may contain this one, and so is placed before."""
    return _label(sensor.domain).startswith(("Ecore", "pkg"))


def _check_readable(files: tuple[Path, ...]) -> None:
    """Finds out whether every file can be read and says a number.

    A current may be below zero for the moment: that voids a reading, and refuses no sensor.
    """
    for file in files:
        if not re.fullmatch(r"-[0-9]+", read_text(file)):
            read_count(file)


def _product(files: tuple[Path, ...]) -> int:
    """The count of one file, or milliamperes times millivolts of two, which is microwatts."""
    product = 1
    for file in files:
        if re.fullmatch(r"-[0-9]+", text := read_text(file)):
            raise MeterError(Fault.UNREADABLE, f"{file} says {text[:20]}: it flows backwards")
        product *= read_count(file)
    return product


def _remedy(error: MeterError, sensor: _Sensor) -> str | None:
    if error.fault is not Fault.PERMISSION:
        return None
    return f"sudo chmod a+r {' '.join(str(file) for file in sensor.files)}"


def _interval_s(path: Path) -> float | None:
    """Milliseconds as seconds; None where the file is missing, no number or 0."""
    text = text_or_none(path) or ""
    return int(text) / 1000 if text.isdecimal() and int(text) else None


def _energies(chip: Path, driver: str, prefix: str) -> Iterator[_Sensor]:
    kind = DomainKind.GPU if driver in _GPU_DRIVERS else DomainKind.RAIL
    step_j = _AMD_STEP_J if driver == "amd_energy" else _MICRO
    for file in sorted(chip.glob("energy*_input"), key=_number):
        part = file.name.removesuffix("_input")
        name = text_or_none(chip / f"{part}_label") or f"{prefix}:{part}"
        yield _Sensor(
            driver,
            (file,),
            Domain(
                f"{prefix}:{part}",
                name,
                kind,
                Quantity.ENERGY,
                per_count=_MICRO,
                resolution=step_j,
                note=_RAIL_NOTE if kind is DomainKind.RAIL and driver != "amd_energy" else None,
            ),
        )


def _powers(chip: Path, driver: str, prefix: str) -> Iterator[_Sensor]:
    kind = DomainKind.GPU if driver in _GPU_DRIVERS else DomainKind.RAIL
    files = [*sorted(chip.glob("power*_average")), *sorted(chip.glob("power*_input"))]
    for number, file in sorted({_number(file): file for file in files}.items()):
        part = f"power{number}"
        averaged = file.name.endswith("_average")
        period_s = _interval_s(
            chip / (f"{part}_average_interval" if averaged else "update_interval")
        )
        limits = [text_or_none(chip / f"{part}_{limit}") or "" for limit in _LIMITS]
        highest = max((int(text) for text in limits if text.isdecimal()), default=0)
        name = text_or_none(chip / f"{part}_label") or f"{prefix}:{part}"
        yield _Sensor(
            driver,
            (file,),
            Domain(
                f"{prefix}:{part}",
                name,
                kind,
                Quantity.POWER,
                per_count=_MICRO,
                resolution=_MICRO,
                max_power_w=highest * _MICRO * _LIMIT_MARGIN or None,
                update_period_s=period_s,
                note=_RAIL_NOTE if kind is DomainKind.RAIL else None,
            ),
        )


def _products(chip: Path, driver: str, prefix: str) -> Iterator[_Sensor]:
    """Rails of INA sensors whose driver gives current and voltage but no power."""
    if not driver.startswith("ina") or any(chip.glob("power*_input")):
        return
    for channel in (1, 2, 3):
        current, voltage = chip / f"curr{channel}_input", chip / f"in{channel}_input"
        if current.exists() and voltage.exists():
            part = f"curr{channel}"
            label = text_or_none(chip / f"in{channel}_label")
            yield _Sensor(
                driver,
                (current, voltage),
                Domain(
                    f"{prefix}:{part}",
                    label or f"{prefix}:{part}",
                    DomainKind.RAIL,
                    Quantity.POWER,
                    per_count=_MICRO,
                    resolution=_MICRO,
                    update_period_s=_interval_s(chip / "update_interval"),
                    note=_RAIL_NOTE,
                ),
            )


def make(roots: Roots, argument: str | None) -> HwmonMeter:
    """The meter; it takes no argument."""
    HwmonMeter.refuse_argument(NAME, argument)
    return HwmonMeter(roots)
