# SPDX-License-Identifier: Apache-2.0
"""The build's tuning is fixed: flags of the user's, such as -march=native, do not change it."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess

import pytest

from joulemark import _core

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
    """The flags that every plugin of ours records, in which nothing follows the tuning."""
    flags = _core.builtin_plugin().flags.split()
    assert flags[-1] == "-mtune=generic"
    assert not [flag for flag in flags if flag.startswith(("-march=", "-mcpu="))]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc here")
def test_the_last_tuning_holds() -> None:
    """As it stands behind the user's -march=native, which alone would choose another."""
    assert tuning("-march=znver3") == "znver3"
    assert tuning("-march=znver3", "-mtune=generic") == "generic"
    assert tuning("-march=native", "-mtune=generic") == "generic"
