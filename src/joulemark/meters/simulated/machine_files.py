# SPDX-License-Identifier: Apache-2.0
"""The files of a simulated machine, RAPL zones as in Linux's powercap, and the counts in them.

Layout: Documentation/power/powercap/powercap.rst, Documentation/ABI/testing/sysfs-class-powercap.
Zones lie in `devices/virtual/powercap`, a sub-zone in its zone; `class/powercap` has links.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

from joulemark.meters import SIMULATED_MARK
from joulemark.meters.simulated import AJ_PER_J, AcpiRate, Counter, SimulatedDomain

# A simulated machine's folder: `sys` and `proc` below it, each marked as a test double.
#
# Files that another process may be reading are replaced, not rewritten: the new text goes to a new
# file that then takes the name. A reader that has the old file open goes on reading the old number.
# Where the only reader is the writing thread, a file is rewritten in place, which gives the same
# numbers and is five times as fast.

_NEW: Final = ".new"
_UNREADABLE: Final = ("/sys/bus/cpu/drivers_probe", "/proc/sys/vm/drop_caches")
"""Files of every Linux that can only be written: opening one to read is refused to root as well
(fs/kernfs/file.c, kernfs_fop_open; fs/proc/proc_sysctl.c, sysctl_perm)."""


class MachineTree:
    """The files of one simulated machine."""

    def __init__(self, root: Path, *, shared: bool) -> None:
        self.root = root
        self._shared = shared
        self._new = str(root / _NEW)
        for name in ("sys", "proc"):
            (root / name).mkdir(parents=True, exist_ok=True)
            (root / name / SIMULATED_MARK).write_text("a test double, not a machine\n")

    def lay(self, path: str, text: str) -> None:
        """Makes a file that stays as it is, and the folders above it; `path` is below the root."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n")

    def link(self, path: str, target: str) -> None:
        """Makes a symbolic link, relative as in sysfs; both paths are below the root."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(os.path.relpath(self.root / target, file.parent))

    def show(self, path: str, text: str) -> None:
        """Gives the file at the full path `path` the text; readers see the old text or the new."""
        data = text.encode("ascii") + b"\n"
        written = self._new if self._shared else path
        descriptor = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            os.write(descriptor, data)
            os.ftruncate(descriptor, len(data))
        finally:
            os.close(descriptor)
        if self._shared:
            os.rename(written, path)  # noqa: PTH104 - Path.rename costs 2 us more, every millisecond

    def forbid(self, path: str) -> None:
        """Makes the file unreadable for every user.

        File modes do not stop root, as whom tests often run; for root the name becomes a link to a
        kernel file that root may not read either.
        """
        targets = _UNREADABLE if os.geteuid() == 0 else ()
        target = next((file for file in targets if _is_refused(file)), None)
        if target is None:
            (self.root / path).chmod(0)
            return
        new = Path(self._new)
        new.symlink_to(target)
        new.rename(self.root / path)

    def remove(self, path: str) -> None:
        """Removes a file, a link or a folder with its content, in one step as readers see it."""
        gone = self.root / ".gone"
        try:
            (self.root / path).rename(gone)
        except FileNotFoundError:
            return
        if gone.is_dir() and not gone.is_symlink():
            shutil.rmtree(gone)
        else:
            gone.unlink()


def _is_refused(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        return isinstance(error, PermissionError)
    return False


# The files of a battery: power_supply in sysfs, and the older `/proc/acpi/battery`.
#
# Sysfs: Documentation/ABI/testing/sysfs-class-power; powers in microwatts, energies in microwatt
# hours. Old interface: Westermann and others (2010), figure 1, and drivers/acpi/battery.c of Linux
# 2.6.28: milliwatts and milliwatt hours, or milliamperes and milliampere hours.

_VOLTAGE_UV: Final = 11_391_000
"""The voltage in the paper's figure; it does not sag here."""


class BatteryFiles:
    """The folders of one battery."""

    def __init__(self, tree: MachineTree, counts: ShownCounts) -> None:
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


