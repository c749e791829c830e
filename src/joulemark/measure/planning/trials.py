# SPDX-License-Identifier: Apache-2.0
"""From patterns and workloads to a list of trials, and the order in which rounds visit them."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import random
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from joulemark.catalogue.algorithms import (
    DERIVED_FAMILY,
    FAMILY,
    alternatives,
    hmacs_over_hashes,
    names_near,
    why_no_hmac,
)
from joulemark.errors import UsageError
from joulemark.measure.planning.energy import EnergyMethod, EnergyPlan
from joulemark.records.energy_window import WindowKind
from joulemark.records.implementation import ImplementationFacts
from joulemark.records.sample import RawSample
from joulemark.records.trial import HOST, Trial, Workload
from joulemark.spelling import did_you_mean

_AUTHOR_AND_YEAR: Final = re.compile(r"/[a-z]+(?:19|20)\d\d[_*]")
_SMALL_MACHINE: Final = re.compile(r"/mcu(?:8|32|[*?[])")


def base_name(implementation: str) -> str:
    """`hmac-sha256/shani#2` -> `hmac-sha256/shani`."""
    return implementation.split("#", 1)[0]


def twin_number(implementation: str) -> int:
    """Which copy of an implementation a name means: 1 unless it carries `#n`."""
    _, mark, number = implementation.partition("#")
    if not mark:
        return 1
    if not number.isdecimal() or int(number) < 1:
        raise UsageError(f"'{implementation}': a twin is written as NAME#2, NAME#3, ...")
    return int(number)


def is_specimen(implementation: str) -> bool:
    """Whether a variant is named after a publication, by author and year: `castellon2022_ecm_j8`.

    Such a variant is the code that the publication measured. It is kept for that study, nobody
    would choose it, and it runs only where a name or glob asks for that author and year.
    """
    return _AUTHOR_AND_YEAR.search(implementation) is not None


def is_for_small_machines(implementation: str) -> bool:
    """Whether a variant, or the pattern for one, is written for microcontrollers: `mcu8`, `mcu32`.

    The host runs it to check its vectors, not because anyone would choose it there; so the host
    lists and measures it only where a name or glob asks for it.
    """
    return _SMALL_MACHINE.search(implementation) is not None


def is_derived(implementation: str) -> bool:
    """Whether its algorithm is HMAC over a hash, with derived facts: `hmac-keccak-256/bmi2`."""
    return implementation.split("/", 1)[0] in hmacs_over_hashes()


def _asks_for(base: str, implementation: str) -> bool:
    """Whether a pattern names the implementation's algorithm, or the family of derived ones."""
    asked = base.split("/", 1)[0]
    return asked in {FAMILY + DERIVED_FAMILY, implementation.split("/", 1)[0]}


def select(
    patterns: Sequence[str], known: Iterable[str], *, small_machine: bool = False
) -> list[str]:
    """The implementations that the patterns name, in catalogue order, twins last.

    A pattern is an algorithm (`hmac-sha256`), an implementation (`hmac-sha256/shani`), a glob over
    either (`hmac-*`, `*/openssl_*`), or a family of algorithms (`family:sha3`, `family:sha3/bmi2`);
    `#2` after an implementation asks for a twin. Specimens must be named (`is_specimen`).
    So must HMAC over a hash for which the catalogue has none, or its family.

    Args:
        patterns: as above, at least one.
        known: names of implementations.
        small_machine: whether the target is a microcontroller; on other targets, variants for
            microcontrollers must be named too.
    """
    names = sorted(set(known))
    algorithms = {name.split("/", 1)[0] for name in names}
    chosen: dict[str, None] = {}
    for pattern in patterns:
        base = base_name(pattern)
        full, globs = base if "/" in base else f"{base}/*", alternatives(base)
        matched = [name for name in names if any(fnmatch.fnmatchcase(name, glob) for glob in globs)]
        # `auto` repeats another variant, so it is chosen only by name.
        matched = [name for name in matched if not name.endswith("/auto") or full.endswith("auto")]
        matched = [name for name in matched if not is_specimen(name) or is_specimen(full)]
        matched = [name for name in matched if not is_derived(name) or _asks_for(base, name)]
        if not small_machine and not is_for_small_machines(full):
            matched = [name for name in matched if not is_for_small_machines(name)]
        if not matched:
            algorithm = base.split("/", 1)[0]
            if base.startswith(FAMILY):
                raise UsageError(
                    f"'{base}': no algorithm of this family has such an implementation here "
                    f"(joulemark list {algorithm} lists what there is)"
                )
            if "/" in base and algorithm in algorithms:
                raise UsageError(
                    f"no implementation '{base}'{did_you_mean(base, names)} "
                    f"(joulemark show {algorithm} lists them)"
                )
            named = [name for name in algorithms if not is_derived(name)]
            hint = why_no_hmac(algorithm) or did_you_mean(base, named)
            raise UsageError(
                f"unknown algorithm '{base}'{hint or names_near(algorithm)} "
                "(joulemark list shows all)"
            )
        suffix = f"#{twin_number(pattern)}" if twin_number(pattern) > 1 else ""
        chosen.update(dict.fromkeys(name + suffix for name in matched))
    return sorted(chosen, key=lambda name: (twin_number(name), name))


