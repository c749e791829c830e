# SPDX-License-Identifier: Apache-2.0
"""Fixtures that build and run the native programs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cmake_builds import NATIVE_TESTS, build

SEARCHED_ELSEWHERE = (
    # Wider lanes in the same instructions have the same source text, and spill more registers.
    r"/((sha256|serpent)_(avx2_x8|avx512_x16)|sha512_avx512_x8|siphash_avx512_x8|cmac_vaes_x16"
    # Other hashes and ciphers in the lanes of searched kernels: SHA-256 in AVX2 and AVX-512,
    # SHA-512 and SipHash in AVX-512, Serpent in AVX2.
    r"|(md5|sha1|rc6)_avx(2|512)_x\d+|serpent_avx512_x32|sha512_avx2_x4|siphash_avx2_x\d"
    # Kernels with the text of another file and other instructions allowed; UMAC and VMAC also have
    # searched kernels in wider vector registers.
    r"|(ascon|blake2[bs]|keccak|kt128|ripemd160|sm3|vmac_aesni)_bmi2|umac_aesni"
    # Kernels for microcontrollers: tests/firmware searches them there.
    r"|\w+_mcu(8|32))\.c"
)
"""Kernels that `make test` searches as GCC makes them; by clang it searches similar kernels."""


@pytest.fixture(scope="session")
def plain(c_library: Path) -> Path:
    """Programs with kernels compiled as users get them."""
    return c_library


@pytest.fixture(scope="session")
def sanitized(repository: Path) -> Path:
    """Programs with AddressSanitizer and UndefinedBehaviorSanitizer.

    The widest kernels have neither sanitizer and come from the installed build: they differ from
    the narrowest only in the number of lanes. In `batch_random.c`, guard pages and canaries bound
    the callers' memory that they read and write.
    """
    options = {"JOULEMARK_SANITIZE": "ON", "JOULEMARK_SANITIZE_WHOLE": "OFF"}
    return build(repository, "sanitized", {**NATIVE_TESTS, **options}, as_installed=True)


@pytest.fixture(scope="session")
def sanitized_whole(repository: Path) -> Path:
    """The programs of `sanitized` with both sanitizers in all kernels."""
    return build(repository, "sanitized_whole", {**NATIVE_TESTS, "JOULEMARK_SANITIZE": "ON"})


@pytest.fixture(scope="session")
def with_clang() -> dict[str, str]:
    """CMake's options for the native programs compiled by clang."""
    found = shutil.which("clang")
    if found is None:
        pytest.skip("no clang; on Debian or Ubuntu: apt-get install clang")
    return {**NATIVE_TESTS, "CMAKE_C_COMPILER": found}


@pytest.fixture(scope="session")
def sanitized_by_clang(
    repository: Path, with_clang: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """As `sanitized`, but by clang, whose UndefinedBehaviorSanitizer finds more than GCC's."""
    tried = tmp_path_factory.mktemp("tried") / "tried.c"
    tried.write_text("int main(void) { return 0; }\n", "utf-8")
    command = [
        with_clang["CMAKE_C_COMPILER"],
        "-fsanitize=address",
        tried,
        "-o",
        tried.with_suffix(""),
    ]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("no sanitizers for clang; on Debian or Ubuntu: apt-get install libclang-rt-dev")
    return build(repository, "sanitized_by_clang", {**with_clang, "JOULEMARK_SANITIZE": "ON"})


@pytest.fixture(scope="session")
def clang(repository: Path, with_clang: dict[str, str]) -> Path:
    """The kernels compiled by clang, and the programs that search for remains of secrets.

    The kernels of SEARCHED_ELSEWHERE are the installed ones; `all_with_clang` compiles them too.
    """
    targets = ["jm_kernels", "forgets", "forgets_lazy"]
    return build(repository, "clang", with_clang, targets, installed_at_least=SEARCHED_ELSEWHERE)


@pytest.fixture(scope="session")
def all_with_clang(repository: Path, with_clang: dict[str, str]) -> Path:
    """All kernels and native programs by clang, which take as long again to compile."""
    return build(repository, "all_with_clang", with_clang)


@pytest.fixture(
    scope="session",
    params=[
        *(f"gcc-{version}" for version in range(12, 17)),
        *(f"clang-{version}" for version in range(14, 23)),
    ],
)
def by_each_compiler(request: pytest.FixtureRequest, repository: Path) -> Path:
    """All kernels, the search for remains of secrets, and the check of constant time."""
    compiler: str = request.param
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}; on Debian or Ubuntu: apt-get install {compiler}")
    options = {**NATIVE_TESTS, "CMAKE_C_COMPILER": compiler}
    targets = ("forgets", "wiping/wiping_doubt.c", "constant_time")
    return build(repository, f"by_{compiler}", options, targets)
