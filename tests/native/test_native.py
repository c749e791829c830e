# SPDX-License-Identifier: Apache-2.0
"""Runs the C test programs, plain and with sanitizers."""

from __future__ import annotations

import hashlib
import hmac
import platform
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from native_programs import program, run

import joulemark

PROGRAMS = sorted(path.stem for path in Path(__file__).parent.glob("*.c"))
CONSTANT_TIME = [name for name in PROGRAMS if name.startswith("constant_time")]
SLOW_UNDER_VALGRIND = "constant_time_instructions"
"""A program that takes a minute there."""
MEASURED = ["secret_timing", "evicted_lines"]
"""Programs whose verdict follows from times of this machine."""
NOT_ALONE = {
    *CONSTANT_TIME, *MEASURED, "forgets", "length_fuzz", "huge_message", "provider_check",
}  # fmt: skip
SIMPLE = [name for name in PROGRAMS if name not in NOT_ALONE]
SANITIZED_WHOLE = pytest.param("sanitized_whole", marks=pytest.mark.exhaustive)
SANITIZED_BY_CLANG = pytest.param("sanitized_by_clang", marks=pytest.mark.exhaustive)
WITH_CLANG = pytest.param("all_with_clang", marks=pytest.mark.exhaustive)
FUZZ_SECONDS = ["2", pytest.param("60", marks=pytest.mark.exhaustive)]
FEWER_BATCHES = {"plain": ["5000"], "sanitized": ["1000"]}
"""Random messages of each kernel in `batch_random`; 10 000 in exhaustive builds."""
NOT_CHECKED = 77  # exit code of a program that cannot check constant time here
REPORTED = 9  # the exit code that valgrind is told to use


@pytest.mark.parametrize("name", SIMPLE)
@pytest.mark.parametrize(
    "folder", ["plain", "sanitized", SANITIZED_WHOLE, WITH_CLANG, SANITIZED_BY_CLANG]
)
def test_program_passes(folder: str, name: str, request: pytest.FixtureRequest) -> None:
    """The program finds no fault in code compiled as for users, sanitized, and by clang."""
    if name == "verify_wipes" and folder in {"sanitized", "sanitized_by_clang"}:
        pytest.skip("AddressSanitizer keeps copies on the stack: clang's, and calls to GCC's")
    effort = FEWER_BATCHES.get(folder, []) if name == "batch_random" else []
    if name == "other_algorithms" and folder == "sanitized":
        effort = ["9"]
    done = run(program(request.getfixturevalue(folder), name), *effort)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["check_engine", "hash_random", "mac_random"])
@pytest.mark.parametrize("folder", ["plain", "sanitized_whole", "all_with_clang"])
def test_every_length_and_every_kernel(
    folder: str, name: str, request: pytest.FixtureRequest
) -> None:
    """The programs pass with every kernel, length and split, without the usual thinning."""
    done = run(program(request.getfixturevalue(folder), name), "whole", timeout_s=1200)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@pytest.mark.parametrize("seconds", FUZZ_SECONDS)
def test_length_fuzz_smoke(seconds: str, sanitized: Path) -> None:
    """Random splits at random alignments, sanitized, agree with whole messages."""
    done = run(program(sanitized, "length_fuzz"), seconds, "1")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def test_providers_agree_with_each_other(plain: Path) -> None:
    """Every outside library found here agrees with every other and stays within its buffers."""
    plugins = sorted(Path(joulemark.__file__).parent.glob("plugins/*.so"))
    if not plugins:
        pytest.skip("no outside library found; apt-get install libssl-dev nettle-dev")
    done = run(program(plain, "provider_check"), *plugins)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def test_a_dying_provider_is_one_failure(plain: Path, faulty_plugin: Callable[[str], Path]) -> None:
    """One that dies when it is opened or called is named, and the others are checked."""
    plugins = [faulty_plugin(fault) for fault in
               ("CRASHES_WHEN_LOADED", "CRASHES_WHEN_CALLED", "NONE")]  # fmt: skip
    done = run(program(plain, "provider_check"), *plugins)
    assert done.returncode == 1
    *told, total = done.stdout.splitlines()
    assert [line for line in told if "dies" in line] == [
        f"FAIL {plugins[0]}: its process dies (Aborted)",
        "FAIL siphash-2-4/faulty (faulty): its process dies (Segmentation fault)",
    ]
    claims = [line for line in told if line.endswith("(faulty): block, claim, 0 bytes")]
    assert len(claims) == 2, "each claims constant time, which a provider may not"
    assert total.startswith("2 implementations, ")
    assert total.endswith(" checks, 4 failures")


