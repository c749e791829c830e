# SPDX-License-Identifier: Apache-2.0
"""From the windows of one trial to the power of its load, gross and net of rest.

All are `uncertainties` numbers, so windows stay correlated by all that they share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from uncertainties import ufloat

from joulemark.analyse.energy.baseline import Baseline
from joulemark.analyse.energy.window import WindowPower

__all__ = ["LoadPower", "gross_powers", "net_powers", "with_messages"]


@dataclass(frozen=True, slots=True)
class LoadPower:
    """Power of the load in one window, without the reads of the meter."""

    window: WindowPower
    power_w: Any

    @property
    def joules_per_message(self) -> Any:
        """Energy of one message; not for a window without messages."""
        return self.power_w * self.window.seconds_per_message

    @property
    def joule_seconds_per_message(self) -> Any:
        """Energy times delay of one message; not for a window without messages."""
        return self.power_w * self.window.seconds_per_message**2


def gross_powers(kept: Sequence[WindowPower]) -> list[LoadPower]:
    """Power of the load in each window, nothing subtracted."""
    # What reading costs is unknown and the same in every window: one number, shared by all.
    unknown = ufloat(0.0, 1.0)
    return [LoadPower(window, window.power_w * (1 + window.reading * unknown)) for window in kept]


def net_powers(gross: Sequence[LoadPower], rest: Baseline) -> list[LoadPower]:
    """Power less that at rest in the same moment; empty where the power at rest is unknown."""
    pairs = ((load, rest.at(load.window.middle_s)) for load in gross)
    return [
        LoadPower(load.window, load.power_w - at_rest_w)
        for load, at_rest_w in pairs
        if at_rest_w is not None
    ]


def with_messages(loads: Sequence[LoadPower]) -> list[LoadPower]:
    """The powers of windows that have a message: the others give no cost of a message."""
    return [load for load in loads if load.window.window.messages > 0]
