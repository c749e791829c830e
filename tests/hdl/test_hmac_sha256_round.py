# SPDX-License-Identifier: Apache-2.0
"""`hdl/hmac_sha256_round`: thousands of random messages, and its size of storage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from joulemark.hardware.manifest import read_core
from joulemark.hardware.synthesis import read_command, run_yosys

CORE = read_core(Path(__file__).parents[2] / "hdl" / "hmac_sha256_round" / "hmac_sha256_round.toml")
WORDS_OF_LATCHES = 24 + 7 + 10
WORDS_OF_FLIP_FLOPS = 7 + 1 + 1
RINGS_BITS = 7 + 10
CONTROL_BITS = 29
PADDING_BITS = 39


@pytest.mark.parametrize("messages", [60, pytest.param(10_000, marks=pytest.mark.exhaustive)])
def test_core(messages: int, simulate: Any) -> None:
    """Vectors, random messages, stalls, clocks, key changes, resets and wipes pass."""
    simulate(CORE, CORE.combinations(), {"JOULEMARK_RANDOM_MESSAGES": str(messages)})


def test_nothing_else_is_stored(tmp_path: Path) -> None:
    """The netlist stores chaining values, schedule, variables and control, as the README says."""
    pytest.importorskip("pyosys", reason="needs pyosys (make core-tools)")
    run_yosys(
        [read_command(CORE, {}), "hierarchy -check", "proc", "flatten",
         "opt_clean", "memory_map", "simplemap", "write_json bits.json"],
        tmp_path,
    )  # fmt: skip
    cells = json.loads((tmp_path / "bits.json").read_text("utf-8"))["modules"][CORE.top]["cells"]
    kinds = [cell["type"] for cell in cells.values()]
    stored = sum("DFF" in kind for kind in kinds)
    held = sum(kind.startswith("$_DLATCH") for kind in kinds)
    assert held == 32 * WORDS_OF_LATCHES
    assert stored == 32 * WORDS_OF_FLIP_FLOPS + RINGS_BITS + CONTROL_BITS + PADDING_BITS
