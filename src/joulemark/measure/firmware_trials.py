# SPDX-License-Identifier: Apache-2.0
"""Counts the firmware trials of a plan that the store lacks, several at a time.

A simulation is exact and no other program disturbs it, so there are no rounds and no placement.
Counts are stored implementation by implementation, so a killed run goes on with the rest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from joulemark.catalogue import algorithms
from joulemark.errors import ImplementationError, UnavailableError, UsageError
from joulemark.firmware.build import compiler_version, every_implementation, flags_text
from joulemark.firmware.firmware_counts import FirmwareCounts, count, footprint, missing
from joulemark.firmware.target import firmware_folder, simulator_of, target_named
from joulemark.measure.cores import simulated_facts
from joulemark.measure.inventory import failure_of
from joulemark.measure.selection import base_name, select
from joulemark.processes.tool import Spread, ToolRuns, do_tasks
from joulemark.records import Failure, FailureKind, ImplementationFacts
from joulemark.records.sample import Footprint
from joulemark.records.trial import Trial, is_firmware

if TYPE_CHECKING:  # help of `bench` loads this module, and SQLAlchemy takes a fifth of a second
    from joulemark.store.repository import Store

Done = TypeVar("Done")

# Implementations on firmware targets: those that a user's patterns name, and their facts.


def require_targets(targets: Sequence[str]) -> None:
    """Refuses targets that do not exist, or that cannot be simulated here."""
    for name in targets:
        if is_firmware(name):
            lacking = missing(target_named(name))
            if lacking is not None:
                raise UnavailableError(f"{name} cannot be simulated here: it {lacking}")


def chosen_firmware(patterns: Sequence[str]) -> list[str]:
    """Implementations that the patterns name; without patterns, every MAC."""
    known = every_implementation()
    if not patterns:
        facts = algorithms()
        return [name for name, kernel in known.items() if facts[kernel.algorithm].kind == "mac"]
    for pattern in patterns:
        if base_name(pattern) != pattern:
            raise UsageError(f"'{pattern}': a simulation is exact, so it needs no twin")
        algorithm, _, variant = pattern.partition("/")
        if variant == "auto":
            raise UsageError(
                f"'{pattern}': on the host auto asks the CPU which variant it can run; on firmware "
                f"targets ask for '{algorithm}', whose variants are counted and the fastest stands "
                "first"
            )
    try:
        return select(patterns, known, small_machine=True)
    except UsageError as error:
        there = ", ".join(sorted({kernel.algorithm for kernel in known.values()}))
        raise UsageError(f"on firmware targets: {error}; there is code for {there}") from error


def firmware_facts(names: Sequence[str], targets: Sequence[str]) -> dict[str, ImplementationFacts]:
    """The facts of implementations before they are built.

    Compiler and flags are those of all targets; each count has those of its target. No claim about
    constant time is made for these machines.
    """
    known = every_implementation()
    there = [target_named(name) for name in targets if is_firmware(name)]
    compilers = _join(
        {target.name: compiler_version(target.toolchain.compiler) for target in there}
    )
    flags = _join({target.name: flags_text(target) for target in there})
    return {
        name: simulated_facts(name, algorithms()[known[name].algorithm], compilers, flags=flags)
        for name in names
    }


def _join(texts: Mapping[str, str]) -> str:
    """The text that all targets share, or else each text with its target."""
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return "; ".join(f"{name}: {text}" for name, text in texts.items())


def firmware_digest(names: Sequence[str], targets: Sequence[str]) -> str:
    """SHA-256 of the sources of these implementations, of the firmware folder and of compilers."""
    digest = hashlib.sha256()
    known = every_implementation()
    files = {path for name in names for path in known[name].files}
    files |= {path for path in firmware_folder().rglob("*") if path.is_file()}
    for path in sorted(files):
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    for name in targets:
        if is_firmware(name):
            digest.update(compiler_version(target_named(name).toolchain.compiler).encode())
    return digest.hexdigest()


# Bytes that implementations take of microcontrollers, several implementations at a time.
#
# Linking gives the sizes; a simulator, where there is one, the depth of the stack.

_MESSAGE_BYTES: Final = 64
"""Length of the message with which the stack is measured; its depth does not depend on it."""


@dataclass(frozen=True, slots=True)
class FootprintTask:
    """One implementation on one target."""

    implementation: str
    target: str

    @property
    def text(self) -> str:
        """The task in a sentence."""
        return f"{self.implementation} on {self.target}"


@dataclass(frozen=True, slots=True)
class FootprintAnswer:
    """Sizes and stack of one implementation."""

    sizes: Footprint | None
    stack_bytes: int | None
    reason: str
    """Why sizes or stack are missing; empty if neither is."""


SpreadFootprints = Spread[FootprintTask, FootprintAnswer]


def take_footprint(task: FootprintTask, runs: ToolRuns) -> FootprintAnswer:
    """Links the implementation and, where there is a simulator, runs it there."""
    target, kernel = target_named(task.target), every_implementation()[task.implementation]
    try:
        sizes = footprint(target, kernel)
    except (UnavailableError, ImplementationError) as error:
        return FootprintAnswer(None, None, str(error))
    lacking = simulator_of(target).missing(target)
    if lacking is not None:
        return FootprintAnswer(sizes, None, f"the stack {lacking}")
    try:
        found = count(target, kernel, (_MESSAGE_BYTES,), runs=runs)
    except (UnavailableError, ImplementationError, UsageError) as error:
        return FootprintAnswer(sizes, None, f"without a stack: {error}")
    firmware_count = found.counts.get(_MESSAGE_BYTES)
    reason = found.refused.get(_MESSAGE_BYTES, "")
    return FootprintAnswer(
        sizes, None if firmware_count is None else firmware_count.stack_bytes, reason
    )


def take_footprints(
    tasks: Sequence[FootprintTask], spread: SpreadFootprints | None = None
) -> list[FootprintAnswer]:
    """Footprints in the order of the tasks; `spread` as for `do_tasks`."""
    found: dict[int, FootprintAnswer] = {}
    do_tasks(tasks, take_footprint, found.__setitem__, spread)
    return [found[place] for place in range(len(tasks))]


@dataclass(frozen=True, slots=True)
class FirmwareTask:
    """All lengths of one implementation on one target: one program, which is simulated once."""

    implementation: str
    target: str
    lengths: tuple[int, ...]
    """Lengths of the messages in bytes."""

    @property
    def text(self) -> str:
        """The task in a sentence, which is also the name of its failures."""
        return f"{self.implementation} on {self.target}"


SpreadFirmware = Spread[FirmwareTask, FirmwareCounts | Failure]


def count_task(task: FirmwareTask, runs: ToolRuns) -> FirmwareCounts | Failure:
    """Builds the program of a task and simulates it."""
    target, kernel = target_named(task.target), every_implementation()[task.implementation]
    return result_or_failure(task, lambda: count(target, kernel, task.lengths, runs=runs))


def result_or_failure(task: FirmwareTask, do: Callable[[], Done]) -> Done | Failure:
    """The result, or the failure that its error means."""
    try:
        return do()
    except UnavailableError as error:
        return Failure(task.text, FailureKind.UNAVAILABLE, str(error))
    except ImplementationError as error:
        return failure_of(task.text, error)


def take_firmware_counts(
    store: Store,
    run_id: int,
    trials: Sequence[Trial],
    *,
    counted: Callable[[Trial], None],
    failed: Callable[[Failure], None],
    spread: SpreadFirmware | None = None,
) -> int:
    """Simulates missing trials; returns how many were counted now.

    A failure is named `<implementation> on <target>`: what goes wrong on one target takes nothing
    from the figures of another.
    """
    kept = store.firmware_counts(run_id)
    wanted: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        if trial not in kept:
            wanted.setdefault((trial.implementation, trial.target), []).append(trial)
    lacking = list(wanted.values())
    tasks = [
        FirmwareTask(*key, tuple(trial.workload.size_bytes for trial in missing))
        for key, missing in wanted.items()
    ]
    taken = 0

    def done(place: int, found: FirmwareCounts | Failure) -> None:
        nonlocal taken
        if isinstance(found, Failure):
            failed(found)
            return
        for trial in lacking[place]:
            size_bytes = trial.workload.size_bytes
            if size_bytes in found.refused:
                reason = found.refused[size_bytes]
                failed(Failure(tasks[place].text, FailureKind.REFUSED, reason, size_bytes))
                continue
            store.add_firmware_count(run_id, trial, found.counts[size_bytes])
            taken += 1
            counted(trial)

    do_tasks(tasks, count_task, done, spread)
    return taken
