# SPDX-License-Identifier: Apache-2.0
"""Energy meters: the contract that each fulfils; mirrored dies; small files of the kernel.

A meter is an instrument with one or more domains. A domain is a part of the machine that the
instrument meters: a CPU package, its cores, the memory beside it, a battery. Domains form a tree:
what a domain uses is part of what its parent uses, so the two are never added.

A meter reports raw counts with the moments between which they were taken. It divides nothing,
corrects nothing and averages nothing; `joulemark.analyse.window` does that from stored readings.
Missing is never zero: what cannot be read has a reason, and a read that fails raises MeterError.

To add a meter is to add one file to `joulemark.meters.instruments`; see its `__init__`.
"""

from __future__ import annotations

import errno
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from joulemark.errors import JoulemarkError, UsageError
from joulemark.foreign import shortened, visible
from joulemark.records.energy_window import Domain, Fault, Quantity
from joulemark.records.figures import Evidence


class MeterError(JoulemarkError):
    """A reading cannot be had; the text says what failed, where, and how to mend it.

    Args:
        fault: the kind of trouble.
        text: one sentence for the user. Control characters in it, as from a file that it quotes,
            are shown as codes.
    """

    def __init__(self, fault: Fault, text: str) -> None:
        super().__init__(visible(text))
        self.fault = fault


@dataclass(frozen=True, slots=True)
class MeterRefusal:
    """A domain, or a whole instrument, that is there and cannot be used."""

    what: str
    """Id of the domain, or a path."""
    reason: str
    """One sentence that says why it cannot be used."""
    remedy: str | None = None
    """The exact command or rule that would make it usable; None where nothing does."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "what", visible(self.what))
        object.__setattr__(self, "reason", visible(self.reason))


@dataclass(frozen=True, slots=True)
class Survey:
    """The result of looking for an instrument, which leaves nothing open."""

    domains: tuple[Domain, ...] = ()
    """Domains that can be read now, parents before children."""
    refused: tuple[MeterRefusal, ...] = ()
    """Domains that are there and cannot be read."""
    reason: str | None = None
    """Why no domain can be read; None if at least one can."""
    remedy: str | None = None
    """The command that would make the meter usable, where there is one."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Other facts that belong to every figure of this meter: driver, filter bit, firmware."""

    @staticmethod
    def of(
        domains: Sequence[Domain],
        refused: Sequence[MeterRefusal],
        facts: Mapping[str, Any],
        nothing_there: str,
    ) -> Survey:
        """The survey of an instrument by its usable and its refused domains.

        If no domain is usable, the meter's reason and remedy are those of the first refusal that
        has a remedy, or else of the first refusal; `nothing_there` without a refusal.
        """
        if domains:
            return Survey(tuple(domains), tuple(refused), facts=facts)
        if not refused:
            return Survey(reason=nothing_there, facts=facts)
        shown = next((refusal for refusal in refused if refusal.remedy), refused[0])
        return Survey((), tuple(refused), shown.reason, shown.remedy, facts)


@dataclass(frozen=True, slots=True)
class Reading:
    """One raw reading of one domain."""

    before_ns: int
    """CLOCK_MONOTONIC just before the instrument was asked."""
    after_ns: int
    """CLOCK_MONOTONIC just after it answered. Where the instrument stamps its samples itself, both
    moments are that stamp, on this machine's clock."""
    counts: int
    """Raw count, at least 0; see `Domain.per_count`."""
    state: str | None = None
    """A word beside the count that the analysis must know, such as `Discharging`."""


@dataclass(frozen=True, slots=True)
class Roots:
    """The kernel's file trees and the clock: the real ones, or those of a simulated machine."""

    sysfs: Path = Path("/sys")
    proc: Path = Path("/proc")
    now_ns: Callable[[], int] = time.monotonic_ns
    """CLOCK_MONOTONIC; every moment that a meter reports is on this clock."""


