# SPDX-License-Identifier: Apache-2.0
"""Builds the C test programs twice, plain and with sanitizers, and runs them."""

from __future__ import annotations

import hashlib
import hmac
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import joulemark
from native_builds import built

PROGRAMS = sorted(path.stem for path in Path(__file__).parent.glob("*.c"))
CONSTANT_TIME = [name for name in PROGRAMS if name.startswith("constant_time")]
NOT_ALONE = {*CONSTANT_TIME, "length_fuzz", "huge_message", "provider_check"}
SIMPLE = [name for name in PROGRAMS if name not in NOT_ALONE]
FUZZ_SECONDS = "5"
NOT_CHECKED = 77  # the exit code with which a program says that it cannot check constant time here
REPORTED = 9  # the exit code that valgrind is told to use


@pytest.fixture(scope="session")
def plain(c_library: Path) -> Path:
    """Programs as users' kernels are compiled."""
    return c_library


@pytest.fixture(scope="session")
def sanitized(repository: Path) -> Path:
    """Programs with AddressSanitizer and UndefinedBehaviorSanitizer."""
    return built(repository / "build" / "sanitized", "-DJOULEMARK_SANITIZE=ON")


def run(*command: str | Path, timeout_s: float = 240) -> subprocess.CompletedProcess[str]:
    """Runs a program and returns what it said."""
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=timeout_s,
        check=False,
    )  # fmt: skip


def program(folder: Path, name: str) -> Path:
    """Where the build put a program."""
    return next(path for path in folder.rglob(name) if path.is_file() and os.access(path, os.X_OK))


@pytest.mark.parametrize("name", SIMPLE)
def test_program_passes(name: str, plain: Path) -> None:
    """The program finds nothing wrong in code compiled as users get it."""
    done = run(program(plain, name))
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@pytest.mark.parametrize("name", SIMPLE)
def test_program_passes_sanitized(name: str, sanitized: Path) -> None:
    """The same under AddressSanitizer and UndefinedBehaviorSanitizer."""
    done = run(program(sanitized, name))
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@pytest.mark.parametrize("algorithm", ["hmac-sha256", "cmac-aes128", "siphash-2-4"])
@pytest.mark.parametrize("way", ["lazy", "now", "static"])
def test_nothing_is_left_behind(way: str, algorithm: str, plain: Path) -> None:
    """Neither a shared library, its symbols bound late or early, nor a static program leaves more.

    One algorithm in a process, because a symbol is bound once in it.
    """
    if way == "static" and not list(plain.rglob("forgets_static")):
        pytest.skip("no static C library; on Debian or Ubuntu: apt-get install libc6-dev")
    done = run(program(plain, f"forgets_{way}"), algorithm)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def test_length_fuzz_smoke(sanitized: Path) -> None:
    """Random splits at random alignments, sanitized, agree with whole messages."""
    done = run(program(sanitized, "length_fuzz"), FUZZ_SECONDS, "1")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def test_providers_agree_with_each_other(plain: Path) -> None:
    """Every outside library found here computes the same as every other, and keeps its bounds."""
    plugins = sorted(Path(joulemark.__file__).parent.glob("plugins/*.so"))
    if not plugins:
        pytest.skip("no outside library found; apt-get install libssl-dev nettle-dev")
    done = run(program(plain, "provider_check"), *plugins)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@pytest.fixture(scope="session")
def valgrind() -> str:
    """Valgrind, which is the constant-time check."""
    found = shutil.which("valgrind")
    if found is None:
        pytest.skip("no valgrind; on Debian or Ubuntu: apt-get install valgrind")
    return found


@pytest.mark.parametrize("name", CONSTANT_TIME)
def test_constant_time_under_valgrind(name: str, plain: Path, valgrind: str) -> None:
    """With keys marked undefined, no branch and no address depends on them."""
    done = run(valgrind, "-q", f"--error-exitcode={REPORTED}", program(plain, name))
    if done.returncode == NOT_CHECKED:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@pytest.mark.parametrize("name", CONSTANT_TIME)
def test_constant_time_check_sees_a_leak(name: str, plain: Path, valgrind: str) -> None:
    """A table look-up by a key byte is reported, so silence means something."""
    done = run(valgrind, "-q", f"--error-exitcode={REPORTED}", program(plain, name), "leaky")
    if done.returncode == NOT_CHECKED:
        pytest.skip(done.stdout.strip())
    assert done.returncode == REPORTED, done.stdout[-2000:] + done.stderr[-2000:]


@pytest.mark.parametrize("name", ["constant_time_sha", "constant_time_sha512"])
def test_emulated_instructions(name: str, plain: Path) -> None:
    """What valgrind runs in place of the SHA and AVX-512 instructions computes what they do."""
    done = run(program(plain, name))
    assert done.returncode == NOT_CHECKED, done.stdout[-4000:] + done.stderr[-4000:]
    if "agree" not in done.stdout:
        pytest.skip(done.stdout.strip())