def trials_for(
    implementations: Sequence[ImplementationFacts],
    workloads: Sequence[Workload],
    target: str = HOST,
) -> list[Trial]:
    """Every implementation with every workload that it can take.

    A cipher takes whole blocks; a hash has no key, so its `fresh` trials do not exist. Batches and
    mixes of lengths are a MAC's.
    """
    trials = []
    for facts in implementations:
        for workload in workloads:
            if facts.kind == "cipher" and (
                workload.size_bytes == 0 or workload.size_bytes % facts.block_bytes
            ):
                continue
            if facts.kind == "hash" and workload.key_setup == "fresh":
                continue
            if facts.kind != "mac" and (workload.batch > 1 or workload.mix):
                continue
            trials.append(Trial(facts.implementation, workload, target))
    return trials


@dataclass(frozen=True, slots=True)
class RoundStep:
    """One sample to take."""

    round_index: int
    position: int
    trial: Trial


@dataclass(frozen=True, slots=True)
class Precision:
    """When a run may stop, for trials that differ in how sharp they are.

    The run looks at fixed points, after each block of `Effort.rounds` rounds: a rule that looks
    after every round stops where the interval happens to be narrow.
    """

    half_width: float
    """Half of the 95 % interval over the median that is asked for, above 0."""
    budget_s: float
    """Wall time after which no further block of rounds is begun, above 0."""


_MOST_TIMES: Final = 10