class Meter(ABC):
    """One kind of instrument. A meter is not thread-safe, and each process makes its meters itself.

    Resolution, update period and wrap are facts of each `Domain`, because they differ between the
    domains of one instrument.
    """

    title: str
    """Name for people: "RAPL through powercap"."""

    @abstractmethod
    def survey(self) -> Survey:
        """Looks for the instrument; never raises, never waits longer than a second."""

    @abstractmethod
    def read(self, domain: str) -> Reading:
        """Reads one domain, now.

        Raises:
            MeterError: the domain cannot be read.
        """

    @abstractmethod
    def evidence(self) -> Evidence:
        """MEASURED where the instrument is real; SIMULATED where its files are a test double."""

    def close(self) -> None:  # noqa: B027 - most meters hold nothing open
        """Closes all that readings opened; may be called twice."""

    @staticmethod
    def refuse_argument(name: str, argument: str | None) -> None:
        """Refuses an argument of an instrument that takes none."""
        if argument is not None:
            raise UsageError(f"the meter {name} takes no argument, so write '{name}' alone")


# Reading the kernel's small files; why a file cannot be read is put into words.
#
# Each read opens the file again: a device that went away is then noticed by its name, where a file
# held open would go on to show its last value.

SIMULATED_MARK: Final = "joulemark-simulated"
"""A file of this name in the root of a tree says that the tree is a test double."""
LONGEST_WORD: Final = 40
"""Characters of a file that a message shows; the kernel's words have at most 12."""
_LONGEST_FILE: Final = 4096
"""A sysfs attribute is at most a page (Documentation/filesystems/sysfs.rst)."""
_ABSENT: Final = {errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.ENOTDIR, errno.ESTALE}
_FORBIDDEN: Final = {errno.EACCES, errno.EPERM}


def read_text(path: Path) -> str:
    """Text of a small file, without the space around it.

    Signs that would steer a terminal become codes (`foreign.text`); ends of lines stay.
    """
    try:
        # O_NONBLOCK: in a tree that is not the kernel's, a pipe may lie in a file's place.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            text = os.read(descriptor, _LONGEST_FILE).decode("ascii", "replace").strip()
            return "\n".join(map(visible, text.split("\n")))
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno in _FORBIDDEN:
            raise MeterError(
                Fault.PERMISSION, f"{path} may not be read by this user (joulemark doctor)"
            ) from None
        if error.errno in _ABSENT:
            raise MeterError(Fault.VANISHED, f"{path} is not there any more") from None
        why = error.strerror or type(error).__name__
        raise MeterError(Fault.UNREADABLE, f"{path} cannot be read ({why})") from None


def text_or_none(path: Path) -> str | None:
    """Text of a small file, for facts that may be missing; None if it is empty or unreadable."""
    try:
        return read_text(path) or None
    except MeterError:
        return None


def read_count(path: Path) -> int:
    """The number in a small file, whole and at least 0."""
    text = read_text(path)
    if not text.isdecimal():
        shown = shortened(text, LONGEST_WORD) or "nothing"
        raise MeterError(Fault.UNREADABLE, f"{path} says '{shown}', which is no count")
    return int(text)


def evidence_of(root: Path) -> Evidence:
    """SIMULATED if the tree under `root` has the mark of a test double, else MEASURED."""
    simulated = (root / SIMULATED_MARK).exists()
    return Evidence.SIMULATED if simulated else Evidence.MEASURED


# Finding mirrored dies: domains that show one and the same counter under several names.
#
# Some processors of several dies show the energy of the whole package once for each die. Added up
# they give a power that the machine does not draw, such as 68 W + 68 W = 137 W. Names do not tell
# such dies from real ones (`package-0-die-0` is either), so the counters themselves are compared.
#
# Two real packages must never be taken for mirrors. In every interval a mirror shows the same
# energy up to the steps of the counter. Two real packages at the same load differ by their leakage,
# temperature and share of interrupts; here it is supposed that their difference scatters over at
# least `SCATTER` of the energy that they used. Then an interval of E joules agrees within the
# tolerance t by accident with a chance of at most (2t + step) / (SCATTER * E). Domains are called
# mirrors only if the chances of all intervals multiply to less than `ACCIDENT`. So short intervals
# and coarse counters prove nothing, and an idle machine needs longer intervals than a busy one.

