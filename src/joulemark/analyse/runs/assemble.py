# SPDX-License-Identifier: Apache-2.0
"""From a stored run to everything it says. Estimates are computed here each time, never stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from joulemark.analyse.cores import clock_result, latest_reports
from joulemark.analyse.doubts import trial_doubts
from joulemark.analyse.energy.run import RunEnergy, run_energy
from joulemark.analyse.estimate import estimate
from joulemark.analyse.firmware import firmware_result
from joulemark.analyse.machine_load import load_doubts
from joulemark.analyse.precision import LOOKED_LEVEL
from joulemark.analyse.results import Result, ResultFailure, ResultSet
from joulemark.analyse.runs.context import NO_LOOP, run_context, timed
from joulemark.analyse.runs.published import published_energy, published_of
from joulemark.analyse.runs.raw import raw_run
from joulemark.analyse.runs.repeatability import earlier_medians, repeatability
from joulemark.analyse.warnings import common_to_the_run, run_warnings
from joulemark.errors import StoreError
from joulemark.judging.standing import standing
from joulemark.records.absence import ENERGY_NOT_ASKED, Absence
from joulemark.records.doubt import Doubt
from joulemark.records.failure import ENERGY, Failure
from joulemark.records.firmware import FirmwareCount
from joulemark.records.implementation import ImplementationFacts
from joulemark.records.sample import ClockCount, RawSample
from joulemark.records.trial import Cache, Trial
from joulemark.store.repository import Store

__all__ = ["cores_alone", "result_set", "stored_energy"]


def _withheld(failures: Sequence[Failure]) -> set[str]:
    """Implementations whose figures cannot be trusted: they failed while being checked or run."""
    return {failure.implementation for failure in failures if failure.broken}


def _results(
    samples: Mapping[Trial, Sequence[RawSample]],
    used: Mapping[Trial, Sequence[RawSample]],
    doubts: Mapping[Trial, Sequence[Doubt]],
    facts: Mapping[str, ImplementationFacts],
    energy: RunEnergy | Absence,
    *,
    raw: bool,
    modelled_watts: float | None,
    earlier: Mapping[Trial, Sequence[float]],
    level: float,
) -> list[Result]:
    return [
        estimate(
            trial,
            facts[trial.implementation],
            taken,
            include_samples=raw,
            energy=energy.of(trial) if isinstance(energy, RunEnergy) else (),
            energy_absence=energy if isinstance(energy, Absence) else ENERGY_NOT_ASKED,
            modelled_watts=modelled_watts,
            repeated=repeatability(trial, used[trial], earlier),
            level=level,
            used=used[trial],
            doubts=doubts[trial],
        )
        for trial, taken in samples.items()
    ]


def _doubts(
    samples: Mapping[Trial, Sequence[RawSample]],
    used: Mapping[Trial, Sequence[RawSample]],
    energy: RunEnergy | Absence,
    beside: Sequence[Doubt],
) -> dict[Trial, list[Doubt]]:
    """What is doubtful about each trial; `beside` is of the whole run, unless it says so itself."""
    doubts = {}
    for trial, taken in samples.items():
        found = trial_doubts(trial, taken, used[trial])
        if isinstance(energy, RunEnergy):
            found += energy.doubts(trial)
        if trial.workload.cache is not Cache.COLD:
            known = {doubt.kind for doubt in found}
            found += [doubt for doubt in beside if doubt.kind not in known]
        doubts[trial] = found
    return doubts


def _core_results(
    counts: Mapping[Trial, ClockCount],
    facts: Mapping[str, ImplementationFacts],
    withheld: set[str],
    *,
    raw: bool,
) -> list[Result]:
    return [
        clock_result(trial, facts[trial.implementation], count, include_raw=raw)
        for trial, count in sorted(counts.items())
        if trial.implementation not in withheld
    ]


def _firmware_results(
    counts: Mapping[Trial, FirmwareCount], facts: Mapping[str, ImplementationFacts], *, raw: bool
) -> list[Result]:
    """Nothing is withheld: what was wrong on a target was not stored."""
    return [
        firmware_result(trial, facts[trial.implementation], count, include_raw=raw)
        for trial, count in sorted(counts.items(), key=lambda item: item[0])
    ]


def stored_energy(store: Store, run_id: int) -> RunEnergy | Absence:
    """The run's energy, or why it has none."""
    record = store.meter(run_id)
    failures = store.failures(run_id)
    refused = next(
        (failure.reason for failure in failures if failure.implementation == ENERGY), None
    )
    if refused is not None:
        return Absence(refused)
    if record is None:
        return ENERGY_NOT_ASKED
    return run_energy(record, store.energy_windows(run_id))


