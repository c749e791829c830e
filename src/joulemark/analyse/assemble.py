# SPDX-License-Identifier: Apache-2.0
"""From a stored run to its results. Estimates are computed each time and never stored."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from joulemark.analyse import (
    RawRun,
    RawSeries,
    RawTrial,
    RawWindow,
    Repeatability,
    Result,
    ResultFailure,
    ResultSet,
)
from joulemark.analyse.derive import LOOKED_LEVEL, seconds_per_message
from joulemark.analyse.doubts import trial_doubts
from joulemark.analyse.estimate import estimate
from joulemark.analyse.from_elsewhere import (
    NO_TIME_OF_A_CORE,
    clock_result,
    firmware_result,
    published_energy,
    published_of,
)
from joulemark.analyse.machine_load import common_to_the_run, load_doubts, run_warnings
from joulemark.analyse.run_energy import RunEnergy, run_energy
from joulemark.environment.facts import IDENTITY_KEYS
from joulemark.errors import StoreError
from joulemark.judging import standing
from joulemark.records import ENERGY, ImplementationFacts
from joulemark.records.figures import ENERGY_NOT_ASKED, Absence, Doubt
from joulemark.records.sample import ClockCount, FirmwareCount, RawSample
from joulemark.records.trial import HOST, Cache, Trial
from joulemark.stats import median
from joulemark.store.beside_runs import latest_reports
from joulemark.store.observations import window_as_json
from joulemark.store.repository import RunRecord, Store
from joulemark.store.rows import plain

# The context of a run's results: how and where it was measured, and what the harness costs.

NO_LOOP: Final = {"seconds_per_message": None, "reason": NO_TIME_OF_A_CORE.text}
"""The cost of the loop in a run that timed nothing."""


def loop_cost(loop: Mapping[str, Any] | None) -> dict[str, Any]:
    """The harness's own cost per message.

    Args:
        loop: `messages` in each window; wall time of each window without a call
            (`without_call_ns`) and with an empty one (`empty_call_ns`); or what an imported file
            stated instead (`stated`); None if the run died before they were taken.

    Returns:
        Median, minimum and maximum over the windows, of the loop alone (`seconds_per_message`) and
        with a call that does nothing (`empty_call_seconds_per_message`), which any caller of a MAC
        pays too. Both are stated beside the figures and not subtracted from them.
    """
    if loop and isinstance(loop.get("stated"), dict):
        return {**loop["stated"], "evidence": "published"}
    if not loop or not {"messages", "without_call_ns", "empty_call_ns"} <= loop.keys():
        return {"seconds_per_message": None, "reason": "the run ended before it was measured"}

    def spread(series: Sequence[int]) -> dict[str, float]:
        each = [wall_ns / loop["messages"] / 1e9 for wall_ns in series]
        return {"median": statistics.median(each), "minimum": min(each), "maximum": max(each)}

    return {
        "seconds_per_message": spread(loop["without_call_ns"]),
        "empty_call_seconds_per_message": spread(loop["empty_call_ns"]),
        "evidence": "measured",
        "subtracted": False,
    }


def run_context(
    record: RunRecord,
    study: Mapping[str, Any],
    facts: Mapping[str, ImplementationFacts],
    energy: RunEnergy | Absence,
) -> dict[str, object]:
    """The context of a result set, as `joulemark.analyse.ResultSet` names its fields."""
    return {
        "run": {
            "id": record.id,
            "started_at": record.started_at.isoformat(),
            "finished_at": record.finished_at.isoformat() if record.finished_at else None,
            "joulemark_version": record.joulemark_version,
            "study": study,
            "seed": record.seed,
            "rounds": record.rounds,
            "conditions": record.conditions,
        },
        "environment": dict(record.environment),
        "implementations": {name: of_one.as_dict() for name, of_one in sorted(facts.items())},
        "loop": loop_cost(record.loop) if is_timed(study) else NO_LOOP,
        "meter": energy.record.as_dict() if isinstance(energy, RunEnergy) else None,
        "modelled_watts": study.get("modelled_watts"),
    }


def is_timed(study: Mapping[str, Any]) -> bool:
    """Whether the machine itself is a target of the study, so that something was timed."""
    return HOST in study.get("targets", [HOST])


# How well a figure repeats: the medians of the same trial in earlier runs of the store.

MOST_RUNS: Final = 9
"""Earlier runs that are read, the newest first: a machine of last year is another machine."""
MOST_SAMPLES: Final = 400_000
"""Samples of earlier runs that are read, beyond the first such run: a page of results waits 1.5 s
for 100 000 of them, which is one run of the default set."""


def earlier_medians(store: Store, run: RunRecord) -> dict[Trial, list[float]]:
    """Medians of seconds per message of each trial of `run` in earlier runs, newest first.

    An earlier run counts if it is finished and is of the same environment and the same version of
    Joulemark, and only for implementations whose facts are the same as now.
    """
    facts = store.implementations(run.id)
    wanted = {key: run.environment.get(key) for key in IDENTITY_KEYS}
    medians: dict[Trial, list[float]] = {}
    read = 0
    for looked, earlier in enumerate(store.earlier_runs(run.id, wanted)[:MOST_RUNS]):
        samples_there = sum(store.sample_counts(earlier).values())
        if looked and read + samples_there > MOST_SAMPLES:
            break
        read += samples_there
        then = store.implementations(earlier)
        for trial, samples in standing(store.samples(earlier)).items():
            name = trial.implementation
            if samples and name in facts and then.get(name) == facts[name]:
                medians.setdefault(trial, []).append(_median(samples))
    return medians


def repeatability(
    trial: Trial, samples: Sequence[RawSample], earlier: Mapping[Trial, Sequence[float]]
) -> Repeatability | None:
    """How much the median of a trial moved; None without an earlier one, or without samples."""
    then = earlier.get(trial)
    if not then or not samples:
        return None
    now = _median(samples)
    if now <= 0:
        return None
    every = [now, *then]
    return Repeatability(runs=len(every), half_range=(max(every) - min(every)) / 2 / now)


def _median(samples: Sequence[RawSample]) -> float:
    return median([seconds_per_message(sample) for sample in samples])


# The part of an export that makes it whole, so that the run can be put into a store again.


def raw_run(store: Store, run_id: int, shown: Collection[Trial]) -> RawRun:
    """All that a store has of a run besides the samples of its results."""
    record, meter = store.run(run_id), store.meter(run_id)
    observed: dict[Trial, Sequence[RawSample | ClockCount]] = {
        **store.samples(run_id),
        **{trial: [count] for trial, count in store.clock_counts(run_id).items()},
    }
    return RawRun(
        study=record.study,
        study_digest=record.study_digest,
        loop=record.loop,
        meter=None if meter is None else plain(meter.as_dict()),
        energy_windows=[
            RawWindow(
                trial=None if stored.trial is None else _raw_trial(stored.trial),
                void=stored.void,
                window=window_as_json(stored.window),
            )
            for stored in store.energy_windows(run_id)
        ],
        withheld=[
            RawSeries(trial=_raw_trial(trial), samples=[each.as_dict() for each in series])
            for trial, series in sorted(observed.items(), key=lambda item: item[0])
            if series and trial not in shown
        ],
        failures=[
            ResultFailure(**asdict(failure))
            for failure in store.failures(run_id)
            if failure.implementation == ENERGY
        ],
    )


def _raw_trial(trial: Trial) -> RawTrial:
    return RawTrial(
        implementation=trial.implementation, target=trial.target, **asdict(trial.workload)
    )


def _doubts(
    samples: Mapping[Trial, Sequence[RawSample]],
    used: Mapping[Trial, Sequence[RawSample]],
    energy: RunEnergy | Absence,
    of_the_run: Sequence[Doubt],
) -> dict[Trial, list[Doubt]]:
    """Doubts about each trial: its own, and those of the run's kinds that it lacks itself."""
    doubts = {}
    for trial, taken in samples.items():
        of_trial = trial_doubts(trial, taken, used[trial])
        if isinstance(energy, RunEnergy):
            of_trial += energy.doubts(trial)
        if trial.workload.cache is not Cache.COLD:
            known = {doubt.kind for doubt in of_trial}
            of_trial += [doubt for doubt in of_the_run if doubt.kind not in known]
        doubts[trial] = of_trial
    return doubts


