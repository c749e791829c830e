# SPDX-License-Identifier: Apache-2.0
"""A store with any number of runs, written quickly: made-up figures of made-up machines.

Figures follow from the numbers of run, trial and round alone, so that a store can be made again.
"""

from __future__ import annotations

import json
import math
import random
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from joulemark.analyse.assemble import result_set
from joulemark.analyse.importing import put_into, read_export
from joulemark.records import ImplementationFacts
from joulemark.records.core_report import StoredCoreReport
from joulemark.records.sample import FirmwareCount, RawSample
from joulemark.records.trial import Trial, Workload
from joulemark.store.repository import Store

SIZES = (16, 64, 256, 1024, 4096)
GENERATIONS = 5
_COLUMNS = [field.name for field in fields(RawSample)]


@dataclass(frozen=True)
class Code:
    """An implementation: nanoseconds of a message, and of each byte."""

    name: str
    provider: str
    fixed_ns: float
    byte_ns: float


CODES = (
    (
        Code("hmac-sha256/portable", "joulemark", 400, 4.0),
        Code("hmac-sha256/shani", "joulemark", 120, 0.6),
    ),
    (
        Code("hmac-sha1/portable", "joulemark", 300, 2.6),
        Code("hmac-sha1/openssl", "openssl", 250, 0.5),
    ),
    (
        Code("siphash-2-4/portable", "joulemark", 12, 0.5),
        Code("siphash-2-4/openssl", "openssl", 95, 0.55),
    ),
)
"""Implementations of every third run."""


def environment(machine: int) -> dict[str, Any]:
    """The environment of a machine."""
    return {
        "architecture": "x86_64",
        "cpu_vendor": "GenuineIntel",
        "cpu_model": f"Model {machine} CPU at {2 + machine / 10:.1f} GHz",
        "cpu_family": 6,
        "cpu_model_number": 80 + machine,
        "cpu_stepping": 1,
        "microcode": "0x1",
        "logical_cpus": 8,
        "physical_cores": 4,
        "smt_active": False,
        "governor": "performance",
        "turbo": False,
        "virtualised": False,
        "kernel_release": "6.1.0-9",
        "caches_bytes": {"L1d": 32768, "L2": 1048576},
        "python_version": "3.11.2",
        "joulemark_version": "0.1.0",
        "reasons": {},
    }


def facts(code: Code) -> ImplementationFacts:
    """Facts of a made-up implementation."""
    return ImplementationFacts(
        implementation=code.name, kind="mac", provider=code.provider, library_version="0.1.0",
        compiler="gcc 12.2.0", flags="-O3", cpu_features=(), lanes=1, constant_time=True,
        block_bytes=64, output_bytes=32, key_bytes_min=0, key_bytes_max=None, key_bytes=32,
    )  # fmt: skip


