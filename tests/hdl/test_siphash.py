# SPDX-License-Identifier: Apache-2.0
"""`hdl/siphash`: 10 000 random messages over all values of its parameter, and a second opinion."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from joulemark.hardware.manifest import read_core
from joulemark.reference.lightweight import siphash_2_4

CORE = read_core(Path(__file__).parents[2] / "hdl" / "siphash" / "siphash.toml")


@pytest.mark.parametrize(
    ("combinations", "messages"),
    [
        pytest.param([{"ROUNDS": 1}], 40, id="one"),
        pytest.param(list(CORE.combinations()), 3400, id="all", marks=pytest.mark.exhaustive),
    ],
)
def test_combinations(combinations: list[dict[str, int]], messages: int, simulate: Any) -> None:
    """Vectors, random messages, stalls, clocks, resets, keys pass for 1, 2 and 4 rounds a clock."""
    simulate(CORE, combinations, {"JOULEMARK_RANDOM_MESSAGES": str(messages)})


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the openssl command")
def test_openssl_agrees_with_the_reference() -> None:
    """The cores' reference gives the tags of OpenSSL at all short lengths."""
    chance = random.Random(3)
    for length in range(0, 40, 3):
        key, message = chance.randbytes(16), chance.randbytes(length)
        command = ["openssl", "mac", "-macopt", f"hexkey:{key.hex()}", "-macopt", "size:8",
                   "-binary", "SIPHASH"]  # fmt: skip
        done = subprocess.run(command, input=message, capture_output=True, check=True)
        assert done.stdout == siphash_2_4(key, message)
