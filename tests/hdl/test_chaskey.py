# SPDX-License-Identifier: Apache-2.0
"""`hdl/chaskey`: 10 000 random messages over both stores of its key, and its size of storage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from joulemark.hardware.manifest import read_core
from joulemark.hardware.synthesis import read_command, run_yosys

CORE = read_core(Path(__file__).parents[2] / "hdl" / "chaskey" / "chaskey.toml")
STATE_BITS, KEY_BITS, CONTROL_BITS = 128, 128, 14


@pytest.mark.parametrize(
    ("combinations", "messages"),
    [
        pytest.param([{"LATCHES": 1}], 40, id="latches"),
        pytest.param(list(CORE.combinations()), 5000, id="all", marks=pytest.mark.exhaustive),
    ],
)
def test_combinations(combinations: list[dict[str, int]], messages: int, simulate: Any) -> None:
    """Vectors, random messages, stalls, clocks, resets, keys pass with latches and flip-flops."""
    simulate(CORE, combinations, {"JOULEMARK_RANDOM_MESSAGES": str(messages)})


@pytest.mark.parametrize("latches", [1, 0])
def test_nothing_is_stored_but_state_key_and_control(latches: int, tmp_path: Path) -> None:
    """The netlist stores state, key and control alone, with as many bits as the README says."""
    pytest.importorskip("pyosys", reason="needs pyosys (make core-tools)")
    run_yosys(
        [read_command(CORE, {"LATCHES": latches}), "hierarchy -check", "proc", "flatten",
         "opt_clean", "memory_map", "simplemap", "write_json bits.json"],
        tmp_path,
    )  # fmt: skip
    cells = json.loads((tmp_path / "bits.json").read_text("utf-8"))["modules"][CORE.top]["cells"]
    kinds = [cell["type"] for cell in cells.values()]
    stored = sum("DFF" in kind for kind in kinds)
    held = sum(kind.startswith("$_DLATCH") for kind in kinds)
    assert held == KEY_BITS * latches
    assert stored == STATE_BITS + CONTROL_BITS + KEY_BITS * (1 - latches)