@dataclass(frozen=True, slots=True)
class Effort:
    """How much work goes into each trial."""

    rounds: int
    window_ns: int
    generations: int
    """Number of parts of the rounds. Each part starts new worker processes, so that memory layout
    shows as spread instead of hiding as a bias."""
    windows: int = 4
    """Samples of a trial in each round, one after the other, each at another place in memory."""
    retakes: int = 12
    """Most windows of a round that are taken again because they were interrupted."""
    precision: Precision | None = None
    """When trials that are not yet sharp get as many rounds again; None: never."""
    visits: int = 0
    """Fewest visits of a run, so that a run of few trials takes more rounds of each."""

    def of_run(self, trials: int) -> Effort:
        """The effort of a run of so many trials, with its rounds and generations.

        Rounds are `rounds`, or up to ten times as many if the trials are few. Processes start once
        for each generation, whatever the number of trials: a run of few trials would spend its time
        on that, and its intervals would be wider than they need be.
        """
        if not trials:
            return replace(self, rounds=1, generations=1)
        rounds = self.rounds
        if self.visits:
            most = max(self.visits // trials, rounds)
            whole = -(-most // self.generations) * self.generations
            rounds = max(rounds, min(whole, _MOST_TIMES * rounds))
        return replace(self, rounds=rounds, generations=min(self.generations, rounds))


Group = tuple[str, Workload]
"""What competing trials share: algorithm and workload."""


@dataclass(frozen=True)
class Plan:
    """The trials of a run, and how often; a killed run is found by the digest of its plan."""

    trials: tuple[Trial, ...]
    effort: Effort
    """Effort of this run, as `Effort.of_run` gives it."""
    code_digest: str = ""
    """SHA-256 of the compiled code to be measured: other code is another plan."""
    energy: EnergyPlan | None = None
    """How energy is measured; None: not at all."""
    core_trials: tuple[Trial, ...] = ()
    """Trials of hardware cores, each simulated once after the rounds."""
    firmware_trials: tuple[Trial, ...] = ()
    """Trials on firmware targets, each simulated once after those of cores."""

    def as_dict(self) -> dict[str, Any]:
        """The plan for the store, without kinds of simulated trials that it has none of."""
        values = asdict(self)
        values |= values.pop("effort")
        del values["visits"]
        for name in ("core_trials", "firmware_trials"):
            if not values[name]:
                del values[name]
        return values

    def digest(self) -> str:
        """SHA-256 of the plan in canonical JSON."""
        text = json.dumps(self.as_dict(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def generation(self, round_index: int) -> int:
        """Generation of worker processes that a round belongs to.

        Rounds beyond `rounds` come in blocks of the same length, cut in the same way.
        """
        rounds, generations = self.effort.rounds, self.effort.generations
        block, within = divmod(round_index, rounds)
        return block * generations + within * generations // rounds

    def groups(self) -> dict[Group, list[Trial]]:
        """The trials that compete with one another: same algorithm, same workload."""
        groups: dict[Group, list[Trial]] = {}
        for trial in self.trials:
            groups.setdefault((trial.algorithm, trial.workload), []).append(trial)
        return groups

    def unsharp(
        self,
        samples: Mapping[Trial, Sequence[RawSample]],
        half_width: Callable[[Sequence[RawSample]], float],
    ) -> set[Group]:
        """Groups of competing trials of which one is wider than the precision, which is not None.

        A group goes on or stops as a whole, so that its trials stay paired and in balanced orders.
        Trials without a sample have failed and are ignored.

        Args:
            samples: samples taken so far.
            half_width: samples of a trial -> half of its interval over its median.
        """
        assert self.effort.precision is not None
        wanted = self.effort.precision.half_width
        return {
            group
            for group, members in self.groups().items()
            if any(samples.get(trial) and half_width(samples[trial]) > wanted for trial in members)
        }

    def steps(
        self, seed: int, block: int = 0, among: Collection[Trial] | None = None
    ) -> Iterator[list[RoundStep]]:
        """The rounds of one block, each a list of steps that holds every trial once.

        Trials that compete are neighbours in time, so that they meet the same machine. Groups come
        in random order. Within a group the order follows the rows of a random Williams square, in
        which each competitor stands as often in each place, and as often behind each other
        competitor, as every other; when its rows are used up, another square is drawn.

        Args:
            seed: seed of the run.
            block: 0 for the first `rounds` rounds, 1 for as many more, and so on.
            among: trials that take part; all unless given.
        """
        chance = random.Random(f"{seed}/{block}" if block else seed)  # noqa: S311 - an order
        groups = self.groups()
        if among is not None:
            taken = set(among)
            left = {
                key: [trial for trial in all_of if trial in taken] for key, all_of in groups.items()
            }
            groups = {key: members for key, members in left.items() if members}
        rows: dict[Group, list[list[Trial]]] = {key: [] for key in groups}
        rounds = self.effort.rounds
        for round_index in range(block * rounds, (block + 1) * rounds):
            order = list(groups)
            chance.shuffle(order)
            steps: list[RoundStep] = []
            for key in order:
                if not rows[key]:
                    rows[key] = williams_rows(groups[key], chance)
                steps += [
                    RoundStep(round_index, len(steps) + i, trial)
                    for i, trial in enumerate(rows[key].pop())
                ]
            yield steps


def williams_rows(members: Sequence[Trial], chance: random.Random) -> list[list[Trial]]:
    """Orders of k competitors, k of them for even k and 2k for odd, in random order.

    Over all of them each competitor stands equally often in each place and, the first place apart,
    equally often behind each other competitor (E. J. Williams, Aust. J. Sci. Res. A 2 (1949) 149).
    The first order is 0, 1, k-1, 2, k-2, ...; the others add 1, 2, ... modulo k, and for odd k the
    reversed orders belong to the square too.
    """
    count = len(members)
    named = list(members)
    chance.shuffle(named)
    first = [(place + 1) // 2 if place % 2 else -(place // 2) for place in range(count)]
    square = [[(start + shift) % count for start in first] for shift in range(count)]
    if count % 2 and count > 1:
        square += [row[::-1] for row in square]
    chance.shuffle(square)
    return [[named[index] for index in row] for row in square]


# The order of a run's energy windows: trials in random order, baselines among them.


@dataclass(frozen=True, slots=True)
class EnergyStep:
    """One window to take."""

    round_index: int
    position: int
    kind: WindowKind
    trial: Trial | None
    """The trial of a load window; None for a baseline."""


def energy_rounds(plan: Plan, protocol: EnergyMethod, seed: int) -> Iterator[list[EnergyStep]]:
    """The rounds: every trial once, in the plan's random order, with baselines among them.

    A round begins with baselines, has them again after each `loads_per_baseline` load windows and
    ends with them, so that every load window stands between two baselines of each kind. With one
    load to a baseline each load has one before it, and none stands at the end.
    """
    for steps in plan.steps(seed):
        order: list[tuple[WindowKind, Trial | None]] = []
        for place, step in enumerate(steps):
            if place % protocol.loads_per_baseline == 0:
                order += _baselines(protocol)
            order.append((WindowKind.LOAD, step.trial))
        if protocol.loads_per_baseline > 1:
            order += _baselines(protocol)
        round_index = steps[0].round_index
        yield [
            EnergyStep(round_index, position, kind, trial)
            for position, (kind, trial) in enumerate(order)
        ]


def _baselines(protocol: EnergyMethod) -> list[tuple[WindowKind, Trial | None]]:
    kinds = [WindowKind.DEEP_IDLE]
    if protocol.active_idle:
        kinds.append(WindowKind.ACTIVE_IDLE)
    return [(kind, None) for kind in kinds]