def stored_energy(store: Store, run_id: int) -> RunEnergy | Absence:
    """The run's energy, or why it has none."""
    for failure in store.failures(run_id):
        if failure.implementation == ENERGY:
            return Absence(failure.reason)
    record = store.meter(run_id)
    if record is None:
        return ENERGY_NOT_ASKED
    return run_energy(record, store.energy_windows(run_id))


def result_set(
    store: Store, run_id: int, *, raw: bool = False, alone: bool = False, histograms: bool = False
) -> ResultSet:
    """All results of a run, with its failures, warnings and context.

    Args:
        store: where the run is.
        run_id: number of the run.
        raw: whether each result carries its samples.
        alone: whether to leave out all that comes from outside the run: repeatability, which needs
            earlier runs, and reports of cores, which belong to no run.
        histograms: whether each result carries the histogram of its samples, for a page.
    """
    chosen = {"raw": raw, "alone": alone, "histograms": histograms}
    kept = store.published(run_id)
    if kept is None:
        return _computed(store, run_id, **chosen)
    published = published_of(kept, store.location, run_id)
    counts = store.sample_counts, store.clock_counts, store.firmware_counts
    if not any(counted(run_id) for counted in counts):
        cores = [] if alone else latest_reports(store.core_reports())
        return published.model_copy(update={"core_reports": cores})
    return published_energy(_computed(store, run_id, **chosen), published)


