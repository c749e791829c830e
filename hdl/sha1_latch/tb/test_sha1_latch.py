# SPDX-License-Identifier: Apache-2.0
"""cocotb tests of sha1_latch."""

from __future__ import annotations

import json
import os
import random
from itertools import pairwise
from typing import Any

import cocotb
from adapter import DIGEST_BYTES, Adapter, block_bytes
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

from joulemark.hardware.bench.streams import sometimes

BULK = int(os.environ.get("JOULEMARK_RANDOM_MESSAGES", "1000"))
LIMIT_MS = 2 + BULK // 50
"""Limit in simulated time; several times the time of any test."""
PARAMETERS = json.loads(os.environ.get("JOULEMARK_PARAMETERS", '{"CHAINING": 0}'))
BLOCK_CLOCKS = 340
LATENCY_CLOCKS = 257
FILL_CLOCKS = 80


async def _started(dut: Any) -> Adapter:
    Clock(dut.clk_i, 10, unit="ns").start()
    adapter = Adapter(dut, dut.clk_i, PARAMETERS)
    await adapter.reset()
    return adapter


def _expected(messages: list[bytes]) -> list[bytes]:
    return [Adapter.reference(b"", message) for message in messages]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def published_vector(dut: Any) -> None:
    """FIPS 180-4's message of one block gives its digest."""
    adapter = await _started(dut)
    digests = await adapter.process([b"abc"])
    assert digests[0].hex() == "a9993e364706816aba3e25717850c26c9cd0d89d"


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def random_messages(dut: Any) -> None:
    """Random messages of every length back to back."""
    adapter = await _started(dut)
    pick = random.Random(1)
    lengths = [*range(56), *(pick.randrange(56) for _ in range(BULK))]
    messages = [pick.randbytes(length) for length in lengths]
    assert await adapter.process(messages) == _expected(messages)


@cocotb.test(skip=not PARAMETERS["CHAINING"], timeout_time=LIMIT_MS, timeout_unit="ms")
async def many_blocks(dut: Any) -> None:
    """Messages of one to four blocks, all lengths around the boundaries, mixed, with stalls."""
    adapter = await _started(dut)
    pick = random.Random(6)
    lengths = [*range(54, 66), *range(118, 130), *(pick.randrange(250) for _ in range(BULK // 20))]
    pick.shuffle(lengths)
    messages = [pick.randbytes(length) for length in lengths]
    assert await adapter.process(messages) == _expected(messages)
    adapter.source_stall, adapter.sink_stall = sometimes(0.3, 7), sometimes(0.6, 8)
    assert await adapter.process(messages[:20]) == _expected(messages[:20])


@cocotb.test(skip=not PARAMETERS["CHAINING"], timeout_time=LIMIT_MS, timeout_unit="ms")
async def last_counts_with_the_last_byte(dut: Any) -> None:
    """Digests are right for any `last_i` with the other bytes of a block."""
    adapter = await _started(dut)
    pick = random.Random(9)
    messages = [pick.randbytes(pick.randrange(200)) for _ in range(20)]
    words: list[dict[str, int]] = []
    for message in messages:
        block = block_bytes(message)
        for at, value in enumerate(block):
            ends = int(at == len(block) - 1)
            words.append({"byte": value, "last": ends if at % 64 == 63 else pick.randrange(2)})
    sending = cocotb.start_soon(adapter.source.send(words))
    taken = await adapter.sink.receive(DIGEST_BYTES * len(messages))
    await sending
    values = bytes(word["byte"] for word in taken)
    digests = [values[at : at + DIGEST_BYTES] for at in range(0, len(values), DIGEST_BYTES)]
    assert [digest[::-1] for digest in digests] == _expected(messages)


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def stalls(dut: Any) -> None:
    """Random messages give their digests with random stalls, on either side and on both."""
    adapter = await _started(dut)
    pick = random.Random(2)
    for source, sink in ((0.5, 0.0), (0.0, 0.5), (0.7, 0.7), (0.2, 0.95)):
        adapter.source_stall = sometimes(source, 3)
        adapter.sink_stall = sometimes(sink, 4)
        messages = [pick.randbytes(pick.randrange(56)) for _ in range(10)]
        assert await adapter.process(messages) == _expected(messages)


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def documented_clocks(dut: Any) -> None:
    """Blocks follow each other in 340 clocks, and the latency of a block is 257 clocks."""
    adapter = await _started(dut)
    taken: list[int] = []
    offered: list[int] = []
    clocks = 0

    async def watch() -> None:
        nonlocal clocks
        while True:
            await FallingEdge(dut.clk_i)
            if dut.data_valid_i.value and dut.data_ready_o.value:
                taken.append(clocks)
            if dut.digest_valid_o.value:
                offered.append(clocks)
            await RisingEdge(dut.clk_i)
            clocks += 1

    watching = cocotb.start_soon(watch())
    messages = [bytes(number) for number in range(6)]
    assert await adapter.process(messages) == _expected(messages)
    watching.cancel()
    firsts = offered[::DIGEST_BYTES]
    assert {after - before for before, after in pairwise(firsts)} == {BLOCK_CLOCKS}
    assert offered[0] - taken[63] - 1 == LATENCY_CLOCKS  # taken at the end of its period
    assert taken[0] == FILL_CLOCKS - 1


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def reset_and_wipe(dut: Any) -> None:
    """A reset or wipe of one clock at any moment clears all latches within 80 clocks."""
    adapter = await _started(dut)
    pick = random.Random(5)
    cuts = (90, 113, 144, 200, 301, 399, 420, 433, 700)
    for cut, by_wipe in [(number, way) for number in cuts for way in (False, True)]:
        running = cocotb.start_soon(adapter.process([pick.randbytes(55) for _ in range(3)]))
        for _ in range(cut):
            await RisingEdge(dut.clk_i)
        running.cancel()
        await RisingEdge(dut.clk_i)
        adapter.source.idle()
        adapter.sink.idle()
        port = dut.wipe_i if by_wipe else dut.rst_ni
        port.value = int(by_wipe)
        await RisingEdge(dut.clk_i)
        port.value = int(not by_wipe)
        # A wipe acts one clock later.
        for _ in range(FILL_CLOCKS + 2 + by_wipe):
            await RisingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        assert int(dut.message.value) == 0
        wiped = int(dut.state.value)
        if cut == cuts[0] and not by_wipe:
            first = wiped
        assert wiped == first
        await RisingEdge(dut.clk_i)
        message = pick.randbytes(20)
        assert await adapter.process([message]) == _expected([message])


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def scan_enable_opens_the_clock_gates(dut: Any) -> None:
    """While the core waits for a byte its gates are shut, and open with `scan_enable_i`."""
    adapter = await _started(dut)
    for _ in range(FILL_CLOCKS + 5):
        await RisingEdge(dut.clk_i)
    for enabled in (0, 1):
        dut.scan_enable_i.value = enabled
        for _ in range(3):
            await RisingEdge(dut.clk_i)
        await ReadOnly()
        assert int(dut.phase.value) & 0x55 == 0x55 * enabled
        await FallingEdge(dut.clk_i)
    await RisingEdge(dut.clk_i)
    # The latches are undefined now; a reset and the filling give them values.
    await adapter.reset()
    assert await adapter.process([b"abc"]) == _expected([b"abc"])
