# SPDX-License-Identifier: Apache-2.0
"""Carries a whole run out: chooses a CPU, takes samples and energy, and simulates cores."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from joulemark import __version__
from joulemark.environment.facts import Environment
from joulemark.errors import ImplementationError, JoulemarkError, UnavailableError, WrongOutputError
from joulemark.measure.cores import CoreImplementation, LengthCounts, simulate_core
from joulemark.measure.firmware_trials import SpreadFirmware, take_firmware_counts
from joulemark.measure.inventory import Inventory, failure_of
from joulemark.measure.plan import Plan
from joulemark.measure.pool import CheckReport, WorkerPool, effort_of_run
from joulemark.measure.quiet import CpuChoice, choose_cpu
from joulemark.measure.runner import GoingOn, HalfWidth, Runner, RunObserver, SilentObserver
from joulemark.measure.selection import base_name
from joulemark.measure.worker.client import RefusalError
from joulemark.measure.worker.run_messages import MeasureLoop
from joulemark.meters import MeterError
from joulemark.processes.tool import ToolRuns, do_tasks
from joulemark.records import ENERGY, Failure, FailureKind, JsonObject
from joulemark.records.trial import Trial
from joulemark.store.repository import Store

# The conditions under which a run began: CPU, load, priority.
#
# They differ from run to run on one machine, so they are no part of its environment.


def conditions_now(chosen: CpuChoice) -> dict[str, int | float | str | list[float] | None]:
    """The conditions as fields for the store.

    Returns:
        `cpu`, `cpu_named`, `cpu_busy_share` and `cpu_not_held`, as `CpuChoice` has them;
        `core_kind`, such as `P-core`, or None on a machine with cores of one kind;
        `cpus_allowed`; `nice` of this process, which its workers
        inherit; `load_average`, of the last 1, 5 and 15 minutes, or None where it is unknown.
    """
    try:
        load = list(os.getloadavg())
    except OSError:
        load = None
    return {
        "cpu": chosen.cpu,
        "cpu_named": chosen.named,
        "cpu_busy_share": chosen.busy_share,
        "cpu_not_held": chosen.lock_reason,
        "core_kind": chosen.kind,
        "cpus_allowed": len(chosen.others | {chosen.cpu}),
        "nice": os.getpriority(os.PRIO_PROCESS, 0),
        "load_average": load,
    }


# Counts the clocks of the core trials of a plan that the store lacks, several cores at a time.
#
# A simulation is exact and no other program disturbs it, so there are no rounds and no placement.
# Counts are stored core by core, so a killed run goes on with the cores that are left.

_CORE_LIMIT_S: Final = 900.0
"""Longest time for building one core and simulating all its messages; a build takes about 6 s."""


def take_clocks(
    store: Store,
    run_id: int,
    cores: Mapping[str, CoreImplementation],
    trials: Sequence[Trial],
    *,
    counted: Callable[[Trial], None],
    failed: Callable[[Failure], None],
) -> int:
    """Simulates missing trials; returns how many were counted now."""
    kept = store.clock_counts(run_id)
    wanted: dict[str, list[Trial]] = {}
    for trial in trials:
        if trial not in kept:
            wanted.setdefault(trial.implementation, []).append(trial)
    tasks = list(wanted.items())
    taken = 0
    failures: set[Failure] = set()

    def simulate(task: tuple[str, list[Trial]], runs: ToolRuns) -> LengthCounts | Failure:
        name, missing = task
        lengths = sorted({trial.workload.size_bytes for trial in missing})
        modes = sorted({trial.workload.mode for trial in missing})
        try:
            return simulate_core(cores[name], lengths, modes, runs, limit_s=_CORE_LIMIT_S)
        except ImplementationError as error:
            return failure_of(name, error)

    def keep(place: int, found: LengthCounts | Failure) -> None:
        nonlocal taken
        for trial in tasks[place][1]:
            failure = found if isinstance(found, Failure) else _failure(trial, found)
            if failure is None:
                assert isinstance(found, LengthCounts)
                workload = trial.workload
                store.add_clock_count(
                    run_id, trial, found.clocks[workload.mode][workload.size_bytes]
                )
                taken += 1
                counted(trial)
            elif failure not in failures:  # once, not for each mode
                failures.add(failure)
                failed(failure)

    do_tasks(tasks, simulate, keep)
    return taken


def _failure(trial: Trial, found: LengthCounts) -> Failure | None:
    """Why a trial has no count; None if it has one."""
    size_bytes = trial.workload.size_bytes
    reason = found.refused.get(size_bytes)
    if reason is not None:
        return Failure(trial.implementation, FailureKind.REFUSED, reason, size_bytes)
    count = found.clocks.get(trial.workload.mode, {}).get(size_bytes)
    if count is None or count.clocks < 1 or count.messages < 1:
        error = WrongOutputError("its simulation gave no clocks")
        return failure_of(trial.implementation, error, size_bytes)
    return None


_LOOP_ROUNDS = 15
_LOOP_MESSAGES = 1_000_000


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The outcome of a run."""

    run_id: int
    resumed: bool
    visits: int
    """Visits made now, without those of an earlier part of the run."""
    failures: list[Failure]
    windows: int = 0
    """Energy windows taken now, void ones included."""
    no_energy: str | None = None
    """Why energy windows that were asked for are missing; None if all were taken."""
    simulated: int = 0
    """Trials of hardware cores and on firmware targets simulated now."""
    checked: tuple[CheckReport, ...] = ()
    """The check of each implementation before it was timed."""


