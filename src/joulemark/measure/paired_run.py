# SPDX-License-Identifier: Apache-2.0
"""Measures old and new in turn, in generations, until the question is answered or time is up.

A generation is a fresh start of the processes of both builds, whose rounds visit old and new in
turn. The samples are looked at after stated numbers of generations and never in between: a rule
that looks after each sample and stops at the first difference finds one in equal code. `LOOKS`
bounds the number of looks, and the caller divides alpha by it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from fractions import Fraction
from pathlib import Path
from typing import Final

import joulemark
from joulemark.catalogue import alternatives
from joulemark.environment.facts import Environment
from joulemark.errors import JoulemarkError, UnavailableError, UsageError
from joulemark.measure.inventory import Inventory, take_inventory
from joulemark.measure.plan import Plan
from joulemark.measure.run_plan import run_plan
from joulemark.measure.runner import RunObserver
from joulemark.measure.selection import is_derived
from joulemark.measure.study import STANDARD, Study
from joulemark.measure.worker.sources import OWN_KERNELS, ImplementationSource
from joulemark.processes.tool import ToolOutput, ask_tool
from joulemark.records import Failure
from joulemark.records.sample import RawSample
from joulemark.records.trial import NEW, OLD, Trial, of_build, plain_name
from joulemark.store.repository import Store

# Instructions per message, counted by the CPU where that is allowed, else by valgrind.
#
# A small program runs N and 2 N messages; the difference over N is the count of one message,
# without loading, key set-up and first calls. The CPU's counter is read in user mode; other events
# may add an instruction here and there, so the smallest of several counts is taken, and counts that
# agree within a tolerance are equal (`joulemark.analyse.gate_report`). Valgrind (its tool
# callgrind) simulates the program: it counts exactly, and the count is refused if it is not the
# same twice.
#
# Valgrind's CPU is another one than this machine's. What it lacks cannot be counted, and a library
# that chooses its code by the CPU may run other code there.

_BYTES: Final = 1 << 18
"""Bytes of all messages of the shorter run, unless their number is beyond the next two bounds."""
_FEWEST_MESSAGES: Final = 20
_MOST_MESSAGES: Final = 1000
_REPEATS: Final = 3
_LIMIT_S: Final = 300.0
_COLLECTED: Final = re.compile(r"^==\d+== Collected : (\d+)$", re.MULTILINE)
_LACKS_FEATURES: Final = 3
_ENVIRONMENT: Final = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "LD_BIND_NOW": "1"}
"""The same for every run: the size of the environment moves the stack, and lazy binding adds
instructions to first calls."""


class CountRefusedError(JoulemarkError):
    """The instructions of one implementation cannot be counted; the text says why."""


@dataclass(frozen=True, slots=True)
class InstructionCounter:
    """The counter of instructions of this machine."""

    name: str
    """Name for people, with the version if the counter is a program."""
    evidence: str
    """`measured` or `simulated`."""
    valgrind: str | None
    """Path of valgrind; None if the CPU counts."""

    def per_message(self, plugin: Path, implementation: str, size_bytes: int) -> Fraction:
        """Instructions that one message takes."""
        messages = max(_FEWEST_MESSAGES, min(_MOST_MESSAGES, _BYTES // max(size_bytes, 1)))
        command = [str(plugin), *implementation.split("/", 1), str(size_bytes)]
        repeats = _REPEATS if self.valgrind is None else 1
        few, many = (
            min(self._count(command, count) for _ in range(repeats))
            for count in (messages, 2 * messages)
        )
        if self.valgrind is not None and self._count(command, messages) != few:
            raise CountRefusedError(
                "its count is not the same twice, so it depends on more than its message"
            )
        return Fraction(many - few, messages)

    def _count(self, command: Sequence[str], messages: int) -> int:
        """Instructions of the whole program by valgrind, or of its loop by the CPU."""
        line = [str(_program()), *command, str(messages)]
        if self.valgrind is None:
            return int(_run([*line, "perf"]).output)
        tool = [self.valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        found = _COLLECTED.search(_run([*tool, *line]).errors)
        if found is None:
            raise CountRefusedError("valgrind gave no count")
        return int(found[1])


def find_counter() -> InstructionCounter:
    """The CPU's counter, or else valgrind."""
    if not _program().is_file():
        raise UnavailableError(
            "the program that instructions are counted with was not built; run make setup again"
        )
    if ask_tool([str(_program()), "--probe"], environment=_ENVIRONMENT).code == 0:
        return InstructionCounter(
            "the CPU's counter of instructions in user mode", "measured", None
        )
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise UnavailableError(
            "instructions cannot be counted here: the CPU's counter is closed to us (a virtual "
            "machine, or kernel.perf_event_paranoid above 2) and valgrind is not installed; on "
            "Debian or Ubuntu: apt-get install valgrind"
        )
    version = ask_tool([valgrind, "--version"]).output.strip()
    return InstructionCounter(f"{version}, tool callgrind", "simulated", valgrind)


