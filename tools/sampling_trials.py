# SPDX-License-Identifier: Apache-2.0
"""Shows how good figures are beside other programs: trials of the sampling on four test benches.

    python tools/sampling_trials.py [--bench quiet --bench loops ...] [--keep FOLDER] [aa ...]

Benches: `quiet`, without load of ours; `loops`, three busy loops on each CPU; `compilers`, four
compilers in a loop while our commands run at nice 5; `others`, three other `joulemark bench` runs.
Trials: `aa`, 200 comparisons of twins; `slow`, known slow-downs in a plugin, twelve runs; `width`,
the default set: half-widths, wall time, and the share of the wall time that windows took.
Each trial prints one line of JSON; `--keep` copies the store of the last run of each trial into a
folder.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from joulemark.analyse.compare import compare_within
from joulemark.analyse.derive import half_width
from joulemark.judging import standing, was_interrupted
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial
from joulemark.store.repository import Store

ROOT = Path(__file__).resolve().parent.parent
COMMAND = str(Path(sys.executable).parent / "joulemark")
BENCHES = ("quiet", "loops", "compilers", "others")
SIZES = "16,64,128,256,512,1024,2048,4096"
TWINS = (
    "hmac-sha256/portable", "hmac-sha256/shani", "hmac-sha256/shani_x4", "hmac-sha256/engine",
    "hmac-sha1/portable", "hmac-sha1/shani", "hmac-sha1/engine", "hmac-sha512/portable",
    "hmac-sha512/engine", "hmac-md5/portable", "hmac-md5/engine", "cmac-aes128/portable",
    "cmac-aes128/aesni", "cmac-aes128/engine", "siphash-2-4/portable", "siphash-2-4/engine",
    "poly1305/portable", "poly1305/libsodium", "hmac-sha256/openssl_mac_reinit",
    "hmac-sha256/nettle", "hmac-sha256/libsodium", "hmac-sha1/nettle",
    "hmac-sha256/openssl_hmac_init_null", "cmac-aes128/openssl_mac_reinit", "cmac-aes128/nettle",
)  # fmt: skip
SLOWER = ("slowed_16", "slowed_33", "slowed_71")
"""Variants, named by the number of additions before each tag, each of one core cycle."""
REPEATS = 12
Samples = dict[Trial, list[RawSample]]


@contextmanager
def beside(bench: str, folder: Path) -> Iterator[None]:
    """Runs the load of a test bench until the context ends."""
    cpus = sorted(os.sched_getaffinity(0))
    source = ROOT / "kernels" / "sha256" / "sha256_portable.c"
    commands: list[list[str]] = []
    if bench == "loops":
        commands = [
            ["taskset", "-c", str(cpu), "sh", "-c", "while :; do :; done"]
            for cpu in cpus
            for _ in range(3)
        ]
    elif bench == "compilers":
        compiler = shutil.which("cc") or "gcc"
        line = (
            f"while :; do {compiler} -O2 -I{ROOT}/kernels -I{ROOT}/kernels/include -c {source} "
            "-o /dev/null; done"
        )
        commands = [["sh", "-c", line] for _ in range(4)]
    elif bench == "others":
        commands = [
            ["sh", "-c", (f"while :; do {COMMAND} bench hmac-sha256 cmac-aes128 --fresh "
                         f"--store {folder}/other{i}.db >/dev/null 2>&1; done")]
            for i in range(3)
        ]  # fmt: skip
    started = [subprocess.Popen(command, start_new_session=True) for command in commands]
    try:
        time.sleep(3 if commands else 0)
        yield
    finally:
        for popen in started:
            os.killpg(popen.pid, 9)
            popen.wait()


def nice_value(bench: str) -> int:
    """The nice value of our commands on a test bench."""
    return 5 if bench == "compilers" else 0


def bench_run(folder: Path, *arguments: str, nice: int) -> tuple[Samples, float]:
    """Samples of one run of `joulemark bench`, and its wall time in seconds."""
    store = folder / "run.db"
    for old in folder.glob("run.db*"):
        old.unlink()
    command = ["nice", "-n", str(nice), COMMAND, "bench", *arguments, "--store", str(store)]
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    took_s = time.monotonic() - start
    if done.returncode:
        sys.exit(done.stderr)
    with Store.open(store) as opened:
        latest = opened.latest_run()
        return opened.samples(latest.id if latest else 0), took_s


def twins(folder: Path, nice: int) -> dict[str, Any]:
    """Counts how often equal code is called different."""
    names = [*TWINS, *(f"{name}#2" for name in TWINS)]
    samples, took_s = bench_run(folder, *names, "--size", SIZES, nice=nice)
    alone, called = [], 0
    for name in TWINS:
        mine = {t: s for t, s in samples.items() if t.implementation.split("#")[0] == name}
        for size in {trial.workload for trial in mine}:
            pair = {trial: taken for trial, taken in mine.items() if trial.workload == size}
            alone.append(compare_within(pair, name)[0].p_value)
        found = compare_within(mine, name, threshold=0.01)
        called += sum(comparison.verdict in {"faster", "slower"} for comparison in found)
    below = sum(p < 0.05 for p in alone)
    return {"comparisons": len(alone), "p_below_5_percent": below / len(alone),
            "called_different": called, "wall_s": round(took_s, 1), **quality(samples)}  # fmt: skip


def slow_downs(folder: Path, nice: int) -> dict[str, Any]:
    """Counts how often known slow-downs of a plugin are found, at 1 KiB."""
    plugins: list[str] = []
    for name in ("slowed_0", *SLOWER):
        plugin = str(folder / f"{name}.so")
        subprocess.run(
            ["cc", "-std=gnu11", "-O2", "-shared", "-fPIC", "-fvisibility=hidden",
             "-Ikernels/include", "-Ikernels", "-DFAULT=NONE", f'-DVARIANT="{name}"',
             f"-DSLOWED_BY={name.removeprefix('slowed_')}", "-o", plugin,
             "tests/plugins/faulty.c", "kernels/siphash/siphash_portable.c"],
            cwd=ROOT, check=True,
        )  # fmt: skip
        plugins += ["--plugin", plugin]
    names = [f"siphash-2-4/{name}" for name in ("slowed_0", *SLOWER)]
    found: dict[str, list[float]] = {name: [] for name in SLOWER}
    hits = dict.fromkeys(SLOWER, 0)
    took_s = 0.0
    for _ in range(REPEATS):
        samples, once_s = bench_run(folder, *names, *plugins, "--size", "1KiB", nice=nice)
        took_s += once_s
        for name in SLOWER:
            pair = {t: s for t, s in samples.items() if t.variant in {"slowed_0", name}}
            (comparison,) = compare_within(pair, names[0])
            found[name].append(comparison.ratio)
            hits[name] += comparison.p_value < 0.05 and comparison.ratio > 1
    return {"repeats": REPEATS, "found": hits,
            "seen_percent": {n: round(100 * (statistics.median(r) - 1), 2)
                             for n, r in found.items()},
            "wall_s": round(took_s, 1)}  # fmt: skip


def default_set(folder: Path, nice: int) -> dict[str, Any]:
    """Runs the default set: the widths of its intervals, its wall time and its windows' share."""
    samples, took_s = bench_run(folder, nice=nice)
    windows_s = sum(sample.wall_ns for taken in samples.values() for sample in taken) / 1e9
    return {"trials": len(samples), "wall_s": round(took_s, 1),
            "windows_share": round(windows_s / took_s, 3), **quality(samples)}  # fmt: skip


