# SPDX-License-Identifier: Apache-2.0
"""Runs that never took place, in a real store, for tests of the commands that read one."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from joulemark.records import Failure, FailureKind, ImplementationFacts
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial, Workload
from joulemark.store.repository import Store

ROUNDS = 24
GENERATIONS = 4
MESSAGES = 100_000
PORTABLE, SHANI = "hmac-sha256/portable", "hmac-sha256/shani"
TWIN, OPENSSL = f"{PORTABLE}#2", "hmac-sha256/openssl_oneshot"
YOURS = "hmac-sha256/yours"
MANY_OF_YOURS = tuple(f"{YOURS}{number}" for number in range(1, 6))
NANOSECONDS = {
    PORTABLE: 600.0, SHANI: 130.0, TWIN: 600.0, OPENSSL: 260.0, YOURS: 700.0,
    **{name: 700.0 + 10 * number for number, name in enumerate(MANY_OF_YOURS, 1)},
}  # fmt: skip
ENVIRONMENT: dict[str, Any] = {"cpu_model": "Model T", "architecture": "x86_64", "reasons": {}}


def facts(implementation: str) -> ImplementationFacts:
    """Makes the facts of an implementation."""
    return ImplementationFacts(
        implementation=implementation, kind="mac",
        provider="yours-hmac-sha256" if implementation.startswith(YOURS)
        else {OPENSSL: "openssl"}.get(implementation, "joulemark"),
        library_version="0.1.0",
        compiler="gcc", flags="-O3", cpu_features=(), lanes=1, constant_time=True, block_bytes=64,
        output_bytes=32, key_bytes_min=0, key_bytes_max=None, key_bytes=32,
    )  # fmt: skip


def add_run(
    store: Store,
    *,
    seed: int = 1,
    slower: dict[str, float] | None = None,
    environment: dict[str, Any] | None = None,
    sizes: tuple[int, ...] = (64, 1024),
    noise: float = 0.003,
    broken: tuple[str, ...] = (),
    names: tuple[str, ...] = (PORTABLE, SHANI, TWIN),
    finished: bool = True,
) -> int:
    """Adds a run with gaussian noise and returns its number.

    Args:
        store: the store that gets the run.
        seed: seed of the noise.
        slower: factors on the time of some implementations.
        environment: facts to change.
        sizes: message sizes in bytes.
        noise: standard deviation of a window, as a fraction.
        broken: implementations that fail after having been measured.
        names: implementations.
        finished: whether the run came to its end.
    """
    chance = random.Random(seed)
    run = store.begin_run(
        study={"patterns": []}, study_digest="d", seed=seed, rounds=ROUNDS,
        environment=ENVIRONMENT | (environment or {}), joulemark_version="0.1.0",
    )  # fmt: skip
    for name in names:
        store.add_implementation(run, facts(name))
        for size in sizes:
            factor = size / 64 * (slower or {}).get(name, 1.0)
            store.add_samples(  # all rounds in one transaction, where a run takes one for each
                run, Trial(name, Workload(size)),
                [_sample(index, name, factor * max(0.1, chance.gauss(1.0, noise)))
                 for index in range(ROUNDS)],
            )  # fmt: skip
    for name in broken:
        store.add_failure(run, Failure(name, FailureKind.WRONG_OUTPUT, "it computed nonsense"))
    store.add_failure(run, Failure("*/nettle", FailureKind.UNAVAILABLE, "not installed"))
    store.set_loop_cost(run, {"messages": 1000, "without_call_ns": [300], "empty_call_ns": [1300]})
    if finished:
        store.finish_run(run)
    return run


def _sample(index: int, name: str, factor: float) -> RawSample:
    wall_ns = round(NANOSECONDS[name] * MESSAGES * factor)
    return RawSample(
        round_index=index, position=0, generation=index * GENERATIONS // ROUNDS,
        messages=MESSAGES, wall_start_ns=10**12 + index * 10**8, wall_ns=wall_ns,
        thread_cpu_ns=wall_ns, tsc_ticks=2 * wall_ns, perf_core_cycles=None, voluntary_switches=0,
        involuntary_switches=0, run_queue_wait_ns=0, machine_busy_ns=0, machine_steal_ns=0,
        chain_adds=8192, chain_ticks_before=8192, chain_ticks_after=8192,
    )  # fmt: skip


def store_with(path: Path, *runs: dict[str, Any]) -> Path:
    """Makes a store file with these runs, numbered from 1."""
    with Store.open(path) as store:
        for changes in runs:
            add_run(store, **changes)
    return path