@pytest.fixture(scope="session")
def valgrind() -> str:
    """The path of valgrind, which checks constant time."""
    found = shutil.which("valgrind")
    if found is None:
        pytest.skip("no valgrind; on Debian or Ubuntu: apt-get install valgrind")
    return found


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.exhaustive if name == SLOW_UNDER_VALGRIND else ())
        for name in CONSTANT_TIME
    ],
)
@pytest.mark.parametrize("folder", ["plain", WITH_CLANG])
def test_constant_time_under_valgrind(
    folder: str, name: str, valgrind: str, request: pytest.FixtureRequest
) -> None:
    """No branch and no address depends on keys, which are marked undefined."""
    checked = program(request.getfixturevalue(folder), name)
    done = run(valgrind, "-q", f"--error-exitcode={REPORTED}", checked)
    if done.returncode == NOT_CHECKED:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@pytest.mark.exhaustive
@pytest.mark.timing
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", MEASURED)
def test_times_and_cache_lines_tell_no_secret(plain: Path, name: str) -> None:
    """No MAC that claims constant time differs by secrets, and a control that leaks is found."""
    done = run(program(plain, name), timeout_s=1700)
    if done.returncode == NOT_CHECKED:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert " MACs measured, 0 " in done.stdout


@pytest.mark.exhaustive
@pytest.mark.timeout(3600)
def test_constant_time_by_other_compilers(by_each_compiler: Path, valgrind: str) -> None:
    """No version of GCC or Clang that this machine has makes a branch of a mask."""
    checked = program(by_each_compiler, "constant_time")
    done = run(valgrind, "-q", f"--error-exitcode={REPORTED}", checked)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@pytest.mark.parametrize("name", CONSTANT_TIME)
@pytest.mark.parametrize("folder", ["plain", WITH_CLANG])
def test_constant_time_check_sees_a_leak(
    folder: str, name: str, valgrind: str, request: pytest.FixtureRequest
) -> None:
    """A table look-up by a key byte is reported, so a run without reports is evidence."""
    checked = program(request.getfixturevalue(folder), name)
    done = run(valgrind, "-q", f"--error-exitcode={REPORTED}", checked, "leaky")
    if done.returncode == NOT_CHECKED:
        pytest.skip(done.stdout.strip())
    assert done.returncode == REPORTED, done.stdout[-2000:] + done.stderr[-2000:]


@pytest.mark.parametrize("name", ["constant_time_sha", "constant_time_sha512"])
@pytest.mark.parametrize("folder", ["plain", WITH_CLANG])
def test_emulated_instructions(folder: str, name: str, request: pytest.FixtureRequest) -> None:
    """The emulation that valgrind runs equals the SHA and AVX-512 instructions."""
    done = run(program(request.getfixturevalue(folder), name))
    assert done.returncode == NOT_CHECKED, done.stdout[-4000:] + done.stderr[-4000:]
    if "agree with the portable" not in done.stdout:
        pytest.skip(done.stdout.strip())