# The files of one hwmon sensor: Documentation/hwmon/sysfs-interface.rst.
#
# `energyN_input` counts microjoules, `powerN_input` is in microwatts, `update_interval` in
# milliseconds. The chip is a platform device; `class/hwmon` has a link to its folder.

_CLASS: Final = "sys/class/hwmon"


class HwmonFiles:
    """One sensor of one chip; sensors of one chip share its folder."""

    def __init__(self, tree: MachineTree, counts: ShownCounts) -> None:
        self._tree = tree
        self._counts = counts
        self._chip, sensor = counts.domain.id.split("/")
        self._is_energy = sensor.startswith("energy")
        driver = counts.domain.driver or ("amd_energy" if self._is_energy else "ina2xx")
        device = f"sys/devices/platform/{driver}.{self._chip.removeprefix('hwmon')}"
        self._folder = f"{device}/hwmon/{self._chip}"
        self._file = f"{self._folder}/{sensor}_input"
        self._path = str(tree.root / self._file)
        self._shown = -1
        if not (tree.root / self._folder).exists():
            tree.lay(f"{self._folder}/name", driver)
            tree.link(f"{self._folder}/device", device)
            tree.link(f"{_CLASS}/{self._chip}", self._folder)
        if counts.domain.name:
            tree.lay(f"{self._folder}/{sensor}_label", counts.domain.name)
        if not self._is_energy:
            period_ms = max(1, round(counts.domain.update_period_s * 1000))
            tree.lay(f"{self._folder}/update_interval", str(period_ms))
            if counts.domain.limit_w is not None:
                limit_uw = str(round(counts.domain.limit_w * 1e6))
                tree.lay(f"{self._folder}/{sensor}_max", limit_uw)
        self.show()

    def show(self) -> None:
        """Brings the sensor up to date."""
        count = self._counts.microjoules if self._is_energy else self._counts.microwatts
        if count != self._shown:
            self._shown = count
            self._tree.show(self._path, str(count))

    def forbid(self) -> None:
        """Takes away the right to read the sensor."""
        self._tree.forbid(self._file)

    def vanish(self) -> None:
        """Takes the whole chip away."""
        self._tree.remove(f"{_CLASS}/{self._chip}")
        self._tree.remove(self._folder)


_POWERCAP_CLASS: Final = "sys/class/powercap"
_DEVICES: Final = "sys/devices/virtual/powercap"
_SHORT_TERM: Final = 1.25
"""Short-term limit over long-term limit, as firmware commonly sets them."""


class PowercapFiles:
    """The folder of one zone."""

    def __init__(self, tree: MachineTree, counts: ShownCounts) -> None:
        self._tree = tree
        self._counts = counts
        self._id = counts.domain.id
        control, *numbers = self._id.split(":")
        self._folder = f"{_DEVICES}/{control}"
        zone = control
        for number in numbers:
            zone = f"{zone}:{number}"
            self._folder = f"{self._folder}/{zone}"
        self._path = str(tree.root / self._folder / "energy_uj")
        self._shown = -1
        if not (tree.root / _POWERCAP_CLASS / control).exists():
            tree.lay(f"{_DEVICES}/{control}/enabled", "1")
            tree.link(f"{_POWERCAP_CLASS}/{control}", f"{_DEVICES}/{control}")
        tree.link(f"{_POWERCAP_CLASS}/{self._id}", self._folder)
        tree.lay(f"{self._folder}/name", counts.domain.name or self._id)
        tree.lay(f"{self._folder}/enabled", "1")
        if counts.domain.range_file and counts.range_microjoules is not None:
            tree.lay(f"{self._folder}/max_energy_range_uj", str(counts.range_microjoules))
        if counts.domain.limit_w is not None:
            self._lay_limits(counts.domain.limit_w)
        self.show()

    def _lay_limits(self, limit_w: float) -> None:
        limits = ("long_term", limit_w, 27_983_872), ("short_term", limit_w * _SHORT_TERM, 2440)
        for number, (name, power_w, window_us) in enumerate(limits):
            start = f"{self._folder}/constraint_{number}"
            self._tree.lay(f"{start}_name", name)
            self._tree.lay(f"{start}_power_limit_uw", str(round(power_w * 1e6)))
            self._tree.lay(f"{start}_time_window_us", str(window_us))
        self._tree.lay(f"{self._folder}/constraint_0_max_power_uw", str(round(limit_w * 1e6)))

    def show(self) -> None:
        """Brings the count up to date."""
        count = self._counts.microjoules
        if count != self._shown:
            self._shown = count
            self._tree.show(self._path, str(count))

    def forbid(self) -> None:
        """Takes away the right to read the count."""
        self._tree.forbid(f"{self._folder}/energy_uj")

    def vanish(self) -> None:
        """Takes the zone away, with its sub-zones."""
        links = self._tree.root / _POWERCAP_CLASS
        for link in sorted(links.glob(f"{self._id}*")):
            if link.name == self._id or link.name.startswith(f"{self._id}:"):
                self._tree.remove(f"{_POWERCAP_CLASS}/{link.name}")
        self._tree.remove(self._folder)


