# SPDX-License-Identifier: Apache-2.0
"""The physics of one domain: from power to the energy that its counter has latched.

All energies are whole attojoules (1e-18 J, one nanowatt for one nanosecond), so that sums are
exact and a counter wraps at the very update at which it must.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from joulemark.meters.simulated.domain import SimulatedDomain
from joulemark.meters.simulated.grid import Deviates, UpdateGrid

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
