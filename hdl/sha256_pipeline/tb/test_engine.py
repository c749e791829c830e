# SPDX-License-Identifier: Apache-2.0
"""The engine alone, in many sets of parameters at once, on cases that the bench's table holds."""

from __future__ import annotations

import hashlib
import json
import os
import random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge, with_timeout
from sha256_compression import INITIAL_STATE, compress, padded

SETS = json.loads(os.environ["SETS"])
"""The bench's sets of parameters, in its order."""
CASES = int(os.environ.get("CASES", "64"))


async def _start(dut: Any) -> None:
    Clock(dut.clk_i, 10, "ns").start()
    for port in (dut.run_i, dut.stall_i, dut.wipe_i, dut.write_i, dut.cases_i):
        port.value = 0
    dut.rst_ni.value = 0
    await RisingEdge(dut.clk_i)
    await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    await RisingEdge(dut.clk_i)


async def _fill(dut: Any, count: int, seed: int) -> None:
    chance = random.Random(seed)
    for index in range(count):
        block, state = chance.randbytes(64), chance.randbytes(32)
        if index % 2:
            message = chance.randbytes(chance.randrange(56))
            (block,), state = padded(message), INITIAL_STATE
            expected = hashlib.sha256(message).digest()
            assert compress(state, block) == expected
        else:
            expected = compress(state, block)
        dut.write_i.value = 1
        dut.write_index_i.value = index
        dut.write_case_i.value = int.from_bytes(block + state + expected, "big")
        await RisingEdge(dut.clk_i)
    dut.write_i.value = 0


def _each(port: Any) -> list[int]:
    value = int(port.value)
    return [value >> 32 * n & 0xFFFFFFFF for n in range(len(port) // 32)]


async def _run(dut: Any, cases: int, stall: int) -> None:
    dut.cases_i.value = cases
    dut.stall_i.value = stall
    dut.run_i.value = 1
    await with_timeout(RisingEdge(dut.done_o), cases * 200 * 10 * 20, "ns")
    await RisingEdge(dut.clk_i)


@cocotb.test()
async def clocks_are_as_documented(dut: Any) -> None:
    """Hashes are right and come in the clocks that `sha256_engine.sv` and its two engines state."""
    await _start(dut)
    await _fill(dut, CASES, 1)
    await _run(dut, CASES, 0)
    await FallingEdge(dut.clk_i)
    wrong, interval = _each(dut.wrong_o), _each(dut.interval_o)
    latency = _each(dut.latency_o)
    for n, entry in enumerate(SETS):
        clocks = entry["INTERLEAVE"] * 64 // (entry["STAGES"] * entry["ROUNDS"])
        latency_expected = 135 if entry["INTERLEAVE"] == 2 else 64 // entry["ROUNDS"]
        assert (wrong[n], interval[n], latency[n]) == (0, clocks, latency_expected), entry


@cocotb.test()
async def wipe_takes_no_block_that_it_drops(dut: Any) -> None:
    """Blocks taken before a wipe are gone, all taken after it give their hashes."""
    await _start(dut)
    await _fill(dut, CASES, 3)
    dut.cases_i.value = CASES
    dut.stall_i.value = 0
    dut.run_i.value = 1
    for pause in range(5, 60, 7):
        for _ in range(pause):
            await RisingEdge(dut.clk_i)
        dut.wipe_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.wipe_i.value = 0
    await _run(dut, CASES, 0)
    await FallingEdge(dut.clk_i)
    assert not any(_each(dut.wrong_o))


@cocotb.test()
async def stalls_change_nothing(dut: Any) -> None:
    """Random pauses on both sides lose, repeat and reorder nothing."""
    for stall in (1, 2, 3):
        await _start(dut)
        await _fill(dut, CASES, 2)
        await _run(dut, CASES, stall)
        await FallingEdge(dut.clk_i)
        wrong = _each(dut.wrong_o)
        assert not any(wrong), [SETS[n] for n, bad in enumerate(wrong) if bad]
