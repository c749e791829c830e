# SPDX-License-Identifier: Apache-2.0
"""Which runs and machines a store holds at present, kept in memory without their samples.

Runs with counts of firmware are also a store for the planner of budgets.
"""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import dropwhile, islice
from typing import Any, Final

from joulemark.budget.counts import target_of
from joulemark.budget.plan import USUAL
from joulemark.budget.planner import Planner
from joulemark.catalogue import by_use
from joulemark.catalogue.nodes import Microcontroller, Node
from joulemark.catalogue.protocols import PacketProtocol, names, sheet
from joulemark.environment.facts import MACHINE_DIGEST, facts_and_digest, may_agree, told_apart
from joulemark.errors import UsageError
from joulemark.records.sample import FirmwareCount
from joulemark.records.trial import Trial, is_firmware
from joulemark.store.reading import OutlineStore, RunOutline
from joulemark.store.rows import IN_TIME

# Machines as the store knows them: runs whose times may be compared are of one machine.
#
# Equal machines are told apart by their digest. No page shows it: addresses have a digest of this
# digest and of the machine's facts.

_NOT_IN_ADDRESSES: Final = re.compile(r"[^a-z0-9]+")
_LONGEST_WORDS: Final = 40
_DIGITS: Final = 8
_UNNAMED: Final = "an unnamed CPU"


@dataclass(frozen=True, slots=True)
class KnownMachine:
    """Facts that must agree for times to be comparable (`MACHINE_KEYS`), named for addresses."""

    slug: str
    """The name in addresses: lower-case letters, digits and dashes, with a digest at the end."""
    name: str
    """The name that the user gave, and that of the CPU; other machines may have the same name."""
    environment: Mapping[str, Any]
    """The environment of its newest run."""

    @property
    def short(self) -> str:
        """The name, with the digits that tell the machine from others of that name."""
        return f"{self.name} ({self.slug[-_DIGITS:]})"


def machines_of(
    environments: Sequence[Mapping[str, Any]], alike: Sequence[tuple[str, str | None]]
) -> list[KnownMachine]:
    """The machine of each run.

    Args:
        environments: fields of `Environment` for each run; any field may be missing.
        alike: facts and digest of each run, as `facts_and_digest` has them.
    """
    return [
        _machine(environment, text)
        for environment, text in zip(environments, told_apart(alike), strict=True)
    ]


def _machine(environment: Mapping[str, Any], text: str) -> KnownMachine:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    cpu, given = (
        " ".join(str(environment.get(key) or "").split()) for key in ("cpu_model", "machine_name")
    )
    words = _NOT_IN_ADDRESSES.sub("-", (cpu or _UNNAMED).lower())[:_LONGEST_WORDS].strip("-")
    name = ", ".join(filter(None, (given, cpu or _UNNAMED)))
    return KnownMachine(f"{words or 'machine'}-{digest}", name, environment)


_LOOK_S: Final = 2.0
"""The store is looked at again after this time at the earliest."""


@dataclass(frozen=True, slots=True)
class KnownRuns:
    """The runs of one moment."""

    runs: dict[int, RunOutline] = field(default_factory=dict)
    """Number -> run, oldest first."""
    machine_of: dict[int, str] = field(default_factory=dict)
    """Run -> slug of its machine."""
    machines: dict[str, KnownMachine] = field(default_factory=dict)
    """Slug -> machine, the one with the newest run last."""
    implementations: dict[str, list[int]] = field(default_factory=dict)
    """Name -> runs with trials of the implementation, oldest first."""
    algorithms: dict[str, list[int]] = field(default_factory=dict)
    """Name -> runs with trials of the algorithm, oldest first."""
    alike: dict[int, tuple[str, str | None]] = field(default_factory=dict)
    """Run -> facts of its machine, and the digest that tells equal machines apart."""
    generation: int = 0
    """Grows with each change."""

    @property
    def most_measured(self) -> str:
        """The algorithm with most runs, of these that with most trials; empty without a run."""
        newest = {name: self.runs[numbers[-1]] for name, numbers in self.algorithms.items()}
        trials = {
            run.id: Counter(trial.algorithm for trial in run.trials) for run in newest.values()
        }
        order = {name: place for place, name in enumerate(by_use(newest))}

        def measured(name: str) -> tuple[int, int, int]:
            return len(self.algorithms[name]), trials[newest[name].id][name], -order[name]

        return max(newest, key=measured, default="")

    def machine(self, run: int) -> KnownMachine:
        """The machine of a run."""
        return self.machines[self.machine_of[run]]

    def newest_machines(self, most: int) -> list[KnownMachine]:
        """Machines, the one with the newest run first."""
        return list(self.machines.values())[::-1][:most]

    def newest_first(
        self, *, machine: str | None = None, algorithm: str | None = None
    ) -> list[RunOutline]:
        """The runs of a machine, of an algorithm, of both, or all."""
        return [
            run
            for run in reversed(self.runs.values())
            if (machine is None or self.machine_of[run.id] == machine)
            and (algorithm is None or algorithm in run.algorithms)
        ]

    def before(self, run: RunOutline) -> dict[int, list[str]]:
        """Earlier finished runs on the same machine that a run is judged against.

        A run that may have been on another one of several equal machines is taken too, as by
        `joulemark check`. Published runs have no samples to judge by.

        Returns:
            Earlier run -> algorithms of `run` for which it is the newest earlier run.
        """
        missing = set() if run.published else set(run.algorithms)
        algorithms_of: dict[int, list[str]] = {}
        facts, digest = self.alike[run.id]
        back = dropwhile(lambda other: other.id != run.id, reversed(self.runs.values()))
        for earlier in islice(back, 1, None):
            if not missing:
                break
            its_facts, its_digest = self.alike[earlier.id]
            same = its_facts == facts and may_agree(MACHINE_DIGEST, its_digest, digest)
            if same and earlier.finished_at is not None and not earlier.published:
                shared = missing & set(earlier.algorithms)
                if shared:
                    algorithms_of[earlier.id] = sorted(shared)
                    missing -= shared
        return algorithms_of


