# SPDX-License-Identifier: Apache-2.0
"""`hdl/sha1_serial`, `hdl/sha1_latch` and `hdl/hmac_sha1`: 10 000 random messages among them."""

from __future__ import annotations

import hashlib
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from joulemark.hardware.manifest import read_core

HDL = Path(__file__).parents[2] / "hdl"


@pytest.mark.parametrize(
    ("name", "messages"),
    [
        pytest.param("sha1_serial", 150, marks=pytest.mark.exhaustive),
        ("hmac_sha1", 10),
        pytest.param("sha1_latch", 3500, marks=pytest.mark.exhaustive),
        pytest.param("hmac_sha1", 2500, marks=pytest.mark.exhaustive),
    ],
)
def test_core(name: str, messages: int, simulate: Any) -> None:
    """Vectors, random messages with and without stalls, clocks, mid-message resets, wiping pass."""
    core = read_core(HDL / name / f"{name}.toml")
    simulate(core, core.combinations(), {"JOULEMARK_RANDOM_MESSAGES": str(messages)})


def test_the_default_of_latches(simulate: Any) -> None:
    """One combination of `sha1_latch` passes too; each takes twice as long as the other cores."""
    core = read_core(HDL / "sha1_latch" / "sha1_latch.toml")
    simulate(core, [{}], {"JOULEMARK_RANDOM_MESSAGES": "5"})


def test_the_reference_agrees_with_openssl() -> None:
    """hashlib, which is the cores' reference, agrees with the command of OpenSSL."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("needs the Debian package openssl")
    pick = random.Random(7)
    for length in (0, 3, 55, 56, 64, 119, 1000):
        message = pick.randbytes(length)
        said = subprocess.run(
            [program, "dgst", "-sha1", "-r"], input=message, capture_output=True, check=True
        ).stdout.decode()
        assert said.split()[0] == hashlib.sha1(message, usedforsecurity=False).hexdigest()
