# SPDX-License-Identifier: Apache-2.0
"""The files of one hwmon sensor: Documentation/hwmon/sysfs-interface.rst.

`energyN_input` counts microjoules, `powerN_input` is in microwatts, `update_interval` in
milliseconds. The chip is a platform device; `class/hwmon` has a link to its folder.
"""

from __future__ import annotations

from typing import Final

from joulemark.meters.simulated.shown_counts import ShownCounts
from joulemark.meters.simulated.tree import Tree

_CLASS: Final = "sys/class/hwmon"


class HwmonFiles:
    """One sensor of one chip; sensors of one chip share its folder.

    Args:
        tree: the files of the machine.
        counts: the counts that the sensor shows.
    """

    def __init__(self, tree: Tree, counts: ShownCounts) -> None:
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
