# SPDX-License-Identifier: Apache-2.0
"""The files of a RAPL zone, as Linux's powercap shows them.

Layout and meaning: Documentation/power/powercap/powercap.rst and
Documentation/ABI/testing/sysfs-class-powercap. The zones lie in `devices/virtual/powercap`, a
sub-zone in its zone's folder; `class/powercap` has a link to each, side by side.
"""

from __future__ import annotations

from typing import Final

from joulemark.meters.simulated.shown_counts import ShownCounts
from joulemark.meters.simulated.tree import Tree

_CLASS: Final = "sys/class/powercap"
_DEVICES: Final = "sys/devices/virtual/powercap"
_SHORT_TERM: Final = 1.25
"""Short-term limit over long-term limit, as firmware commonly sets them."""


class PowercapFiles:
    """The folder of one zone.

    Args:
        tree: the files of the machine.
        counts: the counts that the zone shows.
    """

    def __init__(self, tree: Tree, counts: ShownCounts) -> None:
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
        if not (tree.root / _CLASS / control).exists():
            tree.lay(f"{_DEVICES}/{control}/enabled", "1")
            tree.link(f"{_CLASS}/{control}", f"{_DEVICES}/{control}")
        tree.link(f"{_CLASS}/{self._id}", self._folder)
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
        links = self._tree.root / _CLASS
        for link in sorted(links.glob(f"{self._id}*")):
            if link.name == self._id or link.name.startswith(f"{self._id}:"):
                self._tree.remove(f"{_CLASS}/{link.name}")
        self._tree.remove(self._folder)