FEWEST_UPDATES: Final = 5
"""Intervals in which both counters must have moved, whatever their chances."""
SCATTER: Final = 0.01
"""Least width of the scatter between two real packages, as a part of the energy of an interval.
Packages of one type at one load differ by several percent."""
ACCIDENT: Final = 1e-6
"""Chance of an accident below which equal counters are believed to be one counter."""
_TOLERANCE_STEPS: Final = 2
"""Both ends of an interval may be cut to whole microjoules or steps differently."""


def common_moment(meter: Meter, domains: Sequence[str], tries: int = 8) -> dict[str, int] | None:
    """Counts of several domains between two updates, or None after `tries` attempts.

    Domains are read one after another, and an update in between would make mirrors look different.
    So all domains are read twice, and the counts are taken only if none has changed.
    """
    before = {domain: meter.read(domain).counts for domain in domains}
    for _ in range(tries):
        after = {domain: meter.read(domain).counts for domain in domains}
        if after == before:
            return after
        before = after
    return None


def mirrors(domains: Sequence[Domain], counts: Mapping[str, Sequence[int]]) -> dict[str, str]:
    """Id of each domain that mirrors an earlier domain -> id of the earlier domain.

    Args:
        domains: the domains of one meter; energy counters of one kind and one parent are compared.
        counts: id of a domain -> its counts at common moments, at least 6 of them, some hundred
            milliseconds apart. A domain without counts is left out.
    """
    if len({len(series) for series in counts.values()}) > 1:
        raise UsageError("mirrors are found from the same moments of every domain; numbers differ")
    mirrored: dict[str, str] = {}
    originals: list[Domain] = []
    for domain in domains:
        counter = domain.same_as is None and domain.quantity is Quantity.ENERGY
        if not counter or domain.id not in counts:
            continue
        for other in originals:
            alike = (domain.kind, domain.parent) == (other.kind, other.parent)
            if alike and _is_mirror(domain, other, counts):
                mirrored[domain.id] = other.id
                break
        else:
            originals.append(domain)
    return mirrored


def with_mirrors(domains: Sequence[Domain], mirrored: Mapping[str, str]) -> tuple[Domain, ...]:
    """The domains, with `same_as` set where one mirrors another."""
    return tuple(
        replace(domain, same_as=mirrored[domain.id]) if domain.id in mirrored else domain
        for domain in domains
    )


def _is_mirror(one: Domain, other: Domain, counts: Mapping[str, Sequence[int]]) -> bool:
    """Whether every interval agrees, and agreement cannot be an accident."""
    energies_j = _energies_j(one, counts[one.id])
    others_j = _energies_j(other, counts[other.id])
    if energies_j is None or others_j is None:
        return False
    step_j = max(one.resolution, other.resolution)
    tolerance_j = _TOLERANCE_STEPS * step_j
    chance, updates = 1.0, 0
    for energy_j, other_j in zip(energies_j, others_j, strict=True):
        if abs(energy_j - other_j) > tolerance_j:
            return False
        if min(energy_j, other_j) > 0:
            updates += 1
            chance *= min(1.0, (2 * tolerance_j + step_j) / (SCATTER * energy_j))
    # Both counters run on, so over all intervals together they agree no worse than over one.
    if abs(sum(energies_j) - sum(others_j)) > tolerance_j:
        return False
    varied = max(energies_j, default=0.0) - min(energies_j, default=0.0) > tolerance_j
    return varied and updates >= FEWEST_UPDATES and chance < ACCIDENT


def _energies_j(domain: Domain, series: Sequence[int]) -> list[float] | None:
    """Energy of each interval; None where a count fell and no wrap explains it."""
    energies_j: list[float] = []
    for first, second in pairwise(series):
        moved = first - second if domain.falls else second - first
        if moved < 0:
            if domain.wraps_at_counts is None:
                return None
            moved += domain.wraps_at_counts
        energies_j.append(moved * domain.per_count)
    return energies_j
