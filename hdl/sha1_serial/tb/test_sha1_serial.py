# SPDX-License-Identifier: Apache-2.0
"""cocotb tests of sha1_serial."""

from __future__ import annotations

import hashlib
import json
import os
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import cocotb
from adapter import Adapter, Block, padded_blocks
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from joulemark.hardware.bench.streams import sometimes

VECTORS = Path(__file__).resolve().parents[3] / "vectors"
BULK = int(os.environ.get("JOULEMARK_RANDOM_MESSAGES", "1000"))
BLOCK_CLOCKS = 405
INITIAL = (0xC3D2E1F0, 0x10325476, 0x98BADCFE, 0xEFCDAB89, 0x67452301)
"""SHA-1's initial value, H4 first."""


async def _started(dut: Any) -> Adapter:
    Clock(dut.clk_i, 10, unit="ns").start()
    adapter = Adapter(dut, dut.clk_i, {})
    await adapter.reset()
    return adapter


def _expected(messages: list[bytes]) -> list[bytes]:
    return [Adapter.reference(b"", message) for message in messages]


@cocotb.test()
async def published_vectors(dut: Any) -> None:
    """FIPS 180-4's messages, except the long one, give their digests."""
    adapter = await _started(dut)
    cases = json.loads((VECTORS / "sha1/fips180-4.json").read_text("utf-8"))["cases"]
    cases = [case for case in cases if case.get("message_repeat", 1) == 1]
    digests = await adapter.process([bytes.fromhex(case["message_hex"]) for case in cases])
    assert [digest.hex() for digest in digests] == [case["output_hex"] for case in cases]


@cocotb.test()
async def documented_clocks(dut: Any) -> None:
    """A block takes 405 clocks from start to start, and 399 to the result's first word."""
    adapter = await _started(dut)
    messages = [bytes(3), bytes(100), bytes(55), bytes(200)]
    assert await adapter.process(messages) == _expected(messages)
    starts = adapter.starts
    assert {after - before for before, after in pairwise(starts)} == {BLOCK_CLOCKS}
    await adapter.reset()
    await adapter.process([b"abc"])
    assert adapter.offers[0] - adapter.starts[0] - 1 == 399  # taken at the end of its period


@cocotb.test()
async def random_messages(dut: Any) -> None:
    """Random messages back to back, then with stalls on both sides."""
    adapter = await _started(dut)
    pick = random.Random(1)
    lengths = [*range(50, 70), 0, 119, 120, 128, *(pick.randrange(56) for _ in range(BULK))]
    messages = [pick.randbytes(length) for length in lengths]
    assert await adapter.process(messages) == _expected(messages)
    adapter.source_stall, adapter.sink_stall = sometimes(0.9, 2), sometimes(0.7, 3)
    part = messages[:40]
    assert await adapter.process(part) == _expected(part)


@cocotb.test()
async def chaining_value_loaded(dut: Any) -> None:
    """A hash goes on from a loaded chaining value: the first block's, or the standard's initial."""
    adapter = await _started(dut)
    message = bytes(range(100))
    blocks = padded_blocks(message)
    encrypted = await adapter.run([Block(blocks[0].words, last=True)], 5)
    await adapter.load(encrypted)
    words = await adapter.run(blocks[1:], 5)
    digest = b"".join(word.to_bytes(4, "big") for word in reversed(words))
    assert digest == Adapter.reference(b"", message)
    await adapter.load(INITIAL)
    assert await adapter.process([b"abc"]) == _expected([b"abc"])


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> (32 - by)) & 0xFFFFFFFF


def _shacal1(plain: tuple[int, ...], key: tuple[int, ...]) -> list[int]:
    """SHACAL-1 by its definition (Handschuh and Naccache, 2000); words H4 first."""
    w = list(key)
    for t in range(16, 80):
        w.append(_rotated(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1))
    e, d, c, b, a = plain
    for t in range(80):
        f, k = (
            ((b & c) | (~b & d), 0x5A827999),
            (b ^ c ^ d, 0x6ED9EBA1),
            ((b & c) | (b & d) | (c & d), 0x8F1BBCDC),
            (b ^ c ^ d, 0xCA62C1D6),
        )[t // 20]
        a, b, c, d, e = (_rotated(a, 5) + f + e + k + w[t]) & 0xFFFFFFFF, a, _rotated(b, 30), c, d
    return [e, d, c, b, a]


@cocotb.test()
async def shacal1(dut: Any) -> None:
    """Without the final addition the core is SHACAL-1; hashlib checks it at the initial value."""
    adapter = await _started(dut)
    pick = random.Random(4)
    message = pick.randbytes(55)
    block = padded_blocks(message)[0]
    cipher = await adapter.run([Block(block.words, last=True, feed_forward=False)], 5)
    summed = [(c + i) & 0xFFFFFFFF for c, i in zip(cipher, INITIAL, strict=True)]
    digest = hashlib.sha1(message, usedforsecurity=False).digest()
    assert b"".join(word.to_bytes(4, "big") for word in reversed(summed)) == digest
    for key_bytes in (16, 32, 64):
        padded = pick.randbytes(key_bytes).ljust(64, b"\0")
        key = tuple(int.from_bytes(padded[at : at + 4], "big") for at in range(0, 64, 4))
        plain = tuple(pick.getrandbits(32) for _ in range(5))
        await adapter.load(plain)
        assert await adapter.run([Block(key, True, False)], 5) == _shacal1(plain, key)
    assert await adapter.process([b"abc"]) == _expected([b"abc"])


@cocotb.test()
async def reset_and_wipe_in_mid_block(dut: Any) -> None:
    """A block that a reset or wipe aborts at any clock leaves nothing behind."""
    adapter = await _started(dut)
    pick = random.Random(6)
    for cut in (1, 2, 7, 79, 80, 201, 399, 400, 402, 404, 405):
        running = cocotb.start_soon(adapter.process([pick.randbytes(50), pick.randbytes(50)]))
        for _ in range(cut):
            await RisingEdge(dut.clk_i)
        running.cancel()
        if cut % 2:
            await adapter.reset()
        else:
            dut.start_valid_i.value = 0
            dut.wipe_i.value = 1
            await RisingEdge(dut.clk_i)
            dut.wipe_i.value = 0
            for _ in range(5):
                await RisingEdge(dut.clk_i)
            await FallingEdge(dut.clk_i)
            assert int(dut.mix_q.value) == 0
            state = [dut.e_q, dut.d_q, dut.c_q, dut.b_q, dut.a_q]
            assert tuple(int(word.value) for word in state) == INITIAL
            assert tuple(int(dut.h_q[4 - i].value) for i in range(5)) == INITIAL
            await RisingEdge(dut.clk_i)
        message = pick.randbytes(40)
        assert await adapter.process([message]) == _expected([message])