def _program() -> Path:
    return Path(joulemark.__file__).parent / "data" / "programs" / "count_instructions"


def _run(line: Sequence[str]) -> ToolOutput:
    """Runs the program to its end."""
    try:
        done = ask_tool(line, environment=_ENVIRONMENT, timeout_s=_LIMIT_S)
    except subprocess.TimeoutExpired:
        raise CountRefusedError(f"it did not end within {_LIMIT_S:.0f} s") from None
    if done.code == 0:
        return done
    own = [line for line in done.errors.splitlines() if not line.startswith("==")]
    last_line = own[-1].strip() if own else ""
    if done.code == _LACKS_FEATURES:
        raise CountRefusedError(f"it needs {last_line}, which valgrind's CPU does not have")
    if "Unrecognised instruction" in done.errors or "unhandled instruction" in done.errors:
        raise CountRefusedError("it uses an instruction that this valgrind does not know")
    if "undefined symbol: _Py" in done.errors or "undefined symbol: Py" in done.errors:
        raise CountRefusedError(
            "it is a Python module, which only Python loads; name a plugin or libjoulemark.so"
        )
    raise CountRefusedError(last_line or f"its process died (exit code {done.code})")


# The implementations that two builds have in common, and the trials in which they compete.


@dataclass(frozen=True)
class Builds:
    """Two builds, opened."""

    inventory: Inventory
    """Every implementation of both, as `algorithm/variant@old` and `@new`, and our own kernels."""
    common: Inventory
    """Implementations of both builds by plain name, with the facts of the new build."""
    only: Mapping[str, tuple[str, ...]]
    """Build -> implementations that run here and of which the other build has none that does."""
    unavailable: tuple[Failure, ...]
    """Implementations of either build that this CPU cannot run."""
    shared: tuple[Path, ...] = ()
    """Files of libraries that both builds load; those of the system are left out."""

    def lacking(self, patterns: Sequence[str]) -> dict[str, str | None]:
        """Implementations that run here in the old build alone, by plain name; no pattern: all.

        The value says why the new build's cannot run here; None where the new build has none.
        """
        refused = self._refused()
        return {name: refused.get(f"{name}@{NEW}") for name in named_by(patterns, self.only[OLD])}

    def in_neither(self, patterns: Sequence[str]) -> dict[str, str]:
        """Why the new build's cannot run here, of those that run here in neither build."""
        refused = self._refused()
        names = (plain_name(name) for name in refused if name.endswith(f"@{OLD}"))
        nowhere = [name for name in names if f"{name}@{NEW}" in refused]
        return {name: refused[f"{name}@{NEW}"] for name in sorted(named_by(patterns, nowhere))}

    def _refused(self) -> dict[str, str]:
        """The reason why an implementation of a build cannot run here."""
        return {failure.implementation: failure.reason for failure in self.unavailable}

    def pairs(self, study: Study) -> list[tuple[Trial, Trial]]:
        """Trials of the old and the new build, workload by workload.

        The study's patterns are of plain names; none stands for all that both builds have. A
        pattern that names what only the old build has brings no trial.
        """
        if not self.common.facts:
            refused = "".join(
                f"; {failure.implementation} cannot run here: {failure.reason}"
                for failure in self.unavailable
            )
            raise UnavailableError(
                "the builds have no implementation in common that this CPU can run: the old one "
                f"alone has {_listed(self.only[OLD])}, the new one alone {_listed(self.only[NEW])}"
                f"{refused}"
            )
        twin = next((pattern for pattern in study.patterns if "#" in pattern), None)
        if twin is not None:
            raise UsageError(f"'{twin}': the new build stands against the old; leave out the twin")
        patterns = tuple(
            pattern
            for pattern in study.patterns
            if named_by([pattern], self.common.facts) or not named_by([pattern], self.only[OLD])
        )
        if study.patterns and not patterns:
            return []
        patterns = patterns or tuple(fact for fact in self.common.facts if not is_derived(fact))
        plan = replace(study, patterns=patterns).plan(self.common)
        return [(of_build(trial, OLD), of_build(trial, NEW)) for trial in plan.trials]


