# SPDX-License-Identifier: Apache-2.0
"""From patterns and workloads to a list of trials, and the order in which rounds visit them."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

from joulemark.records import ImplementationFacts, JsonObject, Record
from joulemark.records.energy_window import WindowKind
from joulemark.records.sample import RawSample
from joulemark.records.trial import HOST, Trial, Workload

# How the energy of a run is measured: the methods, and the settings of the user.
#
# `edges`: windows of a cumulative counter, both ends on an update; deep and active idle windows of
# the same length are interleaved. `gauge`: windows of power samples, otherwise the same.
#
# `westermann2010`: the procedure of B. Westermann, D. Gligoroski and S. Knapskog, "Comparison of
# the Power Consumption of the 2nd Round SHA-3 Candidates", sections 2.2 and 2.3. Before each run,
# 30 samples of idle power, 2 s apart; the run's first 4 s are skipped; then a sample every 2 s; the
# power is the median of the run less the median of that idle; 15 s of rest after each run; 10
# rounds, each in a random order.


@dataclass(frozen=True, slots=True)
class EnergyMethod:
    """The fixed parts of a method."""

    name: str
    summary: str
    sample_s: float | None
    """Time between samples of a gauge; None for the meter's own period."""
    skip_s: float
    """Time of load before the first sample of a gauge that counts."""
    samples: int
    """Samples of a gauge in a window, idle or load, unless the user asks for a length."""
    rest_s: float
    """Pause after each load window."""
    loads_per_baseline: int
    """Number of load windows between two baselines."""
    active_idle: bool
    """Whether the pause loop is measured too."""


EDGES: Final = EnergyMethod(
    "edges",
    "cumulative counter, both edges on an update, interleaved baselines",
    sample_s=None,
    skip_s=0.0,
    samples=0,
    rest_s=0.0,
    loads_per_baseline=8,
    active_idle=True,
)
GAUGE: Final = EnergyMethod(
    "gauge",
    "mean of power samples, interleaved baselines",
    sample_s=None,
    skip_s=4.0,
    samples=30,
    rest_s=0.0,
    loads_per_baseline=4,
    active_idle=True,
)
WESTERMANN2010: Final = EnergyMethod(
    "westermann2010",
    "median of power samples less the median of idle before each run",
    sample_s=2.0,
    skip_s=4.0,
    samples=30,
    rest_s=15.0,
    loads_per_baseline=1,
    active_idle=False,
)
METHODS: Final = {protocol.name: protocol for protocol in (EDGES, GAUGE, WESTERMANN2010)}


@dataclass(frozen=True)
class EnergyPlan(Record):
    """The settings of the user for energy; equal plans give equal digests."""

    meter: str | None = None
    """Name of the meter, with its argument; None: the best usable meter."""
    method: str | None = None
    """One of `METHODS`; None: `edges` for a counter, `gauge` for a gauge."""
    rounds: int = 10
    window_s: float | None = None
    """Length of a window; None: it follows from the update period and `precision`."""
    precision: float = 0.01
    """Half of a window's 95 % interval over its gross energy, from which its length follows."""
    foreign_limit: float = 0.01
    """Foreign CPU time over wall time above which a window is void."""
    retakes: int = 3
    """How often a void window is taken again at most."""
    sample_s: float | None = None
    """Time between samples of a gauge; None: that of the method."""
    warm_up_s: float = 5.0
    """Time of load before the first round, in which clock, power limits and temperature settle; its
    energy is not kept."""
    sysfs: str = "/sys"
    proc: str = "/proc"


def protocol_of(plan: EnergyPlan, *, gauge: bool) -> EnergyMethod:
    """The method of a plan with a meter whose headline domain is a gauge, or else a counter."""
    if plan.method is not None:
        return METHODS[plan.method]
    return GAUGE if gauge else EDGES


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

    def as_dict(self) -> JsonObject:
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
        """
        assert self.effort.precision is not None
        wanted = self.effort.precision.half_width
        return {
            group
            for group, members in self.groups().items()
            if any(samples.get(trial) and half_width(samples[trial]) > wanted for trial in members)
        }

    def rounds(
        self, seed: int, block: int = 0, among: Collection[Trial] | None = None
    ) -> Iterator[tuple[int, list[Trial]]]:
        """The rounds of one block, each with its number and every trial once, in their order.

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
            trials: list[Trial] = []
            for key in order:
                if not rows[key]:
                    rows[key] = williams_rows(groups[key], chance)
                trials += rows[key].pop()
            yield round_index, trials


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
    for round_index, trials in plan.rounds(seed):
        order: list[tuple[WindowKind, Trial | None]] = []
        for place, trial in enumerate(trials):
            if place % protocol.loads_per_baseline == 0:
                order += _baselines(protocol)
            order.append((WindowKind.LOAD, trial))
        if protocol.loads_per_baseline > 1:
            order += _baselines(protocol)
        yield [
            EnergyStep(round_index, position, kind, trial)
            for position, (kind, trial) in enumerate(order)
        ]


def _baselines(protocol: EnergyMethod) -> list[tuple[WindowKind, Trial | None]]:
    kinds = [WindowKind.DEEP_IDLE]
    if protocol.active_idle:
        kinds.append(WindowKind.ACTIVE_IDLE)
    return [(kind, None) for kind in kinds]
