# SPDX-License-Identifier: Apache-2.0
"""The build's tuning is fixed: flags of a user, such as -march=native, do not change it.

GCC 12 takes new CPUs of AMD for the family before them with AVX-512 added: `-march=native` is
`-march=znver3 -mavx512f ...` there. With that tuning GCC keeps the words of scalar rounds in vector
registers, and BLAKE2b takes five times as long.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from joulemark import _core

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
NATIVE = ("-march=znver3", "-mavx512f", "-mavx512vl")
"""The options that GCC 12 takes -march=native for on such a CPU, whatever CPU this is."""
BETWEEN_REGISTERS = re.compile(r"v?mov[dq]\s.*(%r\w+, ?%[xyz]mm|%[xyz]mm\d+, ?%r)|v?pinsrq\s")
pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="-mtune=generic is of x86")


def tuning(*flags: str) -> str:
    """The tuning that GCC ends up with."""
    said = subprocess.run(
        ["gcc", *flags, "-Q", "--help=target"], capture_output=True, text=True, check=True
    ).stdout
    found = re.search(r"-mtune=\s+(\S+)", said)
    assert found is not None
    return found[1]


def test_the_kernels_are_built_for_no_cpu_in_particular() -> None:
    """Every plugin of ours records its flags, and no flag follows the tuning."""
    flags = _core.builtin_plugin().flags.split()
    assert flags[-1] == "-mtune=generic"
    assert not [flag for flag in flags if flag.startswith(("-march=", "-mcpu="))]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc here")
def test_the_last_tuning_holds() -> None:
    """The tuning overrides the user's -march=native before it, which would choose another."""
    assert tuning("-march=znver3") == "znver3"
    assert tuning("-march=znver3", "-mtune=generic") == "generic"
    assert tuning("-march=native", "-mtune=generic") == "generic"


def moves(*flags: str) -> int:
    """Moves between general and vector registers in the portable BLAKE2b, which needs none."""
    source = KERNELS / "blake2" / "blake2b_portable.c"
    folders = [f"-I{KERNELS / 'include'}", f"-I{KERNELS}"]
    done = subprocess.run(
        ["gcc", *flags, *folders, "-S", "-o", "-", str(source)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return len(BETWEEN_REGISTERS.findall(done.stdout))


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc here")
def test_the_build_does_not_fall_into_the_trap() -> None:
    """With our flags behind the user's, scalar rounds become scalar code.

    Without the tuning at their end GCC 12 moves words to and fro more than a thousand times.
    """
    flags = _core.builtin_plugin().flags.split()
    assert moves(*NATIVE, *flags) < 100
    loose = moves(*NATIVE, *(flag for flag in flags if not flag.startswith("-mtune")))
    version = subprocess.run(["gcc", "-dumpversion"], capture_output=True, text=True, check=True)
    if version.stdout.strip().split(".")[0] != "12":
        pytest.skip("whether the trap is there is known of GCC 12 alone")
    assert loose > 1000
