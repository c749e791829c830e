# SPDX-License-Identifier: Apache-2.0
"""The counts that the files of one domain show: whole steps, wrapped, and falsified by faults.

A mirrored die shows the counter of the die that it mirrors, and has separate faults.
"""

from __future__ import annotations

from typing import Final

from joulemark.meters.simulated import AJ_PER_J, Counter, SimulatedDomain

_BATTERY_FULL_J: Final = 180_000.0
"""50 Wh."""
_AJ_PER_NJ: Final = 10**9
_NJ_PER_UJ: Final = 1000
_NJ_PER_UWH: Final = 3_600_000


class ShownCounts:
    """The counts that one domain shows.

    Args:
        domain: the domain that the files belong to.
        source: the domain that gives step, range and first count: `domain`, or the domain that it
            mirrors.
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
        if self._steps is None:
            return None
        return (self._steps - 1) * self._quantum_nj // _NJ_PER_UJ

    @property
    def microwatts(self) -> int:
        """Mean power over the newest update period."""
        if self._frozen is not None:
            return self._frozen[1]
        return self._counter.mean_nw // 1000

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