def result_set(store: Store, run_id: int, *, raw: bool = False, alone: bool = False) -> ResultSet:
    """Everything run `run_id` says.

    Args:
        store: where the run is.
        run_id: which run.
        raw: whether each result carries its samples.
        alone: whether what the rest of the store says is left out: repeatability, which earlier
            runs tell, and reports of cores, which belong to no run.

    Raises:
        StoreError: there is no such run, or the store cannot be read.
    """
    kept = published_of(store, run_id)
    if kept is None:
        return _computed(store, run_id, raw=raw, alone=alone)
    if not any(
        observed(run_id)
        for observed in (store.sample_counts, store.clock_counts, store.firmware_counts)
    ):
        cores = [] if alone else latest_reports(store.core_reports())
        return kept.model_copy(update={"core_reports": cores})
    return published_energy(_computed(store, run_id, raw=raw, alone=alone), kept)


def _computed(store: Store, run_id: int, *, raw: bool, alone: bool) -> ResultSet:
    """What the samples of a run give."""
    record = store.run(run_id)
    failures = store.failures(run_id)
    facts = store.implementations(run_id)
    study = {name: value for name, value in record.study.items() if name != "plan"}
    energy = stored_energy(store, run_id)
    samples, counts = store.samples(run_id), store.clock_counts(run_id)
    firmware = store.firmware_counts(run_id)
    _require_facts(store, run_id, facts, (*samples, *counts, *firmware))
    withheld, used = _withheld(failures), standing(samples)
    shown = {
        trial: taken
        for trial, taken in sorted(samples.items())
        if taken and trial.implementation not in withheld
    }
    doubts, warnings = common_to_the_run(_doubts(shown, used, energy, load_doubts(samples)))
    results = _results(
        shown, used, doubts, facts, energy, raw=raw, modelled_watts=study.get("modelled_watts"),
        earlier={} if alone else earlier_medians(store, record),
        level=LOOKED_LEVEL if (study.get("effort") or {}).get("precision") else 0.95,
    )  # fmt: skip
    simulated = _core_results(counts, facts, withheld, raw=raw)
    simulated += _firmware_results(firmware, facts, raw=raw)
    complete = _with_results(shown, counts, firmware, withheld)
    if timed(study):
        warnings += run_warnings(doubts.values(), record.environment, record.conditions)
    if record.finished_at is None:
        warnings.append("this run was stopped before its end; the same command goes on with it")
    return ResultSet(
        context=run_context(record, study, facts, energy),
        results=[*results, *simulated],
        failures=[
            ResultFailure(
                implementation=failure.implementation,
                kind=failure.kind,
                reason=failure.reason,
                size_bytes=failure.size_bytes,
            )
            for failure in failures
            if failure.implementation != ENERGY  # the results' own reasons say it
        ],
        core_reports=[] if alone else latest_reports(store.core_reports()),
        warnings=warnings,
        raw=raw_run(store, run_id, complete) if raw else None,
    )


def _with_results(
    shown: Iterable[Trial], counts: Iterable[Trial], firmware: Iterable[Trial], withheld: set[str]
) -> set[Trial]:
    """Trials whose results carry what was observed."""
    clocked = (trial for trial in counts if trial.implementation not in withheld)
    return {*shown, *clocked, *firmware}


def _require_facts(
    store: Store, run_id: int, facts: Mapping[str, ImplementationFacts], trials: Iterable[Trial]
) -> None:
    """Refuses a run of which nobody knows what was measured.

    Raises:
        StoreError: it has trials of an implementation without its facts.
    """
    for trial in trials:
        if trial.implementation not in facts:
            raise StoreError(
                f"{store.location} is damaged: run {run_id} has trials of {trial.implementation} "
                "and no row of it in the table implementation; export another run, or take the "
                "store from a copy"
            )


def cores_alone(store: Store) -> ResultSet:
    """What a store without a run says: the reports of hardware cores in it."""
    return ResultSet(
        context={"run": {}, "environment": {}, "implementations": {}, "loop": NO_LOOP,
                 "meter": None, "modelled_watts": None},
        results=[],
        failures=[],
        core_reports=latest_reports(store.core_reports()),
        warnings=[],
    )  # fmt: skip