class Index:
    """The runs of a store, looked at again when somebody asks and two seconds have passed.

    Threads: may be shared. A finished run never changes, so it is read once.
    """

    def __init__(self, store: OutlineStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._known = KnownRuns()
        self._looked_s = float("-inf")

    def known(self) -> KnownRuns:
        """The runs of the store, at most about two seconds old."""
        with self._lock:
            if time.monotonic() - self._looked_s >= _LOOK_S:
                self._look()
                self._looked_s = time.monotonic()
            return self._known

    def _look(self) -> None:
        states = self._store.run_states()
        old = self._known.runs
        unchanged = {
            number: old[number]
            for number, finished in states.items()
            if finished and number in old and old[number].finished_at is not None
        }
        read = self._store.outlines(states.keys() - unchanged.keys())
        runs = unchanged | {run.id: run for run in read}
        if {number: run.content for number, run in runs.items()} == {
            number: run.content for number, run in old.items()
        }:
            return
        self._known = _arrange(runs.values(), self._known.generation + 1)


def _arrange(runs: Iterable[RunOutline], generation: int) -> KnownRuns:
    ordered = sorted(runs, key=IN_TIME)
    known = KnownRuns(
        implementations=_runs_by_name(
            ordered, lambda run: {trial.implementation for trial in run.trials}
        ),
        algorithms=_runs_by_name(ordered, lambda run: run.algorithms),
        generation=generation,
    )
    environments = [run.environment for run in ordered]
    alike = [facts_and_digest(environment) for environment in environments]
    machines = machines_of(environments, alike)
    for run, machine, facts_digest in zip(ordered, machines, alike, strict=True):
        known.runs[run.id] = run
        known.machine_of[run.id] = machine.slug
        known.alike[run.id] = facts_digest
        known.machines.pop(machine.slug, None)
        known.machines[machine.slug] = machine
    return known


def _runs_by_name(
    runs: Iterable[RunOutline], names_of: Callable[[RunOutline], Iterable[str]]
) -> dict[str, list[int]]:
    """Name -> runs that have it, in alphabetical order."""
    runs_of: dict[str, list[int]] = {}
    for run in runs:
        for name in names_of(run):
            runs_of.setdefault(name, []).append(run.id)
    return dict(sorted(runs_of.items()))


# Runs with counts of firmware, and the packets whose budget follows from them.

CountsByContent = dict[str, Mapping[Trial, FirmwareCount]]
"""Fingerprint of a run's content -> its counts by trial."""


def core_of(node: str) -> str:
    """The core of the microcontroller of a node in the catalogue."""
    return sheet(Microcontroller, sheet(Node, node).microcontroller).core


class FirmwareRuns:
    """The runs of one moment that counted firmware; a store for the planner of budgets.

    Threads: may be shared. Each run is read once, and again when its content changes.

    Args:
        store: holds the counts.
        runs: runs of the store, oldest first.
        counts: counts that were read at an earlier moment; those of unchanged runs are taken over.
    """

    def __init__(
        self, store: OutlineStore, runs: Sequence[RunOutline], counts: CountsByContent | None = None
    ) -> None:
        self._store = store
        self._runs = [run for run in runs if any(is_firmware(trial.target) for trial in run.trials)]
        known = counts or {}
        self.counts: CountsByContent = {
            run.content: known[run.content] for run in self._runs if run.content in known
        }
        """The counts that were read so far."""

    def runs(self) -> Sequence[RunOutline]:
        """The runs with counts, oldest first."""
        return self._runs

    def firmware_counts(self, run_id: int) -> Mapping[Trial, FirmwareCount]:
        """The counts of one of these runs, by trial."""
        content = next(run.content for run in self._runs if run.id == run_id)
        if content not in self.counts:
            self.counts[content] = self._store.firmware_counts(run_id)
        return self.counts[content]

    def of_core(self, core: str) -> list[RunOutline]:
        """Runs with counts on one core."""
        target = target_of(core)
        return [run for run in self._runs if any(trial.target == target for trial in run.trials)]

    @cached_property
    def usual(self) -> list[tuple[str, str]]:
        """Protocol and node of each usual packet that a MAC of these runs can authenticate.

        A packet whose payload does not fit, or for which the radio is too slow, is left out.
        """
        return [
            (protocol, node)
            for node in names(Node)
            if self.of_core(core_of(node))
            for protocol in names(PacketProtocol)
            if self._answers(protocol, node)
        ]

    def _answers(self, protocol: str, node: str) -> bool:
        try:
            budget = Planner.of(protocol, node, USUAL, store=self).budget
        except UsageError:
            return False
        return any(
            candidate.cycles.series.run is not None and candidate.allowed
            for candidate in budget.ranking
        )
