# SPDX-License-Identifier: Apache-2.0
"""The findings of `joulemark doctor` about the machine, and the noise floor of its figures."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, TypedDict

from pydantic import JsonValue

from joulemark._core import wiping_doubt
from joulemark.analyse.assemble import loop_cost
from joulemark.analyse.compare import compare_within
from joulemark.doctor import OBSERVED_S, EnergyFindings, Watch, find_meters
from joulemark.environment import capture
from joulemark.environment.facts import Environment, advice
from joulemark.errors import JoulemarkError
from joulemark.measure.inventory import Inventory
from joulemark.measure.meter_of_run import place_of
from joulemark.measure.plan import Plan
from joulemark.measure.pool import WorkerPool
from joulemark.measure.quiet import QUIET_SHARE, choose_cpu, cpu_busy_shares
from joulemark.measure.run_plan import loop_series, run_plan
from joulemark.measure.study import STANDARD
from joulemark.measure.worker.meter_session import MeteredDomains, ObserveMeter
from joulemark.measure.worker.run_messages import Clocks, ReadClocks
from joulemark.meters import Roots
from joulemark.records.energy_window import Domain, Observation
from joulemark.records.trial import Trial, Workload
from joulemark.store.repository import Store
from joulemark.units import format_bytes, format_hertz, format_percent, format_seconds

# The A/A test: two copies of the same code are measured like rivals; their difference is noise.

_ALGORITHM: Final = "hmac-sha256"
_SIZE_BYTES: Final = 1024
_EFFORT: Final = STANDARD.of_run(2)
_SETTINGS: Final = (
    f"Found with {_EFFORT.rounds} rounds of {_EFFORT.windows} windows in {_EFFORT.generations} "
    "generations of processes, as joulemark bench takes them unless told; --precision resolves "
    "more, --quick less."
)


Finding = Mapping[str, JsonValue]
"""Values for JSON; some have a `sentence`, or a `name` and a `state`, for people."""


class NoiseFloor(TypedDict):
    """The difference of two copies of the same code."""

    implementation: str
    size_bytes: int
    rounds: int
    generations: int
    ratio: float
    low: float
    high: float
    level: float
    verdict: str
    believable_difference: float
    sentence: str
    notes: list[str]


class MachineFindings(TypedDict):
    """All that `joulemark doctor` finds but the noise floor."""

    machine: str
    load: Finding
    clocks: list[Finding]
    counters: list[Finding]
    energy: EnergyFindings
    loop: Finding
    wiping: Finding
    advice: list[str]
    providers: list[Finding]


def noise_floor(inventory: Inventory) -> NoiseFloor:
    """Measures the twins and says which differences are worth believing, as JSON values."""
    first = Trial(f"{_ALGORITHM}/auto", Workload(_SIZE_BYTES))
    second = replace(first, implementation=f"{first.implementation}#2")
    plan = Plan((first, second), _EFFORT)
    with Store.open(":memory:") as store:
        outcome = run_plan(store, inventory, plan, capture(), study={"noise_floor": True})
        samples = store.samples(outcome.run_id)
    if outcome.failures:
        raise JoulemarkError(f"the noise floor cannot be measured: {outcome.failures[0].reason}")
    twins = compare_within(samples, first.implementation)[0]
    return {
        "implementation": first.implementation,
        "size_bytes": _SIZE_BYTES,
        "rounds": _EFFORT.rounds,
        "generations": _EFFORT.generations,
        "ratio": twins.ratio,
        "low": twins.low,
        "high": twins.high,
        "level": twins.level,
        "verdict": str(twins.verdict),
        "believable_difference": _floor(twins.low, twins.high),
        "sentence": sentence_for(twins.ratio, twins.low, twins.high),
        "notes": [_SETTINGS, *twins.notes],
    }


def _floor(low: float, high: float) -> float:
    """The largest deviation from 1 in an interval of a ratio."""
    return max(abs(low - 1), abs(high - 1))


def sentence_for(ratio: float, low: float, high: float) -> str:
    """The noise floor in words: seconds per message of the second copy over the first."""
    return (
        f"two copies of the same code ({_ALGORITHM}/auto, {format_bytes(_SIZE_BYTES)}) differ by "
        f"{format_percent(ratio - 1)} [{format_percent(low - 1)} to {format_percent(high - 1)}]; "
        f"differences below {format_percent(_floor(low, high))} are not worth believing here"
    )


_READINGS: Final = 200
"""Readings of the clock probe; each takes some microseconds."""
_LOOK_S: Final = 0.5
"""Time to look at the load, fifty ticks of each CPU; no measurement."""
_LIMIT_S: Final = 30.0
"""Time without an answer after which a worker hangs."""


def examine(inventory: Inventory, roots: Roots, *, observe: bool = True) -> MachineFindings:
    """Load, clocks, counters, energy, the loop's own cost, advice and providers.

    Counters of energy are watched if `observe` says so, which takes some seconds.
    """
    environment = capture()
    load = _load(cpu_busy_shares(_LOOK_S))
    chosen = choose_cpu()
    cpu = chosen.cpu
    pool = WorkerPool(inventory, cpu)
    try:
        readings = [pool.ask_own(ReadClocks(), limit_s=_LIMIT_S) for _ in range(_READINGS)]
        loop = _loop(pool)
        energy = find_meters(
            roots, _watch(pool, roots) if observe else None, place_of(cpu, roots.sysfs)
        )
    finally:
        pool.close()
        chosen.release()
    return {
        "machine": f"{environment.cpu_model or 'an unnamed CPU'}, CPU {cpu}"
        f"{f' ({chosen.kind})' if chosen.kind else ''} is measured",
        "load": load,
        "clocks": [_monotonic(readings), _tsc(environment, readings), *_core_cycles(readings)],
        "counters": _counters(environment, readings),
        "energy": energy,
        "loop": loop,
        "wiping": _wiping(wiping_doubt()),
        "advice": advice(environment),
        "providers": _providers(inventory),
    }


def _load(shares: Mapping[int, float]) -> Finding:
    """The load now, from the share of its time in which each CPU was busy; empty where unknown."""
    if not shares:
        return {"busy_cpus": None, "cpus": None, "sentence": "unknown: /proc/stat cannot be read"}
    busy, count = sum(shares.values()), len(shares)
    sentence = f"other programs use {busy:.2f} of {count} CPU{'s' if count > 1 else ''} now"
    if busy > QUIET_SHARE:
        sentence += (
            ": times would be too high; close them, or let joulemark bench wait with --wait-quiet"
        )
    return {"busy_cpus": busy, "cpus": count, "sentence": sentence}


def _wiping(doubt: str | None) -> Finding:
    """What the kernels leave behind of keys (`jm_mac_wiping_doubt` in joulemark/mac.h)."""
    sentence = (
        "our kernels overwrite all the stack and clear all the registers that they use"
        if doubt is None
        else f"our kernels may leave secrets on the stack: {doubt}"
    )
    return {"doubt": doubt, "sentence": sentence}


def _watch(pool: WorkerPool, roots: Roots) -> Watch:
    def watch(meter: str, domains: Sequence[Domain]) -> Sequence[Observation]:
        metered = MeteredDomains(meter, str(roots.sysfs), str(roots.proc), tuple(domains))
        request = ObserveMeter(metered, OBSERVED_S)
        return pool.ask_own(request, limit_s=OBSERVED_S + _LIMIT_S).observations

    return watch


def _monotonic(readings: list[Clocks]) -> Finding:
    step = min(reading.monotonic_step_ns for reading in readings) / 1e9
    return {
        "name": "wall time",
        "state": f"CLOCK_MONOTONIC, smallest step seen {format_seconds(step)}",
        "evidence": "measured",
        "step_seconds": step,
    }


def _tsc(environment: Environment, readings: list[Clocks]) -> Finding:
    if not readings[0].tsc:
        state = "there is no time-stamp counter that a program may read here"
        return {"name": "TSC ticks", "state": state, "evidence": None}
    words = [
        "constant rate" if environment.constant_tsc else "rate not known to be constant",
        "runs on in idle states" if environment.nonstop_tsc else "may stop in idle states",
    ]
    if environment.tsc_hz:
        words.append(format_hertz(environment.tsc_hz, digits=4))
    return {
        "name": "TSC ticks",
        "state": ", ".join(words),
        "evidence": "measured",
        "constant": environment.constant_tsc,
        "nonstop": environment.nonstop_tsc,
        "hertz": environment.tsc_hz,
    }


def _core_cycles(readings: list[Clocks]) -> list[Finding]:
    reason = readings[0].perf_cycles_reason
    event: Finding = {
        "name": "core cycles, counted",
        "state": "perf event of this thread, user mode" if reason is None else f"no: {reason}",
        "evidence": "measured" if reason is None else None,
    }
    ratios = sorted(
        reading.chain_adds / reading.chain_ticks for reading in readings if reading.chain_ticks
    )
    if not ratios:
        absent = "no: there is no TSC to hold the additions against"
        return [event, {"name": "core cycles, estimated", "state": absent, "evidence": None}]
    low, high = (ratios[int(part * (len(ratios) - 1))] for part in (0.025, 0.975))
    middle = statistics.median(ratios)
    chain: Finding = {
        "name": "core cycles, estimated",
        "state": f"{middle:.4f} per TSC tick, from a chain of dependent additions (modelled); "
        f"95 % of {len(ratios)} readings within {low:.4f} to {high:.4f}",
        "evidence": "modelled",
        "cycles_per_tsc_tick": middle,
        "low": low,
        "high": high,
        "readings": len(ratios),
    }
    return [event, chain]


def _counters(environment: Environment, readings: list[Clocks]) -> list[Finding]:
    queue = readings[0].run_queue
    wait = "no: this kernel keeps no scheduler statistics (CONFIG_SCHED_INFO)"
    if queue:
        wait = "time ready but not running, in nanoseconds"
    steal = environment.virtualised is not False
    stolen = "none to be expected: this is not a virtual machine"
    if steal:
        stolen = "as far as the hypervisor reports it, in scheduler ticks"
    counters = (
        ("context switches", "voluntary and involuntary, of the measured thread", True),
        ("run-queue wait", wait, queue),
        ("stolen time", stolen, steal),
    )
    return [
        {"name": name, "state": state, "available": available}
        for name, state, available in counters
    ]


def _loop(pool: WorkerPool) -> Finding:
    cost = loop_cost(loop_series(pool))
    alone, with_call = cost["seconds_per_message"], cost["empty_call_seconds_per_message"]
    sentence = (
        f"{format_seconds(alone['median'])} per message, {format_seconds(with_call['median'])} "
        "with a call that does nothing; measured, part of every figure, not subtracted"
    )
    return {**cost, "sentence": sentence}


def _providers(inventory: Inventory) -> list[Finding]:
    reasons = {failure.implementation: failure.reason for failure in inventory.unavailable}
    return [
        {
            "provider": name,
            "title": source.title,
            "available": f"*/{name}" not in reasons,
            "reason": reasons.get(f"*/{name}"),
        }
        for name, source in inventory.sources.items()
    ]