def loop_series(pool: WorkerPool) -> JsonObject:
    """Raw series of the harness's own loop, without a call and with an empty one, as stored."""
    return asdict(pool.ask_own(MeasureLoop(_LOOP_MESSAGES, _LOOP_ROUNDS), limit_s=30.0))


def run_plan(
    store: Store,
    inventory: Inventory,
    plan: Plan,
    environment: Environment,
    *,
    study: Mapping[str, Any],
    observer: RunObserver | None = None,
    fresh: bool = False,
    hang_limit_s: float = 30.0,
    cpu: int | None = None,
    half_width: HalfWidth | None = None,
    going_on: GoingOn | None = None,
    end_s: float | None = None,
    spread_firmware: SpreadFirmware | None = None,
) -> RunOutcome:
    """Carries a plan out, going on with an unfinished run of the same plan where there is one.

    Args:
        store: where every sample goes as soon as it is taken.
        inventory: implementations that can be run.
        plan: trials of software, rounds, window; trials of hardware cores and firmware targets.
        environment: this machine; an unfinished run from another environment is not continued.
        study: the request of the user, kept with the run.
        observer: told of progress.
        fresh: whether a new run begins even if an unfinished run of the same plan exists.
        hang_limit_s: seconds without an answer after which an implementation counts as hung.
        cpu: CPU to measure on; the least busy one unless given.
        half_width: tells how sharp a trial is; needed if the plan asks for a precision.
        going_on: asked after each block of `plan.effort.rounds` rounds which trials get another
            block, if the plan asks for no precision.
        end_s: moment of the monotonic clock after which no visit begins; None: there is no end.
        spread_firmware: counts on firmware targets elsewhere; this machine unless given.
    """
    if not (plan.trials or plan.core_trials or plan.firmware_trials):
        raise JoulemarkError(
            "nothing to measure: no implementation that was asked for is "
            "available here (joulemark list shows why)"
        )
    run_id, resumed = _place_in_store(store, plan, environment, study, fresh=fresh)
    every = (*plan.trials, *plan.core_trials, *plan.firmware_trials)
    for name in dict.fromkeys(trial.implementation for trial in every):
        store.add_implementation(run_id, inventory.facts_of(name))
    store.clear_failures(run_id)
    outcome = RunOutcome(run_id, resumed, 0, [])
    observer = observer or SilentObserver()
    if plan.trials:
        outcome = _measure(
            store,
            inventory,
            plan,
            outcome,
            observer,
            hang_limit_s,
            cpu,
            half_width,
            going_on,
            end_s,
        )
    # Afterwards, since a simulation would disturb what is measured.
    if plan.core_trials or plan.firmware_trials:
        outcome = _simulate(store, inventory, plan, outcome, observer, spread_firmware)
    store.finish_run(run_id)
    return outcome