def quality(samples: Samples) -> dict[str, Any]:
    """Half-widths over the trials, and the share of windows that were interrupted."""
    widths = sorted(half_width(taken, level=0.95) for taken in standing(samples).values())
    every = [sample for taken in samples.values() for sample in taken]
    return {
        "half_width_median_percent": round(100 * statistics.median(widths), 2),
        "half_width_90_percent": round(100 * widths[len(widths) * 9 // 10], 2),
        "shared_core": round(1 - sum(map(len, standing(samples).values())) / len(every), 3),
        "interrupted": round(sum(map(was_interrupted, every)) / len(every), 3),
    }


TRIALS = {"aa": twins, "slow": slow_downs, "width": default_set}


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the trials that are named, on the benches that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trials", nargs="*", help=f"of {', '.join(TRIALS)}; all unless given")
    parser.add_argument("--bench", action="append", choices=BENCHES, help="all unless given")
    parser.add_argument("--keep", type=Path, help="folder for the stores")
    asked = parser.parse_args(arguments)
    for bench in asked.bench or BENCHES:
        for name in asked.trials or TRIALS:
            with tempfile.TemporaryDirectory() as folder, beside(bench, Path(folder)):
                found = TRIALS[name](Path(folder), nice_value(bench))
                if asked.keep:
                    asked.keep.mkdir(parents=True, exist_ok=True)
                    shutil.copy(Path(folder) / "run.db", asked.keep / f"{bench}-{name}.db")
            load = round(os.getloadavg()[0], 1)
            print(json.dumps({"bench": bench, "trial": name, "load": load, **found}), flush=True)


if __name__ == "__main__":
    main()
