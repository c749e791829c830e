# SPDX-License-Identifier: Apache-2.0
"""Which runs and machines a store holds at present, kept in memory without their samples."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from joulemark.environment.equals import facts_and_digest
from joulemark.environment.facts import MACHINE_DIGEST, may_agree
from joulemark.explorer.known.machines import Machine, machines_of
from joulemark.store.outline import OutlineStore, RunOutline

__all__ = ["Index", "KnownRuns"]

_LOOK_S: Final = 2.0
"""A run that ends appears on the pages this much later at most."""


@dataclass(frozen=True, slots=True)
class KnownRuns:
    """The runs of one moment."""

    runs: dict[int, RunOutline] = field(default_factory=dict)
    """By number, oldest first."""
    machine_of: dict[int, str] = field(default_factory=dict)
    """Run -> slug of its machine."""
    machines: dict[str, Machine] = field(default_factory=dict)
    """By slug, the one with the newest run last."""
    implementations: dict[str, list[int]] = field(default_factory=dict)
    """By name, with the runs that have trials of it, oldest first."""
    algorithms: dict[str, list[int]] = field(default_factory=dict)
    """The same of algorithms."""
    alike: dict[int, tuple[str, str | None]] = field(default_factory=dict)
    """Run -> facts of its machine, and the digest that tells equal ones apart."""
    generation: int = 0
    """Grows with each change."""

    def newest_first(
        self, *, machine: str | None = None, algorithm: str | None = None
    ) -> list[RunOutline]:
        """Runs of a machine or of an algorithm, or all."""
        return [
            run
            for run in reversed(self.runs.values())
            if (machine is None or self.machine_of[run.id] == machine)
            and (algorithm is None or algorithm in run.algorithms)
        ]

    def before(self, run: RunOutline) -> dict[int, list[str]]:
        """Earlier finished runs on the same machine that a run is judged against.

        Those of which nobody knows on which of several equal machines they were are among them, as
        for `joulemark check`. Published runs have no samples to judge by.

        Returns:
            Run -> algorithms of `run` of which it is the newest earlier run.
        """
        open_ = set() if run.published else set(run.algorithms)
        found: dict[int, list[str]] = {}
        facts, digest = self.alike[run.id]
        for earlier in reversed(self.runs.values()):
            if not open_:
                break
            its_facts, its_digest = self.alike[earlier.id]
            same = (
                earlier.id < run.id
                and its_facts == facts
                and may_agree(MACHINE_DIGEST, its_digest, digest)
            )
            if same and earlier.finished_at is not None and not earlier.published:
                shared = open_ & set(earlier.algorithms)
                if shared:
                    found[earlier.id] = sorted(shared)
                    open_ -= shared
        return found


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
        """What there is.

        Raises:
            StoreError: the store cannot be read.
        """
        with self._lock:
            if time.monotonic() - self._looked_s >= _LOOK_S:
                self._look()
                self._looked_s = time.monotonic()
            return self._known

    def _look(self) -> None:
        states = self._store.run_states()
        old = self._known.runs
        kept = {
            number: old[number]
            for number, finished in states.items()
            if finished and number in old and old[number].finished_at is not None
        }
        read = self._store.outlines(states.keys() - kept.keys())
        runs = kept | {run.id: run for run in read}
        if {number: run.content for number, run in runs.items()} == {
            number: run.content for number, run in old.items()
        }:
            return
        self._known = _arranged(runs.values(), self._known.generation + 1)


def _arranged(runs: Iterable[RunOutline], generation: int) -> KnownRuns:
    ordered = sorted(runs, key=lambda run: run.id)
    known = KnownRuns(
        implementations=_having(
            ordered, lambda run: {trial.implementation for trial in run.trials}
        ),
        algorithms=_having(ordered, lambda run: run.algorithms),
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


def _having(
    runs: Iterable[RunOutline], names_of: Callable[[RunOutline], Iterable[str]]
) -> dict[str, list[int]]:
    """Name -> runs that have it, in alphabetical order."""
    found: dict[str, list[int]] = {}
    for run in runs:
        for name in names_of(run):
            found.setdefault(name, []).append(run.id)
    return dict(sorted(found.items()))