def _place_in_store(
    store: Store, plan: Plan, environment: Environment, study: Mapping[str, Any], *, fresh: bool
) -> tuple[int, bool]:
    """Number of the run that gets the samples, and whether it goes on with an unfinished run."""
    digest = plan.digest()
    unfinished = None if fresh else store.resumable_run(digest, environment.identity())
    if unfinished is not None:
        return unfinished.id, True
    run_id = store.begin_run(
        study={**study, "plan": plan.as_dict()},
        study_digest=digest,
        seed=secrets.randbits(32),
        rounds=plan.effort.rounds,
        environment=environment.as_dict(),
        joulemark_version=__version__,
    )
    return run_id, False


def _measure(
    store: Store,
    inventory: Inventory,
    plan: Plan,
    outcome: RunOutcome,
    observer: RunObserver,
    hang_limit_s: float,
    cpu: int | None,
    half_width: HalfWidth | None,
    going_on: GoingOn | None,
    end_s: float | None,
) -> RunOutcome:
    """Takes every missing sample and energy window."""
    run_id, seed = outcome.run_id, store.run(outcome.run_id).seed
    kept = {
        trial: {sample.round_index for sample in samples}
        for trial, samples in store.samples(run_id).items()
    }
    affinity = os.sched_getaffinity(0)
    earlier = store.run(run_id).conditions if kept else None
    chosen = choose_cpu(cpu, kind=(earlier or {}).get("core_kind"))
    names = {base_name(trial.implementation) for trial in plan.trials}
    pool = WorkerPool(inventory, chosen.cpu, effort=effort_of_run(len(names), hang_limit_s))
    try:
        store.set_conditions(run_id, conditions_now(chosen))
        os.sched_setaffinity(0, chosen.others)
        store.set_loop_cost(run_id, loop_series(pool))
        for failure in inventory.missing_for(name.split("/", 1)[0] for name in names):
            store.add_failure(run_id, failure)
        runner = Runner(
            store, inventory, plan, observer, hang_limit_s, pool, half_width, going_on, end_s
        )
        taken = runner.take(run_id, seed, kept)
        windows, no_energy = _meter(runner, run_id, seed)
    except RefusalError as error:
        raise JoulemarkError(f"the harness's own worker failed: {error}") from error
    finally:
        pool.close()
        os.sched_setaffinity(0, affinity)
        chosen.release()
    return replace(
        outcome,
        visits=taken,
        failures=runner.failures(),
        windows=windows,
        no_energy=no_energy,
        checked=tuple(pool.reports.values()),
    )


def _simulate(
    store: Store,
    inventory: Inventory,
    plan: Plan,
    outcome: RunOutcome,
    observer: RunObserver,
    spread_firmware: SpreadFirmware | None,
) -> RunOutcome:
    """Takes every missing count of clocks, and of core cycles on firmware targets."""
    run_id, total = outcome.run_id, len(plan.core_trials) + len(plan.firmware_trials)
    done = len(store.clock_counts(run_id)) + len(store.firmware_counts(run_id))
    failures = []
    if not plan.trials:
        observer.started(run_id, total, done)

    def counted(trial: Trial) -> None:
        nonlocal done
        done += 1
        observer.simulated(done, total, trial)

    def failed(failure: Failure) -> None:
        failures.append(failure)
        store.add_failure(run_id, failure)
        observer.failed(failure)

    taken = 0
    if plan.core_trials:
        for failure in inventory.missing_cores:
            store.add_failure(run_id, failure)
        taken = take_clocks(
            store, run_id, inventory.cores, plan.core_trials, counted=counted, failed=failed
        )
    taken += take_firmware_counts(
        store, run_id, plan.firmware_trials, counted=counted, failed=failed, spread=spread_firmware
    )
    return replace(outcome, failures=[*outcome.failures, *failures], simulated=taken)


def _meter(runner: Runner, run_id: int, seed: int) -> tuple[int, str | None]:
    """Takes energy windows; returns how many, and why some that were asked for are missing."""
    try:
        return runner.take_energy(run_id, seed, runner.store.meter(run_id))
    except (UnavailableError, MeterError) as error:
        runner.store.add_failure(run_id, Failure(ENERGY, FailureKind.UNAVAILABLE, str(error)))
        return 0, str(error)
