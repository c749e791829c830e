# SPDX-License-Identifier: Apache-2.0
"""A simulated machine whose power is known exactly: the test double of every energy meter.

The machine is a real file tree in the kernel's formats, so the ordinary meters read it. `start`
(`daemon`) runs it in real time as a separate process; tests drive it in virtual time. Here are its
domains, which `machine` gives energy and files.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from joulemark.errors import UsageError

# The instants at which a counter is updated: a grid, with each instant a little off its place.
#
# The instant of update n is a function of n and the seed alone, so a driver that leaps over updates
# finds the same instants as a driver that does not.

_BLOCK: Final = 64
"""Deviates that are made together; few, because most tests need few."""
_FURTHEST: Final = 0.49
"""Largest deviation in periods; below one half, so that instants keep their order."""


class Deviates:
    """Normal deviates, each a function of its index and the seed."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._block: int | None = None
        self._values: list[float] = []

    def __getitem__(self, index: int) -> float:
        block, place = divmod(index, _BLOCK)
        if block != self._block:
            # A test double needs repeatable numbers, not unpredictable ones.
            source = random.Random(f"{self._seed}/{block}")  # noqa: S311
            self._values = [source.gauss(0.0, 1.0) for _ in range(_BLOCK)]
            self._block = block
        return self._values[place]


class UpdateGrid:
    """The instants at which one counter is updated.

    Args:
        origin_ns: place of update 0 in the grid.
        period_ns: distance of two places.
        jitter: standard deviation of an instant about its place, in periods.
        seed: seed of the deviations.
    """

    def __init__(self, origin_ns: int, period_ns: int, jitter: float, seed: str) -> None:
        self._origin_ns = origin_ns
        self.period_ns = period_ns
        self._jitter = jitter
        self._deviates = Deviates(seed)

    def instant_ns(self, index: int) -> int:
        """Moment of update `index`."""
        place_ns = self._origin_ns + index * self.period_ns
        if self._jitter == 0:
            return place_ns
        off = max(-_FURTHEST, min(_FURTHEST, self._jitter * self._deviates[index]))
        return place_ns + round(off * self.period_ns)

    def last(self, now_ns: int) -> int:
        """Index of the newest update that has happened by `now_ns`."""
        index = (now_ns - self._origin_ns) // self.period_ns
        if self._jitter == 0:
            return index
        if self.instant_ns(index + 1) <= now_ns:
            return index + 1
        return index if self.instant_ns(index) <= now_ns else index - 1


RAPL_QUANTUM_J: Final = 61.035e-6
"""Step of a RAPL counter with energy unit 14, as powercap shows it: 2^-14 J cut to nanojoules
(drivers/powercap/intel_rapl_common.c, ENERGY_UNIT_SCALE)."""
RAPL_RANGE_J: Final = 2**32 * RAPL_QUANTUM_J
"""Energy after which such a counter shows the same count again: its register has 32 bits."""
BATTERY_QUANTUM_J: Final = 36.0
"""10 mWh: step of the energy that common batteries report as left."""

_ID: Final = re.compile(
    r"intel-rapl(-mmio)?(:\d{1,3}){1,2}|BAT\d{1,2}|hwmon\d{1,3}/(power|energy)\d{1,2}"
)


class FaultKind(StrEnum):
    """A kind of trouble."""

    PERMISSION = "permission"
    """The domain's count may not be read any more, not even by root."""
    VANISH = "vanish"
    """The domain's folder goes away, with the folders below it."""
    STUCK = "stuck"
    """The count never changes again."""
    NEGATIVE_STEP = "negative_step"
    """The count falls once, by `SimulatedFault.step_j`."""
    CHARGING = "charging"
    """The mains are plugged in, which a battery shows."""
    RESET = "reset"
    """The count starts again at 0."""
    LATE = "late"
    """The reader is kept from running for `SimulatedFault.duration_s`. The files stay as they are;
    only a machine in virtual time has this fault."""


class AcpiRate(StrEnum):
    """The unit of `present rate` in the old `/proc/acpi/battery`, and its label."""

    MILLIWATT = "mW"
    MILLIAMPERE = "mA"
    MISLABELLED = "mA shown as mW"
    """A current with the label of a power, as on the machine of Westermann and others (2010,
    section 2)."""


