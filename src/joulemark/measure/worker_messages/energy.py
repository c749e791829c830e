# SPDX-License-Identifier: Apache-2.0
"""Messages that concern energy.

They stand apart because a worker that meters nothing need not import them.
"""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.measure.worker_messages.base import Request
from joulemark.measure.worker_messages.runs import TrialRun
from joulemark.records.domain import Domain
from joulemark.records.energy_window import EnergyWindow, Observation, WindowKind, WindowRequest

__all__ = ["MessageRun", "Metered", "MeteredDomains", "ObserveMeter", "Observed", "TakeWindow"]


@dataclass(frozen=True, slots=True)
class Observed:
    """How the counters of a meter moved."""

    observations: tuple[Observation, ...]


@dataclass(frozen=True, slots=True)
class Metered:
    """An energy window."""

    window: EnergyWindow
    output: str | None
    """Of a load."""


@dataclass(frozen=True)
class MeteredDomains:
    """What a worker meters with."""

    meter: str
    sysfs: str
    proc: str
    """Where the meter looks for the kernel's trees."""
    domains: tuple[Domain, ...]


@dataclass(frozen=True)
class ObserveMeter(Request[Observed]):
    """Asks how the counters of a meter move."""

    metered: MeteredDomains
    longest_s: float


@dataclass(frozen=True)
class MessageRun:
    """The load of an energy window."""

    run: TrialRun
    ns_per_message: float
    """About, above 0."""
    placement: int


@dataclass(frozen=True)
class TakeWindow(Request[Metered]):
    """Asks for one energy window."""

    metered: MeteredDomains
    kind: WindowKind
    window: WindowRequest
    load: MessageRun | None
    """None for an idle window."""
