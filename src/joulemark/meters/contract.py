# SPDX-License-Identifier: Apache-2.0
"""The contract that every energy meter fulfils.

A meter is an instrument with one or more domains. A domain is a part of the machine that the
instrument meters: a CPU package, its cores, the memory beside it, a battery. Domains form a tree:
what a domain uses is part of what its parent uses, so the two are never added.

A meter reports raw counts with the moments between which they were taken. It divides nothing,
corrects nothing and averages nothing; `joulemark.analyse.energy` does that from stored readings.
Missing is never zero: what cannot be read has a reason, and a read that fails raises MeterError.

To add a meter is to add one file to `joulemark.meters.instruments`; see its `__init__`.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from joulemark.errors import JoulemarkError
from joulemark.foreign.text import visible
from joulemark.records.domain import Domain, Fault
from joulemark.records.evidence import Evidence

__all__ = ["Meter", "MeterError", "Reading", "Refusal", "Roots", "Survey"]


class MeterError(JoulemarkError):
    """A reading cannot be had; the text says what, where, and how to mend it.

    Args:
        fault: which kind of trouble.
        text: one sentence for the user; what it repeats of a file becomes visible.
    """

    def __init__(self, fault: Fault, text: str) -> None:
        super().__init__(visible(text))
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Refusal:
    """A domain, or a whole instrument, that is there and cannot be used."""

    what: str
    """Id of the domain, or a path."""
    reason: str
    """One sentence: why not."""
    remedy: str | None = None
    """The exact command or rule that would make it usable; None where nothing does."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "what", visible(self.what))
        object.__setattr__(self, "reason", visible(self.reason))


@dataclass(frozen=True, slots=True)
class Survey:
    """What a meter finds when it looks for its instrument, without keeping anything open."""

    domains: tuple[Domain, ...] = ()
    """Domains that can be read now, parents before children."""
    refused: tuple[Refusal, ...] = ()
    """Domains that are there and cannot be read."""
    reason: str | None = None
    """Why no domain can be read; None if at least one can."""
    remedy: str | None = None
    """The command that would make the meter usable, where there is one."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What else belongs to every figure of this meter: driver, filter bit, firmware."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One raw reading of one domain."""

    before_ns: int
    """CLOCK_MONOTONIC just before the instrument was asked."""
    after_ns: int
    """CLOCK_MONOTONIC just after it answered. Where the instrument stamps its samples itself, both
    are the stamp, on this machine's clock."""
    counts: int
    """Raw count, at least 0; see `Domain.per_count`."""
    state: str | None = None
    """What the instrument says beside the count and the analysis must know: `Discharging`."""


@dataclass(frozen=True, slots=True)
class Roots:
    """Where the kernel's file trees are, and the clock: the real ones, or a simulated machine's."""

    sysfs: Path = Path("/sys")
    proc: Path = Path("/proc")
    now_ns: Callable[[], int] = time.monotonic_ns
    """CLOCK_MONOTONIC; every moment that a meter reports is on this clock."""


class Meter(ABC):
    """One kind of instrument. Not thread-safe; each process makes its own.

    `domains`, `resolution`, `update_period` and `wraps_at` of the contract are facts of each
    `Domain`, because they differ between the domains of one instrument.
    """

    name: str
    """As on the command line: `powercap`."""
    title: str
    """For people: "RAPL through powercap"."""

    @abstractmethod
    def survey(self) -> Survey:
        """Looks for the instrument; never raises, never waits longer than a second."""

    def available(self) -> str | None:
        """None if at least one domain can be read, else the reason."""
        return self.survey().reason

    def domains(self) -> tuple[Domain, ...]:
        """Every domain that can be read, parents before children."""
        return self.survey().domains

    @abstractmethod
    def read(self, domain: str) -> Reading:
        """Reads one domain, now.

        Raises:
            MeterError: it cannot be read; the fault says what kind of trouble.
        """

    @abstractmethod
    def evidence(self) -> Evidence:
        """MEASURED where the instrument is real; SIMULATED where its files are a test double."""

    def close(self) -> None:  # noqa: B027 - most meters hold nothing open
        """Releases what reading holds open. May be called twice."""