@dataclass(frozen=True, slots=True)
class SimulatedDomain:
    """One domain of a simulated machine.

    The power of a domain is `static_w` plus `load_share` times the power of the load. Its counter
    moves at instants about the grid of `update_period_s`, and shows the energy used until then.
    """

    id: str
    """Path-like name, which decides the files that the domain has: `intel-rapl:0`,
    `intel-rapl:0:1`, `intel-rapl-mmio:0`, `BAT0`, `hwmon0/power1`, `hwmon0/energy1`."""
    name: str = ""
    """Name in its files: `package-0`, `core`, a sensor's label."""
    static_w: float = 10.0
    load_share: float = 1.0
    """Watts of this domain for each watt of the load."""
    update_period_s: float = 0.001
    jitter: float = 0.0
    """Standard deviation of each update's instant about its place in the grid, in periods. Instants
    never change order: a deviation ends at 0.49 periods."""
    noise: float = 0.0
    """Relative standard deviation of each increment; independent, so the errors accumulate. An
    increment is never negative."""
    quantum_j: float | None = None
    """Step of the counter: energy is cut to whole steps. Kept in whole nanojoules. None:
    `RAPL_QUANTUM_J`, of a battery `BATTERY_QUANTUM_J`."""
    wraps_at_j: float | None = None
    """Energy after which the counter shows the same count again, kept in whole steps. None: a RAPL
    zone wraps after 2^32 steps, as its register does, other counters never. A battery never
    wraps."""
    range_file: bool = True
    """Whether a RAPL zone states its range; without the file it wraps all the same."""
    start_j: float | None = None
    """Energy that the counter shows at first; None: 0, and 50 Wh of a battery."""
    mirror_of: str | None = None
    """Id of the domain whose counts this one shows exactly; its power and counter are unused."""
    limit_w: float | None = None
    """Power limit that the files state; None: no limit is stated."""
    driver: str = ""
    """Name of the hwmon chip; empty: `amd_energy` for an energy, `ina2xx` for a power."""
    acpi_rate: AcpiRate = AcpiRate.MILLIWATT
    phase_s: float = 0.0
    """Time from the start to the first place in the grid of updates."""
    update_clock: str = ""
    """Domains that name the same clock have the same jitter, so that with equal periods they are
    updated together; empty: no other domain has the clock."""

    def __post_init__(self) -> None:
        trouble = _trouble_of(self)
        if trouble is not None:
            raise UsageError(f"simulated domain '{self.id}': {trouble}")

    @property
    def is_battery(self) -> bool:
        """Whether its files are those of a battery."""
        return self.id.startswith("BAT")

    @property
    def quantum_nj(self) -> int:
        """Step of the counter in nanojoules."""
        usual_j = BATTERY_QUANTUM_J if self.is_battery else RAPL_QUANTUM_J
        return round((self.quantum_j or usual_j) * 1e9)

    @property
    def register_steps(self) -> int | None:
        """Number of different counts; None where it never wraps."""
        if self.is_battery:
            return None
        if self.wraps_at_j is not None:
            return round(self.wraps_at_j * 1e9 / self.quantum_nj)
        return 2**32 if self.id.startswith("intel-rapl") else None


@dataclass(frozen=True, slots=True)
class SimulatedFault:
    """One thing that goes wrong."""

    at_s: float
    """Seconds after the start of the simulation; 0 or less: from the start."""
    kind: FaultKind
    domain: str = ""
    """Id of the domain; empty only for `late`."""
    step_j: float = 0.0
    duration_s: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", FaultKind(self.kind))
        if not math.isfinite(self.at_s):
            raise UsageError(f"simulated fault '{self.kind}': at_s must be a number of seconds")
        if (self.kind is FaultKind.LATE) is not (self.domain == ""):
            raise UsageError(
                f"simulated fault '{self.kind}': every fault but 'late' names the domain it befalls"
            )
        if self.kind is FaultKind.NEGATIVE_STEP and not 0 < self.step_j < math.inf:
            raise UsageError("simulated fault 'negative_step': step_j must be above 0 joules")
        if self.kind is FaultKind.LATE and not 0 < self.duration_s < math.inf:
            raise UsageError("simulated fault 'late': duration_s must be above 0 seconds")