def open_builds(old: Path, new: Path, *, made_since_s: float | None = None) -> Builds:
    """Opens both builds, each in a separate process.

    Args:
        old: shared object of the old build.
        new: shared object of the new build.
        made_since_s: the moment before both were made for the check, in seconds since 1970. They
            are gone after it, so that no command can repeat a finding. None if they were there.

    Raises:
        UsageError: both load one library that was made since, so that one file stands for both.
    """
    passing = made_since_s is not None
    found = {build: _open(build, path, passing=passing) for build, path in ((OLD, old), (NEW, new))}
    both = Inventory(sources={OWN_KERNELS.name: OWN_KERNELS})
    for build, inventory in found.items():
        both.sources |= inventory.sources
        both.tables |= inventory.tables
        both.facts |= {
            f"{name}@{build}": replace(facts, implementation=f"{name}@{build}")
            for name, facts in inventory.facts.items()
        }
    names = {build: inventory.facts.keys() for build, inventory in found.items()}
    shared = tuple(
        path
        for path in sorted({*found[OLD].libraries[OLD]} & {*found[NEW].libraries[NEW]})
        if not any(path.is_relative_to(folder) for folder in _SYSTEM)
    )
    for path in shared:
        if made_since_s is not None and path.stat().st_mtime >= made_since_s:
            raise UsageError(
                f"both revisions load {path}, which --build writes outside of their checkouts, so "
                "one file stands for both; link it statically, or write it into the checkout and "
                "link with -Wl,-rpath,'$ORIGIN'"
            )
    common = {name: facts for name, facts in found[NEW].facts.items() if name in names[OLD]}
    return Builds(
        inventory=both,
        common=replace(found[NEW], facts=common),
        only={
            OLD: tuple(sorted(names[OLD] - names[NEW])),
            NEW: tuple(sorted(names[NEW] - names[OLD])),
        },
        unavailable=tuple(
            replace(failure, implementation=f"{failure.implementation}@{build}")
            for build, inventory in found.items()
            for failure in inventory.unavailable
        ),
        shared=shared,
    )


_SYSTEM: Final = (Path("/lib"), Path("/lib64"), Path("/usr/lib"), Path("/usr/lib64"))
"""Folders of libraries that packages of the system bring."""


def _open(build: str, path: Path, *, passing: bool) -> Inventory:
    source = ImplementationSource(
        build, f"the {build} build", "plugin", str(path), None, from_user=True, passing=passing
    )
    inventory = take_inventory([source])
    for failure in inventory.unavailable:
        if failure.implementation == f"*/{build}":
            raise UnavailableError(f"--{build} {path} cannot be used: {failure.reason}")
    return inventory


