# SPDX-License-Identifier: Apache-2.0
"""The measurement: every function of the paper's tables in one run of Joulemark's harness.

The paper hashes 1024 messages of 16 MiB in each measurement, however long that takes. Here all
windows are equally long, so that fast and slow functions are known equally well, and the time of
16 GiB is 1024 times that of a message. Rounds visit all functions in turn, each time in another
order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from joulemark.analyse import Figure, Result
from joulemark.analyse.assemble import result_set
from joulemark.analyse.compare import Samples, compare_pairs, points_of
from joulemark.analyse.from_elsewhere import trusted_samples
from joulemark.analyse.verdict import Comparison, Verdict
from joulemark.errors import UnavailableError
from joulemark.measure.inventory import Inventory
from joulemark.measure.plan import Effort, Plan
from joulemark.measure.study import code_digest
from joulemark.records.trial import Trial, Workload
from joulemark.store.repository import Store
from joulemark.studies.equipment import CpuEquipment, study_facts
from joulemark.studies.westermann2010.paper import BITS, Bits, PublishedFunction, Westermann2010


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredFunction:
    """One function of the paper's tables, measured here."""

    name: str
    """Name of the function in the paper."""
    bits: Bits
    implementation: str
    candidate: bool
    message_seconds: Figure | None
    message_joules: Figure | None
    """Joules net of the idle machine; None without a meter."""
    message_bytes: int
    messages: int
    """Number of messages of the paper's measurement."""

    @property
    def seconds(self) -> float | None:
        """Time of the paper's whole work."""
        figure = self.message_seconds
        return None if figure is None else figure.median * self.messages

    @property
    def interval_s(self) -> tuple[float, float] | None:
        """95 % interval of `seconds`."""
        figure = self.message_seconds
        return None if figure is None else (figure.low * self.messages, figure.high * self.messages)

    @property
    def net_watts(self) -> float | None:
        """Power beyond that of the idle machine."""
        if self.message_joules is None or self.message_seconds is None:
            return None
        return self.message_joules.median / self.message_seconds.median

    @property
    def joules_per_byte(self) -> float | None:
        """Energy of a byte in a long message, net of the idle machine."""
        figure = self.message_joules
        return None if figure is None else figure.median / self.message_bytes

    def interval_of(self, quantity: str) -> tuple[float, float] | None:
        """95 % interval of the property of that name; of `net_watts` the widest that is possible.

        None without the figures that it rests on.
        """
        joules, seconds = self.message_joules, self.message_seconds
        if quantity == "seconds":
            return self.interval_s
        if joules is None or seconds is None:
            return None
        if quantity == "net_watts":
            return joules.low / seconds.high, joules.high / seconds.low
        return joules.low / self.message_bytes, joules.high / self.message_bytes

    @property
    def seconds_per_byte(self) -> float | None:
        """Time of a byte in a long message."""
        figure = self.message_seconds
        return None if figure is None else figure.median / self.message_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class WestermannFindings:
    """The whole measurement."""

    functions: list[MeasuredFunction]
    pairs: list[Comparison]
    """Comparisons of every two functions of one table, judged together."""
    versions: list[Comparison]
    """Comparisons of 256 bits, the baseline, and 512 bits of each candidate, judged together."""
    absent: list[str]
    """Algorithms that this build does not have."""
    missing: list[str]
    no_energy: str | None
    """Why there are no joules; None if there are joules."""
    window_s: float
    rounds: int
    run_id: int
    warnings: list[str]

    def of(self, name: str, bits: Bits) -> MeasuredFunction | None:
        """Returns one function; None if it was not measured."""
        return next((f for f in self.functions if (f.name, f.bits) == (name, bits)), None)

    def table(self, bits: Bits) -> list[MeasuredFunction]:
        """Returns the functions of one table, the fastest first."""
        rows = [row for row in self.functions if row.bits == bits and row.seconds is not None]
        return sorted(rows, key=lambda row: row.seconds or 0.0)

    def verdict(self, fast: tuple[str, Bits], slow: tuple[str, Bits]) -> bool | None:
        """Whether the first of two functions of one table is faster; None if that is open."""
        function, other = self.of(*fast), self.of(*slow)
        if function is None or other is None:
            return None
        # The contender of a comparison is the one that its verdict speaks of.
        orders = {
            (other.implementation, function.implementation): (Verdict.FASTER, Verdict.SLOWER),
            (function.implementation, other.implementation): (Verdict.SLOWER, Verdict.FASTER),
        }
        for pair in self.pairs:
            yes, no = orders.get((pair.baseline, pair.contender), (None, None))
            if pair.verdict in {yes, no}:
                return pair.verdict is yes
        return None


def ranks(
    functions: Sequence[MeasuredFunction], value: Callable[[MeasuredFunction], float | None]
) -> dict[str, int]:
    """Returns the rank of each function that has the value, by name; the lowest value is first."""
    values = ((value(function), function.name) for function in functions)
    known = sorted((number, name) for number, name in values if number is not None)
    return {name: place for place, (_, name) in enumerate(known, start=1)}