def _trouble_of(domain: SimulatedDomain) -> str | None:
    """Why a domain cannot be simulated, as half a sentence; None if it can."""
    if _ID.fullmatch(domain.id) is None:
        return "its id must be like intel-rapl:0, intel-rapl:0:1, BAT0 or hwmon0/power1"
    if not 1e-6 <= domain.update_period_s <= 3600:
        return f"update_period_s must be from 1e-6 to 3600, not {domain.update_period_s}"
    least = dict.fromkeys(("static_w", "load_share", "jitter", "noise", "start_j", "phase_s"), 0.0)
    least |= {"limit_w": 1e-6, "quantum_j": 1e-9}
    if domain.quantum_j is None or 1e-9 <= domain.quantum_j < math.inf:
        least["wraps_at_j"] = 2e-9 * domain.quantum_nj
    for field, minimum in least.items():
        value = getattr(domain, field)
        if value is not None and not minimum <= value < math.inf:
            return f"{field} must be {minimum:g} or more, not {value}"
    return None


# The physics of one domain: from power to the energy that its counter has latched.
#
# All energies are whole attojoules (1e-18 J, one nanowatt for one nanosecond), so that sums are
# exact and a counter wraps at the very update at which it must.

AJ_PER_J: Final = 10**18
_NS_PER_S: Final = 10**9
_SHARE_PARTS: Final = 10**6
"""`load_share` is kept in millionths."""


def nanowatts(power_w: float) -> int:
    """Watts as whole nanowatts."""
    return round(power_w * 1e9)


class Counter:
    """The energy that one domain has used, and the part of it that its counter has latched.

    Args:
        domain: the facts; `mirror_of` is ignored.
        start_ns: the start of the simulation, when no energy has been used.
        seed: seed of jitter and noise, which differ between domains.
    """

    def __init__(self, domain: SimulatedDomain, start_ns: int, seed: int) -> None:
        self._start_ns = start_ns
        self._static_nw = nanowatts(domain.static_w)
        self._share = round(domain.load_share * _SHARE_PARTS)
        self._noise = domain.noise
        self._grid = UpdateGrid(
            start_ns + round(domain.phase_s * _NS_PER_S),
            round(domain.update_period_s * _NS_PER_S),
            domain.jitter,
            f"{seed}/{domain.update_clock or domain.id}/instant",
        )
        self._deviates = Deviates(f"{seed}/{domain.id}/increment")
        self._index = self._grid.last(start_ns)
        self._latched_aj = 0
        self._latched_ns = start_ns
        self.shown_aj = 0
        """Energy by the account of the counter, noise included, at the newest update."""
        self.mean_nw = self._static_nw
        """Mean power over the newest update period, noise included."""
        self.missed = 0
        """Updates that `latch_now` left out."""
        self.next_ns = self._grid.instant_ns(self._index + 1)
        """Moment of the next update."""

    def true_aj(self, now_ns: int, load_aj: int) -> int:
        """Energy used from the start until `now_ns`, when the load had used `load_aj`."""
        return self._static_nw * (now_ns - self._start_ns) + load_aj * self._share // _SHARE_PARTS

    def advance(self, now_ns: int, load_at: Callable[[int], int]) -> None:
        """Makes every update that is due by `now_ns`, each at its exact instant.

        Without noise only the newest two matter (two, because the mean power is between them).

        Args:
            now_ns: not before the moment of the last call.
            load_at: energy that the load had used, in attojoules, at any instant until `now_ns`.
        """
        last = self._grid.last(now_ns)
        first = self._index + 1 if self._noise else max(self._index + 1, last - 1)
        for index in range(first, last + 1):
            instant_ns = self._grid.instant_ns(index)
            self._latch(index, instant_ns, load_at(instant_ns))

    def latch_now(self, now_ns: int, load_aj: int) -> None:
        """Makes the newest update that is due, at `now_ns`: real time is always a little late.

        The updates before it that are due too are left out, and counted in `missed`.
        """
        last = self._grid.last(now_ns)
        if last > self._index:
            self.missed += last - self._index - 1
            self._latch(last, now_ns, load_aj)

    def _latch(self, index: int, instant_ns: int, load_aj: int) -> None:
        true_aj = self.true_aj(instant_ns, load_aj)
        increment_aj = true_aj - self._latched_aj
        if self._noise:
            factor = max(0.0, 1.0 + self._noise * self._deviates[index])
            increment_aj = int(increment_aj * factor)
        self.shown_aj += increment_aj
        if instant_ns > self._latched_ns:
            self.mean_nw = increment_aj // (instant_ns - self._latched_ns)
        self._index, self._latched_aj, self._latched_ns = index, true_aj, instant_ns
        self.next_ns = self._grid.instant_ns(index + 1)
