# SPDX-License-Identifier: Apache-2.0
"""cocotb test of `hmac_sha256_grid`: one table of messages through cores of many parameters."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import cocotb
from adapter import Adapter, words
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

_LONGEST_CLOCKS = 30000


def _each(port: Any, cases: int) -> list[int]:
    """A packed array's elements."""
    value = int(port.value)
    bits = len(port) // cases
    return [(value >> (bits * n)) & ((1 << bits) - 1) for n in range(cases)]


def _interleaved(messages: list[bytes]) -> Iterator[dict[str, int]]:
    """Words of message m, on channel m modulo 2; the channels take turns while both have words."""
    sides = [[w for message in messages[side::2] for w in words(message, side)] for side in (0, 1)]
    while any(sides):
        for side in sides:
            if side:
                yield side.pop(0)


class Grid:
    """The cores of the grid, their table, and their results."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.cases = len(dut.tags_o) // 8

    def parameters(self, case: int) -> tuple[int, ...]:
        """STAGES, ROUNDS, PRECOMPUTE, and CARRY_SAVE, SCHEDULE as bits."""
        return tuple(_each(self.dut.parameters_o, self.cases)[case].to_bytes(4, "big"))

    async def load(self, key: bytes, messages: list[bytes]) -> None:
        """Writes the table."""
        for number, word in enumerate(_interleaved(messages)):
            self.dut.words[number].value = (
                word["channel"] << 520 | word["last"] << 519 | word["bytes"] << 512 | word["data"]
            )
        self.dut.words_i.value = number + 1
        for number, message in enumerate(messages):
            tag = Adapter.reference(key, message)
            self.dut.tags[number].value = int.from_bytes(tag, "big")
        self.dut.messages_i.value = len(messages)
        self.dut.key_i.value = int.from_bytes(key.ljust(64, b"\0"), "big")
        await RisingEdge(self.dut.clk_i)

    async def start(self, *, stall: bool) -> None:
        """Has all cores take the key and the table from its beginning."""
        self.dut.stall_i.value = int(stall)
        self.dut.start_i.value = 1
        await RisingEdge(self.dut.clk_i)
        self.dut.start_i.value = 0

    async def finish(self, messages: list[bytes]) -> None:
        """Waits until all cores have all tags, and asserts that each was right."""
        for _ in range(_LONGEST_CLOCKS // 50):
            await ClockCycles(self.dut.clk_i, 50)
            await FallingEdge(self.dut.clk_i)
            if min(_each(self.dut.tags_o, self.cases)) >= len(messages):
                break
        await ClockCycles(self.dut.clk_i, 50)
        tags, wrong = _each(self.dut.tags_o, self.cases), _each(self.dut.wrong_o, self.cases)
        bad = [
            (self.parameters(n), tags[n], wrong[n])
            for n in range(self.cases)
            if wrong[n] or tags[n] != len(messages)
        ]
        assert not bad, bad


@cocotb.test()
async def all_give_right_tags_in_their_documented_clocks(dut: Any) -> None:
    """Every core is right in latency and interval, with stalls, a new key and a wipe."""
    cocotb.start_soon(Clock(dut.clk_i, 10, unit="ns").start())
    chance = random.Random(5)
    for port in (dut.rst_ni, dut.wipe_i, dut.start_i, dut.stall_i, dut.words_i):
        port.value = 0
    grid = Grid(dut)
    await grid.load(b"", [b""])
    dut.rst_ni.value = 1
    await ClockCycles(dut.clk_i, 12)

    key, messages = chance.randbytes(32), [chance.randbytes(55) for _ in range(24)]
    await grid.load(key, messages)
    await grid.start(stall=False)
    await grid.finish(messages)
    latency, interval = _each(dut.latency_o, grid.cases), _each(dut.interval_o, grid.cases)
    for n in range(grid.cases):
        stages, rounds, *_ = grid.parameters(n)
        assert latency[n] == 2 * 64 // rounds + 1, grid.parameters(n)
        assert interval[n] == 64 // (stages * rounds), grid.parameters(n)

    key = chance.randbytes(64)
    messages = [chance.randbytes(chance.choice((0, 30, 55, 56, 64, 100, 150))) for _ in range(24)]
    await grid.load(key, messages)
    await grid.start(stall=True)
    await grid.finish(messages)

    await grid.start(stall=False)
    await ClockCycles(dut.clk_i, 200)
    dut.wipe_i.value = 1
    await RisingEdge(dut.clk_i)
    dut.wipe_i.value = 0
    await ClockCycles(dut.clk_i, 20)
    assert not int(dut.tags_o.value)
    key = chance.randbytes(20)
    await grid.load(key, messages)
    await grid.start(stall=False)
    await grid.finish(messages)