def fill(
    path: Path,
    *,
    runs: int,
    samples: int,
    machines: int = 8,
    slower_from: int | None = None,
    rename: dict[str, str] | None = None,
    cpu_model: str | None = None,
    failure: str | None = None,
) -> None:
    """Make a store.

    Args:
        path: the new file.
        runs: number of runs; the machines take turns.
        samples: samples of each run, a multiple of 10 (two implementations, five lengths).
        machines: number of machines.
        slower_from: from this run on the first implementation of each algorithm takes 30 % more.
        rename: other names of implementations.
        cpu_model: name in place of the CPU of every machine.
        failure: name and reason of an implementation without a figure, in each run.
    """
    rounds = samples // (2 * len(SIZES))
    with Store.open(path) as store:
        for core_report in core_reports():
            store.add_core_report(core_report)
    begun = datetime(2026, 1, 1, tzinfo=UTC)
    marks = ", ".join("?" * (1 + len(_COLUMNS)))
    insert = f"INSERT INTO sample (trial_id, {', '.join(_COLUMNS)}) VALUES ({marks})"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA synchronous = OFF")
        trial_id = 0
        for run in range(1, runs + 1):
            codes = CODES[(run // machines) % len(CODES)]
            codes = tuple(replace(code, name=(rename or {}).get(code.name, code.name))
                          for code in codes)  # fmt: skip
            known = environment(run % machines)
            known |= {} if cpu_model is None else {"cpu_model": cpu_model}
            start = begun + timedelta(hours=run)
            connection.execute(
                "INSERT INTO run (id, study_digest, study, seed, rounds, environment, started_at,"
                " finished_at, joulemark_version) VALUES (?, ?, ?, 1, ?, ?, ?, ?, '0.1.0')",
                (
                    run, f"{run % 24:04x}", json.dumps({"sizes_bytes": list(SIZES)}), rounds,
                    json.dumps(known), start.strftime("%Y-%m-%d %H:%M:%S.%f"),
                    (start + timedelta(minutes=2)).strftime("%Y-%m-%d %H:%M:%S.%f"),
                ),
            )  # fmt: skip
            if failure is not None:
                connection.execute(
                    "INSERT INTO failure (run_id, implementation, kind, reason, size_bytes)"
                    " VALUES (?, ?, 'unavailable', ?, NULL)",
                    (run, f"hmac-sha256/{failure}", failure),
                )
            for place, code in enumerate(codes):
                connection.execute(
                    "INSERT INTO implementation (run_id, id, facts) VALUES (?, ?, ?)",
                    (run, code.name, json.dumps(facts(code).as_dict())),
                )
                slower = 1.3 if slower_from and run >= slower_from and place == 0 else 1.0
                for size in SIZES:
                    trial_id += 1
                    connection.execute(
                        "INSERT INTO trial (id, run_id, implementation, target, size_bytes, mode,"
                        " cache, key_setup, batch, mix) VALUES (?, ?, ?, 'host', ?, 'throughput',"
                        " 'hot', 'kept', 1, '')",
                        (trial_id, run, code.name, size),
                    )
                    level = (code.fixed_ns + code.byte_ns * size) * slower
                    connection.executemany(
                        insert, list(_samples(trial_id, rounds, level * (1 + run % machines / 20)))
                    )


BLOCKS = {"cbc-mac-aes128/mcu8": 3000, "cmac-aes128/mcu8": 3100}
"""Implementation on an ATmega128 -> core cycles of a block."""


def add_firmware(path: Path, blocks: Mapping[str, int] = BLOCKS) -> int:
    """A run with counts of these implementations on a simulated ATmega128; its number."""
    count = FirmwareCount(
        core_cycles=1, instructions=1, key_core_cycles=500, code_bytes=1500, constant_bytes=256,
        static_ram_bytes=0, state_bytes=176, stack_bytes=60, evidence="simulated",
        compiler="avr-gcc 5.4.0", flags="-O2", simulator="simavr 1.6",
    )  # fmt: skip
    with Store.open(path) as store:
        run_id = store.begin_run(
            study={}, study_digest="f", seed=1, rounds=1, environment=environment(0),
            joulemark_version="0.1.0",
        )  # fmt: skip
        for name, block in blocks.items():
            store.add_implementation(run_id, facts(Code(name, "joulemark", 0, 0)))
            for number, size in ((1, 16), (3, 40), (4, 64)):
                counted = replace(
                    count, core_cycles=number * block, instructions=number * block // 2
                )
                store.add_firmware_count(
                    run_id, Trial(name, Workload(size), "mcu:atmega128"), counted
                )
        store.finish_run(run_id)
    return run_id


def import_published(source: Path, run_id: int, target: Path, folder: Path) -> int:
    """Puts a run without its samples into another store and returns its number there."""
    with Store.open(source) as store:
        file = folder / f"run{run_id}.json"
        file.write_text(result_set(store, run_id).model_dump_json())
    with Store.open(target) as store:
        number = put_into(store, read_export(file))
    assert number is not None
    return number


def _samples(trial_id: int, rounds: int, message_ns: float) -> Any:
    noise = random.Random(trial_id)
    offsets = [noise.gauss(0, 0.004) for _ in range(GENERATIONS)]
    visits = max(1, rounds // 4)
    for number in range(rounds):
        round_index, window = divmod(number, 4)
        generation = round_index * GENERATIONS // math.ceil(visits)
        scale = 1 + offsets[min(generation, GENERATIONS - 1)] + abs(noise.gauss(0, 0.003))
        messages = 2000
        wall_ns = int(message_ns * scale * messages)
        values = {
            "round_index": round_index, "window_index": window, "position": trial_id % 10,
            "generation": min(generation, GENERATIONS - 1), "messages": messages,
            "wall_start_ns": 10**9 * number, "wall_ns": wall_ns, "thread_cpu_ns": wall_ns - 50,
            "tsc_ticks": wall_ns * 3, "perf_core_cycles": wall_ns * 3 + 7,
            "voluntary_switches": 0, "involuntary_switches": 0, "run_queue_wait_ns": 0,
            "machine_busy_ns": wall_ns, "machine_steal_ns": 0, "chain_adds": 100_000,
            "chain_ticks_before": 100_000, "chain_ticks_after": 100_000,
            "visit_wall_ns": 5 * wall_ns, "visit_thread_cpu_ns": 5 * wall_ns,
            "width_adds": 400_000, "width_ticks_before": 100_000, "width_ticks_after": 100_000,
        }  # fmt: skip
        yield (trial_id, *(values[name] for name in _COLUMNS))


def core_reports() -> list[StoredCoreReport]:
    """Twelve points of one core in a cell library: larger ones take less energy, mostly."""
    return [
        StoredCoreReport(
            core="sha256_pipeline", algorithm="sha256", target="asic",
            parameters={"STAGES": stages, "ROUNDS": rounds},
            figures={
                "clocks_per_block": 64 / rounds, "area_ge": 8000.0 * rounds + 900 * stages,
                "energy_per_block_j": 1e-9 * (1 + 3 / rounds + abs(stages - 4) / 10),
                "energy_per_byte_j": 1e-9 * (1 + 3 / rounds + abs(stages - 4) / 10) / 64,
                "fmax_hz": 1e8 * stages,
            },
            evidence={"clocks_per_block": "simulated", "area_ge": "modelled",
                      "energy_per_block_j": "modelled", "energy_per_byte_j": "modelled",
                      "fmax_hz": "modelled"},
            settings={"library": "made-up 1.20 V", "clock_hz": 5e5},
            digest=f"{stages}{rounds}", joulemark_version="0.1.0",
            made_at="2026-01-02T03:04:05+00:00",
        )
        for stages in (2, 4, 8)
        for rounds in (1, 2, 4, 8)
    ]  # fmt: skip
