# SPDX-License-Identifier: Apache-2.0
"""Messages about energy, in a module that only workers that meter import."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.measure.worker_messages.base import Request
from joulemark.measure.worker_messages.runs import TrialRun
from joulemark.records.domain import Domain
from joulemark.records.energy_window import EnergyWindow, Observation, WindowKind, WindowRequest


@dataclass(frozen=True, slots=True)
class Observed:
    """The observed updates of a meter's counters."""

    observations: tuple[Observation, ...]


@dataclass(frozen=True, slots=True)
class Metered:
    """An energy window."""

    window: EnergyWindow
    output: str | None
    """Output of a load; None for an idle window."""


@dataclass(frozen=True)
class MeteredDomains:
    """A meter and the domains that a worker reads."""

    meter: str
    sysfs: str
    proc: str
    """Folder, as `sysfs`, in which the meter looks for a tree of the kernel."""
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
    """About how long a message takes, above 0."""
    placement: int


@dataclass(frozen=True)
class TakeWindow(Request[Metered]):
    """Asks for one energy window."""

    metered: MeteredDomains
    kind: WindowKind
    window: WindowRequest
    load: MessageRun | None
    """The messages of a load window; None for an idle window."""
