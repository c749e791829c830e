# SPDX-License-Identifier: Apache-2.0
"""Makes a large store quickly: many machines, years of runs, up to millions of samples.

`python tests/store/large_store.py PLACE --runs 2000 --samples 1000000` writes one; tests import
`fill_large`. Nothing was measured: times are made of a fixed cost of each implementation, its
drift over the years and noise, all from a seed, so that equal arguments give equal stores. Rows go
into the tables directly, since a million samples through `Store.add_samples` take many minutes.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Table, func, insert, select, text

from joulemark.records import ImplementationFacts
from joulemark.store import (
    CoreReportRow,
    FailureRow,
    ImplementationRow,
    RunRow,
    SampleRow,
    TrialRow,
)
from joulemark.store.repository import Store

__all__ = ["LargeStore", "fill", "fill_large"]

FIRST_START = datetime(2023, 1, 2, 6, 0, tzinfo=UTC)
GENERATIONS = 5
WINDOWS = 2
"""Windows of a trial in a round."""
AT_ONCE = 20_000
"""Rows in one statement."""
VERSIONS = ("0.1.0", "0.2.0", "0.3.0")

CPUS: tuple[tuple[str, str, int, float], ...] = (
    ("GenuineIntel", "Intel(R) Xeon(R) Platinum 8488C", 2_400_000_000, 1.0),
    ("AuthenticAMD", "AMD EPYC 9R14", 2_600_000_000, 0.9),
    ("GenuineIntel", "Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz", 1_800_000_000, 1.7),
    ("AuthenticAMD", "AMD Ryzen 7 5800X 8-Core Processor", 3_800_000_000, 0.75),
    ("0x41", "Neoverse-N1", 25_000_000, 1.3),
)
"""Vendor, model, ticks of the time-stamp counter in a second, factor on all times."""

COSTS: dict[str, tuple[str, float, float]] = {
    "hmac-sha256/portable": ("joulemark", 420.0, 6.2),
    "hmac-sha256/shani": ("joulemark", 110.0, 0.52),
    "hmac-sha256/openssl_mac_reinit": ("openssl", 310.0, 0.55),
    "cmac-aes128/portable": ("joulemark", 260.0, 21.0),
    "cmac-aes128/aesni": ("joulemark", 48.0, 0.98),
    "siphash-2-4/portable": ("joulemark", 11.0, 0.61),
    "poly1305/portable": ("joulemark", 62.0, 0.74),
    "poly1305/avx2": ("joulemark", 71.0, 0.21),
    "blake3/avx2": ("joulemark", 130.0, 0.34),
    "hmac-sha256/nettle": ("nettle", 350.0, 0.6),
}
"""Implementation -> provider, nanoseconds of an empty message, nanoseconds of a byte."""
SIZES_BYTES = (16, 64, 256, 1024, 4096, 16384)


@dataclass(frozen=True, slots=True)
class LargeStore:
    """The numbers of records that were put in, and the time that it took, in seconds."""

    runs: int
    trials: int
    samples: int
    took_s: float


def fill_large(
    location: str, *, runs: int = 2000, samples: int = 1_000_000, machines: int = 20,
    trials: int = 10, seed: int = 1,
) -> LargeStore:  # fmt: skip
    """Adds runs to a store, which is made if there is none.

    Args:
        location: path or database URL.
        runs: number of runs; they are dealt to the machines in turn, two a day.
        samples: fewest samples of all runs together; each trial gets equally many.
        machines: number of machines.
        trials: number of trials in each run, at most 60.
        seed: seed of all random numbers.
    """
    start = time.monotonic()
    with Store.open(location) as store, store.writing() as connection:
        made = fill(
            connection, runs=runs, samples=samples, machines=machines, trials=trials, seed=seed
        )
    return LargeStore(runs, *made, time.monotonic() - start)


def fill(
    connection: Connection, *, runs: int, samples: int, machines: int = 20, trials: int = 10,
    seed: int = 1,
) -> tuple[int, int]:  # fmt: skip
    """Adds runs as `fill_large`, to an open store; returns the numbers of trials and samples."""
    rounds = max(1, -(-samples // (runs * trials * WINDOWS)))
    chance = random.Random(seed)
    chosen = [(name, size) for size in SIZES_BYTES for name in COSTS][:trials]
    kinds = [_machine(number) for number in range(machines)]
    first_run = (connection.scalar(select(func.max(RunRow.id))) or 0) + 1
    first_trial = (connection.scalar(select(func.max(TrialRow.id))) or 0) + 1
    numbers = range(first_run, first_run + runs)
    _insert(connection, RunRow, (_run(number, kinds, rounds, chosen, chance) for number in numbers))
    _insert(connection, ImplementationRow, _facts(numbers, chosen))
    _insert(connection, TrialRow, _trials(numbers, first_trial, chosen))
    _insert(connection, FailureRow, _failures(numbers))
    _insert_samples(connection, _samples(numbers, first_trial, chosen, kinds, rounds, chance))
    _insert(connection, CoreReportRow, _core_reports())
    if connection.dialect.name == "postgresql":
        for table in ("run", "trial"):
            connection.execute(
                text(
                    f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), "
                    f"(SELECT max(id) FROM {table}))"
                )
            )
    return runs * trials, runs * trials * rounds * WINDOWS


def _machine(number: int) -> dict[str, Any]:
    vendor, model, tsc_hz, factor = CPUS[number % len(CPUS)]
    cpus = 4 << number % 5
    return {
        "factor": factor * (1 + 0.01 * (number // len(CPUS))),
        "tsc_hz": tsc_hz,
        "environment": {
            "architecture": "aarch64" if vendor == "0x41" else "x86_64", "cpu_vendor": vendor,
            "cpu_model": model, "cpu_family": 6, "cpu_model_number": 100 + number,
            "cpu_stepping": 1, "microcode": f"{0x2B000000 + number:#x}", "hybrid": False,
            "physical_cores": cpus // 2, "logical_cpus": cpus, "smt_active": True,
            "cpu_features": ["aes", "avx", "avx2", "bmi2", "pclmulqdq", "sha_ni"],
            "caches_bytes": {"L1d": 32768, "L1i": 32768, "L2": 1 << 20, "L3": 1 << 25},
            "tsc_hz": tsc_hz, "constant_tsc": True, "nonstop_tsc": True,
            "frequency_driver": "intel_pstate", "governor": "performance",
            "energy_preference": None, "frequency_min_hz": 800_000_000,
            "frequency_max_hz": 3_800_000_000, "frequency_limit_low_hz": 800_000_000,
            "frequency_limit_high_hz": 3_800_000_000, "turbo": False,
            "kernel_release": f"6.1.0-{number}-amd64", "os_name": "Debian GNU/Linux 12",
            "address_randomisation": 2, "perf_event_paranoid": 3,
            "mitigations": {"spectre_v2": "Mitigation: Enhanced IBRS", "meltdown": "Not affected"},
            "clock_source": "tsc", "memory_bytes": cpus << 31, "virtualised": False,
            "hypervisor": None, "container": None, "c_library": "glibc 2.36",
            "python_version": "3.11.2", "python_implementation": "CPython",
            "numpy_version": "2.3.0", "scipy_version": "1.16.0", "usable_cpus": cpus,
            "reasons": {"energy_preference": "no such file"},
        },
    }  # fmt: skip


def _place_of(number: int, kinds: list[dict[str, Any]]) -> tuple[dict[str, Any], int]:
    """The machine of a run, and the place of the run among the runs of that machine, from 0."""
    return kinds[number % len(kinds)], number // len(kinds)


def _run(
    number: int, kinds: list[dict[str, Any]], rounds: int, chosen: list[tuple[str, int]],
    chance: random.Random,
) -> dict[str, Any]:  # fmt: skip
    machine, turn = _place_of(number, kinds)
    version = VERSIONS[min(turn // 40, len(VERSIONS) - 1)]
    started = FIRST_START + timedelta(hours=12 * number, microseconds=chance.randrange(10**6))
    names = sorted({name.partition("/")[0] for name, _ in chosen})
    return {
        "id": number,
        "study_digest": f"large-{len(chosen)}-{rounds}",
        "study": {
            "patterns": names, "sizes_bytes": sorted({size for _, size in chosen}),
            "targets": ["host"], "modelled_watts": None,
        },
        "seed": chance.getrandbits(32),
        "rounds": rounds,
        "environment": {**machine["environment"], "joulemark_version": version},
        "started_at": started,
        "finished_at": None if number % 97 == 0 else started + timedelta(seconds=100),
        "joulemark_version": version,
        "loop": {"messages": 10**6, "without_call_ns": [310_000] * 15,
                 "empty_call_ns": [1_310_000] * 15},
        "meter": None,
        "conditions": {"cpu": 1, "cpu_not_held": None, "load_average": [0.1, 0.1, 0.1], "nice": 0},
    }  # fmt: skip


def _facts(numbers: range, chosen: list[tuple[str, int]]) -> Iterator[dict[str, Any]]:
    said = {
        name: ImplementationFacts(
            implementation=name, kind="mac", provider=COSTS[name][0], library_version="3.0.17",
            compiler="gcc 12.2.0", flags="-O3", cpu_features=(), lanes=1, constant_time=True,
            block_bytes=64, output_bytes=32, key_bytes_min=0, key_bytes_max=None, key_bytes=32,
        ).as_dict()
        for name in sorted({name for name, _ in chosen})
    }  # fmt: skip
    for number in numbers:
        for name, facts in said.items():
            yield {"run_id": number, "id": name, "facts": facts}


def _trials(
    numbers: range, first_trial: int, chosen: list[tuple[str, int]]
) -> Iterator[dict[str, Any]]:
    identity = first_trial
    for number in numbers:
        for name, size in chosen:
            yield {
                "id": identity, "run_id": number, "implementation": name, "target": "host",
                "size_bytes": size, "mode": "throughput", "cache": "hot", "key_setup": "kept",
                "batch": 1, "mix": "",
            }  # fmt: skip
            identity += 1


def _failures(numbers: range) -> Iterator[dict[str, Any]]:
    for number in numbers:
        yield {
            "run_id": number, "implementation": "*/ipsec_mb", "kind": "unavailable",
            "reason": "it is not installed", "size_bytes": None,
        }  # fmt: skip


def _samples(
    numbers: range, first_trial: int, chosen: list[tuple[str, int]],
    kinds: list[dict[str, Any]], rounds: int, chance: random.Random,
) -> Iterator[dict[str, Any]]:  # fmt: skip
    identity, gauss = first_trial, chance.gauss
    for number in numbers:
        machine, turn = _place_of(number, kinds)
        ticks_of_ns = machine["tsc_hz"] / 1e9
        for place, (name, size) in enumerate(chosen):
            _, empty_ns, byte_ns = COSTS[name]
            drift = 1.0 - 0.002 * min(turn, 60) + (0.08 if turn >= 70 else 0.0)
            cost_ns = (empty_ns + size * byte_ns) * machine["factor"] * drift
            messages = max(1, round(5e6 / cost_ns))
            for round_index in range(rounds):
                for window_index in range(WINDOWS):
                    wall_ns = round(messages * cost_ns * (1 + abs(gauss(0.0, 0.004))))
                    yield {
                        "trial_id": identity, "round_index": round_index,
                        "window_index": window_index, "position": place,
                        "generation": round_index * GENERATIONS // rounds, "messages": messages,
                        "wall_start_ns": 10**12 + round_index * 10**9 + place * 10**8
                        + window_index * 10**7,
                        "wall_ns": wall_ns, "thread_cpu_ns": wall_ns - 900,
                        "tsc_ticks": round(wall_ns * ticks_of_ns), "perf_core_cycles": None,
                        "voluntary_switches": 0, "involuntary_switches": 0,
                        "run_queue_wait_ns": 0, "machine_busy_ns": 10**7, "machine_steal_ns": 0,
                        "chain_adds": 8192, "chain_ticks_before": 8192, "chain_ticks_after": 8192,
                        "visit_wall_ns": 2 * wall_ns + 10**6,
                        "visit_thread_cpu_ns": 2 * wall_ns + 10**6, "width_adds": 8192,
                        "width_ticks_before": 2048, "width_ticks_after": 2048,
                    }  # fmt: skip
            identity += 1


def _core_reports() -> Iterator[dict[str, Any]]:
    for stages in (1, 2, 4, 8):
        yield {
            "report": {
                "core": "sha256_pipeline", "algorithm": "sha256", "configuration": None,
                "parameters": {"STAGES": stages}, "target": "ecp5", "settings": {"device": "ecp5"},
                "figures": {"clocks_per_block": 64 // stages, "luts": 2000 * stages,
                            "fmax_hz": 8e7 - 2e6 * stages},
                "evidence": {"clocks_per_block": "simulated", "luts": "modelled",
                             "fmax_hz": "modelled"},
                "reasons": {},
            },
            "made_at": FIRST_START, "joulemark_version": VERSIONS[0], "digest": f"large-{stages}",
        }  # fmt: skip


def _insert(connection: Connection, kind: type[Any], rows: Iterator[dict[str, Any]]) -> None:
    while batch := list(islice(rows, AT_ONCE)):
        connection.execute(insert(kind), batch)


def _insert_samples(connection: Connection, rows: Iterator[dict[str, Any]]) -> None:
    """Inserts samples by the quickest way of the driver, since they are nearly all of a store."""
    table: Table = SampleRow.__table__  # type: ignore[assignment]
    names = [column.name for column in table.columns]
    columns = ", ".join(names)
    driver: Any = connection.connection.dbapi_connection
    if connection.dialect.name == "postgresql":
        with driver.cursor().copy(f"COPY sample ({columns}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row([row[name] for name in names])
        return
    places = ", ".join("?" * len(names))
    driver.executemany(
        f"INSERT INTO sample ({columns}) VALUES ({places})",
        ([row[name] for name in names] for row in rows),
    )


def main() -> None:
    """Writes the store, and prints how large it is."""
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    words.add_argument("place", help="path of an SQLite file, or a database URL")
    words.add_argument("--runs", type=int, default=2000)
    words.add_argument("--samples", type=int, default=1_000_000)
    words.add_argument("--machines", type=int, default=20)
    words.add_argument("--seed", type=int, default=1)
    given = words.parse_args()
    made = fill_large(
        given.place, runs=given.runs, samples=given.samples, machines=given.machines,
        seed=given.seed,
    )  # fmt: skip
    print(f"{made.runs} runs, {made.samples} samples in {made.took_s:.1f} s")


if __name__ == "__main__":
    main()