STUDY: Final = "westermann2010"
PAPER_WINDOW_S: Final = 64.0
"""Length of a window at full scale: about that of the paper's faster candidates."""
_SHORTEST_WINDOW_S: Final = 0.01
_HANGS_AFTER_S: Final = 60.0
_FEWEST_GENERATIONS: Final = 4


@dataclass(frozen=True, slots=True)
class WestermannWork:
    """How much is measured."""

    scale: float
    """Share of the paper's work; above 0 and at most 1."""
    rounds: int
    as_published: bool
    """Whether power is taken as the paper took it, from samples of a gauge."""
    fresh: bool = False

    @property
    def generations(self) -> int:
        """Number of generations, of two rounds each if there are enough rounds.

        The ranks of ten single rounds could not tell apart all pairs of a table, however far the
        rounds of two functions lie apart.
        """
        return min(self.rounds, max(_FEWEST_GENERATIONS, self.rounds // 2))

    @property
    def window_s(self) -> float:
        """Length of the window of each function in each round."""
        return max(_SHORTEST_WINDOW_S, self.scale * PAPER_WINDOW_S)


def measure(
    paper: Westermann2010, work: WestermannWork, equipment: CpuEquipment
) -> WestermannFindings:
    """Measures the functions that were not measured before."""
    names = _implementations(paper, equipment.inventory)
    if not names:
        raise UnavailableError("none of the paper's functions is in this build; run make setup")
    absent = sorted({function.algorithm for function in paper.published} - names.keys())
    workload = Workload(paper.experiment.message_bytes)
    trials = {algorithm: Trial(name, workload) for algorithm, name in names.items()}
    energy = equipment.energy
    if energy is not None and work.as_published:
        energy = replace(energy, method="westermann2010")
    plan = Plan(
        tuple(trials.values()),
        Effort(work.rounds, round(work.window_s * 1e9), work.generations, windows=1, retakes=0),
        code_digest(equipment.inventory, list(names.values())),
        energy,
    )
    equipment.say(f"{len(trials)} functions, {work.rounds} rounds of {work.window_s:g} s each")
    outcome = equipment.run(
        plan, study_facts(STUDY), fresh=work.fresh, hang_limit_s=_HANGS_AFTER_S + 2 * work.window_s
    )
    missing = [f"{failure.implementation}: {failure.reason}" for failure in outcome.failures]
    if outcome.no_energy is not None and energy is not None and energy.meter is not None:
        missing.append(outcome.no_energy)
    return _findings(
        paper,
        equipment.store,
        outcome.run_id,
        trials,
        work,
        absent=absent,
        missing=missing,
        no_energy=outcome.no_energy,
    )


def _implementations(paper: Westermann2010, inventory: Inventory) -> dict[str, str]:
    """Returns our fastest implementation of each function for this CPU, by algorithm."""
    algorithms = dict.fromkeys(function.algorithm for function in paper.published)
    autos = {algorithm: inventory.facts.get(f"{algorithm}/auto") for algorithm in algorithms}
    return {
        algorithm: f"{algorithm}/{auto.chosen}"
        for algorithm, auto in autos.items()
        if auto is not None
    }


def _findings(
    paper: Westermann2010,
    store: Store,
    run_id: int,
    trials: dict[str, Trial],
    work: WestermannWork,
    *,
    absent: list[str],
    missing: list[str],
    no_energy: str | None,
) -> WestermannFindings:
    results = store.settle(lambda shared: result_set(shared, run_id))
    by_name = {result.implementation: result for result in results.results}
    functions = [
        _function(row, by_name[trials[row.algorithm].implementation], paper)
        for row in paper.published
        if row.algorithm in trials and trials[row.algorithm].implementation in by_name
    ]
    samples = trusted_samples(store, run_id)
    measured = {
        (row.name, row.bits): trials[row.algorithm]
        for row in paper.published
        if trials.get(row.algorithm) in samples
    }
    in_tables = [
        pair
        for bits in BITS
        for pair in combinations([trial for key, trial in measured.items() if key[1] == bits], 2)
    ]
    versions = [
        (measured[row.name, 256], measured[row.name, 512])
        for row in paper.table(256, candidates=True)
        if (row.name, 256) in measured and (row.name, 512) in measured
    ]
    return WestermannFindings(
        functions=functions,
        pairs=_compare(samples, in_tables),
        versions=_compare(samples, versions),
        absent=absent,
        missing=missing,
        no_energy=no_energy if not any(function.net_watts for function in functions) else None,
        window_s=work.window_s,
        rounds=work.rounds,
        run_id=run_id,
        warnings=results.warnings,
    )


def _compare(samples: Samples, pairs: Sequence[tuple[Trial, Trial]]) -> list[Comparison]:
    """Compares pairs two-sided, by round, and with Holm's correction for their number."""
    return compare_pairs(points_of(samples, pairs), pairs)


def _function(row: PublishedFunction, result: Result, paper: Westermann2010) -> MeasuredFunction:
    return MeasuredFunction(
        name=row.name,
        bits=row.bits,
        implementation=result.implementation,
        candidate=row.candidate,
        message_seconds=result.seconds_per_message,
        message_joules=result.joules_per_message,
        message_bytes=paper.experiment.message_bytes,
        messages=paper.experiment.messages,
    )
