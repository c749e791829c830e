# SPDX-License-Identifier: Apache-2.0
"""The AES-128 cores and CMAC on them: every parameter, vectors, OpenSSL, stalls, clocks, wiping."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from joulemark.hardware.manifest import read_core

HDL = Path(__file__).parents[2] / "hdl"


@pytest.mark.parametrize(
    ("name", "configuration", "messages"),
    [
        ("aes128_serial", "default", 5),
        ("aes128_round", "tower", 5),
        ("aes128_cmac", "default", 5),
        *(
            pytest.param(*case, marks=pytest.mark.exhaustive)
            for case in (
                ("aes128_serial", "default", 100),
                ("aes128_latch", "default", 100),
                ("aes128_latch", "decoded", 60),
                ("aes128_round", "default", 200),
                ("aes128_round", "tower", 60),
                ("aes128_cmac", "default", 100),
                ("aes128_cmac", "paper", 40),
                ("aes128_cmac", "energy", 100),
            )
        ),
    ],
)
def test_core(name: str, configuration: str, messages: int, simulate: Any) -> None:
    """A core is lint-clean and passes every check of its cocotb module."""
    core = read_core(HDL / name / f"{name}.toml")
    chosen = core.configurations[configuration].parameters
    simulate(core, [chosen], {"JOULEMARK_RANDOM_MESSAGES": str(messages)})