@pytest.mark.parametrize(
    ("name", "there"), [("constant_time_lanes", True), ("constant_time_masked_lanes", False)]
)
@pytest.mark.parametrize("folder", ["plain", WITH_CLANG])
def test_lanes_that_stand_for_avx512(
    folder: str, name: str, there: bool, request: pytest.FixtureRequest
) -> None:
    """The substitutes that valgrind runs for AVX-512 lanes compute the same tags.

    Lanes in plain C run on every machine, and each kernel has a substitute.
    """
    done = run(program(request.getfixturevalue(folder), name))
    assert done.returncode == NOT_CHECKED, done.stdout[-4000:] + done.stderr[-4000:]
    if "agree with the portable" not in done.stdout and not there:
        pytest.skip(done.stdout.strip())
    assert "agree with the portable" in done.stdout


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
    """Poly1305 of HUGE_BYTES zero bytes (RFC 8439, section 2.5), by a geometric series.

    Each of n full blocks adds 2^128, and the last block of 13 bytes 2^104, so that the accumulator
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
"""Functions that compute the output for HUGE_BYTES zero bytes independently, by algorithm."""
SHA256_OF_ZEROS = "0d6f9075eac4ce4f67177dd825ea22144ec98f20902c6a04809f2b28909b8cd4"
"""Python's digest, which takes three seconds; the exhaustive run computes it again."""
ONLY_STREAMS = ["hmac-sha1", "hmac-sha512", "cmac-aes128", "siphash-2-4"]
"""Algorithms of which streams, whole messages and batches are compared with each other alone."""


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["sha256", "poly1305"], id="few"),
        pytest.param([*EXPECTED_OF_ZEROS, *ONLY_STREAMS], id="all", marks=pytest.mark.exhaustive),
    ],
)
def test_messages_longer_than_4_gib(names: list[str], plain: Path) -> None:
    """Lengths are not narrowed: Python, a closed form, streams and batches agree.

    HMAC-SHA256, with lanes, has its own test in tests/mac/test_huge.py.
    """
    done = run(program(plain, "huge_message"), *names)
    if done.returncode == NOT_CHECKED:
        pytest.skip("this machine cannot map 4 GiB of zeros")
    assert done.returncode == 0, done.stdout
    found = dict(line.split() for line in done.stdout.splitlines())
    assert sorted(found) == sorted(names)
    assert found["sha256"] == SHA256_OF_ZEROS
    computed = EXPECTED_OF_ZEROS if "hmac-sha256" in names else ["poly1305"]
    for name in computed:
        assert found[name] == EXPECTED_OF_ZEROS[name](), name


@pytest.mark.parametrize("folder", ["plain", WITH_CLANG])
def test_a_run_in_lanes_refetches_all_of_its_code(
    folder: str, repository: Path, request: pytest.FixtureRequest
) -> None:
    """HASH_CODE_BYTES of a hash's headers covers a run, compiled by gcc or clang."""
    nm = shutil.which("nm")
    if not nm or platform.machine() != "x86_64":
        pytest.skip("no nm, or no kernel in AVX-512 lanes")
    archive = request.getfixturevalue(folder) / "libjm_kernels.a"
    symbols = run(nm, "--print-size", archive).stdout
    longest: dict[str, int] = {}
    for member in symbols.split("\n\n"):
        name = re.match(r"([a-z0-9]+)_avx512_x\d+\.c\.o:", member.lstrip())
        for size in re.findall(r"^\w+ (\w+) t hash_ahead_\d", member, re.MULTILINE):
            assert name, member[:80]
            longest[name[1]] = max(int(size, 16), longest.get(name[1], 0))
    assert set(longest) == {"md5", "sha1", "sha256", "sha512"}
    for name, size_bytes in longest.items():
        headers = (repository / "kernels" / name).glob("*.h")
        (given,) = re.findall(r"HASH_CODE_BYTES (\d+)", "".join(map(Path.read_text, headers)))
        assert size_bytes <= int(given) <= 1.6 * size_bytes, (name, size_bytes)


def test_every_implementation_is_in_a_table(plain: Path) -> None:
    """A constant that no table names would be compiled, and offered to nobody."""
    archive = str(next(plain.rglob("libjm_kernels.a")))

    def symbols(*options: str) -> list[list[str]]:
        said = run("nm", "-A", *options, archive).stdout
        return [line.split(":", 2)[1:] for line in said.splitlines()]

    defined = [(where, *words.split()) for where, words in symbols("-S", "--defined-only")]
    sizes = {entry[-1]: entry[2] for entry in defined if len(entry) == 5}
    implementations = {
        name
        for where, *_, name in defined
        if name.startswith("jm_") and sizes.get(name) == sizes["jm_sha256_portable"]
        and not where.endswith("_table.c.o")
    }  # fmt: skip
    used = {words.split()[-1] for where, words in symbols("-u") if where.endswith("_table.c.o")}
    assert len(implementations) > 200
    assert sorted(implementations - used) == [], "add a line to the primitive's *_table.c"