def named_by(patterns: Sequence[str], names: Iterable[str]) -> list[str]:
    """The names that any of the patterns means; all of them where there is no pattern."""
    globs = [glob for pattern in patterns for glob in alternatives(pattern)]
    return [
        name for name in names if not patterns or any(fnmatchcase(name, glob) for glob in globs)
    ]


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "nothing"


GENERATIONS_AT_LOOKS: Final = (8, 16, 32, 64, 128)
"""Generations at which the samples are looked at; the budget may end the run before the last."""
LOOKS: Final = len(GENERATIONS_AT_LOOKS)
FEWEST_GENERATIONS: Final = 4
"""Fewest generations that are looked at: an interval from three centres holds nearly anything."""
_ROUNDS: Final = 16
"""Rounds of each generation, with the windows of `STANDARD` in each. For one pair they take a tenth
of the time that its processes take to start."""
_LONGEST_STEP: Final = 4
"""Most generations that are measured without a look at the clock."""


@dataclass
class PairedRun:
    """The samples of two builds."""

    samples: dict[Trial, list[RawSample]] = field(default_factory=dict)
    """Samples by trial of a build; rounds and generations are numbered through."""
    failures: list[Failure] = field(default_factory=list)
    """Implementations that crashed, hung, were wrong, or refused messages of one length."""
    generations: int = 0
    looks: int = 0
    wall_s: float = 0.0

    def broken(self) -> set[str]:
        """Implementations of a build that misbehaved, so that none of their samples count."""
        return {failure.implementation for failure in self.failures if failure.broken}

    def is_sound(self, trial: Trial) -> bool:
        """Whether the trial can still be measured."""
        refused = {(failure.implementation, failure.size_bytes) for failure in self.failures}
        return (
            trial.implementation not in self.broken()
            and (trial.implementation, trial.workload.size_bytes) not in refused
        )


def run_builds(
    builds: Builds,
    pairs: Sequence[tuple[Trial, Trial]],
    environment: Environment,
    *,
    budget_s: float,
    decided: Callable[[Mapping[Trial, Sequence[RawSample]]], bool],
    observer: RunObserver | None = None,
) -> PairedRun:
    """Measures all pairs in one run until they are decided or the budget is spent.

    `decided` tells whether samples answer the question, and is asked at most `LOOKS` times. After
    `budget_s` no further generation is started; the fewest generations that can be judged are
    measured whatever they take.
    """
    trials = tuple(trial for pair in pairs for trial in pair)
    begun_s = time.monotonic()
    found = PairedRun({trial: [] for trial in trials})
    for wanted in GENERATIONS_AT_LOOKS:
        while found.generations < wanted:
            step = min(wanted - found.generations, _LONGEST_STEP)
            if found.generations >= FEWEST_GENERATIONS:
                spent_s = time.monotonic() - begun_s
                step = min(step, int((budget_s - spent_s) / (spent_s / found.generations)))
            if step < 1:
                break
            _take(builds, trials, environment, step, found, observer)
        found.looks += 1
        found.wall_s = time.monotonic() - begun_s
        if found.generations < wanted or decided(found.samples):
            break
    return found


def _take(
    builds: Builds,
    trials: tuple[Trial, ...],
    environment: Environment,
    generations: int,
    found: PairedRun,
    observer: RunObserver | None,
) -> None:
    """Measures this many more generations."""
    sound = tuple(trial for trial in trials if found.is_sound(trial))
    effort = replace(STANDARD, rounds=_ROUNDS * generations, generations=generations)
    before = found.generations
    found.generations += generations
    if not sound:
        return
    with Store.open(":memory:") as store:
        plan, study = Plan(sound, effort), {"builds": True}
        run = run_plan(store, builds.inventory, plan, environment, study=study, observer=observer)
        for trial, taken in store.samples(run.run_id).items():
            found.samples[trial] += [
                replace(
                    sample,
                    round_index=sample.round_index + before * _ROUNDS,
                    generation=sample.generation + before,
                )
                for sample in taken
            ]
    found.failures += run.failures
