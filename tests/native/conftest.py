# SPDX-License-Identifier: Apache-2.0
"""The native programs as this folder's tests run them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cmake_builds import NATIVE_TESTS, build

NARROWER = (
    r"/(md5_(avx2_x(8|16)|avx512_x(16|32))|(sha1|sha256|serpent|rc6)_(avx2_x8|avx512_x16)"
    r"|sha512_avx512_x8|siphash_(avx2_x4|avx512_x8)|cmac_vaes_x16)\.c"
)
"""Lanes of which wider ones in the same instructions have the same text, and more to spill."""


@pytest.fixture(scope="session")
def plain(c_library: Path) -> Path:
    """Programs as users' kernels are compiled."""
    return c_library


@pytest.fixture(scope="session")
def sanitized(repository: Path) -> Path:
    """Programs with AddressSanitizer and UndefinedBehaviorSanitizer.

    The widest kernels have neither, and are taken from the installed build: where they differ from
    the narrowest is the number of lanes. What they read and write of callers' memory is between
    guard pages and canaries in `batch_random.c`.
    """
    options = {"JOULEMARK_SANITIZE": "ON", "JOULEMARK_SANITIZE_WHOLE": "OFF"}
    return build(repository, "sanitized", {**NATIVE_TESTS, **options}, as_installed=True)


@pytest.fixture(scope="session")
def sanitized_whole(repository: Path) -> Path:
    """The same with both sanitizers in all kernels."""
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
    """As `sanitized`, by clang, whose UndefinedBehaviorSanitizer knows more kinds than GCC's."""
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
    """The kernels compiled by clang, and the programs that search for what they leave behind.

    But NARROWER are the installed ones; `all_with_clang` has them by clang.
    """
    targets = ["jm_kernels", "forgets", "forgets_lazy"]
    return build(repository, "clang", with_clang, targets, installed_at_least=NARROWER)


@pytest.fixture(scope="session")
def all_with_clang(repository: Path, with_clang: dict[str, str]) -> Path:
    """All kernels by clang, and all native programs, which take as long again to compile."""
    return build(repository, "all_with_clang", with_clang)
