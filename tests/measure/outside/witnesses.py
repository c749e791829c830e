# SPDX-License-Identifier: Apache-2.0
"""Outside witnesses for `joulemark bench`: C programs with plain loops, and `openssl speed`.

Times are nanoseconds of wall time for a message, unless a name says something else.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from forked_commands import run_joulemark

__all__ = ["WITNESSES", "Case", "Witness", "bench_ns", "least_busy_cpu", "speed_ns"]

FOLDER = Path(__file__).parent
WINDOW_MS = 0.2
"""Well below a scheduler's slice of about 3 ms: most windows are whole on a busy machine too."""
WINDOWS = 40
ROUNDS = 6
"""Rounds of `bench`, with four samples in each."""
TIMEOUT_S = 240


@dataclass(frozen=True, slots=True)
class Case:
    """One call with messages of one length, `batch` of them at a time."""

    implementation: str
    size_bytes: int
    batch: int = 1

    def __str__(self) -> str:
        return f"{self.implementation}:{self.size_bytes}:{self.batch}"


@dataclass(frozen=True, slots=True)
class Witness:
    """A program that calls one library."""

    source: str
    links: tuple[str, ...]
    package: str
    """Package of Debian that has the header."""
    cases: tuple[Case, ...]

    def program(self, compiler: str, folder: Path, *options: str) -> Path:
        """Compiles it; skips where the library is not here."""
        path = folder / Path(self.source).stem
        done = subprocess.run(
            [compiler, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-o", path,
             FOLDER / self.source, *options, *self.links],
            capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"},
        )  # fmt: skip
        if re.search(r"No such file or directory|cannot find -l", done.stderr):
            pytest.skip(
                f"needs {self.package}; on Debian or Ubuntu: apt-get install {self.package}"
            )
        assert done.returncode == 0, done.stderr
        return path

    def measure(self, program: Path, cases: Iterable[Case]) -> dict[Case, tuple[float, str]]:
        """Nanoseconds of a message in the fastest window, and the last message's tag in hex."""
        wanted = {str(case): case for case in cases}
        done = subprocess.run(
            [program, f"{WINDOW_MS * 1000:g}", str(WINDOWS), *wanted],
            capture_output=True, text=True, check=False, timeout=TIMEOUT_S,
        )  # fmt: skip
        if done.returncode == 3:
            pytest.skip(f"{self.source}: the library does not run on this CPU")
        assert done.returncode == 0, done.stderr
        lines = (line.split() for line in done.stdout.splitlines())
        return {wanted[name]: (float(ns), tag) for name, ns, tag in lines}


def _cases(names: Sequence[str], sizes: Sequence[int], batch: int = 1) -> tuple[Case, ...]:
    return tuple(Case(name, size, batch) for name in names for size in sizes)


EACH = (16, 64, 1024, 16384)
WITNESSES = {
    "OpenSSL": Witness(
        "openssl.c", ("-lcrypto",), "libssl-dev",
        _cases(("hmac-sha256/openssl_mac_reinit", "cmac-aes128/openssl_mac_reinit"), EACH),
    ),
    "libsodium": Witness(
        "libsodium.c", ("-lsodium",), "libsodium-dev",
        _cases(("hmac-sha256/libsodium", "siphash-2-4/libsodium", "poly1305/libsodium"), EACH),
    ),
    "Nettle": Witness(
        "nettle.c", ("-lnettle",), "nettle-dev",
        _cases(("hmac-sha256/nettle", "cmac-aes128/nettle"), EACH),
    ),
    "IPsec-MB": Witness(
        "ipsec_mb.c", ("-lIPSec_MB",), "libipsec-mb-dev",
        (
            *_cases(("hmac-sha256/ipsec_mb_job_sse",), EACH),
            *_cases(("hmac-sha256/ipsec_mb_burst_sse",), (64, 1024), batch=64),
        ),
    ),
    "engine": Witness(
        "engine.c", (), "a C compiler",
        (
            *_cases(("hmac-sha256/engine", "cmac-aes128/engine"), EACH),
            *_cases(("hmac-sha256/engine",), (64, 1024), batch=64),
        ),
    ),
}  # fmt: skip


def bench_ns(cases: Iterable[Case], store: Path, figure: str = "minimum") -> dict[Case, float]:
    """Least times of a message by `joulemark bench`, from one run for each batch size.

    `figure` names another figure of these times in the JSON of a run. Skips where the library of an
    implementation is not here.
    """
    found: dict[Case, float] = {}
    wanted = set(cases)
    for batch in sorted({asked_case.batch for asked_case in wanted}):
        some = [asked_case for asked_case in wanted if asked_case.batch == batch]
        sizes = sorted({asked_case.size_bytes for asked_case in some})
        done = run_joulemark(
            "bench", *sorted({asked_case.implementation for asked_case in some}),
            "--size", ",".join(map(str, sizes)), "--batch", str(batch),
            "--window-ms", str(WINDOW_MS), "--rounds", str(ROUNDS),
            "--json", "--fresh", "--store", str(store),
            text=True, timeout_s=TIMEOUT_S,
        )  # fmt: skip
        if done.returncode == 2 and " is unavailable: " in done.stderr:
            pytest.skip(done.stderr.strip())  # joulemark names the package
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        for result in json.loads(done.stdout)["results"]:
            case = Case(result["implementation"], result["size_bytes"], result["batch"])
            found[case] = result["seconds_per_message"][figure] * 1e9
    return {case: found[case] for case in wanted}


def speed_ns(arguments: Sequence[str], size_bytes: int) -> tuple[float, float]:
    """`openssl speed`: the mean user CPU time of a message over a second.

    Returns:
        The time in nanoseconds, and the CPU time of other programs over that of the second: a mean
        has no way of leaving out what they disturbed.
    """
    busy_s, own_s, start_s = _busy_s(), _children_s(), time.monotonic()
    done = subprocess.run(
        ["openssl", "speed", "-mr", "-seconds", "1", "-bytes", str(size_bytes), *arguments],
        capture_output=True, text=True, check=True, timeout=TIMEOUT_S,
    )  # fmt: skip
    own_s, elapsed_s = _children_s() - own_s, time.monotonic() - start_s
    foreign = max(0.0, _busy_s() - busy_s - own_s) / elapsed_s
    rate = re.search(r"^\+F:.*:([0-9.]+)$", done.stdout, flags=re.MULTILINE)
    assert rate, done.stdout
    return size_bytes * 1e9 / float(rate[1]), foreign


def _busy_s() -> float:
    """CPU time spent by everything on all CPUs since the machine started."""
    ticks = [int(word) for word in Path("/proc/stat").read_text("ascii").split()[1:9]]
    idle = ticks[3] + ticks[4]
    return (sum(ticks) - idle) / os.sysconf("SC_CLK_TCK")


def _children_s() -> float:
    """CPU time of our ended children."""
    times = os.times()
    return times.children_user + times.children_system


def least_busy_cpu() -> int:
    """The CPU with the least other work: all witnesses run on it, since CPUs may differ."""

    def idle_ticks() -> dict[int, int]:
        lines = Path("/proc/stat").read_text("ascii").splitlines()
        rows = [line.split() for line in lines if re.match(r"cpu\d", line)]
        return {int(row[0][3:]): int(row[4]) for row in rows}

    before = idle_ticks()
    time.sleep(0.3)
    after = idle_ticks()
    return max(sorted(os.sched_getaffinity(0)), key=lambda cpu: after[cpu] - before[cpu])
