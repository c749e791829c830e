# SPDX-License-Identifier: Apache-2.0
"""Ten thousand random messages through every core in its default configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from joulemark.hardware.cores import read_cores
from joulemark.hardware.manifest import Core

HDL = Path(__file__).parents[2] / "hdl"
CORES = read_cores(HDL)
MESSAGES = 10_000
ELSEWHERE = (
    "ascon_mac", "chaskey", "hmac_sha256", "sha1_pipeline", "sha256_pipeline", "sha512_pipeline",
    "siphash",
)  # fmt: skip
"""Cores of which another test sends as many, over several sets of parameters."""
LIMIT_S = 1500.0
"""Limit for one core, on a machine that also does other work."""


@pytest.mark.exhaustive
@pytest.mark.timeout(LIMIT_S + 100)
@pytest.mark.parametrize(
    "core",
    [hdl_core for hdl_core in CORES if hdl_core.name not in ELSEWHERE],
    ids=lambda core: core.name,
)
def test_ten_thousand_messages(core: Core, simulate: Any) -> None:
    """Each result equals that of an independent implementation, in all the core's own tests."""
    told = {"JOULEMARK_RANDOM_MESSAGES": str(MESSAGES)}
    simulate(core, [{}], told, timeout_s=LIMIT_S)