def test_lanes_in_plain_c(plain: Path) -> None:
    """What valgrind runs in place of AVX-512 lanes is there for each, and computes their tags."""
    done = run(program(plain, "constant_time_lanes"))
    assert done.returncode == NOT_CHECKED, done.stdout[-4000:] + done.stderr[-4000:]
    assert "agree" in done.stdout


HUGE_BYTES = 2**32 + 77
HUGE_KEY = b"a key for very long messages, used nowhere else................"


def zeros_hashed(name: str) -> str:
    """Python's digest of HUGE_BYTES zero bytes."""
    hasher = hashlib.new(name, usedforsecurity=False)
    part = bytes(1 << 24)
    for _ in range(HUGE_BYTES // len(part)):
        hasher.update(part)
    hasher.update(bytes(HUGE_BYTES % len(part)))
    return hasher.hexdigest()


def zeros_hmac() -> str:
    """Python's HMAC-SHA256 of HUGE_BYTES zero bytes."""
    mac = hmac.new(HUGE_KEY[:32], digestmod="sha256")
    part = bytes(1 << 24)
    for _ in range(HUGE_BYTES // len(part)):
        mac.update(part)
    mac.update(bytes(HUGE_BYTES % len(part)))
    return mac.hexdigest()


def zeros_poly1305() -> str:
    """Poly1305 of HUGE_BYTES zero bytes (RFC 8439, section 2.5), where it is a geometric series.

    Each of n full blocks adds 2^128 and the last one of 13 bytes 2^104, so that the accumulator
    is 2^128 (r^2 + ... + r^(n+1)) + 2^104 r mod p.
    """
    prime = 2**130 - 5
    r = int.from_bytes(HUGE_KEY[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    s = int.from_bytes(HUGE_KEY[16:32], "little")
    full, rest = divmod(HUGE_BYTES, 16)
    series = r * r * (pow(r, full, prime) - 1) * pow(r - 1, -1, prime)
    accumulator = ((series << 128) + (r << (8 * rest))) % prime
    return ((accumulator + s) % 2**128).to_bytes(16, "little").hex()


EXPECTED_OF_ZEROS = {
    "sha1": lambda: zeros_hashed("sha1"),
    "sha256": lambda: zeros_hashed("sha256"),
    "hmac-sha256": zeros_hmac,
    "poly1305": zeros_poly1305,
}
"""What an independent implementation says of HUGE_BYTES zero bytes."""
ONLY_STREAMS = ["hmac-sha1", "hmac-sha512", "cmac-aes128", "siphash-2-4"]
"""Their streams, whole messages and batches are compared with each other."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["sha256", "poly1305", "siphash-2-4"], id="few"),
        pytest.param([*EXPECTED_OF_ZEROS, *ONLY_STREAMS], id="all", marks=pytest.mark.exhaustive),
    ],
)
def test_messages_longer_than_4_gib(names: list[str], plain: Path) -> None:
    """Lengths are not narrowed: Python and a closed form agree, and streams and batches too."""
    done = run(program(plain, "huge_message"), *names)
    if done.returncode == NOT_CHECKED:
        pytest.skip("this machine cannot map 4 GiB of zeros")
    assert done.returncode == 0, done.stdout
    found = dict(line.split() for line in done.stdout.splitlines())
    assert sorted(found) == sorted(names)
    for name in set(names) & set(EXPECTED_OF_ZEROS):
        assert found[name] == EXPECTED_OF_ZEROS[name](), name


def test_a_run_in_lanes_refetches_all_of_its_code(plain: Path, repository: Path) -> None:
    """HASH_CODE_BYTES of kernels/<hash>/<hash>_lanes.h covers a run, compiled by gcc or clang."""
    nm = shutil.which("nm")
    if not nm or platform.machine() != "x86_64":
        pytest.skip("no nm, or no kernel in AVX-512 lanes")
    symbols = run(nm, "--print-size", plain / "libjm_kernels.a").stdout
    longest: dict[str, int] = {}
    for member in symbols.split("\n\n"):
        name = re.match(r"([a-z0-9]+)_avx512_x\d+\.c\.o:", member.lstrip())
        for size in re.findall(r"^\w+ (\w+) t hash_ahead_\d", member, re.MULTILINE):
            assert name, member[:80]
            longest[name[1]] = max(int(size, 16), longest.get(name[1], 0))
    assert set(longest) == {"md5", "sha1", "sha256", "sha512"}
    for name, size_bytes in longest.items():
        lanes = (repository / "kernels" / name / f"{name}_lanes.h").read_text()
        (given,) = re.findall(r"HASH_CODE_BYTES (\d+)", lanes)
        assert size_bytes <= int(given) <= 1.6 * size_bytes, (name, size_bytes)