_BATTERY_FULL_J: Final = 50 * 3600.0
_AJ_PER_NJ: Final = 10**9
_NJ_PER_UJ: Final = 1000
_NJ_PER_UWH: Final = 3_600_000


class ShownCounts:
    """The counts of one domain: whole steps, wrapped, and falsified by faults.

    Args:
        domain: the domain that the files belong to.
        source: the domain that gives step, range and first count: `domain`, or what it mirrors.
        counter: the counter of `source`.
    """

    def __init__(self, domain: SimulatedDomain, source: SimulatedDomain, counter: Counter) -> None:
        self.domain = domain
        self._counter = counter
        start_j = source.start_j
        if start_j is None:
            start_j = _BATTERY_FULL_J if source.is_battery else 0.0
        self._quantum_nj = source.quantum_nj
        self._steps = source.register_steps
        self._first = int(start_j * 1e9 / self._quantum_nj + 1e-9)
        self._start_nj = round(start_j * 1e9)
        self._frozen: tuple[int, int, int] | None = None

    @property
    def steps(self) -> int:
        """Steps that the register shows now."""
        if self._frozen is not None:
            return self._frozen[0]
        steps = self._first + self._counter.shown_aj // (self._quantum_nj * _AJ_PER_NJ)
        return steps % self._steps if self._steps is not None else max(steps, 0)

    @property
    def microjoules(self) -> int:
        """The register scaled to microjoules and cut, as the kernel does it."""
        return self.steps * self._quantum_nj // _NJ_PER_UJ

    @property
    def range_microjoules(self) -> int | None:
        """Scaled value of the register's last step, which is what `max_energy_range_uj` says."""
        steps = self._steps
        return None if steps is None else (steps - 1) * self._quantum_nj // _NJ_PER_UJ

    @property
    def microwatts(self) -> int:
        """Mean power over the newest update period."""
        return self._counter.mean_nw // 1000 if self._frozen is None else self._frozen[1]

    @property
    def left_microwatthours(self) -> int:
        """Energy left in a battery, in whole steps."""
        if self._frozen is not None:
            return self._frozen[2]
        left_nj = self._start_nj - self._counter.shown_aj // _AJ_PER_NJ
        return max(0, left_nj // self._quantum_nj) * self._quantum_nj // _NJ_PER_UWH

    @property
    def full_microwatthours(self) -> int:
        """Energy of the full battery."""
        return max(self._start_nj, round(_BATTERY_FULL_J * 1e9)) // _NJ_PER_UWH

    def freeze(self) -> None:
        """Keeps all counts as they are now."""
        self._frozen = (self.steps, self.microwatts, self.left_microwatthours)

    def step_down(self, step_j: float) -> None:
        """Falls by `step_j` once."""
        self._first -= round(step_j * 1e9 / self._quantum_nj)
        self._start_nj -= round(step_j * 1e9)

    def reset(self) -> None:
        """Starts again at 0; a battery is empty."""
        self._first = -(self._counter.shown_aj // (self._quantum_nj * _AJ_PER_NJ))
        self._start_nj = self._counter.shown_aj // AJ_PER_J
