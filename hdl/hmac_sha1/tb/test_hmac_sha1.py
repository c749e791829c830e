# SPDX-License-Identifier: Apache-2.0
"""cocotb tests of hmac_sha1."""

from __future__ import annotations

import hashlib
import json
import os
import random
from pathlib import Path
from typing import Any

import cocotb
from adapter import Adapter
from cocotb.triggers import FallingEdge, RisingEdge
from cocotb.utils import get_sim_time

from joulemark.catalogue.vectors import vectors
from joulemark.hardware.bench.hmac_words import lengths_round_blocks
from joulemark.hardware.bench.streams import sometimes, started

VECTORS = Path(__file__).resolve().parents[3] / "vectors"
BULK = int(os.environ.get("JOULEMARK_RANDOM_MESSAGES", "10000"))
MANY = 1000
"""With fewer random messages the run is short."""


def _sha1(message: bytes) -> bytes:
    return hashlib.sha1(message, usedforsecurity=False).digest()


async def _started(dut: Any) -> Adapter:
    return await started(Adapter, dut, dut.clk_i, {})


def _cases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((VECTORS / name).read_text("utf-8"))["cases"]
    return found


@cocotb.test()
async def published_vectors(dut: Any) -> None:
    """FIPS 180-4's messages (except the long one) and all cases of RFC 2202 give their results."""
    adapter = await _started(dut)
    for case in _cases("sha1/fips180-4.json"):
        if case.get("message_repeat", 1) == 1:
            message = bytes.fromhex(case["message_hex"])
            assert await adapter.digests([message]) == [bytes.fromhex(case["output_hex"])]
    for case in vectors("hmac-sha1"):
        await adapter.set_key(bytes.fromhex(case.key_hex))
        tag = (await adapter.process([bytes.fromhex(case.message_hex)]))[0]
        assert tag.hex().startswith(case.output_hex)


@cocotb.test()
async def block_boundaries(dut: Any) -> None:
    """Messages of 0 to 192 bytes give digests and tags, with stalls on both sides.

    A short run has only the lengths near the boundaries.
    """
    adapter = await _started(dut)
    pick = random.Random(2)
    key = pick.randbytes(20)
    await adapter.set_key(key)
    adapter.source_stall = sometimes(0.3, 3)
    adapter.sink_stall = sometimes(0.5, 4)
    lengths = lengths_round_blocks(every=BULK >= MANY)
    messages = [pick.randbytes(length) for length in lengths]
    for at in range(0, len(messages), 8):
        part = messages[at : at + 8]
        if at % 16:
            assert await adapter.digests(part) == [_sha1(block) for block in part]
        else:
            assert await adapter.process(part) == [Adapter.reference(key, block) for block in part]


@cocotb.test()
async def random_messages(dut: Any) -> None:
    """Random messages, back to back: half of them plain, half tagged under changing keys."""
    adapter = await _started(dut)
    pick = random.Random(5)
    lengths = [pick.randrange(120) for _ in range(BULK)]
    for at in range(0, BULK, 100):
        messages = [pick.randbytes(length) for length in lengths[at : at + 100]]
        if at % 200:
            key = pick.randbytes(pick.choice((0, 1, 20, 63, 64, 65, 100)))
            await adapter.set_key(key)
            assert await adapter.process(messages) == [Adapter.reference(key, x) for x in messages]
        else:
            assert await adapter.digests(messages) == [_sha1(x) for x in messages]


@cocotb.test()
async def documented_clocks(dut: Any) -> None:
    """From first word in to last word out: a tag of up to 55 bytes 848 clocks, 421 a block more."""
    adapter = await _started(dut)
    key = bytes(range(20))
    await adapter.set_key(key)
    cases = ((0, True, 848), (29, True, 848), (56, True, 1269), (55, False, 422))
    for length, mac, promised in cases:
        for _ in range(4):
            await RisingEdge(dut.clk_i)
        message = bytes(length)
        began = get_sim_time("ns")
        if mac:
            assert await adapter.process([message]) == [Adapter.reference(key, message)]
        else:
            assert await adapter.digests([message]) == [_sha1(message)]
        assert round((get_sim_time("ns") - began) / 10) == promised


@cocotb.test()
async def key_changes(dut: Any) -> None:
    """A new key replaces the old one; a plain digest between tags leaves the key as it was."""
    adapter = await _started(dut)
    pick = random.Random(8)
    for length in (0, 1, 20, 64, 65, 200):
        key = pick.randbytes(length)
        await adapter.set_key(key)
        for _ in range(2):
            message = pick.randbytes(70)
            assert await adapter.process([message]) == [Adapter.reference(key, message)]
            assert await adapter.digests([message]) == [_sha1(message)]


@cocotb.test()
async def reset_and_wipe_in_mid_message(dut: Any) -> None:
    """A message cut off at any moment leaves nothing: no key, no block, no chaining value."""
    adapter = await _started(dut)
    pick = random.Random(9)
    for cut in (3, 20, 26, 200, 430, 436, 441, 450, 700, 860):
        await adapter.set_key(pick.randbytes(20))
        running = cocotb.start_soon(adapter.process([pick.randbytes(50) for _ in range(2)]))
        for _ in range(cut):
            await RisingEdge(dut.clk_i)
        running.cancel()
        await RisingEdge(dut.clk_i)
        if cut % 2:
            await adapter.reset()
        else:
            adapter.source.idle()
            adapter.sink.idle()
            dut.wipe_i.value = 1
            await RisingEdge(dut.clk_i)
            dut.wipe_i.value = 0
        for _ in range(17):
            await RisingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        assert int(dut.inner_q.value) == 0
        assert int(dut.outer_q.value) == 0
        assert all(int(dut.u_memory.words[i].value) == 0 for i in range(16))
        assert int(dut.u_core.mix_q.value) == 0
        await RisingEdge(dut.clk_i)
        message = pick.randbytes(40)
        assert await adapter.digests([message]) == [_sha1(message)]
        key = pick.randbytes(30)
        await adapter.set_key(key)
        assert await adapter.process([message]) == [Adapter.reference(key, message)]