def _computed(store: Store, run_id: int, *, raw: bool, alone: bool, histograms: bool) -> ResultSet:
    """Every figure that the samples of a run give, and the run's failures."""
    record = store.run(run_id)
    failures = store.failures(run_id)
    facts = store.implementations(run_id)
    study = {name: value for name, value in record.study.items() if name != "plan"}
    energy = stored_energy(store, run_id)
    samples, counts = store.samples(run_id), store.clock_counts(run_id)
    firmware = store.firmware_counts(run_id)
    _require_facts(store, run_id, facts, (*samples, *counts, *firmware))
    withheld = {failure.implementation for failure in failures if failure.broken}
    used = standing(samples)
    shown = {
        trial: taken
        for trial, taken in sorted(samples.items())
        if taken and trial.implementation not in withheld
    }
    clocked = {
        trial: count
        for trial, count in sorted(counts.items())
        if trial.implementation not in withheld
    }
    doubts, warnings = common_to_the_run(_doubts(shown, used, energy, load_doubts(samples)))
    earlier = {} if alone else earlier_medians(store, record)
    results = [
        estimate(
            trial,
            facts[trial.implementation],
            taken,
            include_samples=raw,
            with_histogram=histograms,
            energy=energy.of(trial) if isinstance(energy, RunEnergy) else (),
            energy_absence=energy if isinstance(energy, Absence) else ENERGY_NOT_ASKED,
            modelled_watts=study.get("modelled_watts"),
            repeated=repeatability(trial, used[trial], earlier),
            level=LOOKED_LEVEL if (study.get("effort") or {}).get("precision") else 0.95,
            used=used[trial],
            doubts=doubts[trial],
        )
        for trial, taken in shown.items()
    ]
    results += _simulated(facts, clocked, firmware, include_raw=raw)
    if is_timed(study):
        warnings += run_warnings(doubts.values(), record.environment, record.conditions)
    if record.finished_at is None:
        warnings.append("this run was stopped before its end; the same command goes on with it")
    return ResultSet(
        context=run_context(record, study, facts, energy),
        results=results,
        failures=[
            ResultFailure(**asdict(failure))
            for failure in failures
            if failure.implementation != ENERGY  # the results' own reasons say it
        ],
        core_reports=[] if alone else latest_reports(store.core_reports()),
        warnings=warnings,
        raw=raw_run(store, run_id, {*shown, *clocked, *firmware}) if raw else None,
    )


def _simulated(
    facts: Mapping[str, ImplementationFacts],
    clocked: Mapping[Trial, ClockCount],
    firmware: Mapping[Trial, FirmwareCount],
    *,
    include_raw: bool,
) -> list[Result]:
    """Results of cores, then of firmware. Wrong answers of firmware are not stored."""
    return [
        *(
            clock_result(trial, facts[trial.implementation], count, include_raw=include_raw)
            for trial, count in clocked.items()
        ),
        *(
            firmware_result(trial, facts[trial.implementation], count, include_raw=include_raw)
            for trial, count in sorted(firmware.items())
        ),
    ]


def _require_facts(
    store: Store, run_id: int, facts: Mapping[str, ImplementationFacts], trials: Iterable[Trial]
) -> None:
    """Refuses a run that has trials of an implementation and no facts of that implementation."""
    for trial in trials:
        if trial.implementation not in facts:
            raise StoreError(
                f"{store.location} is damaged: run {run_id} has trials of {trial.implementation} "
                "and no row of it in the table implementation; export another run, or take the "
                "store from a copy"
            )


def cores_alone(store: Store) -> ResultSet:
    """The reports of hardware cores in a store, without any run."""
    return ResultSet(
        context={
            "run": {},
            "environment": {},
            "implementations": {},
            "loop": NO_LOOP,
            "meter": None,
            "modelled_watts": None,
        },
        results=[],
        failures=[],
        core_reports=latest_reports(store.core_reports()),
        warnings=[],
    )
